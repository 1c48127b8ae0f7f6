//! The checked questions, taken from the course, each with the expected answer and the calculator's.
use harness::{Answer, Question};

use crate::calculator::{Limits, best, fits, occupancy, registers_at_full_occupancy, waves};

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

/// An SM of 1536 threads and 8 blocks: (blocks, threads, answer). The last is 66.7%, which the course truncates to 66%.
const OLDER: [(u32, u32, &str); 3] = [(8, 192, "100%"), (6, 256, "100%"), (8, 128, "66%")];

/// Blocks of the T4, by their shapes: (shape, threads, answer).
const T4: [(&str, u32, &str); 4] = [
    ("4x4", 16, "16 blocks, 16 of 32 warps, 16 of 32 lanes of a block's warps idle"),
    ("8x8", 64, "16 blocks, 32 of 32 warps, 0 of 64 lanes of a block's warps idle"),
    ("30x30", 900, "1 blocks, 29 of 32 warps, 28 of 928 lanes of a block's warps idle"),
    ("32x1, no shared memory", 32, "16 blocks, 16 of 32 warps, 0 of 32 lanes of a block's warps idle"),
];

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
    let registers = registers_at_full_occupancy(&Limits::TEXTBOOK, 256).expect("few registers fill it");
    ask(
        "SM of 2048 threads, 65536 registers: the most registers a thread at full occupancy".into(),
        "32",
        registers.to_string(),
    );
    for (shape, threads, expected) in T4 {
        let o = occupancy(&Limits::T4, threads, 16, 0);
        let (warps, lanes) = (Limits::T4.threads / 32, threads.next_multiple_of(32));
        let idle = lanes - threads;
        ask(
            format!("an SM of the T4, blocks of {shape}: what is resident, and what is idle"),
            expected,
            format!(
                "{} blocks, {} of {warps} warps, {idle} of {lanes} lanes of a block's warps idle",
                o.blocks, o.warps
            ),
        );
    }
    ask(
        "1000 blocks on 108 SMs: blocks on an SM, if they are spread evenly".into(),
        "9 or 10",
        format!("{} or {}", 1000 / 108, 1000_u32.div_ceil(108)),
    );
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
