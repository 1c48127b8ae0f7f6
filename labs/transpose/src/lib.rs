//! Coalescing: copies whose warps access more sectors than they need, structures and arrays, and the transpose of a
//! matrix, from naive to swizzled and vectorised.
pub mod counting;
mod line;
mod matrix;
mod measured;
mod questions;
pub mod reference;

use harness::{
    Claim, Lab, Measure, Result, Row, Run, Size, Story, VariantFilter, arguments, clap::Arg, clap::ArgAction,
    clap::value_parser, column, parse_count, parse_u32, row, rung,
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
        kernels::source!("transpose", headers: ["groups.cuh"]),
        kernels::source!("tall", headers: ["groups.cuh"]),
        kernels::source!("thin"),
        kernels::source!("bulk"),
        kernels::source!("columns"),
        kernels::source!("wrong"),
    ],
    variants: &[&COPIES, &FIELDS, &TRANSPOSES],
    host_copies: 2,
    columns: &[
        column("m", "rows of the matrix; `n` has its columns, and a line has m n floats"),
        column("stride", "floats from one that is read to the next"),
        column("offset", "floats before the first that is read"),
        column("group", "rows of tiles in a group"),
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
        (&["blocks", "threads"], VariantFilter::Every),
        (&["stride"], VariantFilter::AllBut(&["copy-stride"])),
        (&["offset"], VariantFilter::AllBut(&["copy-offset"])),
        (&["group"], VariantFilter::AllBut(&["grouped", "grouped-512", "grouped-tall", "grouped-wide"])),
    ],
    run,
    questions: questions::all,
    story: Some(STORY),
    assignment: harness::assignment!("sectors.svg"),
    ..Lab::DEFAULT
};

/// What a run of the lab shows.
const STORY: Story = Story {
    question: "What does it cost to read rows and write columns?",
    ladder: &[
        rung("naive-read"),
        rung("naive-write"),
        rung("tiled"),
        rung("padded"),
        rung("vectorized"),
        rung("copy-wide"),
    ],
    measure: Measure::Time,
    size: Size::scaled_square([256, 512, 1024], 8192),
    options: &[],
    claim: Claim::Less {
        less: rung("padded"),
        more: rung("naive-read"),
        by: 2.0,
        why: "a tile in shared memory makes both sides contiguous, and a padded one has no bank conflicts",
    },
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

/// The tiles: of the first tiled kernels, of the next ones, and of two for rows of the result that do not begin at a
/// sector boundary.
const TILE: Tile = Tile { sides: (32, 32), is_wide: false, place: |y, x| 32 * y + x, early: None };
const WIDE: Tile = Tile { sides: (64, 64), is_wide: true, place: |y, x| 64 * y + (x ^ (y % 32)), early: None };
const TALL: Tile = Tile { sides: (128, 32), early: Some(|y, x| 32 * y + (x ^ ((y + y / 32) % 32))), ..WIDE };
const LARGE: Tile = Tile { sides: (128, 64), early: Some(|y, x| 64 * y + (x ^ ((y + y / 32) % 32))), ..WIDE };

/// The tile of `bulk_columns`: tall if rows of the matrix do not begin at a sector boundary, or those of the result not
/// at a multiple of 16 bytes.
const fn columns(m: u64, n: u64) -> (u64, u64) {
    if m.is_multiple_of(4) && n.is_multiple_of(8) { (64, 64) } else { (128, 32) }
}

/// The transposes.
#[rustfmt::skip]
pub static TRANSPOSES: &[Row<Turning>] = &[
    row("naive-read", "an element a thread: reads side by side, writes a column", Turning::Naive("naive_read")),
    row("naive-write", "like naive-read, but reads a column, writes side by side", Turning::Naive("naive_write")),
    row("tiled", "like naive-read, but a tile of 32 x 32 goes through shared memory: conflicts in its banks",
        Turning::Tiled("tiled", TILE)),
    row("padded", "like tiled, but a row of the tile has 33 words",
        Turning::Tiled("padded", Tile { place: |y, x| 33 * y + x, ..TILE })),
    row("swizzled", "like tiled, but column x of row y lies at x ^ y",
        Turning::Tiled("swizzled", Tile { place: |y, x| 32 * y + (x ^ y), ..TILE })),
    row("vectorized", "like swizzled, but 64 x 64 a block, four floats at a time", Turning::Tiled("vectorized", WIDE)),
    row("grouped", "like vectorized, but the blocks go down groups of --group rows of tiles", Turning::Grouped("grouped_256", 256, |_| WIDE)),
    row("grouped-512", "like grouped, but 512 threads a block", Turning::Grouped("grouped_512", 512, |_| WIDE)),
    row("grouped-tall", "like grouped-512, but loads ask for 256 bytes, and tiles of 128 x 32 write whole sectors",
        Turning::Grouped("grouped_tall", 512, |m| if m.is_multiple_of(8) { WIDE } else { TALL })),
    row("grouped-wide", "like grouped-tall, but tiles of 128 x 64: longer lines are read, too",
        Turning::Grouped("grouped_wide", 512, |m| if m.is_multiple_of(8) { WIDE } else { LARGE })),
    row("bulk", "like grouped-512, but a bulk copy stores each line of a tile (9.0 and later)", Turning::Bulk("bulk.cu", "bulk", |_, _| (64, 64))),
    row("bulk-columns", "like bulk, but loads ask for 256 bytes, a float of each of four rows a thread; three blocks at once",
        Turning::Bulk("columns.cu", "bulk_columns", columns)),
    row("thin", "like vectorized, but 256 x 16 a block: for matrices of 16 columns or fewer", Turning::Thin("thin", (256, 16))),
    row("thin-back", "like thin, but 16 x 256 a block: for matrices of 16 rows or fewer", Turning::Thin("thin_back", (16, 256))),
    row("thin-bulk", "like thin, but 512 x 16 a block, and bulk copies store, as in bulk", Turning::Bulk("bulk.cu", "thin_bulk", |_, _| (512, 16))),
    row("no-barrier", "like padded, but without the barrier", Turning::Wrong("no_barrier", (32, 32)))
        .racy("a warp may read the tile before another has written it"),
    row("swapped", "like padded, but the tile is written where it was read", Turning::Wrong("swapped", (32, 32)))
        .racy("the block's row and column do not change places; with one tile there is nothing to change")
        .own_process(),
    row("misaligned", "four floats at a time at any width", Turning::Wrong("misaligned", (8, 128)))
        .racy("at a width that is not a multiple of 4 rows do not begin at a multiple of 16 bytes, and the last float4 \
               leaves the array")
        .own_process(),
];

fn options() -> Vec<Arg> {
    let several = |name, unit, help| arguments::value(name, unit, help).action(ArgAction::Append);
    let stride = "Floats from one to the next in `copy-stride` [default: 1, 2, 4, 8, 16 and 32]";
    let offset = "Floats before the first in `copy-offset` [default: 0, 1, 8 and 31]";
    let group = "Rows of tiles in a group of the variants that have some, `grouped` among them [default: 8 and all]";
    vec![
        arguments::value("m", "COUNT", "Rows of the matrix [default: n]").value_parser(parse_count),
        several("stride", "FLOATS", stride).value_parser(value_parser!(u32).range(1..=1024)),
        several("offset", "FLOATS", offset).value_parser(value_parser!(u32).range(0..=1024)),
        several("group", "TILES", group).value_parser(parse_u32),
    ]
}

fn run(run: &Run) -> Result<()> {
    let shapes = matrix::shapes(run)?;
    for (i, &shape) in shapes.iter().enumerate() {
        let copied = line::copies(run, shape, i == 0)?;
        if i == 0 {
            line::fields(run, shape)?;
        }
        matrix::run(run, shape, copied, i + 1 == shapes.len())?;
    }
    Ok(())
}
