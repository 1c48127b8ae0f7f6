//! The check of a scan, and its inputs.
use scan::{Element, Expected};

/// Elements of one task of the check.
const CHUNK: usize = 1 << 20;

#[test]
fn a_right_scan_passes_and_each_wrong_one_does_not() {
    let x = [1u32, 2, 3, u32::MAX];
    let expected = Expected::from_input(&x);
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
    let expected = Expected::from_input(&x);
    assert!(expected.check(&[0.5, 0.75, 0.875], true, 0).passed());
    assert!(expected.check(&[0.5, 0.75, 0.875 + f32::EPSILON], true, 4).passed());
    assert!(!expected.check(&[0.5, 0.75, 0.875001], true, 4).passed());
    let nan = expected.check(&[0.5, f32::NAN, 0.875], true, 1000);
    assert!(!nan.passed() && nan.max_abs_error.is_nan());
}

#[test]
fn chunks_carry_their_sums_on() {
    let n = CHUNK + 3;
    let x = vec![1u32; n];
    let out: Vec<u32> = (1..=n as u32).collect();
    assert!(Expected::from_input(&x).check(&out, true, 0).passed());
    assert_eq!(u32::random(1, n), u32::random(1, n));
    assert_ne!(f32::random(1, 100), f32::random(2, 100));
    assert!(Expected::<u32>::from_input(&[]).check(&[], true, 0).passed());
}
