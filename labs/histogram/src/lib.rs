//! Histogram: counts that many threads want to add to at once.

mod bins;
mod contention;
mod counter;
mod experiment;
mod method;
mod text;
pub mod throughput;

use harness::{
    Lab, Variant,
    clap::{Arg, ArgAction, builder::PossibleValuesParser},
};

pub use bins::{Bins, reference};
pub use contention::additions_to;
pub use counter::{Counter, config};
pub use method::Method;
pub use text::Text;

/// The lab.
pub static LAB: Lab = Lab {
    name: "histogram",
    summary: "letters in 7 bins, bytes in 256: races, atomics, copies, and no atomics at all",
    kernels: &[
        kernels::source!("histogram"),
        kernels::source!("contention"),
    ],
    variants: &[
        Variant::new(
            "partitioned-racy",
            "each thread counts a stretch of the text with plain +=",
        )
        .racy("threads add to the same count at once, and one of them is lost"),
        Variant::new(
            "strided-racy",
            "like partitioned-racy, but neighbours take neighbouring bytes",
        )
        .racy("threads add to the same count at once, and one of them is lost"),
        Variant::new("atomic", "like strided-racy, but with atomicAdd"),
        Variant::new(
            "privatized",
            "like atomic, but each block counts in shared memory first",
        ),
        Variant::new(
            "copies",
            "like privatized, but a copy of the counts for each warp",
        ),
        Variant::new(
            "wide",
            "like copies, but 16 bytes a load, four loads in flight",
        ),
        Variant::new(
            "aggregated",
            "like privatized, but a warp's equal bins send one atomic",
        ),
        Variant::new(
            "lanes",
            "like wide, but a copy for each lane, in its own bank",
        ),
        Variant::new(
            "bit-sliced",
            "7 bins: 32 bytes become 8 words of bits; logic and popc count",
        ),
        Variant::new(
            "contention-global",
            "atomics a second on 1 to 2^20 words of global memory",
        ),
        Variant::new(
            "contention-shared",
            "atomics a second on 1 to 1024 words of shared memory",
        ),
        Variant::new("exercise", "the arithmetic of atomics on one address"),
    ],
    columns: &[
        "bins",
        "text",
        "counted",
        "lost",
        "published_gb_per_s",
        "addresses",
        "atomics_per_ns",
        "answer",
        "published_answer",
    ],
    args,
    run: experiment::run,
    exercises: Some(experiment::exercises),
};

fn args() -> Vec<Arg> {
    vec![
        Arg::new("bins")
            .long("bins")
            .value_name("BINS")
            .action(ArgAction::Append)
            .value_parser(PossibleValuesParser::new(Bins::ALL.map(Bins::name)))
            .help("Only these bins: 7 of letters, or 256 of bytes (repeatable) [default: both]"),
        Arg::new("text")
            .long("text")
            .value_name("TEXT")
            .action(ArgAction::Append)
            .value_parser(PossibleValuesParser::new(Text::ALL.map(Text::name)))
            .help("Only this distribution (repeatable) [default: all]"),
        Arg::new("input")
            .long("input")
            .value_name("FILE")
            .help("Count this file's bytes, or its first --n, in place of random text; - is standard input"),
    ]
}
