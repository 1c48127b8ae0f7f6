//! Parsing and reporting in the lab, without a device: pairs of numbers, and where the fastest mode changes.
use vecadd::{input::parse, sweep::fastest};

#[test]
fn two_numbers_a_line() {
    assert_eq!(parse("1 2\n\n# note\n3.5, -4e1\n"), Ok((vec![1.0, 3.5], vec![2.0, -40.0])));
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    assert_eq!(parse("1 2\n3\n").unwrap_err(), "line 2: 1 numbers, should be two, x and y");
    assert_eq!(parse("1 two").unwrap_err(), "line 1: `two` is not a number");
    assert_eq!(parse("# nothing\n").unwrap_err(), "no numbers in it");
}

#[test]
fn a_crossover_is_where_the_fastest_changes() {
    let row = |a: f64, b: f64| vec![Some(a), None, Some(b)];
    let times = [(4096, row(1.0, 2.0)), (16384, row(1.5, 2.1)), (1 << 20, row(9.0, 3.0))];
    assert_eq!(fastest(&times), [(4 << 10, "pageable"), (1 << 20, "pinned-async")]);
}
