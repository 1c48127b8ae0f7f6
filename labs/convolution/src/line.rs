//! The convolutions of a line.
use std::cell::LazyCell;

use cudarc::driver::PushKernelArg;
use harness::{Case, Check, Error, Launch, Result, Run, Sizes, Tolerance};

use crate::{LINES, WRONG_LINES, masks, reference};

/// A way to convolve a line.
#[derive(Debug, Clone, Copy)]
pub struct LineMethod {
    /// The kernel's file.
    pub file: &'static str,
    /// The kernel, by the mask's radius.
    pub kernel: fn(u32) -> &'static str,
    /// Where the kernel has its mask.
    pub mask: MaskPlace,
    /// Whether a block keeps its elements and their halo in shared memory.
    pub is_tiled: bool,
    /// Elements of a thread.
    pub each: usize,
}

/// Where a kernel has its mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaskPlace {
    /// In an array of global memory, a parameter.
    Global,
    /// In constant memory; the radius is a parameter.
    Constant,
    /// In constant memory, within zeros for a radius of 4 or 8, which the kernel knows.
    Padded,
}

pub(crate) const GLOBAL: LineMethod =
    LineMethod { file: "convolution.cu", kernel: |_| "line_global", mask: MaskPlace::Global, is_tiled: false, each: 1 };
pub(crate) const CONSTANT: LineMethod = LineMethod { kernel: |_| "line_constant", mask: MaskPlace::Constant, ..GLOBAL };
pub(crate) const SHARED: LineMethod = LineMethod { kernel: |_| "line_shared", is_tiled: true, ..CONSTANT };
pub(crate) const WIDE: LineMethod = LineMethod {
    file: "wide.cu",
    kernel: |radius| if radius <= 4 { "line_wide_4" } else { "line_wide_8" },
    mask: MaskPlace::Padded,
    each: 4,
    ..CONSTANT
};

impl LineMethod {
    /// The mask as it lies in constant memory.
    pub fn laid_out(self, mask: &[f32]) -> Vec<f32> {
        let radius = mask.len() / 2;
        let zeros = match self.mask {
            MaskPlace::Padded if radius <= 4 => 4 - radius,
            MaskPlace::Padded => 8 - radius,
            MaskPlace::Global | MaskPlace::Constant => 0,
        };
        [&vec![0.0; zeros], mask, &vec![0.0; zeros]].concat()
    }

    /// The launch, unless options override it.
    pub fn launch(self, threads: u32, radius: u32) -> Launch {
        let floats = if self.is_tiled { threads + 2 * radius } else { 0 };
        Launch::covering(256).each(self.each).shared(floats * size_of::<f32>() as u32)
    }
}

/// The bound of the roundings of a result: one for each product, which is fused with its sum or not, and one for each
/// sum; the elements are at most 1 in magnitude, and the reference is rounded as well.
pub(crate) fn tolerance(mask: &[f32]) -> Tolerance {
    Tolerance::sum(mask.len() + 1, masks::magnitude(mask), f64::from(f32::EPSILON) + f64::EPSILON)
}

pub(crate) fn run(run: &Run) -> Result<()> {
    let rows: Vec<_> = run.rows(LINES).chain(run.rows(WRONG_LINES)).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let n = run.size(Sizes { gpu: 1 << 26, emulated: 1 << 15, quick: 1000 });
    run.needs(n.checked_mul(2 * size_of::<f32>()), &format!("two vectors of {n} floats"), "--n")?;
    let radius = run.count("radius").unwrap_or(8);
    let mask = masks::factors(&mut run.inputs("line's mask"), 2 * radius as usize + 1);
    let x = run.input("x", || run.inputs("x").f32(n, -1.0..1.0));
    let mask_there = run.input("m", || mask.clone());
    let expected = LazyCell::new(|| reference::line(x.host(), &mask));
    for row in rows {
        let kernel = (row.kernel)(radius);
        let launch = row.launch(run.threads(256), radius);
        let case = Case::new(row.name()).label(format!("radius {radius}")).n(n).kernel(row.file, kernel).launch(launch);
        run.case(case, |case| {
            let (stream, kernel, launch) = (run.stream(), case.kernel()?, case.launch());
            let shows_from = launch.block_dim.0 as usize + radius as usize;
            if row.name() == "halo-off-by-one" && n < shows_from {
                return Err(Error::skip(format!("the element that it does not load exists from n = {shows_from} on")));
            }
            if row.mask != MaskPlace::Global {
                masks::copy(run, &run.module(row.file)?, row.file, "mask", &row.laid_out(&mask))?;
            }
            let (from, m) = (x.device()?, mask_there.device()?);
            // SAFETY: poisoned before each sample, and read only after the kernel.
            let mut y = unsafe { stream.alloc::<f32>(n) }?;
            case.set("radius", radius);
            case.bytes(2 * size_of::<f32>() * n);
            case.flop(2 * (mask.len() * n) as u64);
            case.time(
                &mut y,
                |y| {
                    let (length, reach) = (n as u64, radius as i32);
                    let mut builder = stream.launch_builder(&kernel);
                    builder.arg(from);
                    if row.mask == MaskPlace::Global {
                        builder.arg(m);
                    }
                    builder.arg(y).arg(&length);
                    if row.mask != MaskPlace::Padded {
                        builder.arg(&reach);
                    }
                    // SAFETY: these are the kernels' parameters, each vector holds n floats, and the mask 2 radius + 1.
                    unsafe { builder.launch(launch) }?;
                    Ok(())
                },
                |y| Check::compare(y, &expected, tolerance(&mask)),
            )?;
            Ok(())
        })?;
    }
    Ok(())
}
