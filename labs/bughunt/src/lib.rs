//! A hunt: small kernels, each with one planted mistake. The machine's findings, or the check's words, lead to it; a
//! copy of the kernel file in which it is fixed must give the right answer.
//!
//! The tables say which kernel has which mistake. The right answers are in `reference.rs`, the inputs in `device.rs`.
//! For mistakes of the host, `shape.rs` and `host.rs` execute the host code described in the kernel file.
mod device;
mod host;
pub mod reference;
mod shape;

use harness::{
    Case, CaseContext, Check, Claim, Lab, Launch, Measure, Result, Row, Run, Size, Sizes, Story, VariantFilter, column,
    row,
};

/// The lab.
pub static LAB: Lab = Lab {
    name: "bughunt",
    summary: "twenty kernels, each with a mistake that beginners make: find it, and fix it",
    kernels: &[kernels::source!("bughunt")],
    variants: &[&KERNELS, &LAUNCHES, &CALLS],
    columns: &[column("answer", "right, wrong, or none where the kernel did not end")],
    ignored: &[(&["blocks", "threads"], VariantFilter::Every)],
    run,
    story: Some(STORY),
    assignment: harness::assignment!(),
    ..Lab::DEFAULT
};

/// What a run of the lab shows.
const STORY: Story = Story {
    question: "Twenty kernels, each with a beginner's mistake: what gives it away?",
    ladder: &[],
    measure: Measure::Time,
    size: Size::Own,
    options: &[],
    claim: Claim::AsExpected("no mistake is silent, for each kernel gives a wrong answer, a fault or a finding"),
};

/// The lab's only kernel file.
pub(crate) const FILE: &str = "bughunt.cu";
/// The number of threads of a block, on which the kernels rely.
pub(crate) const BLOCK: usize = 256;
/// The last block has idle threads, and the last warp idle lanes.
const SIZE: Sizes = Sizes::all(1000);

/// A kernel with a mistake, or one whose host makes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bug {
    /// The kernel's name in `bughunt.cu`.
    pub(crate) kernel: &'static str,
    /// Runs it for this number of elements, and checks its answer.
    pub(crate) hunt: fn(&Run, &mut CaseContext<'_>, usize) -> Result<()>,
}

const fn bug(kernel: &'static str, hunt: fn(&Run, &mut CaseContext<'_>, usize) -> Result<()>) -> Bug {
    Bug { kernel, hunt }
}

/// The mistake is in the kernel.
#[rustfmt::skip]
static KERNELS: &[Row<Bug>] = &[
    row("bounds", "differences between neighbours", bug("differences", device::bounds))
        .planted("a thread too many works").own_process(),
    row("stride", "every pixel made brighter, in place", bug("brighten", device::stride))
        .planted("some pixels are done more than once"),
    row("overflow", "areas of rectangles", bug("areas", device::overflow))
        .planted("large areas are wrong"),
    row("index", "a picture with its rows and columns exchanged", bug("turn", device::index))
        .planted("pixels come to the wrong places"),
    row("countdown", "the last positive number of each row", bug("last_positive", device::countdown))
        .planted("a loop does not end where it should").own_process(),
    row("no-barrier", "each tile from its end to its beginning", bug("mirror", device::no_barrier))
        .planted("threads read what others may not have written yet"),
    row("divergent-barrier", "how far each number is from the one before", bug("steps", device::divergent_barrier))
        .planted("not all threads reach the barrier").own_process(),
    row("shared-race", "how often each kind occurs in a block", bug("tally", device::shared_race))
        .planted("counts get lost"),
    row("uninitialised", "how many numbers of a block are even", bug("evens", device::uninitialised))
        .planted("a count begins at an arbitrary number"),
    row("block-race", "one sum over all blocks", bug("total", device::block_race))
        .planted("sums of blocks get lost"),
    row("wrong-mask", "a sum for each warp", bug("warp_sums", device::wrong_mask))
        .planted("the mask names lanes that do not come").own_process(),
    row("lockstep", "the largest number for each warp", bug("warp_largest", device::lockstep))
        .planted("lanes rely on running in lockstep"),
    row("misaligned", "powers of a signal", bug("powers", device::misaligned))
        .planted("addresses are not multiples of what the access needs").own_process(),
    row("nan", "vectors made one long", bug("directions", device::nan))
        .planted("some results are not numbers"),
    row("order", "what is left on accounts", bug("balances", device::order))
        .planted("small amounts vanish in large ones"),
];

/// The mistake is in the launch, which the host takes from the kernel file.
#[rustfmt::skip]
static LAUNCHES: &[Row<Bug>] = &[
    row("wrong-launch", "numbers cut to a range", bug("clamp", shape::wrong_launch))
        .planted("the launch does not do for all elements"),
    row("small-shared", "means of neighbours", bug("smooth", shape::small_shared))
        .planted("the launch gives too little shared memory").own_process(),
];

/// The mistake is in the host's calls, which it takes from the kernel file.
#[rustfmt::skip]
static CALLS: &[Row<Bug>] = &[
    row("no-wait", "the largest of all", bug("largest", host::no_wait))
        .planted("the host does not wait"),
    row("leak", "sums of decimal digits, for four batches", bug("digits", host::leak))
        .planted("memory is never given back"),
    row("host-pointer", "all numbers under exclusive or", bug("checksum", host::host_pointer))
        .planted("the kernel gets an address that only the host can use").own_process(),
];

fn run(run: &Run) -> Result<()> {
    let n = run.size(SIZE);
    // The longest elements are rows of eight ints, in the host's memory and on the device.
    run.needs(n.checked_mul(40), &format!("{n} elements"), "--n")?;
    // Compiled here once, and not again in each case's separate process.
    run.module(FILE)?;
    for (table, is_launched) in [(KERNELS, true), (LAUNCHES, false), (CALLS, true)] {
        for row in run.rows(table) {
            let case = Case::new(row.name()).n(n).kernel(FILE, row.kernel);
            let case = if is_launched { case.launch(Launch::covering(BLOCK as u32)) } else { case };
            run.case(case, |case| {
                case.set("answer", "none");
                (row.hunt)(run, case, n)
            })?;
        }
    }
    Ok(())
}

/// Records the check of the case's only answer.
fn answered(case: &mut CaseContext<'_>, check: Check) {
    case.set("answer", if check.passed() { "right" } else { "wrong" });
    case.check(check);
}
