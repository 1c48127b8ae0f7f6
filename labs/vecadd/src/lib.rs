//! Vector addition, z = x + y, in nine memory modes. The kernel is always the same; the modes differ in where the
//! vectors lie and how they travel. The README is the handout.
mod copied;
pub mod exercises;
pub mod input;
mod managed;
mod mapped;
mod mode;
mod phases;
pub mod reference;
pub mod sweep;

use cudarc::driver::LaunchConfig;
use harness::{
    Case, Claim, Figure, Lab, Launch, Measure, Published, Record, Result, Row, Run, Size, Sizes, Story, Sweep,
    VariantFilter, Way, arguments, clap::Arg, figure, row, rung,
};

use input::Vectors;
use mode::{Add, Mode, Needs};

/// The lab.
pub static LAB: Lab = Lab {
    name: "vecadd",
    file: None,
    summary: "z = x + y in nine memory modes: what the trip to the GPU costs",
    kernels: &[kernels::source!("vecadd"), kernels::source!("exercises")],
    variants: &[&MODES, &exercises::EXERCISES],
    columns: &phases::COLUMNS,
    host_copies: 2,
    published: &[
        Published {
            column: "published_sum",
            source: "every element of the sum, in PoliMi's notebook on transfers",
            part: "",
            figures: &[Figure { variant: "constant", case: "", n: None, value: 19.0 }],
        },
        Published {
            column: "published_ms",
            source: "warm passes end to end that others measured on an H200",
            part: "H200",
            figures: &[
                figure("pageable", "", 1 << 24, 17.9),
                figure("pinned-async", "", 1 << 24, 3.71),
                figure("unified", "", 1 << 24, 30.8),
                figure("unified-prefetch", "", 1 << 24, 8.61),
                // The same size within a sweep.
                figure("pageable", "64 MiB", 1 << 24, 17.9),
                figure("pinned-async", "64 MiB", 1 << 24, 3.71),
                figure("unified", "64 MiB", 1 << 24, 30.8),
                figure("unified-prefetch", "64 MiB", 1 << 24, 8.61),
            ],
        },
    ],
    options,
    ignored: &[(
        &["n", "blocks", "threads", "input", "stride", "wide", "sweep"],
        VariantFilter::Tables(&[&exercises::EXERCISES]),
    )],
    run,
    questions: exercises::questions,
    story: Some(STORY),
    sweep: Some(Sweep { option: "sweep", tell: sweep::tell }),
    assignment: harness::assignment!("timeline.svg"),
    exercises: Some(exercises::run),
};

/// What a run of the lab shows.
const STORY: Story = Story {
    question: "What does the trip to the GPU and back cost, and which memory makes it cheapest?",
    ladder: &[rung("pageable"), rung("pinned"), rung("unified"), rung("unified-prefetch"), rung("zero-copy")],
    measure: Measure::Time,
    size: Size::scaled([1 << 17, 1 << 18, 1 << 19], 1 << 24),
    options: &[],
    claim: Claim::Less {
        less: rung("pinned"),
        more: rung("pageable"),
        by: 2.0,
        why: "the copy engine reads pinned pages itself, while pageable ones go through a buffer of the driver",
    },
};

/// Ordinary host memory, copied there and back.
const PAGEABLE: Mode =
    Mode { allocate: copied::pageable, way: Way::Pageable, is_both_ways: false, needs: Needs::Nothing };

/// The modes, in the order of the handout.
#[rustfmt::skip]
static MODES: &[Row<Mode>] = &[
    row("pageable", "ordinary host memory, copied there and back", PAGEABLE),
    row("pinned", "like pageable, but the host's pages are locked, so that the copy engine reads them itself",
        Mode { allocate: copied::pinned, way: Way::Pinned, ..PAGEABLE }),
    row("pinned-async", "like pinned, but copies and kernel are queued on a stream, and waited for once",
        Mode { allocate: copied::queued, way: Way::Pinned, ..PAGEABLE }),
    row("overlapped", "like pinned-async, but in chunks, with a stream for each engine: copies in, sums and copies out at once",
        Mode { allocate: copied::chunked, way: Way::Overlapped, is_both_ways: true, ..PAGEABLE }),
    row("write-combined", "like pinned-async, but the inputs bypass the host's caches",
        Mode { allocate: copied::write_combined, way: Way::Pinned, ..PAGEABLE }),
    row("unified", "managed memory: pages move when they are touched",
        Mode { allocate: managed::plain, way: Way::Managed, needs: Needs::Managed, ..PAGEABLE }),
    row("unified-prefetch", "like unified, but the pages are sent ahead",
        Mode { allocate: managed::prefetched, way: Way::Prefetched, needs: Needs::Migration, ..PAGEABLE }),
    row("unified-advise", "like unified-prefetch, but the sum stays on the host, where the device stores it over the link",
        Mode { allocate: managed::advised, way: Way::PrefetchedIn, needs: Needs::Migration, ..PAGEABLE }),
    row("zero-copy", "the kernel reads and writes host memory over the link; nothing is copied",
        Mode { allocate: mapped::zero_copy, way: Way::Mapped, needs: Needs::Mapping, is_both_ways: true }),
];

fn options() -> Vec<Arg> {
    let sweep = "Every mode at vectors of 4 KiB to 256 MiB (less when emulated), and where the fastest changes";
    vec![
        arguments::file("input", "Read x and y from FILE (- is standard input), two a line").conflicts_with("sweep"),
        arguments::switch("stride", "Let each thread stride over the grid, so that any grid serves any n"),
        arguments::switch("wide", "Let each thread add four elements, 16 bytes of each vector at a time")
            .conflicts_with("stride"),
        arguments::switch("sweep", sweep),
    ]
}

fn run(run: &Run) -> Result<()> {
    if run.is_given("sweep") {
        return sweep::run(run);
    }
    let vectors = if let Some(file) = run.file("input") {
        Vectors::read(run, file, run.options().n)?
    } else {
        let n = run.size(Sizes { gpu: 1 << 24, emulated: 1 << 24, quick: 1 << 12 });
        refuse_impossible(run, n)?;
        Vectors::random(run, n)
    };
    let n = vectors.len();
    let launch = launch(run, n)?;
    let (blocks, threads) = (launch.grid_dim.0, launch.block_dim.0);
    let total = blocks as usize * threads as usize;
    let idle = total.saturating_sub(n.div_ceil(kernel(run).each));
    run.say(&format!("n = {n}: {blocks} blocks of {threads} threads are {total} threads, {idle} of them idle"));
    for row in MODES {
        add(run, row, &vectors, "")?;
    }
    phases::summary(run);
    Ok(())
}

/// One row of the CSV: one mode at one size.
fn add(run: &Run, row: &Row<Mode>, vectors: &Vectors, label: &str) -> Result<Option<Record>> {
    let n = vectors.len();
    let Kernel { name, rule, each } = kernel(run);
    let case = Case::new(row.name()).label(label).n(n).kernel("vecadd.cu", name).launch(rule);
    run.case(case.memory_mode(row.name()), |case| {
        row.check(run, n)?;
        let is_striding = run.is_given("stride");
        let add = Add { run, n, kernel: case.kernel()?, launch: case.launch(), is_striding, each };
        phases::measure(case, row, &add, vectors)
    })
}

/// The kernel that all modes run.
struct Kernel {
    name: &'static str,
    /// The rule for its launch.
    rule: Launch,
    /// The number of elements that a thread takes, unless it strides.
    each: usize,
}

fn kernel(run: &Run) -> Kernel {
    let (name, rule, each) = if run.is_given("stride") {
        ("vecadd_stride", Launch::striding(256), 1)
    } else if run.is_given("wide") {
        ("vecadd_wide", Launch::covering(1024).each(4), 4)
    } else {
        ("vecadd", Launch::covering(256), 1)
    };
    Kernel { name, rule, each }
}

/// The launch for `n` elements.
fn launch(run: &Run, n: usize) -> Result<LaunchConfig> {
    let Kernel { name, rule, .. } = kernel(run);
    rule.resolve(n, run.options(), &run.session().device, || run.function("vecadd.cu", name))
}

/// Refuses sizes that no mode could hold or launch, before the host makes its own vectors.
fn refuse_impossible(run: &Run, n: usize) -> Result<()> {
    run.needs(n.checked_mul(3 * size_of::<f32>()), &format!("three vectors of {n} floats"), "--n")?;
    launch(run, n).map(|_| ())
}
