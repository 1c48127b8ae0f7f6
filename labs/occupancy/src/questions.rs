//! The checked questions: the course's own, each with the answer expected and the one that the calculator gives.
use crate::calculator::{Limits, best, fits, waves};

/// A question, its answer in the course, and the calculator's.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The question.
    pub text: String,
    /// The course's answer.
    pub expected: String,
    /// The calculator's.
    pub obtained: String,
}

/// An SM of 2048 threads, 32 blocks and 65536 registers: (blocks, threads, registers a thread, answer).
const FITS: [(u32, u32, u32, &str); 8] = [
    (8, 128, 32, "50%"),
    (32, 32, 32, "50%"),
    (64, 32, 32, "no: 64 blocks of 32"),
    (32, 64, 32, "100%"),
    (8, 128, 128, "no: 131072 registers of 65536"),
    (32, 32, 128, "no: 131072 registers of 65536"),
    (16, 32, 128, "25%"),
    (8, 64, 128, "25%"),
];

/// An SM of 1536 threads and 8 blocks: (blocks, threads, answer). The last is 66.7%, which the course cuts to 66%.
const OLDER: [(u32, u32, &str); 3] = [(8, 192, "100%"), (6, 256, "100%"), (8, 128, "66%")];

fn answer(result: Result<f64, String>) -> String {
    match result {
        Ok(percent) => format!("{:.0}%", percent.floor()),
        Err(what) => format!("no: {what}"),
    }
}

/// All questions, answered.
pub fn questions() -> Vec<Question> {
    let mut all = Vec::new();
    let mut ask = |text: String, expected: &str, obtained: String| {
        all.push(Question {
            text,
            expected: expected.into(),
            obtained,
        });
    };
    for (blocks, threads, registers, expected) in FITS {
        ask(
            format!(
                "SM of 2048 threads, 32 blocks, 65536 registers: {blocks}x{threads} at {registers} registers"
            ),
            expected,
            answer(fits(&Limits::TEXTBOOK, blocks, threads, registers, 0)),
        );
    }
    ask(
        "SM of 1536 threads, 8 blocks: the best block of 64, 128, 512, 1024".into(),
        "512",
        best(&Limits::OLDER, &[64, 128, 512, 1024], 16, 0)
            .iter()
            .map(u32::to_string)
            .collect::<Vec<_>>()
            .join(", "),
    );
    for (blocks, threads, expected) in OLDER {
        ask(
            format!("SM of 1536 threads, 8 blocks: {threads} threads x {blocks} blocks"),
            expected,
            answer(fits(&Limits::OLDER, blocks, threads, 16, 0)),
        );
    }
    // 16 blocks of 128 threads are 2048 threads.
    let text = waves(1000, 108, 16).map_or_else(String::new, |w| {
        format!(
            "{} wave of up to {}, {} blocks, {:.1}% of its places",
            w.count(),
            w.wave,
            w.tail,
            w.tail_percent()
        )
    });
    ask(
        "1000 blocks of 128 threads on 108 SMs of 2048 threads: waves, and the tail".into(),
        "1 wave of up to 1728, 1000 blocks, 57.9% of its places",
        text,
    );
    let peak = waves(128, 16, 8);
    ask(
        "16 SMs of 8 blocks: blocks that fill one wave".into(),
        "128",
        peak.map_or_else(String::new, |w| w.wave.to_string()),
    );
    ask(
        "the same SMs: waves of 128 blocks, of 129".into(),
        "1, 2",
        [128, 129]
            .map(|b| waves(b, 16, 8).map_or(0, |w| w.count()).to_string())
            .join(", "),
    );
    all
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_calculator_gives_the_courses_answers() {
        for question in super::questions() {
            assert_eq!(question.obtained, question.expected, "{}", question.text);
        }
    }
}
