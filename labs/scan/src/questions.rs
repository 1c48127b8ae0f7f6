//! Questions about additions, idle threads and tiles that arithmetic answers.
use harness::{Answer, Question, Row, row};

use crate::{
    METHODS,
    scanning::{brent_kung, idle_threads, kogge_stone},
};

pub(crate) static ROWS: [Row; 1] = [row("exercise", "additions, idle threads and tiles", ())];

/// The questions. The one about idle threads is of a course's notebook (Politecnico di Milano), whose answer, "another
/// half" in each round, is wrong.
pub(crate) fn all() -> Vec<Question> {
    let ask = |case: &str, asks: &str, expected: f64, obtained: f64| Question {
        variant: ROWS[0].name(),
        case: case.into(),
        asks: asks.into(),
        expected: Answer::Number(expected, 0.05),
        obtained: Answer::exactly(obtained),
    };
    let times_serial = |additions: u64, n: u64| additions as f64 / (n - 1) as f64;
    let tiles = METHODS.iter().find(|row| row.name() == "single-pass").map_or(0, |row| row.tiles(1 << 28, row.threads));
    vec![
        ask(
            "kogge-stone, 1024",
            "How many times as many additions as a serial scan of 1024 elements does kogge-stone do?",
            9.0,
            times_serial(kogge_stone(1024), 1024),
        ),
        ask(
            "brent-kung, 2048",
            "How many times as many as one of 2048 does brent-kung do?",
            2.0,
            times_serial(brent_kung(2048), 2048),
        ),
        ask(
            "idle in the round with stride 256",
            "How many of kogge-stone's 1024 threads have nothing to add in the round with stride 256?",
            256.0,
            idle_threads(1024, 256) as f64,
        ),
        ask(
            "idle in all rounds",
            "And in all ten rounds together, of 10240?",
            1023.0,
            (0..10).map(|round| idle_threads(1024, 1 << round)).sum::<usize>() as f64,
        ),
        ask("tiles of 2^28", "How many tiles has single-pass over 2^28 elements?", 32768.0, tiles as f64),
    ]
}
