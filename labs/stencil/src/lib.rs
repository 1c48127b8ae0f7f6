//! Stencils: blurs and means on a line and on a plane, and Jacobi's method for Laplace's equation. Each result needs
//! its neighbours; the variants differ in who loads them, how often, and how many steps a launch does.
mod jacobi;
mod line;
mod plane;
pub mod reference;
mod verify;

use harness::clap::{Arg, value_parser};
use harness::{Error, Lab, Result, Run, Variant, parse_u32};

pub use plane::{March, march_launch};

/// The lab.
pub static LAB: Lab = Lab {
    name: "stencil",
    summary: "blurs, means and Jacobi's method: halos, marching columns, many steps a launch",
    kernels: &[
        kernels::source!("line"),
        kernels::source!("plane"),
        kernels::source!("jacobi"),
    ],
    variants: &[
        Variant::new(
            "naive",
            "blur 1/4, 1/2, 1/4 on a line: three loads an element",
        ),
        Variant::new(
            "shared",
            "like naive, but the block loads once, with a halo of one a side",
        ),
        Variant::new(
            "wide",
            "like naive, but four elements a thread, neighbours by shuffle",
        ),
        Variant::new(
            "twice",
            "the blur of the blur: two launches, the first blur written out",
        ),
        Variant::new("fused", "like twice, but in one kernel with a halo of two"),
        Variant::new(
            "reverse",
            "a text turned round in place, through shared memory",
        ),
        Variant::new("average", "the mean of five with a halo of two"),
        Variant::new("published", "like average, as a course printed it")
            .wrong("halo lanes 1 and blockDim - 2 load the wrong elements"),
        Variant::new(
            "mean-naive",
            "five-point mean on a plane: five loads a point",
        ),
        Variant::new(
            "mean-shared",
            "like mean-naive, but through shared memory with a halo",
        ),
        Variant::new(
            "mean-marching",
            "like mean-naive, but a thread goes down its columns, three rows in registers",
        ),
        Variant::new(
            "jacobi-sweep",
            "one step of Jacobi on a large plane, one point a thread",
        ),
        Variant::new(
            "jacobi-sweep-marching",
            "like jacobi-sweep, but marching down four columns a thread",
        ),
        Variant::new(
            "jacobi-sync",
            "many steps: a launch and a wait for each, as in the text",
        ),
        Variant::new(
            "jacobi-launches",
            "like jacobi-sync, but launches queued, one wait",
        ),
        Variant::new(
            "jacobi-graph",
            "like jacobi-launches, but captured once and replayed as a CUDA graph",
        ),
        Variant::new(
            "jacobi-blocked",
            "like jacobi-launches, but several steps a launch in shared memory",
        ),
        Variant::new(
            "jacobi-persistent",
            "like jacobi-launches, but one cooperative launch with its own grid barrier",
        ),
    ],
    columns: &[
        "width",
        "height",
        "steps",
        "look_every",
        "largest_change",
        "us_per_step",
        "distance_from_solution",
        "peer_gb_per_s",
        "peer_ms",
    ],
    args,
    run,
    exercises: None,
};

fn args() -> Vec<Arg> {
    let count = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("COUNT")
            .value_parser(parse_u32)
            .allow_hyphen_values(true)
            .help(help)
    };
    vec![
        count("width", "Points in a row of the plane"),
        count("height", "Rows of the plane"),
        count(
            "rows",
            "Rows that a marching thread goes down [default: 32, fewer on a small plane]",
        ),
        count(
            "steps",
            "Steps of Jacobi's method at a fixed number of steps",
        ),
        count("every", "Steps between two looks at the largest change"),
        Arg::new("tolerance")
            .long("tolerance")
            .value_name("CHANGE")
            .value_parser(value_parser!(f32))
            .help("Largest change at which Jacobi's method ends"),
    ]
}

fn run(run: &Run) -> Result<()> {
    line::run(run)?;
    plane::run(run)?;
    jacobi::run(run)
}

/// Refuses a size that the device cannot hold, before the host makes its data: `elements` (none: more than can be
/// counted) of `bytes` bytes each, all buffers together.
fn affordable(run: &Run, elements: Option<usize>, bytes: usize, flag: &str) -> Result<usize> {
    let (free, _) = run.session().context.mem_get_info()?;
    match elements {
        Some(n) if n.checked_mul(bytes).is_some_and(|needed| needed <= free) => Ok(n),
        _ => Err(Error::usage(format!(
            "this size needs more memory than the device has free, {free} bytes; choose a smaller {flag}"
        ))),
    }
}

/// Points of a plane that the device can hold twice or so.
fn points(run: &Run, width: u32, height: u32) -> Result<usize> {
    // The kernels count columns and rows in 32 bits and add a tile to them.
    if width.max(height) > i32::MAX as u32 {
        return Err(Error::usage(format!(
            "a plane of {width} x {height} is beyond the kernels' 32-bit counts; choose a smaller --width or --height"
        )));
    }
    let points = (width as usize).checked_mul(height as usize);
    affordable(run, points, 2 * size_of::<f32>(), "--width or --height")
}

/// A count option of the lab's own.
fn count(run: &Run, name: &str) -> Option<u32> {
    run.args().get_one::<u32>(name).copied()
}

/// Whether the device is the part that the peers' figures were measured on.
fn is_peers_part(run: &Run) -> bool {
    !run.is_emulated() && run.session().device.name.contains("H200")
}
