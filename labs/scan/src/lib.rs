//! Scan: all prefix sums, from a block's tree to a single pass over memory.
mod element;
mod experiment;
mod questions;
mod scanner;
mod scanning;

use harness::{
    Claim, Lab, Measure, Published, Result, Row, Run, Size, Sizes, Story, VariantFilter, arguments, clap::Arg, column,
    figure, row, rung,
};

pub use element::{Element, Expected};
pub use scanner::Scanner;
use scanning::{AHEAD, ONE_BLOCK, brent_kung, tree};
pub use scanning::{Passes, Scanning, idle_threads};

/// The lab.
pub static LAB: Lab = Lab {
    name: "scan",
    summary: "prefix sums: Kogge-Stone, Brent-Kung, three kernels, and one pass with look-back",
    kernels: &[kernels::source!("scan", headers: ["scan.cuh"]), kernels::source!("ahead", headers: ["scan.cuh"])],
    variants: &[&METHODS, &questions::ROWS],
    columns: &[
        column("element", "`f32` or `u32`"),
        column("kind", "`inclusive` (an element is in its own prefix) or `exclusive`"),
        column("additions", "additions that the algorithm does over the whole block; a serial scan does n - 1"),
        column("longest_chain", "the most roundings between an element and a prefix that it is part of"),
    ],
    published: &[Published {
        column: "published_gb_per_s",
        source: "CUB's DeviceScan over 2^28 floats on one H200, read and written",
        part: "H200",
        figures: &[
            figure("single-pass", "f32, inclusive, 16 a thread", 1 << 28, 3068.0),
            figure("single-pass", "f32, inclusive, 32 a thread", 1 << 28, 3068.0),
            figure("ahead", "f32, inclusive", 1 << 28, 3068.0),
        ],
    }],
    options,
    ignored: &[
        (&["blocks"], VariantFilter::Every),
        (&["threads"], VariantFilter::Names(&["ahead"])),
        (&["items"], VariantFilter::AllBut(&["single-pass"])),
        (&["n", "threads", "element", "kind"], VariantFilter::Tables(&[&questions::ROWS])),
    ],
    run,
    questions: questions::all,
    story: Some(STORY),
    assignment: harness::assignment!("look-back.svg"),
    ..Lab::DEFAULT
};

/// What a run of the lab shows.
const STORY: Story = Story {
    question: "How does each element learn the sum of all before it?",
    ladder: &[rung("three-kernel"), rung("single-pass")],
    measure: Measure::Time,
    size: Size::scaled([1 << 19, 1 << 20, 1 << 21], 1 << 28),
    options: &["--element", "f32", "--kind", "inclusive"],
    claim: Claim::Less {
        less: rung("single-pass"),
        more: rung("three-kernel"),
        by: 1.05,
        why: "three kernels read the input twice, and one pass with look-back reads it once",
    },
};

/// The methods, from those for one block to those for any n.
#[rustfmt::skip]
pub static METHODS: &[Row<Scanning>] = &[
    row("kogge-stone", "one block: log n rounds in which every thread adds", ONE_BLOCK),
    row("brent-kung", "one block: up a tree and down again, fewer additions", Scanning {
        kernels: &["brent_kung"], items: 2, chain: |e| 2 * tree(2 * e.threads), additions: Some(brent_kung), ..ONE_BLOCK
    }),
    row("three-kernel", "any n: sums of tiles, their scan, then each tile's scan", Scanning {
        kernels: &["tile_sums", "scan_sums", "scan_tiles"], passes: Passes::Three, items: 16,
        chain: |e| e.tile() + 3 + 5 + 1 + 5 + 2 + 4 + e.tiles().div_ceil(4 * e.threads),
        ..MANY_BLOCKS
    }),
    row("single-pass", "any n, each element read once: decoupled look-back", MANY_BLOCKS),
    row("ahead", "like single-pass, but the blocks that run at once sum tiles ahead, in a ring in shared memory", AHEAD),
    row("one-barrier", "kogge-stone without the barrier between reads and writes",
        Scanning { kernels: &["one_barrier"], elements: &["u32"], ..ONE_BLOCK })
        .racy("a thread may read its neighbour's word after that neighbour has added to it"),
    row("short-up", "brent-kung, but the way up ends at strides below the block's width", Scanning {
        kernels: &["short_up"], items: 2, elements: &["u32"], chain: |e| 2 * tree(2 * e.threads), ..ONE_BLOCK
    })
    .racy("the last of the block's elements lacks the first half"),
];

/// One pass over any n. A tile's prefix may come from the tile before it, whose own may come from the tile before that.
const MANY_BLOCKS: Scanning = Scanning {
    kernels: &["single_pass_{items}"],
    passes: Passes::LookBack,
    items: 32,
    threads: 256,
    chain: |e| e.tile() + e.tiles(),
    additions: None,
    ..ONE_BLOCK
};

/// The numbers of elements per thread for which `single-pass` is compiled.
const ITEMS: [&str; 2] = ["16", "32"];
const ELEMENTS: [&str; 2] = ["f32", "u32"];
const KINDS: [&str; 2] = ["inclusive", "exclusive"];

fn options() -> Vec<Arg> {
    vec![
        arguments::choice("element", "TYPE", ELEMENTS, "Only elements of this type (repeatable) [default: both]"),
        arguments::choice("kind", "KIND", KINDS, "Only this kind of scan (repeatable) [default: both]"),
        arguments::choice("items", "ITEMS", ITEMS, "Elements a thread of single-pass (repeatable) [default: 32]"),
    ]
}

fn run(run: &Run) -> Result<()> {
    let n = run.size(Sizes { gpu: 1 << 28, emulated: 1 << 18, quick: 1 << 12 });
    run.needs(n.checked_mul(8), &format!("{n} elements in and as many out"), "--n")?;
    for element in run.chosen("element", &ELEMENTS, |name| name) {
        match element {
            "f32" => experiment::of_type::<f32>(run, n)?,
            _ => experiment::of_type::<u32>(run, n)?,
        }
    }
    Ok(())
}
