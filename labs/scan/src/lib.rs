//! Scan: all prefix sums at once, from a block's tree to one pass over memory.

mod element;
mod experiment;
mod method;
mod scanner;

use harness::{
    Lab, Variant,
    clap::{Arg, ArgAction, builder::PossibleValuesParser},
};

pub use element::{Element, Expected, random};
pub use method::Method;
pub use scanner::{Scanner, config, fits};

/// The lab.
pub static LAB: Lab = Lab {
    name: "scan",
    summary: "prefix sums: Kogge-Stone, Brent-Kung, three kernels, and one pass with look-back",
    kernels: &[kernels::source!("scan")],
    variants: &[
        Variant::new(
            "kogge-stone",
            "one block: log n rounds in which every thread adds",
        ),
        Variant::new(
            "brent-kung",
            "one block: up a tree and down again, fewer additions",
        ),
        Variant::new(
            "three-kernel",
            "any n: sums of tiles, their scan, then each tile's scan",
        ),
        Variant::new(
            "single-pass",
            "any n, each element read once: decoupled look-back",
        ),
        Variant::new(
            "one-barrier",
            "kogge-stone without the barrier between reads and writes",
        )
        .racy("a thread may read its neighbour's word after that neighbour has added to it"),
    ],
    columns: &[
        "element",
        "kind",
        "additions",
        "longest_chain",
        "published_gb_per_s",
    ],
    args,
    run: experiment::run,
    exercises: None,
};

fn args() -> Vec<Arg> {
    let choice = |name: &'static str, value: &'static str, of: [&'static str; 2]| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .action(ArgAction::Append)
            .value_parser(PossibleValuesParser::new(of))
    };
    vec![
        choice("element", "TYPE", ["f32", "u32"])
            .help("Only elements of this type (repeatable) [default: both]"),
        choice("kind", "KIND", ["inclusive", "exclusive"])
            .help("Only this kind of scan (repeatable) [default: both]"),
        choice("items", "ITEMS", ["16", "32"])
            .help("Elements a thread of single-pass (repeatable) [default: 32]"),
    ]
}
