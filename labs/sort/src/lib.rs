//! Sorting: lists split by a scan, bitonic networks in a warp, a block and the grid, and radix sorts.
mod experiment;
mod keys;
pub mod questions;
pub mod reference;
mod sorter;

use harness::{
    Claim, Error, Figure, Lab, Measure, Published, Result, Row, Run, Size, Sizes, Story, VariantFilter, arguments,
    clap::Arg, clap::value_parser, column, figure, row, rung,
};

pub use keys::{Key, KeyKind, Order};
pub use sorter::{Method, Sorter, Tile};

/// The lab.
pub static LAB: Lab = Lab {
    name: "sort",
    summary: "lists split by a scan, bitonic networks, radix sort by digits: three kernels a digit, or one",
    kernels: &[
        kernels::source!("lists", headers: ["place.cuh"]),
        kernels::source!("rounds", headers: ["place.cuh"]),
        kernels::source!("bitonic", headers: ["place.cuh"]),
        kernels::source!("radix", headers: ["radix.cuh", "place.cuh"]),
    ],
    variants: &[&SORTS, &WRONG, &questions::ROWS],
    columns: &[
        column("element", "`u32`, `pairs` (32-bit keys with 32-bit values) or `u64`"),
        column("order", "order of the keys before they are sorted or split"),
        column("run_length", "keys in a row that are in order afterwards"),
        column("kept", "keys below the threshold"),
        column("passes", "launches that write all keys"),
        column("g_keys_per_s", "10^9 keys (or pairs) a second, on a GPU"),
    ],
    published: &[PEER, LISTS_PEER],
    options,
    ignored: &[
        (&["blocks"], VariantFilter::Every),
        (
            &["threads"],
            VariantFilter::Names(&[
                "compact",
                "partition",
                "compact-rounds",
                "radix-passes",
                "radix",
                "radix-large",
                "unstable",
            ]),
        ),
        (&["share"], VariantFilter::AllBut(&["compact", "partition", "compact-rounds"])),
        (&["tile"], VariantFilter::AllBut(&["radix"])),
        (&["n", "threads", "element", "order"], VariantFilter::Tables(&[&questions::ROWS])),
    ],
    // The keys, the right answer, the output, and the last output that was right; the device has three buffers.
    host_copies: 2,
    run,
    questions: questions::all,
    story: Some(STORY),
    assignment: harness::assignment!("ranks.svg"),
    ..Lab::DEFAULT
};

/// What a run of the lab shows.
const STORY: Story = Story {
    question: "How do thousands of threads bring keys into order?",
    ladder: &[rung("bitonic-grid"), rung("radix-passes"), rung("radix"), rung("radix-large")],
    measure: Measure::Time,
    size: Size::Given(1 << 17),
    options: &["--element", "u32", "--order", "random"],
    claim: Claim::Less {
        less: rung("radix"),
        more: rung("bitonic-grid"),
        by: 1.5,
        why: "a radix sort passes over the keys four times, and a bitonic one in proportion to the square of log n",
    },
};

/// The method of a variant, and the data that it sorts.
#[derive(Debug, Clone, Copy)]
pub struct Sorting {
    /// Its kernels and launches.
    pub how: Method,
    /// The data that it sorts.
    pub kinds: &'static [KeyKind],
}

const fn sorting(how: Method, kinds: &'static [KeyKind]) -> Sorting {
    Sorting { how, kinds }
}

const KEYS: &[KeyKind] = &[KeyKind::U32, KeyKind::U64];

/// Lists, networks, radix sorts.
#[rustfmt::skip]
pub static SORTS: &[Row<Sorting>] = &[
    row("compact", "keys below a threshold to the front, in order: a scan with look-back", sorting(Method::Split { both: false }, &[KeyKind::U32])),
    row("partition", "like compact, but the others are kept too, from the back on", sorting(Method::Split { both: true }, &[KeyKind::U32])),
    row("compact-rounds", "like compact, but the blocks that run at once take the tiles in turn, in rounds", sorting(Method::Rounds, &[KeyKind::U32])),
    row("bitonic-warp", "runs of 32: partners meet by shuffles", sorting(Method::Runs { kernel: "bitonic_warp", keys_a_thread: 1 }, KEYS)),
    row("bitonic-block", "like bitonic-warp, but in shared memory: runs of two keys a thread",
        sorting(Method::Runs { kernel: "bitonic_block", keys_a_thread: 2 }, KEYS)),
    row("bitonic-grid", "like bitonic-block, then merged over all of memory: any n", sorting(Method::Grid { flip: "flip" }, KEYS)),
    row("radix-passes", "4 bits a pass, three kernels each: count, scan, scatter", sorting(Method::Passes { scatter: "scatter" }, &KeyKind::ALL)),
    row("radix", "8 bits a pass, one kernel each: look-back for every digit", sorting(Method::Sweeps, &KeyKind::ALL)),
    row("radix-large", "like radix, but in tiles of up to 17,920 keys, whose values go with them through shared memory",
        sorting(Method::Large, &KeyKind::ALL)),
];

/// Wrong on purpose.
#[rustfmt::skip]
pub static WRONG: &[Row<Sorting>] = &[
    row("no-barrier", "like bitonic-block, but without the barrier between steps",
        sorting(Method::Runs { kernel: "no_barrier", keys_a_thread: 2 }, &[KeyKind::U32]))
        .racy("a thread may compare keys that another is about to exchange"),
    row("unstable", "like radix-passes, but places are drawn by an atomic counter",
        sorting(Method::Passes { scatter: "scatter_unstable" }, &[KeyKind::Pairs]))
        .racy("keys with equal digits do not keep their order, which the passes before have made"),
    row("unpadded", "like bitonic-grid, but only for n that is a power of two",
        sorting(Method::Grid { flip: "flip_unpadded" }, &[KeyKind::U32]))
        .racy("keys are compared with what lies past the end of the array").own_process(),
];

/// CUB's `DeviceRadixSort` on the same inputs, measured next to these on one H200.
const PEER: Published = Published {
    column: "peer_g_keys_per_s",
    source: "CUB's DeviceRadixSort on one H200, 10^9 keys (or pairs) a second, on inputs of the same orders",
    part: "H200",
    figures: &peers(),
};

/// Case, keys, and 10^9 keys a second.
const PEERS: [(&str, usize, f64); 11] = [
    ("u32, random", 1 << 28, 49.362),
    ("u32, sorted", 1 << 28, 53.279),
    ("u32, equal", 1 << 28, 67.439),
    ("u32, reversed", 1 << 28, 53.161),
    ("u32, skewed", 1 << 28, 60.765),
    ("pairs, random", 1 << 28, 31.357),
    ("u64, random", 1 << 27, 16.232),
    ("u64, sorted", 1 << 27, 16.971),
    ("u64, equal", 1 << 27, 20.799),
    ("u64, reversed", 1 << 27, 16.997),
    ("u64, skewed", 1 << 27, 19.309),
];

/// The figures appear with both variants that sweep.
const fn peers() -> [Figure; 2 * PEERS.len()] {
    let mut all = [figure("", "", 0, 0.0); 2 * PEERS.len()];
    let mut i = 0;
    while i < PEERS.len() {
        let (case, n, value) = PEERS[i];
        all[i] = figure("radix", case, n, value);
        all[PEERS.len() + i] = figure("radix-large", case, n, value);
        i += 1;
    }
    all
}

/// CUB's `DeviceSelect` and `DevicePartition`, which keep every second key.
const LISTS_PEER: Published = Published {
    column: "peer_gb_per_s",
    source: "CUB's DeviceSelect and DevicePartition on one H200, of random keys, half of them selected; read and written",
    part: "H200",
    figures: &[
        figure("compact", "u32, random", 1 << 28, 2567.7),
        figure("partition", "u32, random", 1 << 28, 2339.2),
        figure("compact-rounds", "u32, random", 1 << 28, 2567.7),
    ],
};

/// The value in a state has 30 bits.
const MOST: usize = 1_000_000_000;

fn options() -> Vec<Arg> {
    let element = "Only keys (or pairs) of this type (repeatable) [default: all]";
    let share = "Per cent of the keys that lie below the threshold of the variants that split them, about";
    let tile =
        "Threads of a block of `radix`, and bytes of keys a thread (repeatable) [default: 384x64; 512x48 for pairs]";
    vec![
        arguments::choice("element", "TYPE", KeyKind::ALL.map(KeyKind::name), element),
        arguments::choice(
            "order",
            "ORDER",
            Order::ALL.map(Order::name),
            "Only keys in this order (repeatable) [default: all]",
        ),
        arguments::choice("tile", "TILE", Tile::ALL.map(|tile| tile.name), tile),
        arguments::count("share", share)
            .value_name("PERCENT")
            .value_parser(value_parser!(u32).range(0..=100))
            .default_value("50"),
    ]
}

fn run(run: &Run) -> Result<()> {
    let n = run.size(Sizes { gpu: 1 << 26, emulated: 1 << 16, quick: 1 << 12 });
    if n > MOST {
        return Err(Error::usage(format!("{n} keys are more than {MOST}; choose a smaller --n")));
    }
    // Keys and values in, out and between, and the states of tiles; checked before any case, because one case ruins its
    // context.
    if run.rows(SORTS).chain(run.rows(WRONG)).next().is_some() {
        run.needs(n.checked_mul(7 * 8 / 2), &format!("{n} keys with values, and room to sort them,"), "--n")?;
    }
    for kind in run.chosen("element", &KeyKind::ALL, KeyKind::name) {
        // The same number of bytes for 64-bit keys, unless n was given.
        let n = if kind == KeyKind::U64 && run.options().n.is_none() { n / 2 } else { n };
        for order in run.chosen("order", &Order::ALL, Order::name) {
            match kind {
                KeyKind::U64 => experiment::of_order::<u64>(run, kind, order, n)?,
                KeyKind::U32 | KeyKind::Pairs => experiment::of_order::<u32>(run, kind, order, n)?,
            }
        }
    }
    Ok(())
}
