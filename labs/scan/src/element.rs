//! What is scanned: floats, or 32-bit unsigned integers that wrap; inputs, and the check of a scan.
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use harness::{Check, Inputs, Tolerance, parallel, parallel_chunks};

/// Elements of one generator, and of one task of the check.
const CHUNK: usize = 1 << 20;
/// How many mismatches are kept to print.
const SHOWN: usize = 4;

/// A 32-bit type that can be scanned.
pub trait Element:
    DeviceRepr + ValidAsZeroBits + Copy + Send + Sync + std::fmt::Display + 'static
{
    /// The suffix of its kernels.
    const NAME: &'static str;
    /// What references are summed in.
    type Sum: Copy + Send + Sync + std::fmt::Display;
    /// The sum of nothing.
    const ZERO: Self::Sum;
    /// Elements from a generator: not negative, so that a prefix is its own magnitude.
    fn draw(inputs: Inputs, n: usize) -> Vec<Self>;
    /// The element as a sum.
    fn widen(self) -> Self::Sum;
    /// Two sums' sum.
    fn add(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// The distance of a result from the exact prefix; NaN if the result is NaN.
    fn error(self, exact: Self::Sum) -> f64;
    /// The distance allowed after `roundings` roundings in a row.
    fn allowed(exact: Self::Sum, roundings: usize) -> f64;
}

impl Element for f32 {
    const NAME: &'static str = "f32";
    type Sum = f64;
    const ZERO: f64 = 0.0;

    fn draw(mut inputs: Inputs, n: usize) -> Vec<Self> {
        inputs.f32(n, 0.0..1.0)
    }
    fn widen(self) -> f64 {
        f64::from(self)
    }
    fn add(a: f64, b: f64) -> f64 {
        a + b
    }
    fn error(self, exact: f64) -> f64 {
        (f64::from(self) - exact).abs()
    }
    fn allowed(exact: f64, roundings: usize) -> f64 {
        // One more, for the reference's own roundings: in f64, they are far fewer than one in f32.
        Tolerance::sum(roundings + 1, exact, f64::from(f32::EPSILON)).absolute
    }
}

impl Element for u32 {
    const NAME: &'static str = "u32";
    type Sum = u32;
    const ZERO: u32 = 0;

    fn draw(mut inputs: Inputs, n: usize) -> Vec<Self> {
        inputs.u32(n, 0..1000)
    }
    fn widen(self) -> u32 {
        self
    }
    fn add(a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }
    fn error(self, exact: u32) -> f64 {
        f64::from(self.abs_diff(exact))
    }
    fn allowed(_: u32, _: usize) -> f64 {
        0.0
    }
}

/// `n` elements, the same for the same seed on every computer.
pub fn random<T: Element>(seed: u64, n: usize) -> Vec<T> {
    let zero = T::draw(Inputs::new(seed, T::NAME), 1)[0];
    let mut all = vec![zero; n];
    parallel_chunks(&mut all, CHUNK, |i, chunk| {
        let inputs = Inputs::new(seed, &format!("{}{i}", T::NAME));
        chunk.copy_from_slice(&T::draw(inputs, chunk.len()));
    });
    all
}

/// The scan of an input, as far as a check needs it: the exact sum before each chunk.
#[derive(Debug)]
pub struct Expected<'x, T: Element> {
    x: &'x [T],
    before: Vec<T::Sum>,
}

impl<'x, T: Element> Expected<'x, T> {
    /// Sums up `x`, which must not be negative.
    pub fn of(x: &'x [T]) -> Self {
        let sums = parallel(x.len().div_ceil(CHUNK), |i| {
            let chunk = &x[i * CHUNK..((i + 1) * CHUNK).min(x.len())];
            chunk.iter().fold(T::ZERO, |sum, v| T::add(sum, v.widen()))
        });
        let mut sum = T::ZERO;
        let before = sums.into_iter().map(|s| {
            let before = sum;
            sum = T::add(sum, s);
            before
        });
        Self {
            x,
            before: before.collect(),
        }
    }

    /// Compares `out` with the scan of x, each element within the bound of `roundings` roundings. A
    /// NaN never passes.
    pub fn check(&self, out: &[T], inclusive: bool, roundings: usize) -> Check {
        if out.len() != self.x.len() {
            let lengths = format!("{} results, should be {}", out.len(), self.x.len());
            return Check::that(false, lengths);
        }
        if out.is_empty() {
            return Check::that(true, "");
        }
        let parts = parallel(self.before.len(), |c| {
            let mut part = Check::default();
            let mut sum = self.before[c];
            let from = c * CHUNK;
            let to = (from + CHUNK).min(out.len());
            for (i, (v, actual)) in self.x[from..to].iter().zip(&out[from..to]).enumerate() {
                let with = T::add(sum, v.widen());
                let exact = if inclusive { with } else { sum };
                sum = with;
                let error = actual.error(exact);
                // Written so that NaN, which compares false, is wrong.
                let right = error <= T::allowed(exact, roundings);
                if error.is_nan() || part.max_abs_error.is_nan() {
                    part.max_abs_error = f64::NAN;
                } else {
                    part.max_abs_error = part.max_abs_error.max(error);
                }
                part.compared += 1;
                if !right {
                    part.wrong += 1;
                    if part.mismatches.len() < SHOWN {
                        let at = from + i;
                        part.mismatches
                            .push(format!("[{at}] is {actual}, should be {exact}"));
                    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_scan_passes_and_each_wrong_one_does_not() {
        let x = [1u32, 2, 3, u32::MAX];
        let expected = Expected::of(&x);
        assert!(expected.check(&[1, 3, 6, 5], true, 0).passed());
        assert!(expected.check(&[0, 1, 3, 6], false, 0).passed());
        assert!(!expected.check(&[0, 1, 3, 6], true, 0).passed());
        assert!(!expected.check(&[1, 3, 6], true, 0).passed());
        let wrong = expected.check(&[1, 3, 7, 5], true, 0);
        assert_eq!((wrong.wrong, wrong.max_abs_error), (1, 1.0));
        assert_eq!(wrong.mismatches, ["[2] is 7, should be 6"]);
    }

    #[test]
    fn floats_pass_within_their_bound_and_nan_never() {
        let x = [0.5f32, 0.25, 0.125];
        let expected = Expected::of(&x);
        assert!(expected.check(&[0.5, 0.75, 0.875], true, 0).passed());
        assert!(
            expected
                .check(&[0.5, 0.75, 0.875 + f32::EPSILON], true, 4)
                .passed()
        );
        assert!(!expected.check(&[0.5, 0.75, 0.875001], true, 4).passed());
        let nan = expected.check(&[0.5, f32::NAN, 0.875], true, 1000);
        assert!(!nan.passed() && nan.max_abs_error.is_nan());
    }

    #[test]
    fn chunks_carry_their_sums_on() {
        let n = CHUNK + 3;
        let x = vec![1u32; n];
        let out: Vec<u32> = (1..=n as u32).collect();
        assert!(Expected::of(&x).check(&out, true, 0).passed());
        assert_eq!(random::<u32>(1, n), random::<u32>(1, n));
        assert_ne!(random::<f32>(1, 100), random::<f32>(2, 100));
        assert!(Expected::<u32>::of(&[]).check(&[], true, 0).passed());
    }
}
