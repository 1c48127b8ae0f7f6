//! The trapezoidal rule on a GPU: one atomic per thread, then a tree in each block, then better methods.
pub mod reference;
mod sums;
mod table;
pub mod trace;
mod wrapper;

use harness::{
    Claim, Error, Lab, Launch, Measure, Published, Result, Row, Run, Size, Sizes, Story, VariantFilter, arguments,
    clap::Arg, column, figure, launch_1d, row, rung,
};

use reference::Rule;
use sums::{Grid, Sum, covering, sum};

/// The lab.
pub static LAB: Lab = Lab {
    name: "trapezoid",
    summary: "the integral of x^2 + 1 by trapezoids: how a million threads add into one sum",
    kernels: &[kernels::source!("trapezoid"), kernels::source!("wrong"), kernels::source!("trace")],
    variants: &[&SERIAL, &SUMS, &MISTAKES],
    columns: &[
        column("value", "the rule's value, as computed"),
        column("integral", "the integral itself"),
        column("wrapper_runs", "runs of the wrapper: start the sum, launch, wait and scale"),
        column("wrapper_min_ms", "shortest run of the wrapper, by the host's clock"),
        column("wrapper_median_ms", "median of those runs"),
        column("wrapper_mean_ms", "mean of those runs"),
    ],
    published: &[
        Published {
            column: "published_wrapper_ms",
            source: "the text's mean run times of the wrapper: a Titan X, and for serial one core of a Core i7",
            part: "",
            figures: &table::TEXT,
        },
        Published {
            column: "published_jetson_ms",
            source: "the text's mean run times of the wrapper on a Jetson TK1: the GPU GK20A, and for serial one ARM core",
            part: "",
            figures: &table::JETSON,
        },
        Published {
            column: "published_kernel_ms",
            source: "the text's kernels alone, n = 2^20, as others timed them on an H200",
            part: "H200",
            figures: &[
                figure("atomic", "", 1 << 20, 1.846),
                figure("shuffle-32", "", 1 << 20, 0.0622),
                figure("shared-32", "", 1 << 20, 0.0627),
                figure("shuffle", "", 1 << 20, 0.0084),
                figure("shared", "", 1 << 20, 0.0127),
            ],
        },
    ],
    options,
    ignored: &[(
        &["blocks", "threads"],
        VariantFilter::Names(&["serial", "shuffle-32", "shared-32", "lockstep", "early-return", "partial-warp"]),
    )],
    run,
    story: Some(STORY),
    assignment: harness::assignment!("tree.svg"),
    ..Lab::DEFAULT
};

/// What a run of the lab shows.
const STORY: Story = Story {
    question: "How do a million threads add into one sum?",
    ladder: &[rung("atomic"), rung("shared-32"), rung("shared"), rung("shuffle")],
    measure: Measure::Time,
    size: Size::scaled([1 << 15, 1 << 16, 1 << 17], 1 << 20),
    options: &[],
    claim: Claim::Less {
        less: rung("shuffle"),
        more: rung("atomic"),
        by: 50.0,
        why: "atomics to one address wait for each other, so that each block should send only one",
    },
};

const POINT: Sum = Sum {
    grid: Grid::By(Launch::covering(1024)),
    small: |run, n| covering(n, run.threads(256)),
    additions: |n, _| n,
    only_whole_warps: false,
    may_hang: false,
    rows: sums::rows::<f32, f32>,
    file: "trapezoid.cu",
    kernel: "",
};
const WARPS: Sum = Sum { additions: sums::tree, only_whole_warps: true, ..POINT };
const ONE_WARP: Sum = Sum { grid: Grid::Blocks(32), small: |_, n| covering(n, 32), additions: sums::tree, ..POINT };
const STRIDE: Sum = Sum { grid: Grid::By(Launch::one_wave(256)), small: |_, _| launch_1d(2, 64), ..WARPS };
// Kahan's sum rounds as if once or twice, whatever its length.
const KAHAN: Sum = Sum { additions: |_, _| 4, rows: sums::rows::<f32, f64>, ..STRIDE };
const DOUBLE: Sum = Sum { rows: sums::rows::<f64, f64>, ..STRIDE };
// The mistakes, each derived from the sum that it spoils.
const WRONG_POINT: Sum = Sum { file: "wrong.cu", ..POINT };
const WRONG_WARPS: Sum = Sum { file: "wrong.cu", ..WARPS };
const WRONG_WARP: Sum = Sum { file: "wrong.cu", ..ONE_WARP };
const ENDLESS: Sum = Sum { may_hang: true, ..WRONG_WARPS };
// A second warp of 16 lanes.
const PARTIAL: Sum = Sum { grid: Grid::Blocks(48), small: |_, n| covering(n, 48), additions: sums::tree, ..POINT };

static SERIAL: [Row; 1] = [row("serial", "one CPU core, one loop in float", ())];

/// The sums on the device, from the first to the best.
#[rustfmt::skip]
static SUMS: &[Row<Sum>] = &[
    row("atomic", "one point and one atomicAdd a thread", sum("trap_atomic", POINT)),
    row("shuffle-32", "like atomic, but a block is one warp that adds up by shuffles", sum("trap_shuffle_32", ONE_WARP)),
    row("shared-32", "like shuffle-32, but the warp adds up in shared memory", sum("trap_shared_32", ONE_WARP)),
    row("shuffle", "like shuffle-32, but 32 warps a block, whose sums warp 0 adds up", sum("trap_shuffle", WARPS)),
    row("shared", "like shuffle, but in shared memory, the warps' sums in a second array", sum("trap_shared", WARPS)),
    row("race", "like shared, but warp 0 does not wait for the others", sum("trap_race", WARPS))
        .racy("no __syncthreads between the warps' writes and warp 0's reads"),
    row("two-barriers", "like shared, but with one array, hence two barriers", sum("trap_two_barriers", WARPS)),
    row("own-first", "like shared, but sums stay in their warp's first word: one bank", sum("trap_own_first", WARPS)),
    row("lockstep", "like shared-32, but without __syncwarp, as before Volta", sum("trap_lockstep", ONE_WARP))
        .racy("lanes read words that others write, with no __syncwarp between"),
    row("grid-stride", "like shuffle, but many points a thread and few atomics", sum("trap_grid_stride", STRIDE)),
    row("compensated", "like grid-stride, but carrying what rounding lost", sum("trap_grid_stride_compensated", KAHAN)),
    row("f64", "like grid-stride, but in double", sum("trap_grid_stride_f64", DOUBLE)),
];

/// Sums with a mistake that texts show or students make.
#[rustfmt::skip]
static MISTAKES: &[Row<Sum>] = &[
    row("plain-add", "like atomic, but with += in place of atomicAdd", sum("trap_plain_add", WRONG_POINT))
        .racy("threads read and write the sum without an atomic"),
    row("thread-0-starts", "like atomic, but thread 0 starts the sum, with no wait", sum("trap_thread_0_starts", WRONG_POINT))
        .racy("others may add before thread 0 has written the start"),
    row("early-return", "like shuffle-32, but threads without a point return first", sum("trap_early_return", WRONG_WARP))
        .racy("the shuffles wait for lanes that have returned"),
    row("partial-warp", "like shuffle, but in blocks of 48 threads, a warp and a half", sum("trap_shuffle", PARTIAL))
        .racy("the shuffles read lanes that do not exist, and no thread adds the half warp's sum"),
    row("barrier-in-if", "like shuffle, but only lane 0 of each warp goes to the barrier", sum("trap_barrier_in_if", ENDLESS))
        .racy("lanes wait at a barrier that the others of their warp never reach")
        .own_process(),
    row("no-first-barrier", "like two-barriers, but without the first", sum("trap_no_first_barrier", WRONG_WARPS))
        .racy("sums are written over values that warp 0 may still be adding up"),
    row("no-second-barrier", "like two-barriers, but without the second", sum("trap_no_second_barrier", WRONG_WARPS))
        .racy("warp 0 may add up before the sums are written"),
    row("unset-word", "like shared, but one word short when the rest is zeroed", sum("trap_unset_word", WRONG_WARPS))
        .racy("with fewer than 32 warps a word is read that no thread has written"),
];

fn options() -> Vec<Arg> {
    let trace = "Print the sums step by step, for a few threads, in place of the experiment";
    let lanes = "Threads in the pictures of --trace: 2, 4, 8, 16 or 32 [default: 8]";
    vec![
        arguments::number("from", "-3", "Left end of the integral"),
        arguments::number("to", "3", "Right end of the integral"),
        arguments::switch("trace", trace).conflicts_with_all(["from", "to", "n", "blocks", "threads"]),
        arguments::value("lanes", "LANES", lanes).requires("trace").value_parser(trace::parse_lanes),
    ]
}

/// The largest number of points. 64 bits would hold far more, but no one would wait for the result, and the serial
/// program also has to compute the sum.
const MOST: u64 = 1 << 40;

fn run(run: &Run) -> Result<()> {
    if run.is_given("trace") {
        return trace::run(run);
    }
    let n = run.size(Sizes { gpu: 1 << 20, emulated: 1 << 20, quick: 1 << 12 });
    let rule = Rule { a: run.number("from"), b: run.number("to"), n: n as u64 };
    check_ends(rule)?;
    if rule.n > MOST {
        return Err(Error::usage(format!(
            "--n {n}: no device adds up that many points in a day; choose at most {MOST}"
        )));
    }
    sums::check_threads(run)?;
    sums::serial(run, rule)?;
    for row in run.rows(SUMS).chain(run.rows(MISTAKES)) {
        (row.rows)(run, row, rule)?;
    }
    table::print(run);
    Ok(())
}

/// Refuses ends that a float cannot hold, or that are in the wrong order.
fn check_ends(rule: Rule) -> Result<()> {
    let largest = 1e15; // Its square, times a count of points, is still a float.
    if rule.a < rule.b && rule.a.abs() <= largest && rule.b.abs() <= largest {
        return Ok(());
    }
    let Rule { a, b, .. } = rule;
    Err(Error::usage(format!("--from {a} --to {b}: --from must be the smaller, and both within 1e15 of 0")))
}
