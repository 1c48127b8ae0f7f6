//! The right answer, computed on the CPU.

/// a x + y in f64, element by element, for vectors of the same length.
///
/// ```
/// assert_eq!(newlab::reference(2.0, &[1.0, 0.5], &[3.0, 4.0]), [5.0, 5.0]);
/// ```
pub fn reference(a: f32, x: &[f32], y: &[f32]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| f64::from(a) * f64::from(*x) + f64::from(*y)).collect()
}
