//! Histogram: counts that many threads want to add to at once.
mod atomics;
mod contention;
mod counting;
pub mod questions;
mod reference;
mod stretch;
mod text;

use harness::{
    Case, Check, Claim, Error, Lab, Launch, Measure, Published, Result, Row, Run, Size, Story, VariantFilter,
    arguments, clap::Arg, column, figure, poison, row, rung,
};

pub use atomics::effect;
pub use contention::additions_to;
pub use counting::{Counter, Counting, kernel};
pub use reference::{Bins, reference};
pub use stretch::stretch_length;
pub use text::Text;

/// The lab.
pub static LAB: Lab = Lab {
    name: "histogram",
    summary: "letters in 7 bins, bytes in 256: races, atomics, copies, and no atomics at all",
    kernels: &[
        kernels::source!("histogram"),
        kernels::source!("contention"),
        kernels::source!("atomics"),
        kernels::source!("stretch"),
    ],
    variants: &[&COUNTING, &contention::PLACES, &stretch::ROWS, &atomics::ROWS, &questions::ROWS],
    columns: &[
        column("bins", "`letters` (7 bins) or `bytes` (256)"),
        column("text", "distribution of the bytes, or the file that holds them"),
        column("counted", "sum of all counts"),
        column("lost", "counts that are missing from the sum"),
        column("addresses", "words that the additions of a contention bench go to"),
        column("atomics_per_ns", "atomic additions a nanosecond, on a GPU"),
    ],
    published: &[Published {
        column: "published_gb_per_s",
        source: "2^28 bytes on one H200: the textbook's kernels, and CUB's DeviceHistogram next to the fastest",
        part: "H200",
        figures: &[
            figure("atomic", "letters, uniform", 1 << 28, 5.5),
            figure("atomic", "letters, same", 1 << 28, 1.4),
            figure("privatized", "letters, uniform", 1 << 28, 661.0),
            figure("privatized", "letters, same", 1 << 28, 660.0),
            figure("bit-sliced", "letters, uniform", 1 << 28, 3203.0),
            figure("bit-sliced", "letters, same", 1 << 28, 3062.0),
            figure("lanes", "bytes, uniform", 1 << 28, 3176.0),
            figure("lanes", "bytes, same", 1 << 28, 3068.0),
        ],
    }],
    options,
    ignored: &[
        (&["n", "bins", "text", "input"], VariantFilter::Tables(&[&contention::PLACES])),
        (&["n", "blocks", "threads", "bins", "text", "input"], VariantFilter::Tables(&FIXED)),
    ],
    run,
    questions: questions::all,
    story: Some(STORY),
    assignment: harness::assignment!("banks.svg"),
    ..Lab::DEFAULT
};

/// What a run of the lab shows.
const STORY: Story = Story {
    question: "What does it cost when many threads add to the same few counts?",
    ladder: &[rung("atomic"), rung("matched"), rung("privatized"), rung("lanes"), rung("wide"), rung("bit-sliced")],
    measure: Measure::Time,
    size: Size::scaled([1 << 21, 1 << 22, 1 << 23], 1 << 28),
    options: &["--bins", "letters", "--text", "uniform"],
    claim: Claim::Less {
        less: rung("privatized"),
        more: rung("atomic"),
        by: 20.0,
        why: "additions to one address of device memory come one after another, and those in shared memory do not cross blocks",
    },
};

/// The tables whose rows have fixed launches and texts.
static FIXED: [&'static dyn harness::VariantTable; 3] = [&stretch::ROWS, &atomics::ROWS, &questions::ROWS];

const GLOBAL: Counting = Counting {
    threads: 256,
    copies: |_| 0,
    eighth_bin: false,
    in_32_bits: false,
    second_launch: false,
    bins: &Bins::ALL,
};
const SHARED: Counting = Counting { copies: |_| 1, in_32_bits: true, ..GLOBAL };
const A_WARP: Counting = Counting { copies: |threads| threads.div_ceil(32), eighth_bin: true, ..SHARED };
// With 512 threads, 32 copies of 256 bins serve as many threads as fit.
const A_LANE: Counting = Counting { threads: 512, copies: |_| 32, eighth_bin: true, ..SHARED };
const SLICES: Counting = Counting { threads: 512, copies: |_| 0, bins: &[Bins::Letters], ..SHARED };
const LOST: &str = "threads add to the same count at once, and one of them is lost";

/// The methods of counting, each made from one above it.
#[rustfmt::skip]
pub static COUNTING: &[Row<Counting>] = &[
    row("partitioned-racy", "each thread counts a stretch of the text with plain +=", GLOBAL).racy(LOST),
    row("strided-racy", "like partitioned-racy, but neighbours take neighbouring bytes", GLOBAL).racy(LOST),
    row("atomic", "like strided-racy, but with atomicAdd", GLOBAL),
    row("matched", "like atomic, but a warp's equal bins send one atomic together", GLOBAL),
    row("privatized", "like atomic, but each block counts in shared memory first", SHARED),
    row("reduced", "like privatized, but a second launch adds up the blocks' counts",
        Counting { second_launch: true, ..SHARED }),
    row("wide", "like privatized, but 16 bytes a load, and a copy for each warp", A_WARP),
    row("lanes", "like wide, but a copy for each lane, in its own bank", A_LANE),
    row("bit-sliced", "7 bins: 32 bytes become 8 words of bits; logic and popc count", SLICES),
];

fn options() -> Vec<Arg> {
    let bins = "Only these bins: 7 of letters, or 256 of bytes (repeatable) [default: both]";
    let text = "Only this distribution (repeatable) [default: all]";
    let input = "Count this file's bytes, or its first --n, in place of random text; - is standard input";
    vec![
        arguments::choice("bins", "BINS", Bins::ALL.map(Bins::name), bins),
        arguments::choice("text", "TEXT", Text::ALL.map(Text::name), text),
        arguments::file("input", input).conflicts_with("text"),
    ]
}

fn run(run: &Run) -> Result<()> {
    for text in text::sources(run)? {
        for bins in run.chosen("bins", &Bins::ALL, Bins::name) {
            for row in run.rows(COUNTING).filter(|row| row.bins.contains(&bins)) {
                count(run, row, bins, &text)?;
            }
        }
    }
    contention::run(run)?;
    stretch::run(run)?;
    atomics::run(run)
}

/// One row of the CSV: one method counts one text in one kind of bins.
fn count(run: &Run, row: &Row<Counting>, bins: Bins, text: &text::Source<'_>) -> Result<()> {
    let n = text.n;
    let shared = row.shared_bytes(bins, run.threads(row.threads));
    let launch = Launch::one_wave(row.threads).at_least(text.least_bytes_a_thread).shared(shared);
    let label = format!("{}, {}", bins.name(), text.name);
    let case = Case::new(row.name()).label(label).n(n).kernel("histogram.cu", kernel(row, bins)).launch(launch);
    run.case(case, |case| {
        let config = case.launch();
        row.fits(n as u64, config.grid_dim.0, config.block_dim.0).map_err(Error::usage)?;
        let (device, expected) = (text.bytes.device()?, text.counts(bins));
        let mut counter = Counter::new(run.kernels(), row, bins, config)?;
        let mut counts = run.stream().alloc_zeros::<u64>(bins.count())?;
        let mut counted = 0;
        case.reads(n);
        case.measure(
            &mut counts,
            |counts| poison(run.stream(), counts),
            |counts| counter.launch(device, n, counts),
            |counts| {
                let counts = run.stream().clone_dtoh(counts)?;
                // Counts that were never written are poison, whose sum has more than 64 bits.
                counted = counts.iter().copied().fold(0, u64::wrapping_add);
                Ok(Check::counts(&counts, expected).named(|bin| bins.label(bin)))
            },
        )?;
        let total: u64 = expected.iter().sum();
        case.set("bins", bins.name());
        case.set("text", text.name.as_str());
        case.set("counted", counted);
        case.set("lost", total.wrapping_sub(counted) as i64);
        Ok(())
    })?;
    Ok(())
}
