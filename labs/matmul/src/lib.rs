//! Matrix multiplication, C = A B, for any sizes: from a thread an element to register tiles, asynchronous copies
//! and tensor cores, with cuBLAS beside them.
mod answer;
mod blas;
mod experiment;
pub mod ladder;
pub mod reference;

pub use experiment::{launch, matvec_launch};

use harness::clap::{Arg, value_parser};
use harness::{Lab, Variant, parse_count};

/// The lab.
pub static LAB: Lab = Lab {
    name: "matmul",
    summary: "C = A B: tiles in shared memory, tiles in registers, asynchronous copies, tensor cores",
    kernels: &[
        kernels::source!("matmul"),
        kernels::source!("ladder"),
        kernels::source!("async"),
        kernels::source!("tensor"),
        kernels::source!("matvec"),
    ],
    variants: &[
        Variant::new(
            "naive",
            "a thread an element: 2 k loads from global memory each",
        ),
        Variant::new(
            "tiled16",
            "like naive, but 16 x 16 tiles in shared memory: a 16th of the loads",
        ),
        Variant::new("tiled32", "like tiled16, but 32 x 32: half of those"),
        Variant::new(
            "rectangular",
            "like tiled16, but any tile width, --tile: 10 as in the text",
        ),
        Variant::new(
            "depth-parallel",
            "like tiled16, but the depth in slices, added by atomics: for small C",
        ),
        Variant::new(
            "register-1d",
            "like tiled, but 8 elements a thread: fewer reads of shared memory",
        ),
        Variant::new(
            "register-2d",
            "like register-1d, but 8 x 8 elements a thread",
        ),
        Variant::new(
            "vectorized",
            "like register-2d, but four floats at a time, A transposed on the way",
        ),
        Variant::new(
            "warp-tile",
            "like vectorized, but a warp has its own part: no bank conflicts",
        ),
        Variant::new(
            "double-buffered",
            "like warp-tile, but the next tile travels while this one is multiplied",
        ),
        Variant::new(
            "async-copy",
            "like double-buffered, but past the registers (cp.async; 8.0 and later)",
        ),
        Variant::new(
            "async-wide",
            "like async-copy, but 16 x 8 elements a thread, three tiles under way",
        ),
        Variant::new("tf32", "tensor cores: inputs of 11 bits (8.0 and later)"),
        Variant::new(
            "tf32x3",
            "like tf32, but each input in two parts: float accuracy",
        ),
        Variant::new("cublas", "NVIDIA's library, float, when it can be loaded"),
        Variant::new("cublas-tf32", "like cublas, but on the tensor cores"),
        Variant::new(
            "matvec-naive",
            "y = A x, a thread a row: every load its own line",
        ),
        Variant::new(
            "matvec",
            "like matvec-naive, but a warp a row: lanes side by side, as float4",
        ),
    ],
    columns: &[
        "m",
        "k",
        "tflop_per_s",
        "peer_tflop_per_s",
        "percent_of_cublas",
        "load_floats",
        "counted_load_floats",
        "load_fold",
        "error_bound",
    ],
    args,
    run: experiment::run,
    exercises: Some(experiment::exercises),
};

fn args() -> Vec<Arg> {
    let side = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("COUNT")
            .value_parser(parse_count)
            .allow_hyphen_values(true)
            .help(help)
    };
    vec![
        side("m", "Rows of A and C [default: n]"),
        side("k", "Columns of A, rows of B [default: n]"),
        Arg::new("tile")
            .long("tile")
            .value_name("WIDTH")
            .value_parser(value_parser!(u32).range(1..=32))
            .default_value("10")
            .help("Tile width of `rectangular`"),
        Arg::new("slices")
            .long("slices")
            .value_name("COUNT")
            .value_parser(value_parser!(u32).range(1..=65535))
            .help("Slices of the depth in `depth-parallel` [default: as many as fill the device]"),
    ]
}
