//! The checker: compares a kernel's results with the reference. A NaN never passes.
use std::fmt;

use crate::measure::parallel::parallel;

/// The tolerance of a result: `|actual - expected| <= absolute + relative * |expected|`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Allowed error, in the result's unit.
    pub absolute: f64,
    /// Allowed error as a fraction of the reference.
    pub relative: f64,
}

impl Tolerance {
    /// No tolerance: for integers and for operations that IEEE 754 fixes.
    pub const EXACT: Self = Self { absolute: 0.0, relative: 0.0 };

    /// The error bound of `operations` roundings in a row with unit roundoff `epsilon / 2`:
    /// gamma = k u / (1 - k u) (Higham, *Accuracy and Stability of Numerical Algorithms*, lemma 3.1),
    /// relative to the result. Use `f64::from(f32::EPSILON)` for a kernel in float.
    pub fn roundings(operations: usize, epsilon: f64) -> Self {
        Self { absolute: 0.0, relative: gamma(operations, epsilon) }
    }

    /// The bound for a sum of `n` terms, in any order, whose magnitudes add up to `magnitude`
    /// (cancellation makes the result small, not the error).
    pub fn sum(n: usize, magnitude: f64, epsilon: f64) -> Self {
        Self { absolute: gamma(n, epsilon) * magnitude, relative: 0.0 }
    }
}

/// Returns Higham's gamma for `k` roundings at unit roundoff `epsilon / 2`; infinite if the bound does not exist.
fn gamma(k: usize, epsilon: f64) -> f64 {
    let ku = k as f64 * epsilon / 2.0;
    if ku < 1.0 { ku / (1.0 - ku) } else { f64::INFINITY }
}

/// A number that the checker compares, exactly as f64.
pub trait Number: Copy + Sync + fmt::Display {
    /// The value as f64; 64-bit integers above 2^53 are compared by [`Check::equal`] instead.
    fn to_f64(self) -> f64;

    /// Whether every bit is set, as after [`crate::poison`]: the number was never written.
    fn is_poison(self) -> bool;
}

macro_rules! numbers {
    ($($t:ty),* => $unwritten:expr) => {
        $(impl Number for $t {
            fn to_f64(self) -> f64 {
                self as f64
            }

            fn is_poison(self) -> bool {
                let unwritten: fn(Self) -> bool = $unwritten;
                unwritten(self)
            }
        })*
    };
}
numbers!(f32 => |x| x.to_bits() == u32::MAX);
// A float that was never written may have been widened since.
numbers!(f64 => |x| [u64::MAX, f64::from(f32::from_bits(u32::MAX)).to_bits()].contains(&x.to_bits()));
numbers!(i32, u32, i64, u64, usize => |x| x == !0);
// These types have so few values that a kernel may well compute this one.
numbers!(i8, u8, i16, u16 => |_| false);

/// Numbers that a core compares as one task.
const CHUNK: usize = 1 << 20;

/// Numbers of a chunk that are compared together; they are examined individually only if one of them is wrong.
const BLOCK: usize = 1 << 10;

/// The number of mismatches that are kept for printing.
const SHOWN: usize = 4;

/// The outcome of comparing one output.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Check {
    /// Elements compared.
    pub compared: usize,
    /// Elements outside the tolerance.
    pub wrong: usize,
    /// The largest distance from the reference; NaN when a result is NaN and its reference is not.
    pub max_abs_error: f64,
    /// The first mismatches, each as text with its position.
    pub mismatches: Vec<String>,
    /// The indices of the first mismatches in a flat output, if they have one; [`Check::named`] turns them into
    /// descriptions.
    indices: Vec<Option<usize>>,
    /// For an output that several launches wrote: the number of launches after which it was wrong, and of all launches.
    launches: Option<(usize, usize)>,
    /// Whether the output was already checked after another launch.
    is_again: bool,
}

/// A number, and its expected value.
struct Pair {
    actual: f64,
    expected: f64,
    is_poison: bool,
}

impl Pair {
    fn new(actual: impl Number, expected: impl Number) -> Self {
        Self { actual: actual.to_f64(), expected: expected.to_f64(), is_poison: actual.is_poison() }
    }

    /// Describes the number and its expected value.
    fn words(&self) -> String {
        let Self { is_poison, .. } = self;
        let (actual, expected) = texts(self.actual, self.expected);
        match (is_poison, self.actual.is_nan()) {
            (true, true) => format!("was never written, should be {expected}"),
            (true, false) => format!("is {actual}, as before the launch, should be {expected}"),
            (false, _) => format!("is {actual}, should be {expected}"),
        }
    }
}

/// Formats two different numbers with nine digits each, which distinguish any two 32-bit floats, or with all their
/// digits.
fn texts(actual: f64, expected: f64) -> (String, String) {
    let short = |number: f64| {
        let rounded = format!("{number:.8e}").parse().unwrap_or(number);
        if number.fract() == 0.0 { number.to_string() } else { f64::to_string(&rounded) }
    };
    let (one, other) = (short(actual), short(expected));
    if one == other { (actual.to_string(), expected.to_string()) } else { (one, other) }
}

impl Check {
    /// Compares `actual` with `expected`, element by element; a different length is a mismatch.
    pub fn compare<A: Number, E: Number>(actual: &[A], expected: &[E], tolerance: Tolerance) -> Self {
        let mut check = Self::lengths(actual.len(), expected.len());
        let chunks: Vec<_> = actual.chunks(CHUNK).zip(expected.chunks(CHUNK)).collect();
        // On all cores: some outputs have hundreds of millions of numbers.
        let checks = parallel(chunks.len(), |chunk| {
            let mut check = Self::default();
            let (actual, expected) = (chunks[chunk].0.chunks(BLOCK), chunks[chunk].1.chunks(BLOCK));
            for (first, (actual, expected)) in (chunk * CHUNK..).step_by(BLOCK).zip(actual.zip(expected)) {
                if let Some(error) = all_near(actual, expected, tolerance) {
                    check.compared += actual.len();
                    check.max_abs_error = worse(check.max_abs_error, error);
                    continue;
                }
                for (i, (a, e)) in (first..).zip(actual.iter().zip(expected)) {
                    check.add(Some(i), &i, &Pair::new(*a, *e), tolerance);
                }
            }
            check
        });
        for other in checks {
            check.merge(other);
        }
        check
    }

    /// Compares one number, which the message calls `what`.
    pub fn scalar(what: &str, actual: impl Number, expected: impl Number, tolerance: Tolerance) -> Self {
        let mut check = Self::default();
        check.add(None, &what, &Pair::new(actual, expected), tolerance);
        check
    }

    /// Compares for equality: strings, tuples, 64-bit integers.
    pub fn equal<T: PartialEq + fmt::Debug>(actual: &[T], expected: &[T]) -> Self {
        let mut check = Self::lengths(actual.len(), expected.len());
        for (i, (a, e)) in actual.iter().zip(expected).enumerate() {
            check.compared += 1;
            if a != e {
                check.mismatch(Some(i), || format!("[{i}] is {a:?}, should be {e:?}"));
            }
        }
        check
    }

    /// Compares counts for equality. A count with every bit set, as before the launch, was never written.
    pub fn counts(actual: &[u64], expected: &[u64]) -> Self {
        let mut check = Self::lengths(actual.len(), expected.len());
        for (i, (a, e)) in actual.iter().zip(expected).enumerate() {
            check.compared += 1;
            if a != e {
                check.mismatch(Some(i), || {
                    if a.is_poison() {
                        format!("[{i}] was never written, should be {e}")
                    } else {
                        format!("[{i}] is {a}, should be {e}")
                    }
                });
            }
        }
        check
    }

    /// Returns a check of anything else: `ok`, and the message if it is false.
    pub fn that(ok: bool, otherwise: impl Into<String>) -> Self {
        let mut check = Self { compared: 1, ..Self::default() };
        if !ok {
            check.mismatch(None, || otherwise.into());
        }
        check
    }

    /// Returns a check of `compared` comparisons that were made elsewhere and were all right.
    pub fn all_right(compared: usize) -> Self {
        Self { compared, ..Self::default() }
    }

    /// Whether everything compared was right. An empty comparison fails.
    pub fn passed(&self) -> bool {
        self.wrong == 0 && self.compared > 0
    }

    /// Adds the check of another output. Mismatches with the same text are kept once.
    pub fn merge(&mut self, other: Self) {
        self.compared += other.compared;
        self.wrong += other.wrong;
        self.max_abs_error = worse(self.max_abs_error, other.max_abs_error);
        for (text, index) in other.mismatches.into_iter().zip(other.indices) {
            if self.mismatches.len() < SHOWN && !self.mismatches.contains(&text) {
                self.mismatches.push(text);
                self.indices.push(index);
            }
        }
        self.launches = self.launches.or(other.launches);
    }

    /// Adds the check of the same output after another launch: the counts and mismatches are those of the first launch
    /// after which it was wrong.
    pub(crate) fn again(&mut self, other: Self) {
        let of = |check: &Self| check.launches.unwrap_or((usize::from(!check.passed()), 1));
        let ((wrong, all), (more, others)) = (of(self), of(&other));
        let launches = Some((wrong + more, all + others));
        let max_abs_error = worse(self.max_abs_error, other.max_abs_error);
        if self.passed() {
            *self = other;
        }
        (self.launches, self.max_abs_error) = (launches, max_abs_error);
    }

    /// Marks the output as possibly checked before, after another launch. Its elements are then counted once.
    #[must_use]
    pub fn of_same_output(self) -> Self {
        Self { is_again: true, ..self }
    }

    /// Adds the next check of a case: of another output, or of the same one.
    pub(crate) fn then(&mut self, next: Self) {
        if next.is_again { self.again(next) } else { self.merge(next) }
    }

    /// Describes the positions of mismatches as rows and columns of a matrix, or of a plane, that is stored row by row
    /// with `columns` numbers in each.
    #[must_use]
    pub fn in_rows(self, columns: usize) -> Self {
        self.named(|i| format!("row {}, column {}", i / columns.max(1), i % columns.max(1)))
    }

    /// Describes the positions of mismatches by `name`, which takes an index.
    #[must_use]
    pub fn named(mut self, name: impl Fn(usize) -> String) -> Self {
        for (text, index) in self.mismatches.iter_mut().zip(&mut self.indices) {
            if let Some(i) = index.take()
                && let Some(rest) = text.strip_prefix(&format!("[{i}]"))
            {
                *text = format!("[{}]{rest}", name(i));
            }
        }
        self
    }

    /// Returns the larger of this check's largest error and `before`.
    pub(crate) fn worst(&self, before: Option<f64>) -> f64 {
        before.map_or(self.max_abs_error, |before| worse(before, self.max_abs_error))
    }

    /// Returns one line for the row's note; empty if all was right.
    pub fn summary(&self) -> String {
        if self.compared == 0 && self.wrong == 0 {
            return "nothing was compared".into();
        }
        if self.wrong == 0 {
            return String::new();
        }
        let launches = match self.launches {
            Some((wrong, all)) if wrong == all => format!(" after each of {all} launches"),
            Some((wrong, all)) => format!(" after {wrong} of {all} launches"),
            None => String::new(),
        };
        let (wrong, compared) = (self.wrong, self.compared.max(self.wrong));
        format!("{wrong} of {compared} wrong{launches}: {}", self.mismatches.join("; "))
    }

    fn lengths(actual: usize, expected: usize) -> Self {
        let mut check = Self::default();
        if actual != expected {
            check.mismatch(None, || format!("{actual} results, should be {expected}"));
        }
        check
    }

    fn add(&mut self, index: Option<usize>, place: &dyn fmt::Display, pair: &Pair, tolerance: Tolerance) {
        let Pair { actual, expected, .. } = *pair;
        self.compared += 1;
        // Equality first: infinities equal themselves, but their difference is NaN.
        if actual == expected {
            return;
        }
        let error = (actual - expected).abs();
        self.max_abs_error = worse(self.max_abs_error, error);
        let allowed = tolerance.absolute + tolerance.relative * expected.abs();
        // A NaN on either side compares false, and is a mismatch.
        let near = error <= allowed && error.is_finite();
        if !near {
            self.mismatch(index, || format!("[{place}] {}", pair.words()));
        }
    }

    fn mismatch(&mut self, index: Option<usize>, text: impl FnOnce() -> String) {
        self.wrong += 1;
        if self.mismatches.len() < SHOWN {
            self.mismatches.push(text());
            self.indices.push(index);
        }
    }
}

/// Returns the largest error of these numbers, if all of them are within the tolerance and finite. Branch-free, so that
/// a core compares several at a time.
fn all_near<A: Number, E: Number>(actual: &[A], expected: &[E], tolerance: Tolerance) -> Option<f64> {
    let (mut largest, mut is_near) = (0.0_f64, actual.len() == expected.len());
    for (a, e) in actual.iter().zip(expected) {
        let (actual, expected) = (a.to_f64(), e.to_f64());
        let error = (actual - expected).abs();
        let allowed = tolerance.absolute + tolerance.relative * expected.abs();
        // False for a NaN and for infinities, even equal ones, which the caller handles.
        is_near &= error <= allowed;
        is_near &= error < f64::INFINITY;
        largest = if error > largest { error } else { largest };
    }
    is_near.then_some(largest)
}

/// Returns the larger of two errors, where NaN is the largest.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// Returns the two-norm of `actual - expected`, in f64.
pub fn two_norm<A: Number, E: Number>(actual: &[A], expected: &[E]) -> f64 {
    actual.iter().zip(expected).map(|(a, e)| (a.to_f64() - e.to_f64()).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nan_never_passes() {
        let nan = f32::NAN;
        let wide = Tolerance { absolute: f64::INFINITY, relative: 0.0 };
        for (actual, expected) in [(nan, 1.0), (1.0, nan), (nan, nan)] {
            for tolerance in [Tolerance::EXACT, wide, Tolerance::roundings(10, 1e-7)] {
                let check = Check::compare(&[actual], &[expected], tolerance);
                assert!(!check.passed(), "{actual} for {expected} at {tolerance:?}");
                assert!(check.max_abs_error.is_nan());
            }
        }
    }

    #[test]
    fn infinity_is_only_itself() {
        let inf = f64::INFINITY;
        assert!(Check::scalar("x", inf, inf, Tolerance::EXACT).passed());
        assert!(!Check::scalar("x", inf, -inf, Tolerance::roundings(1, 1.0)).passed());
        assert!(!Check::scalar("x", inf, 1.0, Tolerance { absolute: inf, relative: 0.0 }).passed());
    }

    #[test]
    fn the_first_mismatches_are_kept_with_their_index() {
        let mut actual = vec![0_i32; 100];
        for i in [3, 50, 51, 52, 99] {
            actual[i] = 7;
        }
        let check = Check::compare(&actual, &[0_i32; 100], Tolerance::EXACT);
        assert_eq!((check.wrong, check.compared, check.mismatches.len()), (5, 100, SHOWN));
        assert!(check.summary().starts_with("5 of 100 wrong: [3] is 7, should be 0; [50]"));
        assert_eq!(check.max_abs_error, 7.0);
    }

    #[test]
    fn large_outputs_are_compared_in_chunks_that_nobody_sees() {
        let (n, wrong) = (2 * CHUNK + 5, [CHUNK - 1, CHUNK, 2 * CHUNK, 2 * CHUNK + 4]);
        let mut actual = vec![1_u32; n];
        for i in wrong {
            actual[i] = 3;
        }
        let check = Check::compare(&actual, &vec![1_u32; n], Tolerance::EXACT);
        assert_eq!((check.wrong, check.compared, check.max_abs_error), (4, n, 2.0));
        assert_eq!(check.indices, wrong.map(Some));
        assert!(check.mismatches[2].starts_with(&format!("[{}] is 3", 2 * CHUNK)), "{check:?}");
        assert_eq!(Check::compare(&actual, &vec![1_u32; n - 1], Tolerance::EXACT).wrong, 4);
    }

    #[test]
    fn what_is_looked_at_together_is_as_what_is_looked_at_alone() {
        let n = 3 * BLOCK + 7;
        let near = Tolerance { absolute: 0.5, relative: 0.25 };
        let right: Vec<f64> = (0..n).map(|i| i as f64 / 100.0).collect();
        let changed = |changes: &[(usize, f64)]| {
            let mut actual = right.clone();
            for (i, value) in changes {
                actual[*i] = *value;
            }
            actual
        };
        let inf = f64::INFINITY;
        let last = 3 * BLOCK + 6;
        for changes in [
            vec![],
            vec![(BLOCK, right[BLOCK] + 2.5), (last, right[last] - 3.0)],
            vec![(5, 99.0), (BLOCK - 1, f64::NAN), (last, -inf)],
            vec![(2 * BLOCK, inf), (0, 0.5)],
        ] {
            let (actual, mut alone) = (changed(&changes), Check::default());
            for (i, (a, e)) in actual.iter().zip(&right).enumerate() {
                alone.add(Some(i), &i, &Pair::new(*a, *e), near);
            }
            let together = Check::compare(&actual, &right, near);
            // Compared as text, since a NaN equals nothing.
            assert_eq!(format!("{together:?}"), format!("{alone:?}"), "{changes:?}");
        }
        // Equal infinities are right, and do not affect the largest error of the others.
        let check = Check::compare(&[inf, 1.0], &[inf, 1.25], near);
        assert!(check.passed() && check.max_abs_error == 0.25 && check.compared == 2);
    }

    #[test]
    fn a_length_that_differs_and_nothing_at_all_are_wrong() {
        assert!(!Check::compare(&[1.0_f32], &[1.0_f32, 2.0], Tolerance::EXACT).passed());
        assert!(!Check::compare::<f32, f32>(&[], &[], Tolerance::EXACT).passed());
        assert_eq!(Check::default().summary(), "nothing was compared");
    }

    #[test]
    fn tolerance_grows_with_the_roundings_and_ends_in_nothing() {
        let eps = f64::from(f32::EPSILON);
        let one = Tolerance::roundings(1, eps).relative;
        assert!(one > eps / 2.0 && one < eps / 2.0 * 1.001);
        assert!(Tolerance::roundings(1000, eps).relative > 999.0 * one);
        assert!(Tolerance::sum(usize::MAX, 1.0, eps).absolute.is_infinite());
        let near = 24.0 + 24.0 * one * 0.9;
        assert!(Check::scalar("sum", near, 24.0, Tolerance::roundings(1, eps)).passed());
        assert!(!Check::scalar("sum", near, 24.0, Tolerance::EXACT).passed());
    }

    #[test]
    fn merging_keeps_the_worst() {
        let mut all = Check::compare(&[1.0_f64], &[1.5_f64], Tolerance { absolute: 1.0, relative: 0.0 });
        assert!(all.passed());
        all.merge(Check::compare(&[f64::NAN], &[0.0_f64], Tolerance::EXACT));
        assert!(!all.passed() && all.max_abs_error.is_nan() && all.compared == 2);
        let again = all.clone();
        all.merge(again);
        assert_eq!((all.wrong, all.mismatches.len()), (2, 1));
    }

    #[test]
    fn what_was_never_written_is_told_from_a_nan_that_was_computed() {
        let poison = f32::from_bits(u32::MAX);
        let of = |actual: f32| Check::compare(&[actual], &[2.5_f64], Tolerance::EXACT).summary();
        assert_eq!(of(poison), "1 of 1 wrong: [0] was never written, should be 2.5");
        let widened = Check::scalar("sum", f64::from(poison), 2.5, Tolerance::EXACT);
        assert_eq!(widened.summary(), "1 of 1 wrong: [sum] was never written, should be 2.5");
        assert_eq!(of(f32::NAN), "1 of 1 wrong: [0] is NaN, should be 2.5");
        let double = Check::scalar("sum", f64::from_bits(u64::MAX), 1.0, Tolerance::EXACT);
        assert_eq!(double.summary(), "1 of 1 wrong: [sum] was never written, should be 1");
        let whole = Check::compare(&[-1_i32], &[7], Tolerance::EXACT);
        assert_eq!(whole.summary(), "1 of 1 wrong: [0] is -1, as before the launch, should be 7");
        assert!(Check::compare(&[u32::MAX], &[u32::MAX], Tolerance::EXACT).passed());
    }

    #[test]
    fn numbers_are_told_with_as_many_digits_as_they_need() {
        let of = |actual: f64, expected: f64| Check::compare(&[actual], &[expected], Tolerance::EXACT).summary();
        let float = |number: f32| f64::from(number);
        assert_eq!(of(float(0.1), float(0.637_778_3)), "1 of 1 wrong: [0] is 0.100000001, should be 0.637778282");
        assert_eq!(of(f64::NAN, 1_234_567_890_123.0), "1 of 1 wrong: [0] is NaN, should be 1234567890123");
        assert_eq!(of(f64::INFINITY, 0.5), "1 of 1 wrong: [0] is inf, should be 0.5");
        // If nine digits do not distinguish them, all digits are printed.
        assert_eq!(
            of(0.123_456_789_01, 0.123_456_789_02),
            "1 of 1 wrong: [0] is 0.12345678901, should be 0.12345678902"
        );
    }

    #[test]
    fn several_launches_are_told_but_not_added_up() {
        let right = || Check::compare(&[1, 2, 3], &[1, 2, 3], Tolerance::EXACT);
        let wrong = || Check::compare(&[1, 2, 9], &[1, 2, 3], Tolerance::EXACT);
        let twice = || {
            let mut check = wrong();
            check.again(wrong());
            check
        };
        for (launches, words) in [
            (vec![wrong(), wrong(), wrong()], "1 of 3 wrong after each of 3 launches: [2] is 9, should be 3"),
            (vec![right(), wrong(), right()], "1 of 3 wrong after 1 of 3 launches: [2] is 9, should be 3"),
            (vec![wrong()], "1 of 3 wrong: [2] is 9, should be 3"),
            (vec![right(), right()], ""),
            (vec![right(), twice(), wrong()], "1 of 3 wrong after 3 of 4 launches: [2] is 9, should be 3"),
        ] {
            let mut all: Option<Check> = None;
            for check in launches {
                match &mut all {
                    Some(all) => all.then(check.of_same_output()),
                    None => all = Some(check),
                }
            }
            let all = all.unwrap();
            assert_eq!((all.summary().as_str(), all.compared, all.passed()), (words, 3, words.is_empty()));
        }
    }

    #[test]
    fn a_matrix_has_rows_and_columns() {
        let check = Check::compare(&[0, 0, 0, 0, 0, 7], &[0; 6], Tolerance::EXACT).in_rows(4);
        assert_eq!(check.mismatches, ["[row 1, column 1] is 7, should be 0"]);
        let equal = Check::equal(&[0, 5], &[0, 0]).in_rows(1);
        assert_eq!(equal.mismatches, ["[row 1, column 0] is 5, should be 0"]);
        assert_eq!(Check::compare(&[1], &[1, 2], Tolerance::EXACT).in_rows(2).mismatches, ["1 results, should be 2"]);
    }

    #[test]
    fn places_have_names_and_counts_that_nobody_has_written_are_told() {
        let check = Check::counts(&[5, u64::MAX], &[4, 2]).named(|i| ["a-d", "e-h"][i].into());
        assert_eq!(check.mismatches, ["[a-d] is 5, should be 4", "[e-h] was never written, should be 2"]);
        assert!(Check::counts(&[u64::MAX], &[u64::MAX]).passed());
    }

    #[test]
    fn the_two_norm_of_a_three_four_five_triangle() {
        assert_eq!(two_norm(&[3.0_f32, 1.0, 4.0], &[0.0_f32, 1.0, 0.0]), 5.0);
    }
}
