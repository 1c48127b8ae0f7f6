//! Stencils: blurs and means on a line and on a plane, and Jacobi's method for Laplace's equation. Each result needs
//! its neighbours. The variants differ in who loads the neighbours, how often, and how many steps a launch does.
mod cluster;
mod cpu;
mod line;
mod many;
mod plane;
mod questions;
pub mod reference;
mod steps;

use harness::{
    Claim, Figure, Lab, Measure, Published, Result, Row, Run, Size, Story, VariantFilter, VariantTable, arguments,
    clap::Arg, clap::value_parser, column, figure, row, rung,
};

use line::{AVERAGE, BLUR, LineMethod, PRINTED, TWICE};
pub use plane::{March, march_launch};
use plane::{Over, STEPS};
use steps::{BLOCK, Way};

/// The lab.
pub static LAB: Lab = Lab {
    name: "stencil",
    summary: "blurs, means and Jacobi's method: halos, marching columns, many steps a launch",
    kernels: &[
        kernels::source!("line"),
        kernels::source!("wrong"),
        kernels::source!("plane"),
        kernels::source!("jacobi"),
        kernels::source!("jacobi_hopper"),
    ],
    variants: &[&LINES, &line::REVERSE, &AVERAGES, &MISTAKES, &cpu::ROWS, &MEANS, &SWEEPS, &WAYS],
    columns: &[
        column("width", "points in a row of the plane"),
        column("height", "rows of the plane"),
        column("steps", "steps of Jacobi's method that were done"),
        column("look_every", "steps between two looks at the largest change"),
        column("largest_change", "the largest change of a point that the last look saw"),
        column("us_per_step", "time of a step, on a GPU"),
        column("distance_from_solution", "the largest distance of a point from the equation's solution"),
    ],
    published: &[
        Published {
            column: "published_gb_per_s",
            source: "20000 x 10000 points on one H200, read and written: the course's shared-memory kernel, and one step of Jacobi",
            part: "H200",
            figures: &[
                figure("mean-shared", "32x32, as in the course", 200_000_000, 1332.9),
                figure("jacobi-sweep", "one step", 200_000_000, 2228.9),
            ],
        },
        Published {
            column: "published_ms",
            source: "500 steps on 128 x 128 points on one H200, with a wait for each, as in the text",
            part: "H200",
            figures: &[Figure { variant: "jacobi-sync", case: "128x128, 500 steps", n: None, value: 4.578 }],
        },
    ],
    options,
    ignored: &[
        (&["blocks"], VariantFilter::Every),
        (&["n"], VariantFilter::Tables(&[&MEANS, &SWEEPS, &WAYS])),
        (&["threads"], VariantFilter::Tables(&[&cpu::ROWS, &MEANS, &SWEEPS, &WAYS])),
        (&["threads"], VariantFilter::Names(&["past-the-end", "barrier-in-if"])),
        (&["width", "height"], VariantFilter::Tables(&[&LINES, &AVERAGES, &MISTAKES, &cpu::ROWS, &line::REVERSE])),
        (&["rows"], VariantFilter::AllBut(&["mean-marching", "jacobi-sweep-marching", "jacobi-sweeps-marching"])),
        (&["steps", "every", "tolerance", "random-start"], VariantFilter::Tables(NOT_MANY_STEPS)),
    ],
    questions: questions::all,
    run,
    story: Some(STORY),
    assignment: harness::assignment!("halo.svg"; "in_place_at_once.cu"),
    ..Lab::DEFAULT
};

/// What a run of the lab shows.
const STORY: Story = Story {
    question: "Does it pay to keep neighbours in shared memory?",
    ladder: &[rung("naive"), rung("shared"), rung("fused"), rung("twice"), rung("wide")],
    measure: Measure::Time,
    size: Size::scaled([1 << 15, 1 << 16, 1 << 17], 1 << 26),
    options: &[],
    claim: Claim::Less {
        less: rung("wide"),
        more: rung("shared"),
        by: 1.3,
        why: "the caches already serve the neighbours, while loads of 16 bytes need fewer instructions for each byte",
    },
};

/// All tables except that of many steps.
const NOT_MANY_STEPS: &[&dyn VariantTable] =
    &[&LINES, &AVERAGES, &MISTAKES, &cpu::ROWS, &line::REVERSE, &MEANS, &SWEEPS];

/// On a line.
#[rustfmt::skip]
pub(crate) static LINES: &[Row<LineMethod>] = &[
    row("naive", "blur 1/4, 1/2, 1/4 on a line: three loads an element", BLUR),
    row("shared", "like naive, but the block loads once, with a halo of one a side",
        LineMethod { kernels: &["blur_shared"], shared: |t| t + 2, ..BLUR }),
    row("naive-double", "like naive, in double as in the text", LineMethod { kernels: &["blur_naive_double"], double: true, ..BLUR }),
    row("shared-double", "like shared, in double",
        LineMethod { kernels: &["blur_shared_double"], shared: |t| t + 2, double: true, ..BLUR }),
    row("wide", "like naive, but four elements a thread, neighbours by shuffle", LineMethod { kernels: &["blur_wide"], each: 4, ..BLUR }),
    row("twice", "the blur of the blur: two launches, the first blur written out", TWICE),
    row("fused", "like twice, but in one kernel with a halo of two",
        LineMethod { kernels: &["blur_twice"], shared: |t| 2 * t + 6, passes: 1, ..TWICE }),
];

/// Means of five on a line.
#[rustfmt::skip]
pub(crate) static AVERAGES: &[Row<LineMethod>] = &[
    row("average", "the mean of five with a halo of two", AVERAGE),
    row("published", "like average, as a course printed it",
        LineMethod { kernels: &["average5_published"], least_threads: 2, ..AVERAGE })
        .wrong("halo lanes 1 and blockDim - 2 load the wrong elements"),
];

/// Wrong blurs.
#[rustfmt::skip]
pub(crate) static MISTAKES: &[Row<LineMethod>] = &[
    row("no-barrier", "like shared, without the barrier",
        LineMethod { file: "wrong.cu", kernels: &["no_barrier"], shared: |t| t + 2, ..BLUR })
        .racy("threads read what their neighbours may not have loaded yet"),
    row("past-the-end", "shared with one block, as a course printed it",
        LineMethod { kernels: &["past_the_end"], one_block: Some(|n| n.saturating_sub(2)), ..PRINTED })
        .racy("element n is taken for the last one").own_process(),
    row("barrier-in-if", "like past-the-end with the right index, and with whole warps",
        LineMethod {
            kernels: &["barrier_in_if"], one_block: Some(|n| n.next_multiple_of(32)), ends: 0, waits_for_ever: true, ..PRINTED
        })
        .racy("threads past the end do not reach the barrier"),
    row("fused-printed", "like fused, as a course printed it",
        LineMethod { kernels: &["fused_printed"], shared: |t| t + 4, ends: 2, expected: line::Expected::BlurOfBlur, ..PRINTED })
        .racy("the halo of the last block lies past the end").own_process(),
];

/// Five-point means on a large plane.
#[rustfmt::skip]
pub(crate) static MEANS: &[Row<Over>] = &[
    row("mean-naive", "five-point mean on a plane: five loads a point", Over::Points("mean_naive", &[((32, 8), "32x8")], |_| 0)),
    row("mean-shared", "like mean-naive, but through shared memory with a halo",
        Over::Points("mean_shared", &[((32, 8), "32x8"), ((32, 32), "32x32, as in the course")], |(x, y)| (x + 2) * (y + 2))),
    row("mean-halo-global", "like mean-shared, but the halo stays in global memory",
        Over::Points("mean_halo_global", &[((32, 8), "32x8"), ((32, 32), "32x32")], |(x, y)| x * y)),
    row("mean-printed", "like mean-shared, as a course printed it",
        Over::Points("mean_printed", &[((32, 32), "32x32")], |(x, y)| (x + 2) * (y + 2)))
        .racy("the loads of the halo on the left and right do not test the row").own_process(),
    row("mean-marching", "like mean-naive, but a thread goes down its columns, three rows in registers",
        Over::Marching { four: "mean_marching4", single: Some("mean_marching"), label: None }),
    row("mean-batch", "like mean-marching, but four rows a thread, all loaded before the first mean",
        Over::Batch("mean_batch", "4 columns, 4 rows a thread")),
];

/// One step of Jacobi on a large plane.
#[rustfmt::skip]
pub(crate) static SWEEPS: &[Row<Over>] = &[
    row("jacobi-sweep", "one step of Jacobi on a large plane, one point a thread",
        Over::Points("sweep", &[(BLOCK, "one step")], |_| 0)),
    row("jacobi-sweep-marching", "like jacobi-sweep, but marching down four columns a thread",
        Over::Marching { four: "sweep_marching", single: None, label: Some("one step") }),
    row("jacobi-sweep-batch", "like jacobi-sweep-marching, but four rows a thread, all loaded before the first mean",
        Over::Batch("sweep_batch", "one step")),
    row("jacobi-sweeps-marching", "like jacobi-sweep-marching, but four steps in one pass, their rows in registers",
        Over::Several("sweeps_marching", STEPS, "four steps")),
];

/// Many steps of Jacobi on a small plane.
#[rustfmt::skip]
pub(crate) static WAYS: &[Row<Way>] = &[
    row("jacobi-sync", "many steps: a launch and a wait for each, as in the text", Way::Sync),
    row("jacobi-launches", "like jacobi-sync, but launches queued, one wait", Way::Launches),
    row("jacobi-graph", "like jacobi-launches, but captured once and replayed as a CUDA graph", Way::Graph),
    row("jacobi-blocked", "like jacobi-launches, but several steps a launch in shared memory", Way::Blocked),
    row("jacobi-cluster", "like jacobi-blocked, but all steps at once, in a cluster's registers (9.0 only)", Way::Cluster),
    row("jacobi-persistent", "like jacobi-launches, but one cooperative launch with its own grid barrier", Way::Persistent),
    row("jacobi-in-place", "like jacobi-persistent, but on a single plane: two barriers a step", Way::InPlace),
    row("jacobi-break-first", "like jacobi-sync, but it stops before it swaps the planes, as in the text", Way::BreakFirst)
        .wrong("the result is that of the step before the last"),
];

fn options() -> Vec<Arg> {
    vec![
        arguments::count("width", "Points in a row of the plane"),
        arguments::count("height", "Rows of the plane"),
        arguments::count("rows", "Rows that a marching thread goes down [default: 32, fewer on a small plane]"),
        arguments::count("steps", "Steps of Jacobi's method at a fixed number of steps"),
        arguments::count("every", "Steps between two looks at the largest change"),
        arguments::switch(
            "random-start",
            "Start Jacobi's method from random points between 0 and 1 inside a border of 0",
        ),
        arguments::value("tolerance", "CHANGE", "Change at which the iteration ends").value_parser(value_parser!(f32)),
    ]
}

fn run(run: &Run) -> Result<()> {
    line::run(run)?;
    plane::run(run)?;
    many::run(run)
}
