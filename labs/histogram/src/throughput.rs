//! How fast atomics on one address can be: the arithmetic that the contention rows are set against.
//!
//! Additions to one address happen one after another, each a read, an addition and a write, so their
//! rate is one over the time of one (Hwu, Kirk and El Hajj, *Programming Massively Parallel
//! Processors*, 4th edition, section 9.3).

/// Atomics a second on one address, in units of 10^9, when each takes `latency_ns`.
///
/// ```
/// assert_eq!(histogram::throughput::atomics_per_ns(100.0), 0.01);
/// ```
pub fn atomics_per_ns(latency_ns: f64) -> f64 {
    1.0 / latency_ns
}

/// The mean time of an atomic in ns when a share `hits` (0 to 1) of them finds its word in the cache.
///
/// ```
/// let mean = histogram::throughput::mean_latency_ns(0.9, 4.0, 100.0);
/// assert!((mean - 13.6).abs() < 1e-12);
/// ```
pub fn mean_latency_ns(hits: f64, hit_ns: f64, miss_ns: f64) -> f64 {
    hits * hit_ns + (1.0 - hits) * miss_ns
}

/// GFLOP/s of a kernel that does `flop_per_atomic` operations for each atomic, when the atomics, of
/// `latency_ns` each, are what it waits for, and everything takes `1 + overhead` times as long (the
/// cost of privatization).
///
/// ```
/// let rate = histogram::throughput::gflop_per_s(5.0, 1.0, 0.1);
/// assert!((rate - 5.0 / 1.1).abs() < 1e-12);
/// ```
pub fn gflop_per_s(flop_per_atomic: f64, latency_ns: f64, overhead: f64) -> f64 {
    flop_per_atomic * atomics_per_ns(latency_ns * (1.0 + overhead))
}

/// One question of the exercise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Question {
    /// A word for the row.
    pub label: &'static str,
    /// The question.
    pub text: &'static str,
    /// The published answer.
    pub published: f64,
    /// Half a unit of its last digit, or what the text rounds by.
    pub rounding: f64,
    /// The answer computed here.
    pub answer: f64,
}

/// The exercise, computed.
pub fn exercise() -> [Question; 3] {
    [
        Question {
            label: "memory, 100 ns",
            text: "each atomic takes 100 ns in memory: G atomics a second on one address?",
            published: 0.01,
            rounding: 0.0005,
            answer: atomics_per_ns(100.0),
        },
        Question {
            label: "90% cache hits, 4 ns",
            text: "9 of 10 take 4 ns in the cache, the others 100 ns: G atomics a second?",
            published: 0.0735,
            rounding: 0.00005,
            answer: atomics_per_ns(mean_latency_ns(0.9, 4.0, 100.0)),
        },
        Question {
            label: "privatized, 1 ns",
            text: "5 FLOP an atomic, 1 ns an atomic in shared memory, 10% overhead: GFLOP/s?",
            published: 4.5,
            rounding: 0.05,
            answer: gflop_per_s(5.0, 1.0, 0.1),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_answers_hold() {
        for q in exercise() {
            assert!((q.answer - q.published).abs() <= q.rounding, "{q:?}");
        }
    }

    #[test]
    fn hits_and_misses_are_weighed() {
        assert_eq!(mean_latency_ns(1.0, 4.0, 100.0), 4.0);
        assert_eq!(mean_latency_ns(0.0, 4.0, 100.0), 100.0);
        assert_eq!(gflop_per_s(5.0, 100.0, 0.0), 0.05);
    }
}
