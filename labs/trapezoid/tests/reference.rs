//! The CPU's rules compared with each other and with calculus; the tolerance compared with a lost point.
use trapezoid::reference::{Rule, f, relative_tolerance};
use trapezoid::trace::{butterfly, dissemination, tree};

fn rule(n: u64) -> Rule {
    Rule { a: -3.0, b: 3.0, n }
}

#[test]
fn the_integral_is_24() {
    assert!((rule(1).integral() - 24.0).abs() < 1e-12);
    assert!((rule(1 << 20).value() - 24.0).abs() < 1e-10);
}

#[test]
fn closed_form_and_loop_agree() {
    for n in [1, 2, 3, 7, 31, 32, 33, 97, 1000, 1023, 1024, 1025, 65537, 1 << 20] {
        for (a, b) in [(-3.0, 3.0), (0.0, 1.0), (-1.5, 40.25), (1e3, 1e3 + 1.0)] {
            let rule = Rule { a, b, n };
            let off = (rule.serial() - rule.value()).abs() / rule.value();
            assert!(off < 1e-10, "{rule:?}: {off}");
        }
    }
}

#[test]
fn the_serial_program_in_float_is_within_its_tolerance() {
    for n in [1, 2, 31, 1000, 1 << 16, 1 << 20] {
        let off = (f64::from(rule(n).serial_f32()) - rule(n).value()).abs() / rule(n).value();
        assert!(off <= relative_tolerance(n, f32::EPSILON.into()), "n = {n}: {off}");
    }
}

/// At the sizes of the small case, one point more or less is far outside every float tolerance.
#[test]
fn a_lost_point_shows_at_small_n() {
    for n in [2, 3, 31, 97, 257, 517] {
        let lost = rule(n).h() * f(0.0) / rule(n).value();
        assert!(lost > 1.5 * relative_tolerance(n, f32::EPSILON.into()), "n = {n}");
    }
}

#[test]
fn the_tolerance_never_lets_half_the_sum_go() {
    for chain in [0, 1, 1 << 20, 1 << 24, 1 << 40, u64::MAX] {
        let tolerance = relative_tolerance(chain, f32::EPSILON.into());
        assert!((0.0..=0.5).contains(&tolerance), "{chain}");
    }
}

#[test]
fn the_pictures_end_in_the_sum() {
    for lanes in [2_usize, 4, 8, 16, 32] {
        let values: Vec<f32> = (0..lanes).map(|v| v as f32).collect();
        let sum: f32 = values.iter().sum();
        let (tree, butterfly, dissemination) = (tree(&values), butterfly(&values), dissemination(&values));
        assert_eq!(tree.len(), lanes.ilog2() as usize + 1);
        assert_eq!(tree.last().unwrap()[0], sum);
        assert!(butterfly.last().unwrap().iter().all(|&v| v == sum));
        assert!(dissemination.last().unwrap().iter().all(|&v| v == sum));
    }
}
