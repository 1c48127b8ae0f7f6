//! Divergence: how many warps split at each branch, by arithmetic, by ballots and by the machine's
//! counter; and what it costs when they do.
mod arithmetic;
mod cost;
pub mod counting;
pub mod exercises;
pub mod machine;
mod measure;
mod mistakes;
pub mod questions;
pub mod reference;
mod steps;

use harness::{
    Claim, Lab, Measure, Record, Row, Size, Story, VariantFilter, arguments, clap::Arg, column, drawn, row, rung,
};

use exercises::{Exercising, large, small};
use mistakes::MISTAKES;

/// The lab.
pub static LAB: Lab = Lab {
    name: "divergence",
    summary: "which warps split at which branches, and what it costs",
    kernels: &[
        kernels::source!("divergence", headers: ["divergence.cuh"]),
        kernels::source!("cost"),
        kernels::source!("steps"),
        kernels::source!("wrong"),
    ],
    variants: &[&COSTS, &EXERCISES, &STEPS, &MISTAKES],
    host_copies: 2,
    columns: &[
        column("branch", "the `if` or loop of an exercise"),
        column("warps", "warps of its launch"),
        column("published_in", "the text that says something about the branch, and the place in it"),
        column("published_warps", "warps of its launch, as that text gives them"),
        column("published_diverged", "warps that diverge at the branch, as that text gives them"),
        column("diverged_function", "diverged warps by arithmetic: a pure function of the launch"),
        column("diverged_ballots", "diverged warps, counted by ballots in the kernel"),
        column("diverged_machine", "diverged warps, from the emulated device's counter"),
        column("why", "why it is so"),
        drawn::WAYS,
        drawn::WORKING_LANES,
        drawn::ROUNDS,
        drawn::COST_OF_ONE_WAY,
        drawn::COST_OF_ALL_LANES,
        column("steps", "steps that the warp takes from the test of a branch to its end"),
        column("published_steps", "the same, as the text gives them"),
        column("warp_instructions", "instructions that the warps executed, emulated"),
        column("warp_efficiency_percent", "active lanes of those instructions, as a percentage of all lanes, emulated"),
    ],
    options,
    ignored: &[
        (&["n", "blocks", "threads"], VariantFilter::Tables(&[&EXERCISES, &STEPS, &MISTAKES])),
        (&["ways"], VariantFilter::AllBut(&["ways"])),
    ],
    run: cost::run,
    questions: questions::questions,
    story: Some(STORY),
    assignment: harness::assignment!("edges.svg"),
    exercises: Some(measure::run),
    ..Lab::DEFAULT
};

/// What a run of the lab shows.
const STORY: Story = Story {
    question: "What does it cost when the lanes of a warp take different branches?",
    ladder: &[
        rung("ways").of("1 ways"),
        rung("ways").of("2 ways"),
        rung("ways").of("8 ways"),
        rung("ways").of("32 ways"),
    ],
    measure: Measure::Count("instructions per warp", instructions_per_warp),
    size: Size::Own,
    options: &[],
    claim: Claim::Less {
        less: rung("ways").of("1 ways"),
        more: rung("ways").of("32 ways"),
        by: 16.0,
        why: "a warp executes each of its branches in turn, with the other lanes switched off",
    },
};

/// Returns the instructions that each warp executed, on average; `None` on a GPU.
fn instructions_per_warp(row: &Record) -> Option<f64> {
    let warps = row.n? as f64 / 32.0;
    Some(row.own_number(LAB.columns, "warp_instructions")? / warps)
}

/// What divergence costs. The kernels of a row are launched one after the other.
#[rustfmt::skip]
pub(crate) static COSTS: [Row<&[&str]>; 6] = [
    row("ways", "the same work on 1 to 32 ways through the code", &["ways"]),
    row("lone", "the same work in 32, 8, 2 and 1 lanes of each warp, and none in the others", &["lone"]),
    row("together", "even and odd elements in one kernel", &["together"]),
    row("apart", "like together, but a kernel for each", &["apart_even", "apart_odd"]),
    row("by-data", "a long path for about every eighth element, as its value says", &["by_data"]),
    row("filtered", "like by-data, but a filter makes two lists, and each has its kernel", &["filter", "costly", "cheap"]),
];

/// A branch step by step.
static STEPS: [Row; 1] = [row("branch", "exercise: the steps of a branch, in one warp and in two", ())];

/// The course's exercises. The kernels are `..._plain` and `..._counted` of the variant's name in `divergence.cu`.
pub static EXERCISES: &[Row<Exercising>] = &[
    row("picture", "exercise: a pixel a thread, 2-D bounds", small(exercises::picture)),
    row("vecadd", "exercise: an element a thread", small(exercises::vecadd)),
    row("even-odd", "exercise: even and odd elements in one kernel", small(exercises::even_odd)),
    row("even", "exercise: like even-odd, but only the even ones", small(exercises::even)),
    row("odd", "exercise: like even-odd, but only the odd ones", small(exercises::odd)),
    row("max-next", "exercise: the largest of the next 16", small(exercises::max_next)),
    row("max-next-3d", "exercise: like max-next, but along each axis of a cube", large(exercises::max_next_3d)),
    row("average", "exercise: the mean of 5, with a halo", small(exercises::average)),
    row("matmul", "exercise: a matrix element a thread", large(exercises::matmul)),
    row("interleaved", "exercise: a step of the tree sum, working threads far apart", small(exercises::interleaved)),
    row("sequential", "exercise: like interleaved, but side by side", small(exercises::sequential)),
    row("brent-kung", "exercise: a step of the up-sweep", small(exercises::brent_kung)),
    row("kogge-stone", "exercise: a step of the scan", small(exercises::kogge_stone)),
    row("loop-parity", "exercise: a loop as long as the thread's parity says", small(exercises::loop_parity)),
    row("tiled", "exercise: a phase of the tiled matrix product", small(exercises::tiled)),
];

fn options() -> Vec<Arg> {
    let help = "Ways through the code, 1 to 32 [default: 1, 2, 4, 8, 16 and 32]";
    vec![arguments::value("ways", "WAYS", help).value_parser(cost::parse_ways)]
}
