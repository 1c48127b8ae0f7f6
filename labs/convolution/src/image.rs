//! The convolutions of an image.
use std::cell::LazyCell;

use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg};
use harness::{Case, Check, Error, Input, Result, Row, Run, Sizes, Tolerance};

use crate::{IMAGES, LIBRARY, WRONG_IMAGES, masks, masks::Mask, npp, reference};

/// A way to convolve an image.
#[derive(Debug, Clone, Copy)]
pub struct ImageMethod {
    /// The kernels' file.
    pub file: &'static str,
    /// The shape of its kernels, with their names.
    pub shape: Shape,
    /// The threads of a block, along the rows and down the columns.
    pub block: (u32, u32),
    /// Whether the mask is applied as a row and a column.
    pub is_separable: bool,
}

/// What the kernels of a method compute, and with which mask.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// The mask is an array of global memory: a point a thread.
    Global(&'static str),
    /// The mask is in constant memory: the kernel, and the results of a block by the radius.
    Constant(&'static str, fn(u32) -> (u32, u32)),
    /// Like `Constant`, with the floats of shared memory of a block by the radius.
    Shared(&'static str, fn(u32) -> (u32, u32), fn(u32) -> u32),
    /// A pass along the rows and one down the columns: a point a thread.
    Passes([&'static str; 2]),
    /// The kernels know their radius, which is 1 for the first one: the columns and rows of a block.
    Known(&'static [Option<&'static str>], (u32, u32)),
}

pub(crate) const GLOBAL: ImageMethod =
    ImageMethod { file: "convolution.cu", shape: Shape::Global("image_global"), block: (32, 8), is_separable: false };
pub(crate) const CONSTANT: ImageMethod =
    ImageMethod { shape: Shape::Constant("image_constant", |_| (32, 8)), ..GLOBAL };
pub(crate) const TILE_IN: ImageMethod = ImageMethod {
    shape: Shape::Constant("image_tile_in", |radius| (32 - 2 * radius, 32 - 2 * radius)),
    block: (32, 32),
    ..GLOBAL
};
pub(crate) const TILE_OUT: ImageMethod = ImageMethod {
    shape: Shape::Shared("image_tile_out", |_| (32, 32), |radius| (32 + 2 * radius) * (32 + 2 * radius)),
    ..GLOBAL
};
pub(crate) const PASSES: ImageMethod =
    ImageMethod { shape: Shape::Passes(["image_rows", "image_columns"]), is_separable: true, ..GLOBAL };
pub(crate) const FUSED: ImageMethod =
    ImageMethod { shape: Shape::Constant("image_fused", |_| (32, 32)), is_separable: true, ..GLOBAL };
pub(crate) const WIDE: ImageMethod = ImageMethod {
    file: "wide.cu",
    shape: Shape::Known(&[Some("image_wide_1"), Some("image_wide_2"), Some("image_wide_3")], (128, 32)),
    ..GLOBAL
};
pub(crate) const WIDE_PRODUCT: ImageMethod = ImageMethod {
    shape: Shape::Known(&[Some("separable_wide_1"), Some("separable_wide_2"), Some("separable_wide_3")], (128, 32)),
    is_separable: true,
    ..WIDE
};

impl ImageMethod {
    /// The kernels for this width and radius, in the order of their launches.
    ///
    /// # Errors
    /// Why no kernel fits, for the row's note.
    pub fn kernels(self, width: u32, radius: u32) -> Result<Vec<&'static str>, String> {
        match self.shape {
            Shape::Global(kernel) | Shape::Constant(kernel, _) | Shape::Shared(kernel, ..) => Ok(vec![kernel]),
            Shape::Passes(kernels) => Ok(kernels.to_vec()),
            Shape::Known(..) if !width.is_multiple_of(4) => {
                Err(format!("--width is {width}; its threads have four columns: choose a multiple of 4"))
            }
            Shape::Known(kernels, _) => match kernels.get(radius as usize - 1).copied().flatten() {
                Some(kernel) => Ok(vec![kernel]),
                None => {
                    let known = (1..).zip(kernels).filter(|(_, kernel)| kernel.is_some());
                    let known: Vec<_> = known.map(|(radius, _)| radius.to_string()).collect();
                    Err(format!("--radius is {radius}; it is compiled for {}", known.join(", ")))
                }
            },
        }
    }

    /// The launch of its kernels.
    pub fn launch(self, width: u32, height: u32, radius: u32) -> LaunchConfig {
        let (columns, rows) = match self.shape {
            Shape::Global(_) | Shape::Passes(_) => self.block,
            Shape::Constant(_, results) | Shape::Shared(_, results, _) => results(radius),
            Shape::Known(_, results) => results,
        };
        let floats = if let Shape::Shared(_, _, floats) = self.shape { floats(radius) } else { 0 };
        LaunchConfig {
            grid_dim: (width.div_ceil(columns), height.div_ceil(rows), 1),
            block_dim: (self.block.0, self.block.1, 1),
            shared_mem_bytes: floats * size_of::<f32>() as u32,
        }
    }
}

/// What a method's kernels take: the image, the mask in global memory, and the result after each of them.
#[derive(Debug)]
pub struct Arguments<'a> {
    /// The image.
    pub points: &'a CudaSlice<f32>,
    /// The whole mask in global memory.
    pub mask: &'a CudaSlice<f32>,
    /// Points of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The mask's radius.
    pub radius: u32,
}

/// Launches the kernels of a method; kernel i writes `outputs[i]`.
///
/// # Errors
/// The driver's errors.
///
/// # Safety
/// The image and the outputs are of the size that `arguments` has, and constant memory has the mask.
pub unsafe fn launch(
    stream: &CudaStream,
    method: ImageMethod,
    kernels: &[CudaFunction],
    arguments: &Arguments<'_>,
    outputs: &mut [CudaSlice<f32>],
) -> Result<()> {
    let (width, height, radius) = (arguments.width as i32, arguments.height as i32, arguments.radius as i32);
    for (i, kernel) in kernels.iter().enumerate() {
        let (before, rest) = outputs.split_at_mut(i);
        let mut builder = stream.launch_builder(kernel);
        builder.arg(before.last().unwrap_or(arguments.points));
        if let Shape::Global(_) = method.shape {
            builder.arg(arguments.mask);
        }
        builder.arg(&mut rest[0]).arg(&width).arg(&height);
        if !matches!(method.shape, Shape::Known(..)) {
            builder.arg(&radius);
        }
        // SAFETY: these are the kernels' parameters; the caller vouches for the rest.
        unsafe { builder.launch(method.launch(arguments.width, arguments.height, arguments.radius)) }?;
    }
    Ok(())
}

/// The bound of the roundings of a result, for points of at most 1 in magnitude: with the whole mask one for each
/// product and one for each sum, with passes one for each product and each sum of both; and that of a factor of the
/// whole mask. The reference is rounded as well.
fn tolerance(mask: &Mask) -> Tolerance {
    let taps = mask.column.len() * mask.row.len();
    Tolerance::sum(taps + 2, mask.magnitude(), f64::from(f32::EPSILON) + f64::EPSILON)
}

/// The image's size, by `--width` and `--height` or the device's defaults.
fn size(run: &Run) -> Result<(u32, u32)> {
    let side = |gpu, emulated, quick| run.pick(Sizes { gpu, emulated, quick }) as u32;
    let width = run.count("width").unwrap_or_else(|| side(8192, 256, 72));
    let height = run.count("height").unwrap_or_else(|| side(8192, 128, 33));
    if run.is_emulated() && run.count("width").or(run.count("height")).is_none() {
        run.say(&format!("convolution: an image of {width}x{height} here (emulated device); 8192x8192 on a GPU"));
    }
    // The kernels count columns and rows in 32 bits and add a tile to them; a grid has at most 65535 rows of blocks.
    for (option, value, most) in [("width", width, i32::MAX as u32 - 512), ("height", height, 65535 * 8)] {
        if value > most {
            let words = format!("--{option} is {value}; an image has at most {most} here: choose a smaller one");
            return Err(Error::usage(words));
        }
    }
    let bytes = (width as usize).checked_mul(height as usize).and_then(|points| points.checked_mul(12));
    run.needs(bytes, &format!("three images of {width} x {height} floats"), "--width or --height")?;
    Ok((width, height))
}

/// An image, its mask and the right result.
struct Problem<'a, 'i> {
    width: u32,
    height: u32,
    radius: u32,
    mask: &'a Mask,
    points: &'a Input<'i, f32>,
    whole_mask: &'a Input<'i, f32>,
    check: &'a dyn Fn(&[f32]) -> Check,
}

impl Problem<'_, '_> {
    fn case(&self, variant: &str) -> Case {
        let points = self.width as usize * self.height as usize;
        Case::new(variant).label(format!("radius {}", self.radius)).n(points)
    }

    fn describe(&self, case: &mut harness::CaseContext<'_>, passes: usize, taps: usize) {
        let points = self.width as usize * self.height as usize;
        case.set("radius", self.radius);
        case.set("width", self.width);
        case.set("height", self.height);
        case.bytes_of_passes(passes * 2 * size_of::<f32>() * points, passes);
        case.flop(2 * (taps * points) as u64);
    }
}

pub(crate) fn run(run: &Run) -> Result<()> {
    let rows: Vec<_> = run.rows(IMAGES).chain(run.rows(WRONG_IMAGES)).collect();
    if rows.is_empty() && run.rows(LIBRARY).next().is_none() {
        return Ok(());
    }
    let (width, height) = size(run)?;
    let radius = run.count("radius").unwrap_or(2);
    let mask = Mask::drawn(&mut run.inputs("image's mask"), radius);
    let points = run.input("in", || run.inputs("image").f32(width as usize * height as usize, -1.0..1.0));
    let whole_mask = run.input("m", || mask.whole());
    let expected = LazyCell::new(|| reference::image(points.host(), width as usize, &mask.column, &mask.row));
    let check = |out: &[f32]| Check::compare(out, &expected, tolerance(&mask)).in_rows(width as usize);
    let (mask, points, whole_mask) = (&mask, &points, &whole_mask);
    let problem = Problem { width, height, radius, mask, points, whole_mask, check: &check };
    for row in run.rows(LIBRARY) {
        run.case(problem.case(row.name()), |case| {
            let taps = mask.row.len() * mask.column.len();
            problem.describe(case, 1, taps);
            let filter = npp::Filter::open(run, points.host(), (width, height), mask)?;
            // SAFETY: poisoned before each sample, and read only after the library.
            let mut out = unsafe { run.stream().alloc::<f32>(points.host().len()) }?;
            case.time(&mut out, |out| filter.apply(out), problem.check)?;
            Ok(())
        })?;
    }
    for row in rows {
        one(run, row, &problem)?;
    }
    Ok(())
}

fn one(run: &Run, row: &Row<ImageMethod>, problem: &Problem<'_, '_>) -> Result<()> {
    let (width, height, radius) = (problem.width, problem.height, problem.radius);
    let kernels = row.kernels(width, radius);
    let case = problem.case(row.name()).launch(row.launch(width, height, radius));
    let case = match kernels.as_ref().map(|kernels| &kernels[..]) {
        Ok([kernel]) => case.kernel(row.file, *kernel),
        _ => case,
    };
    run.case(case, |case| {
        let kernels = kernels.as_ref().map_err(Error::skip)?;
        let functions = kernels.iter().map(|name| run.function(row.file, name)).collect::<Result<Vec<_>>>()?;
        let module = run.module(row.file)?;
        let (mask, stream) = (problem.mask, run.stream());
        for (name, values) in [("mask", &mask.whole()), ("row_mask", &mask.row), ("column_mask", &mask.column)] {
            // The kernels that are wrong have one mask only.
            if name == "mask" || row.file != "wrong.cu" {
                masks::copy(run, &module, row.file, name, values)?;
            }
        }
        let points = width as usize * height as usize;
        let taps = mask.row.len();
        problem.describe(case, functions.len(), if row.is_separable { 2 * taps } else { taps * taps });
        let arguments =
            Arguments { points: problem.points.device()?, mask: problem.whole_mask.device()?, width, height, radius };
        // SAFETY: poisoned before each sample, and read only after the kernel that writes it.
        let outputs = functions.iter().map(|_| unsafe { stream.alloc::<f32>(points) });
        let mut outputs = outputs.collect::<Result<Vec<_>, _>>()?;
        case.time_chain(
            &mut outputs,
            // SAFETY: the image and the outputs have width x height floats, and the masks were copied above.
            |outputs| unsafe { launch(stream, row.with, &functions, &arguments, outputs) },
            problem.check,
        )?;
        Ok(())
    })?;
    Ok(())
}
