//! The stencils on the CPU, in f64; and Jacobi's method in f32 as well, operation for operation as the kernels do it.

/// x at i + offset, or 0 beyond the ends.
fn at<T: Copy + Into<f64>>(x: &[T], i: usize, offset: isize) -> f64 {
    i.checked_add_signed(offset)
        .and_then(|i| x.get(i))
        .map_or(0.0, |v| (*v).into())
}

/// `y[i] = x[i-1]/4 + x[i]/2 + x[i+1]/4`; zeros beyond the ends.
pub fn blur<T: Copy + Into<f64>>(x: &[T]) -> Vec<f64> {
    (0..x.len())
        .map(|i| 0.25 * at(x, i, -1) + 0.5 * at(x, i, 0) + 0.25 * at(x, i, 1))
        .collect()
}

/// The mean of x[i-2] ... x[i+2]; zeros beyond the ends.
pub fn average5(x: &[f32]) -> Vec<f64> {
    (0..x.len())
        .map(|i| (-2..=2).map(|o| at(x, i, o)).sum::<f64>() / 5.0)
        .collect()
}

/// The five-point mean of a plane of `width` points a row; the border is copied.
pub fn mean(plane: &[f32], width: usize) -> Vec<f64> {
    let mut out: Vec<f64> = plane.iter().map(|v| f64::from(*v)).collect();
    inner(plane.len(), width, |i| {
        let sum = [i, i - 1, i + 1, i - width, i + width]
            .into_iter()
            .map(|j| f64::from(plane[j]))
            .sum::<f64>();
        out[i] = sum / 5.0;
    });
    out
}

/// Calls `each` with the index of every point that is not on the border.
fn inner(points: usize, width: usize, mut each: impl FnMut(usize)) {
    let height = points.checked_div(width).unwrap_or(0);
    for y in 1..height.saturating_sub(1) {
        for x in 1..width.saturating_sub(1) {
            each(y * width + x);
        }
    }
}

/// The start of Laplace's problem: sin(pi x) along the top row, 0 elsewhere.
pub fn start(width: usize, height: usize) -> Vec<f32> {
    let mut u = vec![0.0; width * height];
    for (x, u) in u.iter_mut().take(width).enumerate() {
        *u = (std::f64::consts::PI * fraction(x, width)).sin() as f32;
    }
    u
}

/// Point i of `points` as a number from 0 to 1.
fn fraction(i: usize, points: usize) -> f64 {
    if points > 1 {
        i as f64 / (points - 1) as f64
    } else {
        0.0
    }
}

/// The solution of Laplace's equation for the border of [`start`]: sin(pi x) sinh(pi (1 - y) r) / sinh(pi r), where r
/// is the plane's height to width.
pub fn solution(width: usize, height: usize) -> Vec<f64> {
    use std::f64::consts::PI;
    let r = height.saturating_sub(1) as f64 / width.saturating_sub(1).max(1) as f64;
    // sinh(a)/sinh(b) without overflow, for b > 0.
    let ratio =
        |a: f64, b: f64| (a - b).exp() * (1.0 - (-2.0 * a).exp()) / (1.0 - (-2.0 * b).exp());
    (0..width * height)
        .map(|i| {
            let (x, y) = (fraction(i % width, width), fraction(i / width, height));
            (PI * x).sin()
                * if r > 0.0 {
                    ratio(PI * (1.0 - y) * r, PI * r)
                } else {
                    1.0
                }
        })
        .collect()
}

/// A number that Jacobi's method runs on.
pub trait Float: Copy + PartialOrd {
    /// A quarter of left + right + above + below, added in this order.
    fn quarter(left: Self, right: Self, above: Self, below: Self) -> Self;
    /// |self - other|.
    #[must_use]
    fn distance(self, other: Self) -> Self;
    /// 0.
    const ZERO: Self;
}

macro_rules! floats {
    ($($t:ty),*) => { $(impl Float for $t {
        fn quarter(left: Self, right: Self, above: Self, below: Self) -> Self { 0.25 * (((left + right) + above) + below) }
        fn distance(self, other: Self) -> Self { (self - other).abs() }
        const ZERO: Self = 0.0;
    })* };
}
floats!(f32, f64);

/// What Jacobi's method gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Jacobi<T> {
    /// The plane.
    pub u: Vec<T>,
    /// Steps done.
    pub steps: u32,
    /// The largest change of any point in the last step.
    pub change: T,
}

/// Jacobi's method from `u`: at most `limit` steps, fewer if at a step divisible by `every` the largest change is
/// at most `tolerance`. With `every` 0 nothing is looked at.
pub fn jacobi<T: Float>(
    mut u: Vec<T>,
    width: usize,
    limit: u32,
    every: u32,
    tolerance: T,
) -> Jacobi<T> {
    let mut v = u.clone();
    let mut change = T::ZERO;
    for step in 1..=limit {
        change = T::ZERO;
        inner(u.len(), width, |i| {
            v[i] = T::quarter(u[i - 1], u[i + 1], u[i - width], u[i + width]);
            let moved = v[i].distance(u[i]);
            if moved > change {
                change = moved;
            }
        });
        std::mem::swap(&mut u, &mut v);
        if every > 0 && step % every == 0 && change <= tolerance {
            return Jacobi {
                u,
                steps: step,
                change,
            };
        }
    }
    Jacobi {
        u,
        steps: limit,
        change,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blurs_and_means_by_hand() {
        assert_eq!(blur(&[4.0_f32]), [2.0]);
        assert_eq!(blur(&[4.0_f32, 8.0, 4.0]), [4.0, 6.0, 4.0]);
        assert_eq!(average5(&[5.0, 10.0, 15.0]), [6.0, 6.0, 6.0]);
        assert!(blur::<f32>(&[]).is_empty() && average5(&[]).is_empty());
        let plane = [1., 2., 3., 4., 5., 6., 7., 8., 9.];
        assert_eq!(mean(&plane, 3)[4], 5.0);
        assert_eq!(mean(&plane, 3)[5], 6.0);
        assert_eq!(
            mean(&plane, 9),
            plane.map(f64::from),
            "a plane of one row is all border"
        );
    }

    #[test]
    fn jacobi_tends_to_the_solution() {
        let (w, h) = (24, 16);
        let u: Vec<f64> = start(w, h).into_iter().map(f64::from).collect();
        let done = jacobi(u, w, 100_000, 10, 1e-9);
        assert!(done.steps < 10_000 && done.steps % 10 == 0 && done.change <= 1e-9);
        let distance = done
            .u
            .iter()
            .zip(solution(w, h))
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        // The five-point formula's own error, of order (pi / 23)^2.
        assert!(distance < 0.01, "{distance}");
    }

    #[test]
    fn planes_without_an_inside_do_not_move() {
        for (w, h) in [(1, 1), (2, 2), (5, 1), (1, 5), (2, 9)] {
            let u = start(w, h);
            let done = jacobi(u.clone(), w, 7, 3, 0.0);
            assert_eq!((done.u, done.steps), (u, 3));
        }
    }

    #[test]
    fn a_fixed_number_of_steps_is_all_done() {
        assert_eq!(jacobi(start(9, 9), 9, 12, 0, 1.0).steps, 12);
        assert_eq!(jacobi(start(9, 9), 9, 0, 0, 1.0).steps, 0);
    }
}
