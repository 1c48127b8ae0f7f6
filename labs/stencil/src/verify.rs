//! The check of large outputs, sample after sample.
use harness::{Check, Number, Tolerance};

/// Compares outputs with a reference. An output that equals one already found right, bit for bit as floats compare, is
/// right too: that is seen several times faster, and a plane of 200 million points is compared for every sample.
pub(crate) struct Verifier<'a, E> {
    expected: &'a [E],
    tolerance: Tolerance,
    right: Option<(Vec<f32>, Check)>,
}

impl<'a, E: Number> Verifier<'a, E> {
    pub fn new(expected: &'a [E], tolerance: Tolerance) -> Self {
        Self {
            expected,
            tolerance,
            right: None,
        }
    }

    pub fn check(&mut self, output: Vec<f32>) -> Check {
        if let Some((right, check)) = &self.right
            && *right == output
        {
            return check.clone();
        }
        let check = Check::compare(&output, self.expected, self.tolerance);
        if check.passed() {
            self.right = Some((output, check.clone()));
        }
        check
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_output_after_a_right_one_is_wrong() {
        let mut verifier = Verifier::new(
            &[1.0_f64, 2.0],
            Tolerance {
                absolute: 0.1,
                relative: 0.0,
            },
        );
        assert!(!verifier.check(vec![1.0, f32::NAN]).passed());
        assert!(verifier.check(vec![1.0, 2.05]).passed());
        assert!(verifier.check(vec![1.0, 2.05]).passed());
        assert!(verifier.check(vec![1.0, 2.0]).passed());
        for wrong in [vec![1.0, 2.2], vec![1.0, f32::NAN], vec![1.0], vec![]] {
            assert!(!verifier.check(wrong).passed());
        }
    }
}
