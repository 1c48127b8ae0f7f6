//! The checked questions, taken from the course, each with the expected answer and the calculator's.
use harness::{Answer, Question};

use crate::calculator::{Limits, best, fits, waves};

/// An SM of 2048 threads, 32 blocks and 65536 registers: (blocks, threads, registers per thread, answer).
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

/// All questions with their answers.
pub fn questions() -> Vec<Question> {
    let mut all = Vec::new();
    let mut ask = |text: String, expected: &str, obtained: String| {
        all.push(Question {
            variant: "questions",
            case: text,
            asks: String::new(),
            expected: Answer::text(expected),
            obtained: Answer::text(obtained),
        });
    };
    for (blocks, threads, registers, expected) in FITS {
        ask(
            format!("SM of 2048 threads, 32 blocks, 65536 registers: {blocks}x{threads} at {registers} registers"),
            expected,
            answer(fits(&Limits::TEXTBOOK, blocks, threads, registers, 0)),
        );
    }
    ask(
        "SM of 1536 threads, 8 blocks: the best block of 64, 128, 512, 1024".into(),
        "512",
        best(&Limits::OLDER, &[64, 128, 512, 1024], 16, 0).iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
    );
    for (blocks, threads, expected) in OLDER {
        ask(
            format!("SM of 1536 threads, 8 blocks: {threads} threads x {blocks} blocks"),
            expected,
            answer(fits(&Limits::OLDER, blocks, threads, 16, 0)),
        );
    }
    let of = |blocks, sms, resident| waves(blocks, sms, resident).expect("blocks are resident");
    // 16 blocks of 128 threads are 2048 threads.
    let w = of(1000, 108, 16);
    ask(
        "1000 blocks of 128 threads on 108 SMs of 2048 threads: waves, and the tail".into(),
        "1 wave of up to 1728, 1000 blocks, 57.9% of its places",
        format!("{} wave of up to {}, {} blocks, {:.1}% of its places", w.count(), w.wave, w.tail, w.tail_percent()),
    );
    let (full, more) = (of(128, 16, 8), of(129, 16, 8));
    ask("16 SMs of 8 blocks: blocks that fill one wave".into(), "128", full.wave.to_string());
    let counts = format!("{}, {}", full.count(), more.count());
    ask("the same SMs: waves of 128 blocks, of 129".into(), "1, 2", counts);
    all
}
