//! Reduction: many numbers to one, from the textbook tree to the memory's limit.

pub mod data;
mod experiment;
mod method;
mod reducer;
pub mod reference;

use harness::{
    Lab, Variant,
    clap::{Arg, ArgAction, builder::PossibleValuesParser},
};

pub use method::{Grid, Method, Op, Shape, VECTORIZED_WORDS, waves};
pub use reducer::{Buffers, Reducer};

/// The lab.
pub static LAB: Lab = Lab {
    name: "reduction",
    summary: "n floats to one: sum, maximum, dot product; trees, atomics and wide loads",
    kernels: &[kernels::source!("reduction"), kernels::source!("wrong")],
    variants: &[
        Variant::new(
            "interleaved",
            "a tree in shared memory, partners 1, 2, 4, ... apart",
        ),
        Variant::new(
            "sequential",
            "like interleaved, but partners half the live part apart",
        ),
        Variant::new(
            "shuffle",
            "like sequential, but the tree runs in registers, warp by warp",
        ),
        Variant::new(
            "one-block",
            "like shuffle, but one block walks the whole array",
        ),
        Variant::new(
            "two-pass",
            "like one-block, but a grid walks it; a second launch joins",
        ),
        Variant::new(
            "atomic-finish",
            "like two-pass, but blocks join by one atomic each",
        ),
        Variant::new(
            "cas-loop",
            "like atomic-finish, but by atomicCAS: float max, double add",
        ),
        Variant::new(
            "vectorized",
            "like two-pass, but 16-byte loads, several in flight, one launch",
        ),
        Variant::new(
            "dot-pow2",
            "dot product of n <= 1024, a power of two, in one block",
        ),
        Variant::new("dot-1024", "like dot-pow2, but any n <= 1024"),
        Variant::new(
            "stride-blockdim",
            "sequential, but the first stride is the whole block",
        )
        .racy("its first round reads a block's width past the shared array")
        .own_process(),
        Variant::new(
            "no-barrier",
            "sequential, without the barrier between rounds",
        )
        .racy("a round reads what other warps may not have written yet"),
        Variant::new(
            "waves",
            "vectorized, on grids of 1/4 to 8 waves of resident blocks",
        ),
        Variant::new(
            "host-orders",
            "the host's sums in float: serial, by halves, compensated",
        ),
    ],
    columns: &[
        "result",
        "f64_reference",
        "relative_error",
        "longest_chain",
        "waves",
        "published_gb_per_s",
    ],
    args,
    run: experiment::run,
    exercises: None,
};

fn args() -> Vec<Arg> {
    vec![
        Arg::new("op")
            .long("op")
            .value_name("OP")
            .action(ArgAction::Append)
            .value_parser(PossibleValuesParser::new(Op::ALL.map(Op::name)))
            .help("Only this operation (repeatable) [default: sum, max and dot]"),
    ]
}
