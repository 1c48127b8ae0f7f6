//! The arithmetic of the forms: bytes, padding, idle lanes and tiles.
use harness::{Answer, Question, Row, row};

use crate::MERGE_TILE;

/// Bytes that a product with a matrix in CSR form must move: the matrix, x and y, each once.
///
/// ```
/// assert_eq!(sparse::questions::csr_bytes(1, 1, 1), 8 + 8 + 4 + 4);
/// ```
pub const fn csr_bytes(rows: usize, columns: usize, entries: usize) -> usize {
    4 * (2 * entries + rows + 1 + columns + rows)
}

/// Tiles of the merge path.
///
/// ```
/// assert_eq!(sparse::questions::merge_tiles(1000, 792), 1);
/// assert_eq!(sparse::questions::merge_tiles(1000, 793), 2);
/// ```
pub const fn merge_tiles(rows: usize, entries: usize) -> usize {
    (rows + entries).div_ceil(MERGE_TILE)
}

/// The share of the lanes at work, in per cent, when `lanes` share a row of `length` entries.
///
/// ```
/// assert_eq!(sparse::questions::lanes_at_work(24, 32), 75.0);
/// ```
pub fn lanes_at_work(length: usize, lanes: usize) -> f64 {
    100.0 * length as f64 / length.next_multiple_of(lanes) as f64
}

/// The exercise.
pub(crate) static ROWS: [Row; 1] = [row("exercise", "bytes, padding, idle lanes and tiles", ())];

/// The questions, all about 2^20 rows and columns with 24 entries each, or with one row that has 131072.
pub(crate) fn all() -> Vec<Question> {
    const ROWS_OF_A: usize = 1 << 20;
    const ENTRIES: usize = 24 * ROWS_OF_A;
    let bytes = csr_bytes(ROWS_OF_A, ROWS_OF_A, ENTRIES) as f64;
    let ask = |case: &str, asks: &str, expected: f64, rounding: f64, obtained: f64| Question {
        variant: ROWS[0].name(),
        case: case.into(),
        asks: asks.into(),
        expected: Answer::Number(expected, rounding),
        obtained: Answer::exactly(obtained),
    };
    vec![
        ask("CSR, MB", "2^20 rows of 24 entries: how many 10^6 bytes must a product move?", 213.9, 0.05, bytes / 1e6),
        ask(
            "CSR, FLOP a byte",
            "How many operations is that for each byte?",
            0.235,
            0.0005,
            2.0 * ENTRIES as f64 / bytes,
        ),
        ask("CSR, us", "How many microseconds does it take at 4000 GB/s?", 53.5, 0.05, bytes / 4000e3),
        ask(
            "ELL, padding",
            "One of the rows has 131072 entries: how many does ELL store for each real one?",
            5433.0,
            0.5,
            (ROWS_OF_A * 131_072) as f64 / (ENTRIES - 24 + 131_072) as f64,
        ),
        ask("32 lanes a row", "What share of 32 lanes works on a row of 24 entries?", 75.0, 0.0, lanes_at_work(24, 32)),
        ask("8 lanes a row", "And of 8 lanes?", 100.0, 0.0, lanes_at_work(24, 8)),
        ask(
            "merge path, tiles",
            "How many tiles of 1792 steps has the merge path?",
            14629.0,
            0.0,
            merge_tiles(ROWS_OF_A, ENTRIES) as f64,
        ),
        ask(
            "merge path, long row",
            "How many tiles have nothing but entries of a row of 131072, at least?",
            72.0,
            0.0,
            ((131_072 - (MERGE_TILE - 1)) / MERGE_TILE) as f64,
        ),
    ]
}
