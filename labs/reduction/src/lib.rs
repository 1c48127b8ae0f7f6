//! Reduction: many numbers to one, from the textbook tree to the limit of the memory.
mod experiment;
mod narrow;
mod orders;
mod questions;
mod reducer;
mod reducing;
pub mod reference;
mod votes;

use harness::{
    Claim, Lab, Launch, Measure, Published, Result, Row, Run, Size, Story, VariantFilter, arguments, clap::Arg, column,
    figure, row, rung,
};

pub use experiment::edges;
pub use narrow::{bfloat16, half};
pub use questions::{reads_of_overlapping, steps_of_tree};
pub use reducer::Reducer;
use reducing::{ATOMIC, DOT, STRIDED, TREE, WARPS};
pub use reducing::{Finish, Op, Reducing, waves};

/// The lab.
pub static LAB: Lab = Lab {
    name: "reduction",
    summary: "n floats to one: sum, maximum, dot product; trees, atomics and wide loads",
    kernels: &[
        kernels::source!("reduction"),
        kernels::source!("wrong"),
        kernels::source!("votes"),
        kernels::source!("narrow"),
    ],
    variants: &[
        &METHODS,
        &DOTS,
        &narrow::NARROW,
        &narrow::ONES,
        &WRONG,
        &experiment::WAVES,
        &orders::ROWS,
        &votes::ROWS,
        &questions::ROWS,
    ],
    columns: &[
        column("result", "the sum, maximum or dot product"),
        column("f64_reference", "the result in double"),
        column("relative_error", "distance of the two, as a fraction of the sum of the terms' magnitudes"),
        column("longest_chain", "the most roundings between any element and the result"),
        column("waves", "blocks of a striding grid, as multiples of what the device holds at once"),
    ],
    published: &[Published {
        column: "published_gb_per_s",
        source: "2^30 floats on one H200: the textbooks' kernels, and CUB's DeviceReduce next to `vectorized`",
        part: "H200",
        figures: &[
            figure("sequential", "sum", 1 << 30, 1148.0),
            figure("shuffle", "sum", 1 << 30, 1605.0),
            figure("vectorized", "sum", 1 << 30, 4624.0),
        ],
    }],
    options,
    ignored: &[
        (&["blocks"], VariantFilter::Names(&["one-block", "dot-pow2", "dot-1024", "waves", "host-orders"])),
        (&["n", "blocks", "threads", "op"], VariantFilter::Tables(&[&votes::ROWS, &narrow::ONES, &questions::ROWS])),
        (&["threads"], VariantFilter::Names(&["dot-pow2", "dot-1024", "host-orders"])),
    ],
    run,
    questions: questions::all,
    story: Some(STORY),
    assignment: harness::assignment!("tree.svg"; "never_ends.cu", "lock_without_fences.cu"),
    ..Lab::DEFAULT
};

/// What a run of the lab shows.
const STORY: Story = Story {
    question: "How fast can many numbers become one?",
    ladder: &[rung("interleaved"), rung("sequential"), rung("two-pass"), rung("vectorized")],
    measure: Measure::Time,
    size: Size::scaled([17 << 18, 18 << 18, 20 << 18], 1 << 30),
    options: &["--op", "sum"],
    claim: Claim::Less {
        less: rung("vectorized"),
        more: rung("interleaved"),
        by: 4.0,
        why: "wide loads, several in flight, keep the memory busy, and the tree runs once a block, not once a pair",
    },
};

/// The ways to reduce any number of elements, from the first to the best.
#[rustfmt::skip]
pub static METHODS: &[Row<Reducing>] = &[
    row("interleaved", "a tree in shared memory, partners 1, 2, 4, ... apart", Reducing { kernels: "interleaved", ..TREE }),
    row("sequential", "like interleaved, but partners half the live part apart", TREE),
    row("padded", "like sequential, but padded to a size that the compiler knows", Reducing {
        kernels: "padded_{size}", launch: Launch::covering(1024).each(2), ..TREE
    }),
    row("shuffle", "like sequential, but the tree runs in registers, warp by warp", Reducing {
        kernels: "shuffle", launch: Launch::covering(1024).each(2), chain: |e| e.launches() * (1 + WARPS), ..TREE
    }),
    row("one-block", "like shuffle, but one block walks the whole array", Reducing {
        launch: Launch::one_block(1024), finish: Finish::Passes, chain: |e| e.strides() + WARPS, ..STRIDED
    }),
    row("two-pass", "like one-block, but a grid walks it; a second launch joins", STRIDED),
    row("atomic-finish", "like two-pass, but blocks join by one atomic each", ATOMIC),
    row("cas-loop", "like atomic-finish, but by atomicCAS: float max, double add", Reducing {
        kernels: "cas_loop", finish: Finish::AtomicInDouble, ..ATOMIC
    }),
    row("spin-lock", "like atomic-finish, but a lock guards a plain addition", Reducing {
        kernels: "spin_lock", finish: Finish::Lock, ..ATOMIC
    }),
    row("vectorized", "like two-pass, but 16-byte loads, several in flight, one launch", VECTORIZED),
];

/// The last method, which the rows about waves also use.
pub(crate) const VECTORIZED: Reducing =
    Reducing { kernels: "vectorized", finish: Finish::Tickets, chain: |e| e.vectorized(), ..STRIDED };

/// Dot products of at most one block's elements: n threads.
#[rustfmt::skip]
pub static DOTS: &[Row<Reducing>] = &[
    row("dot-pow2", "dot product of n <= 1024, a power of two, in one block", Reducing {
        kernels: "dot_pow2", takes: |n| n <= 1024 && n.is_power_of_two(), taken: "a power of two up to 1024", ..DOT
    }),
    row("dot-1024", "like dot-pow2, but any n <= 1024", Reducing {
        kernels: "dot_1024", takes: |n| n <= 1024 && n > 0, taken: "1 to 1024 elements", ..DOT
    }),
];

/// The tree, and a compare-and-swap loop, with one mistake in each variant.
#[rustfmt::skip]
pub static WRONG: &[Row<Reducing>] = &[
    row("stride-blockdim", "sequential, but the first stride is the whole block",
        Reducing { file: "wrong.cu", kernels: "stride_blockdim", has_all_ops: false, ..TREE })
        .racy("its first round reads a block's width past the shared array")
        .own_process(),
    row("no-barrier", "sequential, without the barrier between rounds",
        Reducing { file: "wrong.cu", kernels: "no_barrier", has_all_ops: false, ..TREE })
        .racy("a round reads what other warps may not have written yet"),
    row("unguarded", "sequential, without the test whether an element is there",
        Reducing { file: "wrong.cu", kernels: "unguarded", has_all_ops: false, ..TREE })
        .racy("a last block that is not full reads past the end of the array, in every launch")
        .own_process(),
    row("overlapping", "sequential, but block b begins at b blocks' width, not at twice that",
        Reducing { file: "wrong.cu", kernels: "overlapping", has_all_ops: false, ..TREE })
        .racy("half of the array is never read, and most of the other half twice"),
    row("cas-precedence", "cas-loop on floats, without the brackets around `seen = atomicCAS(...)`",
        Reducing { file: "wrong.cu", kernels: "cas_precedence", has_all_ops: false, ..ATOMIC })
        .racy("a thread that fails once compares with the bits of 1 from then on, and its addition is lost"),
];

fn options() -> Vec<Arg> {
    let help = "Only this operation (repeatable) [default: sum, max and dot]";
    vec![arguments::choice("op", "OP", Op::ALL.map(Op::name), help)]
}

fn run(run: &Run) -> Result<()> {
    let n = experiment::size(run)?;
    let ops = run.chosen("op", &Op::ALL, Op::name);
    let input = experiment::Arrays::new(run, n);
    for &op in &ops {
        for row in run.rows(METHODS) {
            experiment::reduce(run, row, op.name(), op, row.launch, &input)?;
        }
    }
    if ops.contains(&Op::Dot) {
        experiment::small_dots(run)?;
    }
    if ops.contains(&Op::Sum) {
        experiment::wrong(run)?;
        experiment::waves_of(run, &input)?;
        orders::run(run, &input.x)?;
    }
    narrow::run(run, n, ops.contains(&Op::Sum))?;
    votes::run(run)
}
