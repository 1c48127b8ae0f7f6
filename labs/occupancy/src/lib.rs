//! Occupancy: how many blocks are resident on a multiprocessor, as calculated, as the driver reports it, and as
//! measured.
pub mod calculator;
mod device;
mod driver;
mod launches;
mod measured;
pub mod questions;
pub mod reference;

use harness::{
    Claim, Lab, Measure, Result, Row, Run, Size, Story, VariantFilter, arguments, clap::Arg, clap::ArgAction, column,
    drawn, row, rung,
};

pub use device::limits;
pub use launches::parse;
pub use measured::resident;
use measured::{ADD, CHAIN, REGISTERS, SHARED, Work};

/// The lab.
pub static LAB: Lab = Lab {
    name: "occupancy",
    summary: "how many blocks a multiprocessor holds, what stops more, and what it is worth",
    kernels: &[kernels::source!("occupancy")],
    variants: &[&CALCULATED, &MEASURED],
    columns: &[
        column("registers", "registers per thread, as the driver reports them"),
        column("blocks_per_sm", "blocks that a multiprocessor holds at once, calculated"),
        column("warps_per_sm", "warps that a multiprocessor holds at once, calculated"),
        drawn::THEORETICAL_PERCENT,
        drawn::LIMITER,
        drawn::ACHIEVED_PERCENT,
        column("peak_blocks_per_sm", "the most blocks that were seen on a multiprocessor at once, on a GPU"),
        column("waves", "waves in which the grid is executed, the last one included if it is not full"),
        column("tail_percent", "blocks of the last wave, as a percentage of a full one"),
        column(
            "local_bytes_per_thread",
            "local memory of a thread, where values are spilled, as the driver reports it",
        ),
        drawn::KIB_IN_FLIGHT,
        column("compared", "configurations for which calculator and driver were compared"),
    ],
    options,
    ignored: &[
        (&["n"], VariantFilter::AllBut(&["vecadd", "register-heavy", "shared-heavy", "spilled", "latency"])),
        (&["blocks", "threads"], VariantFilter::AllBut(&["vecadd", "register-heavy", "shared-heavy"])),
        (&["launch"], VariantFilter::AllBut(&["launch"])),
    ],
    run,
    questions: questions::questions,
    story: Some(STORY),
    assignment: harness::assignment!("waves.svg"),
    ..Lab::DEFAULT
};

/// What a run of the lab shows.
const STORY: Story = Story {
    question: "How many threads must a multiprocessor hold to be busy?",
    ladder: &[
        rung("vecadd").of("block 32"),
        rung("vecadd").of("block 64"),
        rung("vecadd").of("block 128"),
        rung("vecadd").of("block 256"),
        rung("vecadd").of("block 1024"),
    ],
    measure: Measure::Time,
    size: Size::scaled([1 << 15, 1 << 16, 1 << 17], 1 << 26),
    options: &[],
    claim: Claim::Less {
        less: rung("vecadd").of("block 256"),
        more: rung("vecadd").of("block 32"),
        by: 2.0,
        why: "32 blocks of 32 threads, the most it holds, fill half of a multiprocessor, and more blocks must be started",
    },
};

/// The answers that need no measurement.
static CALCULATED: &[Row] = &[
    row("calculator", "the calculator against the driver, over block sizes, registers and shared memory", ()),
    row("questions", "the course's questions, answered by the calculator", ()),
    row("launch", "whether and how a configuration runs here: --launch BLOCKS,THREADS", ()),
];

/// The measured rows.
#[rustfmt::skip]
static MEASURED: &[Row<Work>] = &[
    row("vecadd", "time and occupancy by block size: the start of small blocks is the limit, then memory", ADD),
    row("register-heavy", "like vecadd, but 128 registers a thread are the limit", REGISTERS),
    row("shared-heavy", "like vecadd, but 24 KiB of shared memory a block are the limit", SHARED),
    row("spilled", "like register-heavy, but held to 128, 64 and 32 registers: the rest goes to local memory", REGISTERS),
    row("latency", "vecadd's sums by resident blocks and by loads of a thread: either hides latency", ADD),
    row("waves", "register-heavy in grids of a whole number of waves, and of one block more", REGISTERS),
    row("waves-latency", "like waves, but in blocks of one warp whose steps wait for each other", CHAIN),
];

fn options() -> Vec<Arg> {
    let help =
        "Say whether and how these blocks of these threads run on the device (100,1000 or 4x4,16x16; repeatable)";
    let launch = arguments::value("launch", "BLOCKS,THREADS", help).action(ArgAction::Append);
    vec![launch.default_values(LAUNCHES).value_parser(launches::parse)]
}

/// The launches that the course asks about.
const LAUNCHES: [&str; 5] = ["100,1000", "1000,4x4", "1000,8x8", "1000,30x30", "4x4x4,256x256x256"];

fn run(run: &Run) -> Result<()> {
    driver::run(run)?;
    launches::run(run)?;
    let limits = limits(run);
    for row in run.rows(MEASURED) {
        match row.name() {
            "waves" => measured::full_and_tail(run, row, &limits, None)?,
            "waves-latency" => measured::full_and_tail(run, row, &limits, Some(2))?,
            "spilled" => measured::spilled(run, row, &limits)?,
            "latency" => measured::in_flight(run, row, &limits)?,
            _ => measured::by_block_size(run, row, &limits)?,
        }
    }
    Ok(())
}
