//! Questions about tiles that arithmetic answers.
use harness::{Answer, Question, Row, Run};

use crate::{RUNGS, Rung, Shape, depth_in_block, rectangular, shape::RECTANGULAR};

/// The factor by which `row` has less than `naive` of the quantity `of`, for 4096 x 4096 x 4096.
fn fold(row: &Row<Rung>, of: impl Fn(&Rung) -> Option<u128>) -> Option<f64> {
    Some(of(&RUNGS[0].with)? as f64 / of(&row.with)? as f64)
}

/// The questions. Each is a separate row, under the variant that it is about.
pub(crate) fn all() -> Vec<Question> {
    let ask = |variant, case: &str, asks: &str, expected: u32, obtained: f64| Question {
        variant,
        case: case.into(),
        asks: asks.into(),
        expected: Answer::exactly(expected),
        obtained: Answer::exactly(obtained),
    };
    let shape = Shape::square(4096);
    let row = |name| RUNGS.iter().find(|row| row.name() == name).expect("a rung of the ladder");
    let floats = |name| fold(row(name), |rung| Some(rung.loads(shape))).unwrap_or_default();
    let sectors = |name| fold(row(name), |rung| rung.sectors(shape)).unwrap_or_default();
    let one = row("naive").loads(Shape { m: 1, k: 1000, n: 1 }) as f64;
    let blocks = (RECTANGULAR.m.div_ceil(10) * RECTANGULAR.n.div_ceil(10)) as f64;
    let (x, y, z) = depth_in_block(8).block;
    vec![
        ask("naive", "loads, k = 1000", "How many floats does a thread load for one element?", 2000, one),
        ask("tiled16", "loads", "How many times fewer floats are loaded with tiles of 16?", 16, floats("tiled16")),
        ask("tiled32", "loads", "And with tiles of 32?", 32, floats("tiled32")),
        ask("register-2d", "loads", "And with tiles of 128?", 128, floats("register-2d")),
        ask("tiled16", "sectors", "How many times fewer sectors with tiles of 16?", 8, sectors("tiled16")),
        ask("tiled32", "sectors", "And with tiles of 32?", 16, sectors("tiled32")),
        ask(
            "tiled32",
            "shared memory",
            "How many bytes do two float tiles of 32 x 32 take?",
            8192,
            rectangular(32).shared_bytes.into(),
        ),
        ask("rectangular", "1000x500x700", "How many blocks have tiles of 10 x 10 of C?", 7000, blocks),
        ask("depth-in-block", "threads", "How many threads has a block of 16 x 16 x 8?", 2048, (x * y * z).into()),
        ask(
            "depth-in-block",
            "shared memory",
            "How many bytes do the partial sums of 16 x 16 x 8 threads take?",
            8192,
            depth_in_block(8).shared_bytes.into(),
        ),
    ]
}

/// Prints how much each rung loads from global memory, compared with the first one.
pub(crate) fn traffic(run: &Run) {
    let shape = Shape::square(4096);
    run.say("Loads from global memory for 4096x4096x4096, by arithmetic, and how many times fewer than naive:");
    for row in RUNGS {
        let floats = fold(row, |rung| Some(rung.loads(shape))).unwrap_or_default();
        let sectors = row.sectors(shape).zip(fold(row, |rung| rung.sectors(shape)));
        let sectors = sectors.map_or("sectors: see the counter".into(), |(sectors, fold)| {
            format!("{:>6.3} G sectors, {fold:>3} times fewer", sectors as f64 / 1e9)
        });
        let loads = row.loads(shape) as f64 / 1e9;
        run.say(&format!("  {:<16} {loads:>7.2} G floats, {floats:>4.0} times fewer; {sectors}", row.name()));
    }
}
