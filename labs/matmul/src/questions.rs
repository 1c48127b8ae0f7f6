//! Questions about tiles that arithmetic answers.
use harness::{Answer, Question, Run};

use crate::{RUNGS, Shape, rectangular, shape::RECTANGULAR};

/// The questions. Each is a row of its own, under the variant that it is about.
pub(crate) fn all() -> Vec<Question> {
    let ask = |variant, case: &str, expected: u32, obtained: u128| Question {
        variant,
        case: case.into(),
        asks: String::new(),
        expected: Answer::text(expected.to_string()),
        obtained: Answer::text(obtained.to_string()),
    };
    let loads = |name| RUNGS.iter().find(|row| row.name() == name).map_or(1, |row| row.loads(Shape::square(4096)));
    let fold = |name| loads("naive") / loads(name);
    let blocks = RECTANGULAR.m.div_ceil(10) * RECTANGULAR.n.div_ceil(10);
    let one = RUNGS[0].loads(Shape { m: 1, k: 1000, n: 1 });
    let bytes = rectangular(32).shared_bytes.into();
    vec![
        ask("naive", "loads from global memory for one element at k = 1000", 2000, one),
        ask("tiled16", "a tile of 16 cuts the loads how many fold?", 16, fold("tiled16")),
        ask("tiled32", "a tile of 32?", 32, fold("tiled32")),
        ask("register-2d", "a tile of 128?", 128, fold("register-2d")),
        ask("tiled32", "bytes of shared memory of a block with two float tiles of 32 x 32", 8192, bytes),
        ask("rectangular", "blocks for 1000x500x700 with tiles of 10", 7000, blocks as u128),
    ]
}

/// Prints how much each rung loads from global memory, compared with the first one.
pub(crate) fn traffic(run: &Run) {
    let shape = Shape::square(4096);
    let naive = RUNGS[0].loads(shape);
    run.say("Loads from global memory for 4096x4096x4096, by arithmetic:");
    for row in RUNGS {
        let loads = row.loads(shape);
        let (rows, columns) = if row.shares { row.tile } else { (1, 1) };
        run.say(&format!(
            "  {:<16} {:>8.2} G floats, {:>4.0} times fewer than naive (tile {rows} x {columns})",
            row.name(),
            loads as f64 / 1e9,
            naive as f64 / loads as f64,
        ));
    }
}
