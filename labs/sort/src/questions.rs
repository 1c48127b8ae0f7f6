//! The arithmetic of networks and radix sorts.
use harness::{Answer, Question, Row, row};

use crate::{KeyKind, Method};

/// Comparators of a bitonic network for `n` keys, n a power of two: each of its steps compares n / 2 pairs.
///
/// ```
/// // 1 + 2 + ... + 10 steps of 512 comparators.
/// assert_eq!(sort::questions::comparators(1024), 55 * 512);
/// ```
pub fn comparators(n: u64) -> u64 {
    steps(n) * n / 2
}

/// Steps of a bitonic network for `n` keys, n a power of two: a merge of 2^m keys has m.
pub fn steps(n: u64) -> u64 {
    (1..=u64::from(n.ilog2())).sum()
}

/// The rate in 10^9 keys per second when `bytes` per key are moved at `gb_per_s`, and nothing else takes time.
///
/// ```
/// assert_eq!(sort::questions::limit(36.0, 4140.0), 115.0);
/// ```
pub fn limit(bytes: f64, gb_per_s: f64) -> f64 {
    gb_per_s / bytes
}

/// The exercise.
pub(crate) static ROWS: [Row; 1] = [row("exercise", "the arithmetic of networks and passes", ())];

/// The exercise's questions.
pub fn all() -> Vec<Question> {
    let ask = |case: &str, asks: &str, expected: f64, within: f64, obtained: f64| Question {
        variant: "exercise",
        case: case.into(),
        asks: asks.into(),
        expected: Answer::Number(expected, within),
        obtained: Answer::exactly(obtained),
    };
    let large = 1 << 28;
    let bytes_a_key = |how: Method| how.bytes(KeyKind::U32, large, 1024) as f64 / large as f64;
    vec![
        ask(
            "comparators, 1024 keys",
            "How many comparators has a bitonic network for 1024 keys?",
            28160.0,
            0.0,
            comparators(1024) as f64,
        ),
        ask("steps, 2^28 keys", "How many steps has one for 2^28 keys?", 406.0, 0.0, steps(1 << 28) as f64),
        ask(
            "passes, 2^28 keys",
            "Tiles of 2048 keys are sorted and merged in shared memory: how many launches of bitonic-grid write 2^28 keys?",
            171.0,
            0.0,
            Method::Grid { flip: "flip" }.passes(KeyKind::U32, large, 1024) as f64,
        ),
        ask(
            "bytes, radix",
            "How many bytes does radix move for each 32-bit key?",
            36.0,
            0.0,
            bytes_a_key(Method::Sweeps),
        ),
        ask(
            "bytes, radix-passes",
            "How many bytes does radix-passes move for each 32-bit key?",
            96.0,
            0.0,
            bytes_a_key(Method::Passes { scatter: "scatter" }),
        ),
        ask(
            "limit of the network, 4100 GB/s",
            "At 4100 GB/s, how many G keys a second can bitonic-grid sort of 2^28 at most?",
            3.0,
            0.005,
            limit(bytes_a_key(Method::Grid { flip: "flip" }), 4100.0),
        ),
        ask(
            "limit, 4100 GB/s",
            "At 4100 GB/s, how many G keys a second can radix sort at most?",
            113.9,
            0.05,
            limit(bytes_a_key(Method::Sweeps), 4100.0),
        ),
    ]
}
