//! Parsing and reporting in the lab, without a device: pairs of numbers, and where the fastest mode changes.
use harness::{Crossover, crossovers_text};
use vecadd::{
    input::parse,
    reference::reference_times,
    sweep::{Times, crossovers, fastest, times},
};

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

/// The sizes, mode and times of each range.
fn ranges(rows: &[Crossover]) -> Vec<(&str, &str, &str, [f64; 2])> {
    rows.iter().map(|row| (row.sizes[0].as_str(), row.sizes[1].as_str(), row.mode.as_str(), row.ms)).collect()
}

#[test]
fn a_crossover_is_where_the_fastest_changes() {
    let measured = [
        ("pageable", 1024, 1.0),
        ("pinned-async", 1024, 2.0),
        ("pageable", 4096, 1.5),
        ("pinned-async", 4096, 2.1),
        ("pageable", 1 << 18, 9.0),
        ("pinned-async", 1 << 18, 3.0),
        // An exercise is not a mode.
        ("constant", 1 << 18, 0.1),
    ];
    let rows = fastest(&times(measured.into_iter()));
    let expected = [("4 KiB", "16 KiB", "pageable", [1.0, 1.5]), ("1 MiB", "1 MiB", "pinned-async", [3.0, 3.0])];
    assert_eq!(ranges(&rows), expected);
    assert_eq!([rows[0].gain, rows[1].gain], [Some([1.0, 1.0]), Some([3.0, 3.0])]);
}

#[test]
fn a_mode_within_five_per_cent_of_the_fastest_makes_no_stretch() {
    let at = |ms: f64| {
        fastest(&times(
            [("pageable", 1024, 1.0), ("pinned", 1024, 2.0), ("pageable", 4096, ms), ("pinned", 4096, 1.0)].into_iter(),
        ))
        .len()
    };
    assert_eq!([at(1.04), at(1.06)], [1, 2]);
}

/// The times of the reference run, those of `mode` from `bytes` on multiplied by `factor`.
fn reference_with(mode: &str, bytes: usize, factor: f64) -> Times {
    let mut all = reference_times();
    // The place of a mode among the times is that of its only entry.
    let only = times([(mode, 1, 1.0)].into_iter());
    let place = only[&4].iter().position(Option::is_some).unwrap();
    for row in all.range_mut(bytes..).map(|(_, row)| row) {
        row[place] = row[place].map(|ms| ms * factor);
    }
    all
}

/// The numbers are those of reports/h200/sweep/vecadd.csv: at 256 MiB `overlapped` takes 10.440381 ms, 4.995 % less
/// than `zero-copy`.
#[test]
fn the_crossovers_of_the_reference_run() {
    let times = reference_times();
    assert_eq!((times.len(), times.values().flatten().flatten().count()), (9, 81));
    let rows = fastest(&times);
    assert_eq!(ranges(&rows), [("4 KiB", "256 MiB", "zero-copy", [0.0164225, 10.96186])]);
    let [least, most] = rows[0].gain.unwrap();
    assert!((least - 3.1552747754604966).abs() < 1e-9 && (most - 11.189892609957264).abs() < 1e-9, "{least} {most}");
}

#[test]
fn a_mode_that_became_slow_is_no_longer_the_fastest() {
    let rows = fastest(&reference_with("zero-copy", 4 << 20, 2.0));
    // At 4 MiB `write-combined` is ahead of `overlapped` by less than the margin.
    let expected = [
        ("4 KiB", "1 MiB", "zero-copy", [0.0164225, 0.11132600000000001]),
        ("4 MiB", "256 MiB", "overlapped", [0.37209000000000003, 10.440381]),
    ];
    assert_eq!(ranges(&rows), expected);
    let slightly = fastest(&reference_with("zero-copy", 256 << 20, 1.01));
    assert_eq!(slightly.last().map(|row| (row.sizes[0].as_str(), row.mode.as_str())), Some(("256 MiB", "overlapped")));
}

#[test]
fn the_summary_of_a_sweep_names_its_devices_and_fits() {
    let emulated = crossovers_text("vecadd", &crossovers(None), &[], 80);
    for words in [
        "NVIDIA H200, measured on 2026-11-27",
        "  This run only checked the answers: ",
        "4 KiB..256 MiB  zero-copy  16.4 us",
    ] {
        assert!(emulated.contains(words), "no {words} in {emulated}");
    }
    assert!(!emulated.contains("in this run"), "{emulated}");
    let times = reference_with("zero-copy", 4 << 20, 2.0);
    let told = crossovers(Some(("NVIDIA A100", &times)));
    for width in [40, 80, 160] {
        let text = crossovers_text("vecadd", &told, &[], width);
        let plain: String = text
            .split('\u{1b}')
            .map(|part| part.split_once('m').filter(|_| part.starts_with('[')).map_or(part, |p| p.1))
            .collect();
        assert!(plain.lines().all(|line| line.chars().count() <= width), "{plain}");
        assert!(plain.lines().count() <= if width < 80 { 30 } else { 20 }, "{plain}");
        assert_eq!(plain.contains('█'), width >= 80, "{plain}");
        let words: Vec<&str> = plain.split_whitespace().collect();
        let words = words.join(" ");
        let here = words.find("NVIDIA A100, measured in this run: ").expect("this GPU");
        assert!(here < words.find("NVIDIA H200, measured on ").expect("the reference"), "{words}");
        assert!(words.contains("4 MiB..256 MiB overlapped 0.372 ms..10.4 ms 5.2..11"), "{words}");
        assert!(!words.contains("only checked the answers"), "{words}");
    }
}
