//! Occupancy: how many blocks are on a multiprocessor at once; by calculation, by the driver's word, and measured.
pub mod calculator;
mod device;
mod driver;
mod launches;
mod measured;
pub mod questions;
pub mod reference;

use harness::clap::Arg;
use harness::{Case, Check, Lab, Result, Run, Variant};

pub use device::limits;
pub use launches::Shape;

/// The lab.
pub static LAB: Lab = Lab {
    name: "occupancy",
    summary: "how many blocks a multiprocessor holds, what stops more, and what it is worth",
    kernels: &[kernels::source!("occupancy")],
    variants: &[
        Variant::new(
            "calculator",
            "the calculator against the driver, over block sizes, registers and shared memory",
        ),
        Variant::new(
            "questions",
            "the course's questions, answered by the calculator",
        ),
        Variant::new(
            "launch",
            "whether and how a configuration runs here: --launch BLOCKS,THREADS",
        ),
        Variant::new(
            "vecadd",
            "time and occupancy by block size: memory is the limit",
        ),
        Variant::new(
            "register-heavy",
            "like vecadd, but 128 registers a thread are the limit",
        ),
        Variant::new(
            "shared-heavy",
            "like vecadd, but 24 KiB of shared memory a block are the limit",
        ),
        Variant::new(
            "waves",
            "register-heavy in grids of a whole number of waves, and of one block more",
        ),
    ],
    columns: &[
        "registers",
        "blocks_per_sm",
        "warps_per_sm",
        "theoretical_percent",
        "limiter",
        "achieved_percent",
        "peak_blocks_per_sm",
        "waves",
        "tail_percent",
        "compared",
    ],
    args,
    run,
    exercises: Some(exercises),
};

fn args() -> Vec<Arg> {
    vec![
        Arg::new("launch")
            .long("launch")
            .value_name("BLOCKS,THREADS")
            .value_parser(launches::parse)
            .default_value("100,1000")
            .help("Say whether and how this many blocks of this many threads run on the device"),
    ]
}

fn run(run: &Run) -> Result<()> {
    driver::run(run)?;
    launches::run(run)?;
    measured::run(run)
}

fn exercises(run: &Run) -> Result<()> {
    for question in questions::questions() {
        run.case(Case::new("questions").label(&question.text), |case| {
            case.note(format!(
                "expected {}; obtained {}",
                question.expected, question.obtained
            ));
            case.check(Check::equal(&[&question.obtained], &[&question.expected]));
            Ok(())
        })?;
    }
    Ok(())
}
