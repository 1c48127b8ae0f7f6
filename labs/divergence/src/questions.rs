//! The course's questions about threads rather than warps, and about sizes too large to run: by arithmetic.
use harness::{Answer, Question, launch_1d};

use crate::counting::{At, brent_kung, count, halo_left, halo_right};

/// The number of threads, among `n` in each of `dimensions`, whose window of `width` elements ahead leaves the input.
pub fn cut_windows(n: u64, width: u64, dimensions: u32) -> u64 {
    n.pow(dimensions) - (n - (width - 1)).pow(dimensions)
}

/// All questions with their answers.
pub fn questions() -> Vec<Question> {
    let ask = |variant, case: &str, asks: &str, expected: u64, obtained: u64| Question {
        variant,
        case: case.into(),
        asks: asks.into(),
        expected: Answer::text(expected.to_string()),
        obtained: Answer::text(obtained.to_string()),
    };
    let block = launch_1d(1, 256);
    let loads = |at: At| halo_left(2)(at) == Some(1) || halo_right(2, 256)(at) == Some(1);
    let loading = (0..256).filter(|&t| loads(At { thread: [t, 0, 0], global: [t, 0, 0] })).count() as u64;
    let halos = count(block, 32, |at| Some(i64::from(loads(at))));
    let at_work = |stride, elements| {
        (0..1024)
            .filter(|&t| brent_kung(stride, elements)(At { thread: [t, 0, 0], global: [t, 0, 0] }) == Some(1))
            .count()
    };
    let (taken, slots) = (0..32).fold((0, 0), |(taken, longest), t| {
        let taps: u64 = if t % 2 == 0 { 1 } else { 3 };
        (taken + taps, taps.max(longest))
    });
    vec![
        ask(
            "max-next",
            "threads with a cut window, n=1024",
            "How many threads have fewer than 16 elements ahead? PoliMi, exercise 7, says 16, but element 1008 still has 16.",
            15,
            cut_windows(1024, 16, 1),
        ),
        ask(
            "max-next-3d",
            "threads with a cut cube, n=1024",
            "How many threads' cubes of 16 leave the input? PoliMi, exercise 7, says 49549312: the same formula with 16 for 15.",
            46_498_095,
            cut_windows(1024, 16, 3),
        ),
        ask(
            "average",
            "threads that load a halo, n=4096",
            "How many of the 4096 threads load halo elements? PoliMi, exercise 8, says 4 * 32; there are 16 blocks, not 32.",
            64,
            4096 / 256 * loading,
        ),
        ask(
            "average",
            "warps of a block with a halo to load",
            "How many of the 8 warps of a block diverge? PoliMi, exercise 8, says 2.",
            2,
            halos.diverged,
        ),
        ask(
            "brent-kung",
            "threads at work at stride 16",
            "How many threads add at stride 16? PoliMi, exercise 13, says the 32 of one warp, but 2047 is still an element.",
            64,
            at_work(16, 2048) as u64,
        ),
        ask(
            "loop-parity",
            "lane slots used, 1 and 3 taps",
            "Of the 96 places of 32 lanes in 3 rounds, how many are used if even threads take 1 tap and odd ones 3?",
            64,
            taken * (32 * slots) / 96,
        ),
    ]
}
