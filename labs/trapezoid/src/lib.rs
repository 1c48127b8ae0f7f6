//! The trapezoidal rule on a GPU, from one atomic a thread to a tree in each block, and beyond.
pub mod reference;
mod sums;
mod table;
pub mod trace;
mod wrapper;

use harness::{
    Error, Lab, Result, Run, Sizes, Variant,
    clap::{Arg, ArgAction, value_parser},
};

use reference::Rule;

/// The lab.
pub static LAB: Lab = Lab {
    name: "trapezoid",
    summary: "the integral of x^2 + 1 by trapezoids: how a million threads add into one sum",
    kernels: &[kernels::source!("trapezoid"), kernels::source!("trace")],
    variants: &[
        Variant::new("serial", "one CPU core, one loop in float"),
        Variant::new("atomic", "one point and one atomicAdd a thread"),
        Variant::new(
            "shuffle-32",
            "like atomic, but a block is one warp that adds up by shuffles",
        ),
        Variant::new(
            "shared-32",
            "like shuffle-32, but the warp adds up in shared memory",
        ),
        Variant::new(
            "shuffle",
            "like shuffle-32, but 32 warps a block, whose sums warp 0 adds up",
        ),
        Variant::new(
            "shared",
            "like shuffle, but in shared memory, the warps' sums in a second array",
        ),
        Variant::new(
            "race",
            "like shared, but warp 0 does not wait for the others",
        )
        .racy("no __syncthreads between the warps' writes and warp 0's reads"),
        Variant::new(
            "two-barriers",
            "like shared, but with one array, hence two barriers",
        ),
        Variant::new(
            "own-first",
            "like shared, but sums stay in their warp's first word: one bank",
        ),
        Variant::new(
            "lockstep",
            "like shared-32, but without __syncwarp, as before Volta",
        )
        .racy("lanes read words that others write, with no __syncwarp between"),
        Variant::new(
            "grid-stride",
            "like shuffle, but many points a thread and few atomics",
        ),
        Variant::new(
            "compensated",
            "like grid-stride, but carrying what rounding lost",
        ),
        Variant::new("f64", "like grid-stride, but in double"),
    ],
    columns: &[
        "value",
        "integral",
        "wrapper_runs",
        "wrapper_min_ms",
        "wrapper_median_ms",
        "wrapper_mean_ms",
        "text_ms",
        "published_kernel_ms",
    ],
    args,
    run,
    exercises: None,
};

fn args() -> Vec<Arg> {
    let end = |name: &'static str, default: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("X")
            .default_value(default)
            .allow_negative_numbers(true)
            .value_parser(value_parser!(f64))
            .help(help)
    };
    vec![
        end("from", "-3", "Left end of the integral"),
        end("to", "3", "Right end of the integral"),
        Arg::new("trace")
            .long("trace")
            .action(ArgAction::SetTrue)
            .help("Print the sums step by step, for a few threads, in place of the experiment"),
        Arg::new("lanes")
            .long("lanes")
            .value_name("LANES")
            .requires("trace")
            .value_parser(trace::parse_lanes)
            .help("Threads in the pictures of --trace: 2, 4, 8, 16 or 32 [default: 8]"),
    ]
}

/// Points at most. Their numbers would fit 64 bits far beyond, but nobody would see the end; and the serial program
/// is asked for the sum as well.
const MOST: u64 = 1 << 40;

fn run(run: &Run) -> Result<()> {
    if run.args().get_flag("trace") {
        trace::refuse_sizes(run)?;
        return trace::run(run);
    }
    let n = run.size(Sizes {
        gpu: 1 << 20,
        emulated: 1 << 20,
        quick: 1 << 12,
    });
    let rule = Rule {
        a: end(run, "from"),
        b: end(run, "to"),
        n: n as u64,
    };
    check_ends(rule)?;
    if rule.n > MOST {
        return Err(Error::usage(format!(
            "--n {n}: no device adds up so many points in a day; choose at most {MOST}"
        )));
    }
    sums::run(run, rule)?;
    table::print(run);
    Ok(())
}

fn end(run: &Run, name: &str) -> f64 {
    *run.args().get_one::<f64>(name).expect("it has a default")
}

/// Ends that float cannot hold, or that lie the wrong way round, are refused.
fn check_ends(rule: Rule) -> Result<()> {
    let largest = 1e15; // Its square, times a count of points, is still a float.
    if !(rule.a < rule.b && rule.a.abs() <= largest && rule.b.abs() <= largest) {
        return Err(Error::usage(format!(
            "--from {} --to {}: --from must be the smaller, and both within 1e15 of 0",
            rule.a, rule.b
        )));
    }
    Ok(())
}
