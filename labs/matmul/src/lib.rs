//! Matrix multiplication, C = A B, for any sizes: from one element per thread to register tiles, asynchronous copies
//! and tensor cores, with cuBLAS for comparison.
pub mod answer;
mod blas;
mod element;
mod experiment;
mod float;
mod hopper;
mod map;
mod problem;
mod questions;
pub mod reference;
mod rung;
mod shape;
mod small;

use harness::{
    Claim, Lab, Measure, Published, Result, Row, Run, Size, Story, VariantFilter, arguments, clap::Arg,
    clap::value_parser, column, drawn, figure, parse_count, row, rung,
};

pub use element::{Bf16, Element};
pub use experiment::launch;
use float::FLOAT_EVEN;
use hopper::{BF16_WGMMA, TF32_WGMMA, TF32X3_WGMMA};
pub use hopper::{Cut, Given, Hopper};
pub use rung::{Arithmetic, Plan, Rung, depth_in_block, rectangular};
use rung::{BF16, DEEP, FOUR_DEEP, LARGE, Misfit, PLAIN, STREAM_K_SMALL, TENSOR};
pub use shape::Shape;
use small::{BF16_SMALL, TF32_SMALL};

/// The lab.
pub static LAB: Lab = Lab {
    name: "matmul",
    summary: "C = A B: tiles in shared memory, tiles in registers, asynchronous copies, tensor cores",
    kernels: &[
        kernels::source!("matmul"),
        kernels::source!("ladder"),
        kernels::source!("async"),
        kernels::source!("stream"),
        kernels::source!("tensor"),
        kernels::source!("bf16"),
        kernels::source!("float_hopper", headers: ["hopper.cuh"]),
        kernels::source!("float_even", headers: ["hopper.cuh"]),
        kernels::source!("tf32_hopper", headers: ["hopper.cuh"]),
        kernels::source!("split_hopper", headers: ["hopper.cuh"]),
        kernels::source!("bf16_hopper", headers: ["hopper.cuh"]),
        kernels::source!("bf16_small", headers: ["hopper.cuh", "small.cuh"]),
        kernels::source!("tf32_small", headers: ["hopper.cuh", "small.cuh"]),
        kernels::source!("pads"),
        kernels::source!("matvec"),
    ],
    variants: &[&RUNGS, &NARROW, &HOPPER, &MISFITS, &LIBRARY, &MATVEC],
    columns: &[
        column("m", "rows of A and C"),
        column("k", "columns of A, rows of B; `n` has the columns of B and C"),
        drawn::TFLOP_PER_S,
        drawn::PERCENT_OF_CUBLAS,
        column("load_floats", "floats that all threads load from global memory, by arithmetic"),
        column("counted_load_floats", "load_floats, as the emulated device counted them"),
        column("load_fold", "how many times fewer floats than `naive` loads"),
        column("load_sectors", "32-byte sectors that all warps ask for, by arithmetic, where tiles fit"),
        column("counted_load_sectors", "load_sectors, as the emulated device counted them"),
        column("sector_fold", "how many times fewer sectors than `naive` asks for"),
        column("error_bound", "how far an element may lie from the answer"),
    ],
    published: &[PEERS],
    options,
    ignored: &[
        (&["blocks", "threads"], VariantFilter::Every),
        (&["tile"], VariantFilter::AllBut(&["rectangular"])),
        (&["slices"], VariantFilter::AllBut(&["depth-parallel", "stream-k-small", "float-even-hopper"])),
    ],
    run,
    questions: questions::all,
    story: Some(STORY),
    assignment: harness::assignment!("tile.svg"; "missing_barrier.cu"),
    ..Lab::DEFAULT
};

/// What a run of the lab shows.
const STORY: Story = Story {
    question: "How close to the hardware's limit can a product of matrices come?",
    ladder: &[rung("naive"), rung("tiled16"), rung("double-buffered")],
    measure: Measure::Time,
    size: Size::scaled_product([128, 256, 384], 4096),
    options: &[],
    claim: Claim::Less {
        less: rung("double-buffered"),
        more: rung("naive"),
        by: 1.5,
        why: "each number that is loaded is used for more products, from a tile and then from registers",
    },
};

/// The ladder, from the first kernel to the last.
#[rustfmt::skip]
pub static RUNGS: &[Row<Rung>] = &[
    row("naive", "a thread an element: 2 k loads from global memory each", Rung { kernel: "naive", shares: false, ..PLAIN }),
    row("tiled16", "like naive, but 16 x 16 tiles in shared memory: a 16th of the loads", Rung { kernel: "tiled16", ..PLAIN }),
    row("tiled32", "like tiled16, but 32 x 32: half of those", Rung { kernel: "tiled32", tile: (32, 32), block: (32, 32, 1), ..PLAIN }),
    row("rectangular", "like tiled16, but any tile width, --tile, chosen at launch", rectangular(10)),
    row("depth-parallel", "like tiled16, but the depth in slices, added by atomics: for small C", DEEP),
    row("depth-in-block", "like naive, but 4 threads of a block share an element's depth", depth_in_block(4)),
    row("register-1d", "like tiled, but 8 elements a thread: fewer reads of shared memory",
        Rung { kernel: "register_1d", tile: (64, 64), block: (512, 1, 1), ..LARGE }),
    row("register-2d", "like register-1d, but 8 x 8 elements a thread", Rung { kernel: "register_2d", ..LARGE }),
    row("vectorized", "like register-2d, but four floats at a time, A transposed on the way", Rung { kernel: "vectorized", ..LARGE }),
    row("warp-tile", "like vectorized, but a warp has its own part: it reads without bank conflicts", Rung { kernel: "warp_tile", ..LARGE }),
    row("double-buffered", "like warp-tile, but the next tile travels while this one is multiplied",
        Rung { kernel: "double_buffered", ..LARGE }),
    row("async-copy", "like double-buffered, but past the registers (cp.async; 8.0 and later)",
        Rung { file: "async.cu", kernel: "async_copy", ..LARGE }),
    row("four-deep", "like async-copy, but A as it lies: a read of A serves four steps of the depth; 16 x 8 elements a thread", FOUR_DEEP),
    row("stream-k-small", "like four-deep, but small tiles, and each block has the same share of the work, wherever tiles end", STREAM_K_SMALL),
    row("tf32", "tensor cores: inputs of 11 bits (8.0 and later)", TENSOR),
    row("tf32x3", "like tf32, but each input in two parts, and sums of tiles as floats: float accuracy",
        Rung { kernel: "tf32x3", arithmetic: Arithmetic::Tf32Split, ..TENSOR }),
];

/// The rungs whose inputs are bfloat16.
pub static NARROW: &[Row<Rung>] =
    &[row("bf16", "like tf32, but inputs of 16 bits, twice as deep, and read by ldmatrix (8.0 and later)", BF16)];

/// The rungs with the instructions that only Hopper has.
#[rustfmt::skip]
pub static HOPPER: &[Row<Hopper>] = &[
    row("float-even-hopper", "like four-deep, but TMA loads tiles, in an order that reads fewer registers, and equal shares of the last tiles or of the depth (9.0 only)", FLOAT_EVEN),
    row("bf16-hopper", "like bf16, but wgmma, TMA, warps that only load, clusters (9.0 only)", BF16_WGMMA),
    row("bf16-small-hopper", "like bf16-hopper, but small tiles, the depth in slices, and the last cluster to come adds: for small C (9.0 only)", BF16_SMALL),
    row("tf32-hopper", "like bf16-hopper, but TF32: the transpose, with B^T from registers", TF32_WGMMA),
    row("tf32-small-hopper", "like tf32-hopper, but for small C: small tiles and slices of the depth, as in bf16-small-hopper", TF32_SMALL),
    row("tf32x3-hopper", "like tf32-hopper, but each input in two parts, as in tf32x3: float accuracy", TF32X3_WGMMA),
];

/// Launches that do not fit: the kernel, with the grid and block from a text. Only the driver checks them.
#[rustfmt::skip]
pub(crate) static MISFITS: &[Row<Misfit>] = &[
    row("swapped", "naive, with grid and block the wrong way round, as in the text", Misfit {
        rung: Rung { kernel: "naive", shares: false, ..PLAIN },
        // The text also rounds down, so that the last rows and columns get no threads.
        launch: |s| [(16, 16, 1), ((s.n / 16) as u32, (s.m / 16) as u32, 1)],
    }).racy("the block's shape is given as the grid's, the grid's as the block's, and rounded down"),
    row("depth-too-deep", "depth-in-block with 8 threads an element, as in the text", Misfit {
        rung: depth_in_block(8),
        launch: |s| [(s.n.div_ceil(16) as u32, s.m.div_ceil(16) as u32, 1), (16, 16, 8)],
    }).wrong("16 x 16 x 8 are 2048 threads, and a block has at most 1024"),
];

/// NVIDIA's library.
pub(crate) static LIBRARY: &[Row<Arithmetic>] = &[
    row("cublas", "NVIDIA's library, float, when it can be loaded", Arithmetic::Float),
    row("cublas-tf32", "like cublas, but on the tensor cores", Arithmetic::Tf32),
    row("cublas-bf16", "like cublas-tf32, but bfloat16 in, float out", Arithmetic::Bf16),
];

/// Matrix times vector: the kernel, and the number of rows for a block of 256 threads.
pub static MATVEC: &[Row<(&str, usize)>] = &[
    row("matvec-naive", "y = A x, a thread a row: every load its own line", ("matvec_naive", 256)),
    row("matvec", "like matvec-naive, but a warp a row: lanes side by side, as float4", ("matvec", 256 / 32)),
];

const PEERS: Published = Published {
    column: "published_tflop_per_s",
    source: "TFLOP/s of the text's kernels (rectangular: tiles of 10) and of cuBLAS on one H200",
    part: "H200",
    figures: &[
        figure("naive", "1024x1024x1024", 1024, 5.101),
        figure("naive", "4096x4096x4096", 4096, 5.434),
        figure("tiled16", "1024x1024x1024", 1024, 7.663),
        figure("tiled16", "4096x4096x4096", 4096, 8.074),
        figure("tiled32", "1024x1024x1024", 1024, 8.777),
        figure("tiled32", "4096x4096x4096", 4096, 8.576),
        figure("cublas", "1024x1024x1024", 1024, 33.29),
        figure("cublas", "4096x4096x4096", 4096, 51.08),
        figure("cublas", "8192x8192x8192", 8192, 51.06),
        figure("cublas-tf32", "4096x4096x4096", 4096, 411.4),
        figure("cublas-tf32", "8192x8192x8192", 8192, 450.0),
        // With random inputs and a cold cache.
        figure("cublas-bf16", "4096x4096x4096", 4096, 762.5),
        figure("cublas-bf16", "8192x8192x8192", 8192, 738.9),
        // These are 0.1491 and 0.0219 ms.
        figure("rectangular", "1000x500x700", 700, 7.0e8 / 0.1491e-3 / 1e12),
        figure("cublas", "1000x500x700", 700, 7.0e8 / 0.0219e-3 / 1e12),
    ],
};

fn options() -> Vec<Arg> {
    let side = |name, help| arguments::value(name, "COUNT", help).value_parser(parse_count);
    let slices = "Slices of the depth in `depth-parallel`, shares of the work in `stream-k-small` and `float-even-hopper` [default: as many \
                  as fill the device]";
    vec![
        side("m", "Rows of A and C [default: n]"),
        side("k", "Columns of A, rows of B [default: n]"),
        arguments::count("tile", "Tile width of `rectangular`")
            .value_name("WIDTH")
            .value_parser(value_parser!(u32).range(1..=32))
            .default_value("10"),
        arguments::count("slices", slices).value_parser(value_parser!(u32).range(1..=65535)),
    ]
}

fn run(run: &Run) -> Result<()> {
    let rungs = [RUNGS, NARROW].into_iter().any(|table| run.rows(table).next().is_some());
    let others = run.rows(MISFITS).next().is_some() || run.rows(LIBRARY).next().is_some();
    if rungs || others || run.rows(HOPPER).next().is_some() {
        for shape in shape::of(run) {
            experiment::products(run, shape)?;
        }
        questions::traffic(run);
    }
    if run.rows(MATVEC).next().is_some() {
        experiment::matvec(run)?;
    }
    Ok(())
}
