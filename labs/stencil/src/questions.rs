//! Questions about halos that arithmetic answers.
use harness::{Answer, Question};

use crate::{MEANS, plane::Over, plane::point_launch};

/// The course's plane and blocks.
const PLANE: (u32, u32) = (20_000, 10_000);
const BLOCK: (u32, u32) = (32, 32);

/// Floats of shared memory of a block of `mean-shared`.
fn floats(block: (u32, u32)) -> u32 {
    let row = MEANS.iter().find(|row| row.name() == "mean-shared").expect("a row of the table");
    let Over::Points(_, _, floats) = row.with else { unreachable!("it has a thread a point") };
    floats(block)
}

/// The number of loads of `mean-printed` past the input: the halo on the left and on the right of each row of threads
/// beyond the last row of points.
fn past_the_input((width, height): (u32, u32), (x, y): (u32, u32)) -> u32 {
    let (columns, rows, _) = point_launch(width, height, (x, y), 0).grid_dim;
    // The first block has no halo on the left; the last one has one on the right only if points remain there.
    let left = columns - 1;
    let right = (0..columns).filter(|block| (block + 1) * x < width).count() as u32;
    (left + right) * (rows * y - height)
}

pub(crate) fn all() -> Vec<Question> {
    let ask = |variant, case: &str, asks: &str, expected, obtained: f64| Question {
        variant,
        case: case.into(),
        asks: asks.into(),
        expected,
        obtained: Answer::exactly(obtained),
    };
    let exactly = |number: u32| Answer::exactly(number);
    let halo = |(x, y)| f64::from(floats((x, y)) - x * y);
    let share = |(x, y)| 100.0 * halo((x, y)) / f64::from(x * y);
    let (columns, rows, _) = point_launch(PLANE.0, PLANE.1, BLOCK, 0).grid_dim;
    vec![
        ask(
            "mean-shared",
            "floats",
            "How many floats does a block of 32x32 keep?",
            exactly(1156),
            floats(BLOCK).into(),
        ),
        ask("mean-shared", "halo", "How many of them are halo, corners included?", exactly(132), halo(BLOCK)),
        ask("mean-shared", "share", "How many per cent of its points?", Answer::Number(12.9, 0.05), share(BLOCK)),
        ask("mean-shared", "share of 16x16", "And in blocks of 16x16?", Answer::Number(26.6, 0.05), share((16, 16))),
        ask(
            "mean-shared",
            "past the end",
            "How many loads of mean-printed lie past a plane of 20000x10000?",
            exactly(19_968),
            past_the_input(PLANE, BLOCK).into(),
        ),
        ask(
            "jacobi-in-place",
            "blocks",
            "How many blocks of 32x32 does that plane have?",
            exactly(195_625),
            (columns * rows).into(),
        ),
    ]
}
