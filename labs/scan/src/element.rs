//! The elements of a scan: floats, or 32-bit unsigned integers that wrap; inputs, and the check of a scan.
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use harness::{Check, Inputs, Number, Tolerance, parallel};

/// Elements of one task of the check.
const CHUNK: usize = 1 << 20;

/// A 32-bit type that can be scanned.
pub trait Element: Number + DeviceRepr + ValidAsZeroBits + Default + PartialEq + Send + Sync + 'static {
    /// The suffix of its kernels.
    const NAME: &'static str;
    /// The type in which references are summed. Its default is the empty sum.
    type Sum: Number + From<Self> + Default + Send + Sync;
    /// Elements from a generator. They are not negative, so a prefix sum is its own magnitude.
    fn draw(inputs: Inputs, n: usize) -> Vec<Self>;
    /// The sum of two sums.
    fn add(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// The tolerance of a result, relative to the exact prefix, after `roundings` roundings in a row.
    fn tolerance(roundings: usize) -> Tolerance;

    /// `n` elements, the same for the same seed on every computer.
    fn random(seed: u64, n: usize) -> Vec<Self> {
        Inputs::in_chunks(seed, Self::NAME, n, Self::draw)
    }
}

impl Element for f32 {
    const NAME: &'static str = "f32";
    type Sum = f64;

    fn draw(mut inputs: Inputs, n: usize) -> Vec<Self> {
        inputs.f32(n, 0.0..1.0)
    }
    fn add(a: f64, b: f64) -> f64 {
        a + b
    }
    fn tolerance(roundings: usize) -> Tolerance {
        // The reference's own roundings count as one more: in f64 they are far smaller than one in f32.
        Tolerance::roundings(roundings + 1, f64::from(f32::EPSILON))
    }
}

impl Element for u32 {
    const NAME: &'static str = "u32";
    type Sum = u32;

    fn draw(mut inputs: Inputs, n: usize) -> Vec<Self> {
        inputs.u32(n, 0..1000)
    }
    fn add(a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }
    fn tolerance(_: usize) -> Tolerance {
        Tolerance::EXACT
    }
}

/// The scan of an input, as far as the check needs it: the exact sum before each chunk.
#[derive(Debug)]
pub struct Expected<'x, T: Element> {
    pub(crate) x: &'x [T],
    before: Vec<T::Sum>,
}

impl<'x, T: Element> Expected<'x, T> {
    /// Sums up `x`, whose elements must not be negative.
    pub fn from_input(x: &'x [T]) -> Self {
        let chunks: Vec<&[T]> = x.chunks(CHUNK).collect();
        let sums =
            parallel(chunks.len(), |c| chunks[c].iter().fold(T::Sum::default(), |sum, v| T::add(sum, (*v).into())));
        let mut sum = T::Sum::default();
        let before = sums.into_iter().map(|s| {
            let with = T::add(sum, s);
            std::mem::replace(&mut sum, with)
        });
        Self { x, before: before.collect() }
    }

    /// Compares `out` with the scan of x, each element within the bound of `roundings` roundings. A NaN never passes.
    pub fn check(&self, out: &[T], inclusive: bool, roundings: usize) -> Check {
        let (n, results) = (self.x.len(), out.len());
        if results != n || n == 0 {
            return Check::that(results == n, format!("{results} results, should be {n}"));
        }
        let tolerance = T::tolerance(roundings);
        let parts = parallel(self.before.len(), |c| {
            let (mut part, mut sum) = (Check::default(), self.before[c]);
            let here = c * CHUNK..((c + 1) * CHUNK).min(n);
            for (i, (v, actual)) in here.clone().zip(self.x[here.clone()].iter().zip(&out[here])) {
                let with = T::add(sum, (*v).into());
                let exact = if inclusive { with } else { sum };
                sum = with;
                let error = (actual.to_f64() - exact.to_f64()).abs();
                // A comparison with NaN is false. A message is made only for a wrong element.
                if error <= tolerance.relative * exact.to_f64() {
                    part.compared += 1;
                    part.max_abs_error = if error > part.max_abs_error { error } else { part.max_abs_error };
                } else {
                    part.merge(Check::scalar(&i.to_string(), *actual, exact, tolerance));
                }
            }
            part
        });
        parts.into_iter().fold(Check::default(), |mut all, part| {
            all.merge(part);
            all
        })
    }
}
