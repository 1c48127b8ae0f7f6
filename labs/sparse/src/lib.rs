//! Sparse matrices: their forms, their product with a vector, and breadth-first search on the same arrays.
mod cusparse;
mod experiment;
mod forms;
mod market;
mod matrix;
mod product;
pub mod questions;
mod reference;
mod search;

use harness::{
    Claim, Lab, Measure, Result, Row, Run, Size, Story, VariantFilter, arguments, clap::Arg, column, row, rung,
};

pub use forms::{Ell, Jds, NONE, beyond, hybrid_width, rows_of_entries};
pub use market::{Market, read_market};
pub use matrix::{ALIGNED, Csr, MatrixKind};
pub use product::{Arrays, MERGE_THREADS, MERGE_TILE, OfCsr, Product, ProductMethod, lanes_for};
pub use reference::Expected;
pub use search::{Search, SearchMethod, UNREACHED, hub, levels};

/// The lab.
pub static LAB: Lab = Lab {
    name: "sparse",
    summary: "y = A x for a sparse A in seven forms, and breadth-first search: rows of any length, shared out evenly",
    kernels: &[kernels::source!("sparse", headers: ["sparse.cuh"]), kernels::source!("bfs")],
    variants: &[&METHODS, &PEERS, &SEARCHES, &questions::ROWS],
    columns: &[
        column("matrix", "how the entries are spread over the rows, or the file that holds them"),
        column("entries", "entries of the matrix"),
        column("longest_row", "entries of the longest row"),
        column("stored", "entries that the form stores, padding included"),
        column("lanes", "lanes that share a row"),
        column(
            "percent_of_cusparse",
            "the time of cuSPARSE's faster algorithm in the same run, as a percentage of the row's",
        ),
        column(
            "levels",
            "launches of a search: the largest distance from the first vertex, and one that finds nothing",
        ),
        column("edges", "edges from the vertices that a search reaches"),
        column("edges_per_us", "these edges a microsecond, on a GPU"),
    ],
    options,
    ignored: &[
        (&["blocks"], VariantFilter::Every),
        (&["threads"], VariantFilter::Names(&["csr-merge", "csr-merge-kept", "no-carries", "cusparse", "cusparse-2"])),
        (&["threads"], VariantFilter::Tables(&[&SEARCHES, &questions::ROWS])),
        (&["n", "matrix", "input"], VariantFilter::Tables(&[&questions::ROWS])),
        (&["lanes"], VariantFilter::AllBut(&["csr-vector"])),
    ],
    run,
    questions: questions::all,
    story: Some(STORY),
    assignment: harness::assignment!(),
    ..Lab::DEFAULT
};

/// What a run of the lab shows.
const STORY: Story = Story {
    question: "How can rows of any length keep every thread equally busy?",
    ladder: &[
        rung("coo").of("power-law"),
        rung("csr-scalar").of("power-law"),
        rung("csr-vector").of("power-law"),
        rung("csr-merge-kept").of("power-law"),
    ],
    measure: Measure::Time,
    size: Size::Given(1 << 14),
    options: &["--matrix", "power-law"],
    claim: Claim::Less {
        less: rung("csr-merge-kept").of("power-law"),
        more: rung("csr-scalar").of("power-law"),
        by: 2.0,
        why: "a thread with a long row works alone while all others wait, and tiles of the merge path have equal work",
    },
};

/// The methods, each made from one above it.
#[rustfmt::skip]
pub static METHODS: &[Row<ProductMethod>] = &[
    row("coo", "row, column and value of each entry: a thread an entry, which adds by an atomic", ProductMethod::Coo("coo")),
    row("coo-segmented", "like coo, but a warp first adds up its entries of the same row", ProductMethod::Coo("coo_segmented")),
    row("csr-scalar", "entries row by row, and where rows start: a thread a row, no atomics", ProductMethod::Scalar),
    row("csr-vector", "like csr-scalar, but several lanes a row, which read neighbouring entries", ProductMethod::Vector),
    row("ell", "rows padded to the same length, stored column by column: a thread a row", ProductMethod::Ell("ell")),
    row("jds", "like ell, but rows sorted by length, and no padding", ProductMethod::Jds),
    row("hybrid", "like ell, but narrow; what does not fit follows as coo-segmented", ProductMethod::Hybrid),
    row("csr-merge", "like csr-vector, but tiles of equal work along the merge path of rows and entries",
        ProductMethod::Merge { keeps_starts: false, adds_carries: true }),
    row("csr-merge-kept", "like csr-merge, but where the tiles start is found once for the matrix",
        ProductMethod::Merge { keeps_starts: true, adds_carries: true }),
    row("coo-plain", "coo with += in place of the atomic", ProductMethod::Coo("coo_plain"))
        .racy("threads add to the same element at once, and one of the additions is lost"),
    row("no-guard", "ell, but padding is taken for entries", ProductMethod::Ell("ell_no_guard"))
        .racy("padding has no column, and x is read far beyond its end").own_process(),
    row("no-carries", "csr-merge without the launch that adds what rows have in earlier tiles",
        ProductMethod::Merge { keeps_starts: false, adds_carries: false })
        .racy("a row that goes on in the next tile lacks its entries in this one"),
];

/// NVIDIA's library.
pub(crate) static PEERS: &[Row<i32>] = &[
    row("cusparse", "NVIDIA's library on the CSR form, when it can be loaded", 2),
    row("cusparse-2", "like cusparse, but its second algorithm, which gives the same bits each time", 3),
];

/// The ways to search.
#[rustfmt::skip]
pub static SEARCHES: &[Row<SearchMethod>] = &[
    row("bfs-push", "a thread a vertex of the frontier: it claims its neighbours and queues them, by atomics", SearchMethod::Push),
    row("bfs-pull", "a thread a vertex that is not reached: it looks for one of the frontier that points to it", SearchMethod::Pull),
    row("bfs-compact", "like bfs-push, but scans share out a block's edges and make one atomic of what it queues", SearchMethod::Compact),
];

fn options() -> Vec<Arg> {
    let matrix = "Only this matrix (repeatable) [default: all]";
    let input = "Multiply the matrix of this Matrix Market file in place of random ones; - is standard input";
    vec![
        arguments::choice("matrix", "MATRIX", MatrixKind::ALL.map(MatrixKind::name), matrix),
        arguments::file("input", input).conflicts_with("matrix"),
        arguments::count("lanes", "Lanes a row of csr-vector, a power of two [default: by the mean row]")
            .value_parser(parse_lanes),
    ]
}

fn parse_lanes(text: &str) -> std::result::Result<u32, String> {
    let lanes = text.parse::<u32>().ok().filter(|lanes| lanes.is_power_of_two() && *lanes <= 32);
    lanes.ok_or_else(|| "should be 1, 2, 4, 8, 16 or 32".into())
}

fn run(run: &Run) -> Result<()> {
    experiment::with_problems(run, |problem| {
        experiment::products(run, problem)?;
        experiment::searches(run, problem)
    })
}
