//! The handout's tables, compared with the emulated devices and with arithmetic.
use std::process::Command;

use serde_json::Value;

const README: &str = include_str!("../README.md");

/// The cells of each row of the handout that has `cells` cells.
fn rows(cells: usize) -> Vec<Vec<&'static str>> {
    let split = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    README.lines().filter(|line| line.starts_with('|')).map(split).filter(|row| row.len() == cells).collect()
}

/// The report of the emulated GPU `profile` about itself.
fn device(profile: &str) -> Value {
    let out = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hello"));
    command.args(["--device", &format!("emulated:{profile}"), "--quiet", "--out"]).arg(out.path()).arg("1");
    assert!(command.status().unwrap().success(), "{profile}");
    let text = std::fs::read_to_string(out.path().join("session.json")).unwrap();
    let session: Value = serde_json::from_str(&text).unwrap();
    session["sessions"][0]["device"].clone()
}

#[test]
fn the_limits_are_those_of_the_parts() {
    let mut parts = 0;
    for row in rows(9) {
        let Some((profile, capability)) = row[2].strip_prefix('`').and_then(|part| part.split_once("` (")) else {
            continue;
        };
        parts += 1;
        let device = device(profile);
        let number = |name: &str| device[name].as_u64().unwrap();
        let of = &device["compute_capability"];
        assert_eq!(capability, format!("{}.{})", of[0], of[1]), "{profile}");
        let expected = [
            number("multiprocessors"),
            number("max_threads_per_multiprocessor"),
            number("max_blocks_per_multiprocessor"),
            number("shared_bytes_per_multiprocessor") / 1024,
        ];
        let cell = |at: usize| row[at].parse::<u64>().unwrap();
        assert_eq!([3, 6, 7, 8].map(cell), expected, "{profile}");
        assert_eq!(cell(3) * cell(4), cell(5), "{profile}");
        let dims =
            |name: &str| device[name].as_array().unwrap().iter().map(|d| d.as_u64().unwrap()).collect::<Vec<_>>();
        assert_eq!(dims("max_block_dim"), [1024, 1024, 64]);
        assert_eq!(dims("max_grid_dim"), [2_147_483_647, 65535, 65535]);
        assert_eq!(number("max_threads_per_block"), 1024);
    }
    assert_eq!(parts, 14);
}

#[test]
fn the_ranks_of_four_blocks_of_five() {
    let ranks: Vec<Vec<u64>> = rows(6).iter().filter_map(|row| row.iter().map(|c| c.parse().ok()).collect()).collect();
    assert_eq!(ranks.len(), 4);
    for (block, row) in (0..).zip(ranks) {
        let own = (0..5).map(|thread| hello::maps::one_element(block, 5, thread));
        assert_eq!(row, std::iter::once(block).chain(own).collect::<Vec<_>>());
    }
}
