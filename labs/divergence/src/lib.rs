//! Divergence: how many warps split at each branch, by arithmetic, by ballots and by the machine's
//! counter; and what it costs when they do.
mod cost;
pub mod counting;
pub mod exercises;
mod machine;
mod measure;
pub mod reference;

use harness::{Lab, Result, Run, Variant, clap::Arg};

/// The lab.
pub static LAB: Lab = Lab {
    name: "divergence",
    summary: "which warps split at which branches, and what it costs",
    kernels: &[kernels::source!("divergence"), kernels::source!("cost")],
    variants: &[
        Variant::new("ways", "the same work on 1 to 32 ways through the code"),
        Variant::new("together", "even and odd elements in one kernel"),
        Variant::new("apart", "like together, but a kernel for each"),
        Variant::new("picture", "exercise: a pixel a thread, 2-D bounds"),
        Variant::new("vecadd", "exercise: an element a thread"),
        Variant::new("even-odd", "exercise: even and odd elements in one kernel"),
        Variant::new("even", "exercise: like even-odd, but only the even ones"),
        Variant::new("odd", "exercise: like even-odd, but only the odd ones"),
        Variant::new("max-next", "exercise: the largest of the next 16"),
        Variant::new(
            "max-next-3d",
            "exercise: like max-next, but along each axis of a cube",
        ),
        Variant::new("average", "exercise: the mean of 5, with a halo"),
        Variant::new("matmul", "exercise: a matrix element a thread"),
        Variant::new(
            "interleaved",
            "exercise: a step of the tree sum, working threads far apart",
        ),
        Variant::new("sequential", "exercise: like interleaved, but side by side"),
        Variant::new("brent-kung", "exercise: a step of the up-sweep"),
        Variant::new("kogge-stone", "exercise: a step of the scan"),
        Variant::new(
            "loop-parity",
            "exercise: a loop as long as the thread's parity says",
        ),
        Variant::new("tiled", "exercise: a phase of the tiled matrix product"),
    ],
    columns: &[
        "branch",
        "warps",
        "published_warps",
        "published_diverged",
        "diverged_function",
        "diverged_ballots",
        "diverged_machine",
        "why",
        "ways",
        "rounds",
        "cost_of_one_way",
        "warp_instructions",
        "warp_efficiency_percent",
    ],
    args,
    run,
    exercises: Some(measure::run),
};

fn args() -> Vec<Arg> {
    vec![
        Arg::new("ways")
            .long("ways")
            .value_name("WAYS")
            .value_parser(cost::parse_ways)
            .help("Ways through the code, 1 to 32 [default: 1, 2, 4, 8, 16 and 32]"),
    ]
}

fn run(run: &Run) -> Result<()> {
    cost::run(run)
}
