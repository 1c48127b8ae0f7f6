//! Questions about trees that arithmetic answers.
use harness::{Answer, Question, Row, row};

pub(crate) static ROWS: [Row; 1] = [row("exercise", "steps of a sum: one after another, and by a tree", ())];

/// The steps of a tree over `n` numbers, including the load: one more whenever n doubles.
///
/// ```
/// assert_eq!(reduction::steps_of_tree(8), 4);
/// assert_eq!(reduction::steps_of_tree(9), 5);
/// ```
pub fn steps_of_tree(n: u64) -> u32 {
    1 + n.next_power_of_two().ilog2()
}

/// The numbers of elements that `blocks` blocks of `width` threads of `overlapping` read never, once and twice; each
/// thread should read two different ones.
///
/// ```
/// assert_eq!(reduction::reads_of_overlapping(64, 1024), [64512, 2048, 64512]);
/// ```
pub fn reads_of_overlapping(blocks: usize, width: usize) -> [usize; 3] {
    // How often each stretch of `width` elements is read.
    let mut reads = vec![0; 2 * blocks];
    for block in 0..blocks {
        reads[block..block + 2].iter_mut().for_each(|times| *times += 1);
    }
    [0, 1, 2].map(|times| width * reads.iter().filter(|read| **read == times).count())
}

/// The questions, with the answers of Pacheco and Malensek, *An Introduction to Parallel Programming*, 2nd edition,
/// section 6.11, and of the course Stanford CME213 (2013), lecture 9.
pub(crate) fn all() -> Vec<Question> {
    let ask = |case: &str, asks: &str, expected: f64, obtained: f64| Question {
        variant: ROWS[0].name(),
        case: case.into(),
        asks: asks.into(),
        expected: Answer::exactly(expected),
        obtained: Answer::exactly(obtained),
    };
    let read = reads_of_overlapping(64, 1024);
    let steps = |n| f64::from(steps_of_tree(n));
    vec![
        ask("tree, 1000", "How many steps has a tree over the sums of 1000 threads?", 11.0, steps(1000)),
        ask("tree, 1000000", "How many over those of 1000000 threads?", 21.0, steps(1_000_000)),
        ask("tree, twice", "How many more steps has a tree with twice the threads?", 1.0, steps(2000) - steps(1000)),
        ask("wave", "16 multiprocessors hold 8 blocks each: how many blocks are a wave?", 128.0, f64::from(16 * 8)),
        ask(
            "overlapping, 64 blocks",
            "64 blocks of 1024 threads take 2048 elements each, but begin 1024 apart: how many are ever read?",
            66560.0,
            (read[1] + read[2]) as f64,
        ),
    ]
}
