//! The maximum rate of atomics on one address: the arithmetic with which the contention rows are compared.
//!
//! Additions to one address happen one after another. Each is a read, an addition and a write, so their rate is the
//! reciprocal of the time of one (Hwu, Kirk and El Hajj, *Programming Massively Parallel Processors*, 4th edition,
//! section 9.3).
use harness::{Answer, Question, Row, row};

use crate::stretch::{BLOCKS, LETTERS, THREADS, stretch_length};

/// Atomics per second on one address, in units of 10^9, when each takes `latency_ns`.
///
/// ```
/// assert_eq!(histogram::questions::atomics_per_ns(100.0), 0.01);
/// ```
pub fn atomics_per_ns(latency_ns: f64) -> f64 {
    1.0 / latency_ns
}

/// The mean time of an atomic in ns when a share `hits` (0 to 1) of them finds its word in the cache.
///
/// ```
/// let mean = histogram::questions::mean_latency_ns(0.9, 4.0, 100.0);
/// assert!((mean - 13.6).abs() < 1e-12);
/// ```
pub fn mean_latency_ns(hits: f64, hit_ns: f64, miss_ns: f64) -> f64 {
    hits * hit_ns + (1.0 - hits) * miss_ns
}

/// GFLOP/s of a kernel that does `flop_per_atomic` operations for each atomic, when it waits only for its atomics, of
/// `latency_ns` each. Everything takes `1 + overhead` times as long because of the cost of privatization.
///
/// ```
/// let rate = histogram::questions::gflop_per_s(5.0, 1.0, 0.1);
/// assert!((rate - 5.0 / 1.1).abs() < 1e-12);
/// ```
pub fn gflop_per_s(flop_per_atomic: f64, latency_ns: f64, overhead: f64) -> f64 {
    flop_per_atomic * atomics_per_ns(latency_ns * (1.0 + overhead))
}

/// The exercise.
pub(crate) static ROWS: [Row; 1] = [row("exercise", "the arithmetic of atomics on one address", ())];

/// The exercise's questions, with the text's answers and those computed here.
pub fn all() -> Vec<Question> {
    let ask = |case: &str, asks: &str, published, rounding, answer: f64| Question {
        variant: "exercise",
        case: case.into(),
        asks: asks.into(),
        expected: Answer::Number(published, rounding),
        obtained: Answer::exactly(answer),
    };
    vec![
        ask(
            "memory, 100 ns",
            "Each atomic takes 100 ns in memory: how many G atomics a second on one address?",
            0.01,
            0.0005,
            atomics_per_ns(100.0),
        ),
        ask(
            "5 FLOP an atomic, 100 ns",
            "A kernel does 5 FLOP for each such atomic: how many GFLOP/s?",
            0.05,
            0.005,
            gflop_per_s(5.0, 100.0, 0.0),
        ),
        ask(
            "90% cache hits, 4 ns",
            "9 of 10 take 4 ns in the cache, the others 100 ns: how many G atomics a second?",
            0.0735,
            0.00005,
            atomics_per_ns(mean_latency_ns(0.9, 4.0, 100.0)),
        ),
        ask(
            "privatized, 1 ns",
            "5 FLOP an atomic, 1 ns an atomic in shared memory, 10% overhead: how many GFLOP/s?",
            4.5,
            0.05,
            gflop_per_s(5.0, 1.0, 0.1),
        ),
        ask(
            "stretch with brackets",
            "10000 letters, 32 blocks of 16 threads: how many letters are a thread's stretch?",
            20.0,
            0.0,
            stretch_length(LETTERS, BLOCKS, THREADS, true).into(),
        ),
        ask(
            "stretch without brackets",
            "How many are they if C divides by the blocks and then multiplies by the threads?",
            5248.0,
            0.0,
            stretch_length(LETTERS, BLOCKS, THREADS, false).into(),
        ),
    ]
}

/// The exercise's answers for one address, for the notes of the measured rows.
pub(crate) fn in_short() -> String {
    let questions = all();
    format!("the exercise: {} G/s at 100 ns, {} with 90% cache hits", questions[0].expected, questions[2].expected)
}
