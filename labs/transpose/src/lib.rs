//! What coalescing is: copies whose warps touch more sectors than they need, structures and arrays, and the transpose
//! of a matrix, from naive to swizzled and vectorised.
pub mod counting;
mod line;
mod matrix;
mod measured;
mod questions;
pub mod reference;

use harness::{
    Lab, Of, Result, Row, Run, arguments, clap::Arg, clap::ArgAction, clap::value_parser, column, parse_count, row,
};

use counting::Tile;
use line::{Copying, Field};
pub use matrix::{Shape, Turning};

/// The lab.
pub static LAB: Lab = Lab {
    name: "transpose",
    summary: "coalescing: strides, offsets, structures; transposes from naive to swizzled and vectorised",
    kernels: &[
        kernels::source!("line"),
        kernels::source!("transpose"),
        kernels::source!("wrong"),
        kernels::source!("tune"),
    ],
    variants: &[&COPIES, &FIELDS, &TRANSPOSES],
    host_copies: 2,
    columns: &[
        column("m", "rows of the matrix; `n` has its columns, and a line has m n floats"),
        column("stride", "floats from one that is read to the next"),
        column("offset", "floats before the first that is read"),
        column("load_sectors_per_request", "32-byte sectors that a warp's load touches, on average, by arithmetic"),
        column("counted_load_sectors_per_request", "the same, as the emulated device counted it"),
        column("store_sectors_per_request", "32-byte sectors that a warp's store touches, on average, by arithmetic"),
        column("counted_store_sectors_per_request", "the same, as the emulated device counted it"),
        column("bank_conflicts", "passes over the banks of shared memory beyond those that are needed, by arithmetic"),
        column("counted_bank_conflicts", "the same, as the emulated device counted it"),
        column("percent_of_device_copy", "gb_per_s as a percentage of that of `device-copy` at the same shape"),
    ],
    options,
    ignored: &[
        (&["blocks", "threads"], Of::Every),
        (&["stride"], Of::AllBut(&["copy-stride"])),
        (&["offset"], Of::AllBut(&["copy-offset"])),
    ],
    run,
    questions: questions::all,
    ..Lab::DEFAULT
};

/// Copies of a line.
#[rustfmt::skip]
pub(crate) static COPIES: &[Row<Copying>] = &[
    row("device-copy", "the driver's own copy", Copying::Driver),
    row("copy", "a float a thread: a warp reads 32 side by side", Copying::Plain),
    row("copy-wide", "like copy, but four floats at a time, four times over", Copying::Wide),
    row("copy-stride", "like copy, but reads every --stride-th float", Copying::Stride),
    row("copy-offset", "like copy, but reads from --offset on", Copying::Offset),
];

/// One field of structures, or all of them.
#[rustfmt::skip]
pub(crate) static FIELDS: &[Row<Field>] = &[
    row("aos", "one field of structures of four floats is scaled", Field::OfStructures),
    row("soa", "like aos, but each field has an array of its own", Field::OfArrays),
    row("aos-whole", "like aos, but all four fields, a structure at a time", Field::All),
];

/// The transposes.
#[rustfmt::skip]
pub static TRANSPOSES: &[Row<Turning>] = &[
    row("naive-read", "an element a thread: reads side by side, writes a column", Turning::Naive("naive_read")),
    row("naive-write", "like naive-read, but reads a column, writes side by side", Turning::Naive("naive_write")),
    row("tiled", "like naive-read, but a tile of 32 x 32 goes through shared memory: conflicts in its banks",
        Turning::Tiled("tiled", Tile { edge: 32, is_wide: false, place: |y, x| 32 * y + x })),
    row("padded", "like tiled, but a row of the tile has 33 words",
        Turning::Tiled("padded", Tile { edge: 32, is_wide: false, place: |y, x| 33 * y + x })),
    row("swizzled", "like tiled, but column x of row y lies at x ^ y",
        Turning::Tiled("swizzled", Tile { edge: 32, is_wide: false, place: |y, x| 32 * y + (x ^ y) })),
    row("vectorized", "like swizzled, but 64 x 64 a block, four floats at a time",
        Turning::Tiled("vectorized", Tile { edge: 64, is_wide: true, place: |y, x| 64 * y + (x ^ (y % 32)) })),
    row("no-barrier", "like padded, but without the barrier", Turning::Wrong("no_barrier", (32, 32)))
        .racy("a warp may read the tile before another has written it"),
    row("swapped", "like padded, but the tile is written where it was read", Turning::Wrong("swapped", (32, 32)))
        .racy("the block's row and column do not change places; with one tile there is nothing to change")
        .own_process(),
    row("misaligned", "four floats at a time at any width", Turning::Wrong("misaligned", (8, 128)))
        .racy("at a width that is not a multiple of 4 rows do not begin at a multiple of 16 bytes, and the last float4 \
               leaves the array")
        .own_process(),
    row("t1", "tune", Turning::Tune("t1", (32, 32, 64))),
    row("t2", "tune", Turning::Tune("t2", (64, 64, 128))),
    row("t3", "tune", Turning::Tune("t3", (64, 64, 256))),
    row("t4", "tune", Turning::Tune("t4", (64, 64, 256))),
    row("t5", "tune", Turning::Tune("t5", (64, 64, 256))),
    row("t6", "tune", Turning::Tune("t6", (64, 64, 256))),
    row("t7", "tune", Turning::Tune("t7", (64, 64, 256))),
    row("t8", "tune", Turning::Tune("t8", (128, 64, 256))),
    row("t9", "tune", Turning::Tune("t9", (64, 128, 256))),
    row("t10", "tune", Turning::Tune("t10", (128, 64, 512))),
    row("t11", "tune", Turning::Tune("t11", (32, 128, 256))),
    row("t12", "tune", Turning::Tune("t12", (128, 32, 256))),
    row("t13", "tune", Turning::Tune("t13", (64, 64, 512))),
    row("t14", "tune", Turning::Tune("t14", (32, 256, 256))),
    row("t15", "tune", Turning::Tune("t15", (256, 32, 256))),
    row("t16", "tune", Turning::Tune("t16", (32, 64, 128))),
    row("t17", "tune", Turning::Tune("t17", (64, 32, 128))),
    row("a1", "tune", Turning::Tune("a1", (64, 64, 256))),
    row("a2", "tune", Turning::Tune("a2", (64, 64, 256))),
    row("a3", "tune", Turning::Tune("a3", (128, 64, 256))),
    row("a4", "tune", Turning::Tune("a4", (128, 64, 256))),
    row("t18", "tune", Turning::Tune("t18", (96, 96, 288))),
    row("t19", "tune", Turning::Tune("t19", (64, 64, 256))),
    row("t20", "tune", Turning::Tune("t20", (32, 32, 256))),
    row("t21", "tune", Turning::Tune("t21", (64, 64, 1024))),
    row("r1", "tune", Turning::Tune("r1", (64, 64, 256))),
];

fn options() -> Vec<Arg> {
    let several = |name, help| arguments::value(name, "FLOATS", help).action(ArgAction::Append);
    vec![
        arguments::value("m", "COUNT", "Rows of the matrix [default: n]").value_parser(parse_count),
        several("stride", "Floats from one to the next in `copy-stride` [default: 1, 2, 4, 8, 16 and 32]")
            .value_parser(value_parser!(u32).range(1..=1024)),
        several(
            "offset",
            "Floats before the first in `copy-offset` [default: 0, 1, 2, 4, 7, 8, 12, 16, 24, 31 and 32]",
        )
        .value_parser(value_parser!(u32).range(0..=1024)),
    ]
}

fn run(run: &Run) -> Result<()> {
    for (i, shape) in matrix::shapes(run)?.into_iter().enumerate() {
        let copied = line::copies(run, shape, i == 0)?;
        if i == 0 {
            line::fields(run, shape)?;
        }
        matrix::run(run, shape, copied)?;
    }
    Ok(())
}
