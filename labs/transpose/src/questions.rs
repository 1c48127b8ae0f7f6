//! Questions answered by the counting functions.
use harness::{Answer, Question};

use crate::counting::{WARP, line, sectors_of, ways};

/// The questions.
pub(crate) fn all() -> Vec<Question> {
    let ask = |variant, case: String, expected: f64, obtained: f64| Question {
        variant,
        case,
        asks: String::new(),
        expected: Answer::Number(expected, 0.005),
        obtained: Answer::exactly(obtained),
    };
    let sectors = |load: &dyn Fn(u64) -> u64| line(WARP, 1, load, |i| i).loads.sectors as f64;
    let mut all = Vec::new();
    for (stride, expected) in [(1, 4.0), (2, 8.0), (4, 16.0), (8, 32.0), (16, 32.0), (32, 32.0)] {
        let case = format!("sectors of a warp's load of floats at stride {stride}");
        all.push(ask("copy-stride", case, expected, sectors(&|i| i * stride)));
    }
    for (offset, expected) in [(0, 4.0), (1, 5.0), (7, 5.0), (8, 4.0)] {
        let case = format!("sectors of a warp's load of 32 floats from float {offset} on");
        all.push(ask("copy-offset", case, expected, sectors(&|i| i + offset)));
    }
    for (fields, expected) in [(3, 12.0), (4, 16.0), (8, 32.0), (16, 32.0)] {
        let case = format!("sectors of a warp's load of one field of structures of {fields} floats");
        all.push(ask("aos", case, expected, sectors(&|i| i * fields)));
    }
    let whole = line(WARP, 4, |i| 4 * i, |i| 4 * i).loads.sectors as f64;
    all.push(ask("aos-whole", "sectors of a warp's load of 32 structures of 4 floats".into(), 16.0, whole));
    let (column, row) = (sectors(&|i| 8192 * i), sectors(&|i| i));
    all.push(ask("naive-read", "per cent of the sectors' bytes that a store to a column needs".into(), 12.5, {
        100.0 * 4.0 * WARP as f64 / (32.0 * column)
    }));
    all.push(ask("naive-read", "sectors of a load and a store together, as a multiple of those needed".into(), 4.5, {
        (row + column) / (2.0 * row)
    }));
    let ways_of_pitch = [32.0, 1.0, 2.0, 1.0, 4.0, 1.0, 2.0, 1.0, 8.0];
    for (pitch, expected) in (32..).zip(ways_of_pitch) {
        let variant = if pitch == 32 { "tiled" } else { "padded" };
        let case = format!("ways of a column of a tile whose rows have {pitch} words");
        all.push(ask(variant, case, expected, ways((0..WARP).map(|y| pitch * y)) as f64));
    }
    let swizzled = |x: u64| ways((0..WARP).map(|y| 32 * y + (x ^ y)));
    let worst = (0..WARP).map(swizzled).max().unwrap_or(0);
    all.push(ask(
        "swizzled",
        "ways of the worst column when column x of row y lies at x ^ y".into(),
        1.0,
        worst as f64,
    ));
    // A copy reads half of the 4.8 TB/s that it moves.
    let in_flight = 2.4e12 * 600e-9;
    let threads = |bytes: f64| in_flight / 132.0 / bytes;
    all.push(ask("copy", "megabytes under way that reading 2.4 TB/s at 600 ns needs".into(), 1.44, in_flight / 1e6));
    all.push(ask("copy", "threads of each of 132 SMs, with 4 bytes each, for that".into(), 2727.27, threads(4.0)));
    all.push(ask(
        "copy-wide",
        "threads of each of 132 SMs, with 64 bytes each, for that".into(),
        170.45,
        threads(64.0),
    ));
    let unaligned = |from: u64| sectors_of(0..64, from, 8191);
    all.push(ask(
        "vectorized",
        "sectors of the 64 rows of a tile of 64 x 64 floats in a matrix of 8192 columns".into(),
        512.0,
        sectors_of(0..64, 0, 8192) as f64,
    ));
    all.push(ask(
        "vectorized",
        "sectors of the 64 rows of such a tile in a matrix of 8191 columns".into(),
        568.0,
        unaligned(0) as f64,
    ));
    all
}
