//! Planes larger than the caches: the five-point mean, one step of Jacobi's method, and the launches for planes.
use std::cell::LazyCell;

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Case, Check, Error, Input, Result, Row, Run, Sizes, Tolerance, parallel_vec};

use crate::{MEANS, SWEEPS, reference};

/// The way in which a kernel covers the plane.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Over {
    /// One point per thread: the kernel, its block sizes with the label of each row, and a block's floats of shared
    /// memory.
    Points(&'static str, &'static [((u32, u32), &'static str)], fn((u32, u32)) -> u32),
    /// A thread marches down its columns: the kernel for four columns per thread, the one for a single column if there
    /// is one, and the row's label, unless the label states the columns and rows of a thread.
    Marching { four: &'static str, single: Option<&'static str>, label: Option<&'static str> },
    /// A thread has four columns and [`BATCH_ROWS`] rows: the kernel and the row's label.
    Batch(&'static str, &'static str),
    /// Like `Marching` with four columns, but with this many steps in one pass: the kernel and the row's label.
    Several(&'static str, u32, &'static str),
}

/// Rows of a thread of a kernel that loads all its rows before the first result: BATCH in jacobi.cu and plane.cu.
const BATCH_ROWS: u32 = 4;

/// Steps of a pass of `sweeps_marching`: STEPS in jacobi.cu.
pub(crate) const STEPS: u32 = 4;

/// Columns of a warp of `sweeps_marching` whose results it stores: OWN in jacobi.cu.
const OWN_COLUMNS: u32 = 120;

/// The plane of the bandwidth experiments, given by `--width` and `--height` or the device's defaults: its width,
/// height and points.
fn size(run: &Run) -> Result<(u32, u32, usize)> {
    let side = |gpu, emulated, quick| run.pick(Sizes { gpu, emulated, quick }) as u32;
    let width = run.count("width").unwrap_or_else(|| side(20000, 600, 70));
    let height = run.count("height").unwrap_or_else(|| side(10000, 300, 33));
    if run.is_emulated() && run.count("width").or(run.count("height")).is_none() {
        let why = "the emulated device would take minutes a row";
        run.say(&format!("stencil: a plane of {width}x{height} here ({why}); 20000x10000 on a GPU"));
    }
    Ok((width, height, points(run, width, height)?))
}

/// The number of points of a plane, after checking that about two planes fit on the device.
pub(crate) fn points(run: &Run, width: u32, height: u32) -> Result<usize> {
    // The kernels count columns and rows in 32 bits and add a tile to them.
    if width.max(height) > i32::MAX as u32 {
        return Err(Error::usage(format!(
            "a plane of {width} x {height} is beyond the kernels' 32-bit counts; choose a smaller --width or --height"
        )));
    }
    let points = (width as usize).checked_mul(height as usize);
    let bytes = points.and_then(|points| points.checked_mul(2 * size_of::<f32>()));
    run.needs(bytes, &format!("two planes of {width} x {height} floats"), "--width or --height")?;
    Ok(points.unwrap_or_default())
}

/// The launch of a marching kernel.
#[derive(Debug, Clone, Copy)]
pub struct March {
    /// Grid and block.
    pub launch: LaunchConfig,
    /// Columns of a thread: 4 if rows are aligned to 16 bytes, otherwise 1.
    pub columns: u32,
    /// Rows that a thread goes down.
    pub rows: u32,
}

/// The launch of a marching kernel on a plane of `width` x `height` points for a device of `multiprocessors`. A thread
/// goes down `rows` rows. The default is 32, or fewer if 32 would leave multiprocessors without blocks.
pub fn march_launch(width: u32, height: u32, rows: Option<u32>, multiprocessors: u32) -> March {
    let columns = if width.is_multiple_of(4) { 4 } else { 1 };
    let threads = 128;
    let strips = width.div_ceil(columns).div_ceil(threads);
    let rows = rows.unwrap_or_else(|| {
        // Eight blocks for each multiprocessor, if the plane is large enough.
        let wanted = (8 * multiprocessors).div_ceil(strips);
        height.div_ceil(wanted.max(1)).clamp(4, 32)
    });
    // The grid's y dimension ends at 65535.
    let rows = rows.max(height.div_ceil(65535)).max(1);
    let grid = point_launch(width.div_ceil(columns), height, (threads, rows), 0);
    March { launch: LaunchConfig { block_dim: (threads, 1, 1), ..grid }, columns, rows }
}

/// The launch of `sweeps_marching`, whose warps overlap, and the rows that a thread goes down: by default as many as
/// give each multiprocessor five blocks, the number that its registers hold.
fn several_launch(width: u32, height: u32, rows: Option<u32>, multiprocessors: u32) -> (LaunchConfig, u32) {
    let (threads, warps) = (128, 128 / 32);
    let strips = width.div_ceil(OWN_COLUMNS).div_ceil(warps);
    let usual = height.div_ceil((5 * multiprocessors / strips).max(1)).max(16);
    let rows = rows.unwrap_or(usual).max(height.div_ceil(65535)).max(1);
    let grid_dim = (strips, height.div_ceil(rows), 1);
    (LaunchConfig { grid_dim, block_dim: (threads, 1, 1), shared_mem_bytes: 0 }, rows)
}

/// A launch with one point per thread in blocks of `x` x `y` threads.
pub(crate) fn point_launch(width: u32, height: u32, (x, y): (u32, u32), shared_bytes: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (width.div_ceil(x), height.div_ceil(y), 1),
        block_dim: (x, y, 1),
        shared_mem_bytes: shared_bytes,
    }
}

/// The common settings of a table's rows.
struct Plane<'a, 'i> {
    /// The kernels' file.
    file: &'static str,
    width: u32,
    height: u32,
    points: usize,
    input: &'a Input<'i, f32>,
    /// Steps of Jacobi's method.
    steps: Option<u32>,
    check: &'a dyn Fn(&[f32]) -> Check,
}

pub(crate) fn run(run: &Run) -> Result<()> {
    let (means, sweeps) = (run.rows(MEANS).next().is_some(), run.rows(SWEEPS).next().is_some());
    if !means && !sweeps {
        return Ok(());
    }
    let (width, height, points) = size(run)?;
    // Inputs and results are made when a row first needs them: a row in a separate process needs only those of one
    // table.
    if means {
        let input = run.input("u", || run.inputs("plane").f32(points, -1.0..1.0));
        let expected = LazyCell::new(|| reference::mean(input.host(), width as usize));
        // Four additions, and a division or a multiplication by a rounded fifth; inputs of at most 1.
        let tolerance = Tolerance::sum(7, 1.0, f64::from(f32::EPSILON));
        let check = &|u: &[f32]| Check::compare(u, &expected, tolerance).in_rows(width as usize);
        rows(run, MEANS, &Plane { file: "plane.cu", width, height, points, input: &input, steps: None, check })?;
    }
    if sweeps {
        let input = run.input("u", || run.inputs("jacobi").f32(points, -1.0..1.0));
        let expected = LazyCell::new(|| reference::jacobi(copied(input.host()), width as usize, 1, 0, 0.0).u);
        let check = &|u: &[f32]| Check::compare(u, &expected, Tolerance::EXACT).in_rows(width as usize);
        let plane = Plane { file: "jacobi.cu", width, height, points, input: &input, steps: Some(1), check };
        rows(run, SWEEPS, &plane)?;
        let several = LazyCell::new(|| reference::jacobi(copied(&expected), width as usize, STEPS - 1, 0, 0.0).u);
        let check = &|u: &[f32]| Check::compare(u, &several, Tolerance::EXACT).in_rows(width as usize);
        rows(run, SWEEPS, &Plane { steps: Some(STEPS), check, ..plane })?;
    }
    Ok(())
}

/// A copy of a plane, made on all cores.
fn copied(plane: &[f32]) -> Vec<f32> {
    parallel_vec(plane.len(), |i| plane[i])
}

fn rows(run: &Run, table: &'static [Row<Over>], plane: &Plane<'_, '_>) -> Result<()> {
    let (width, height) = (plane.width, plane.height);
    let march = march_launch(width, height, run.count("rows"), run.session().device.multiprocessors);
    let has_steps = |row: &Row<Over>| match row.with {
        Over::Several(_, steps, _) => plane.steps == Some(steps),
        _ => plane.steps.is_none_or(|steps| steps == 1),
    };
    for row in run.rows(table).filter(|row| has_steps(row)) {
        let case = |label: &str, kernel, launch: LaunchConfig| {
            Case::new(row.name()).label(label).n(plane.points).kernel(plane.file, kernel).launch(launch)
        };
        match row.with {
            Over::Points(kernel, blocks, shared_floats) => {
                for &(block, label) in blocks {
                    let launch = point_launch(width, height, block, 4 * shared_floats(block));
                    one(run, plane, case(label, kernel, launch), None, true)?;
                }
            }
            Over::Marching { four, single, label } => {
                let usual = format!("{} columns, {} rows a thread", march.columns, march.rows);
                let kernel = if march.columns == 4 { Some(four) } else { single };
                let case = case(label.unwrap_or(&usual), kernel.unwrap_or(four), march.launch);
                one(run, plane, case, Some(march.rows), kernel.is_some())?;
            }
            Over::Batch(kernel, label) => {
                let grid = point_launch(width.div_ceil(4), height, (march.launch.block_dim.0, BATCH_ROWS), 0);
                let launch = LaunchConfig { block_dim: march.launch.block_dim, ..grid };
                one(run, plane, case(label, kernel, launch), None, width.is_multiple_of(4))?;
            }
            Over::Several(kernel, _, label) => {
                let multiprocessors = run.session().device.multiprocessors;
                let (launch, rows) = several_launch(width, height, run.count("rows"), multiprocessors);
                one(run, plane, case(label, kernel, launch), Some(rows), width.is_multiple_of(4))?;
            }
        }
    }
    Ok(())
}

/// One row of the CSV. `rows` is the last argument of a marching kernel; `suits` says whether the kernel supports this
/// width.
fn one(run: &Run, plane: &Plane<'_, '_>, case: Case, rows: Option<u32>, suits: bool) -> Result<()> {
    let Plane { width, height, points, input, .. } = *plane;
    run.case(case, |case| {
        if !suits {
            return Err(Error::skip(format!("--width is {width}; the marching step needs a multiple of 4")));
        }
        let (stream, kernel, launch) = (run.stream(), case.kernel()?, case.launch());
        let from = input.device()?;
        // SAFETY: poisoned before each sample, and read only after the kernel.
        let mut to = unsafe { stream.alloc::<f32>(points) }?;
        case.set("width", width);
        case.set("height", height);
        case.set("steps", plane.steps);
        case.bytes(2 * size_of::<f32>() * points);
        case.time(
            &mut to,
            |to| {
                let mut builder = stream.launch_builder(&kernel);
                builder.arg(from).arg(to).arg(&width).arg(&height);
                if let Some(rows) = &rows {
                    builder.arg(rows);
                }
                // SAFETY: these are the kernels' parameters, and both planes are width x height floats.
                unsafe { builder.launch(launch) }?;
                Ok(())
            },
            plane.check,
        )?;
        Ok(())
    })?;
    Ok(())
}
