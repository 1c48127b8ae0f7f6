//! The layer of many channels and filters.
use std::cell::LazyCell;

use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DeviceRepr, LaunchConfig, PushKernelArg};
use harness::{Case, Check, Error, Peak, Result, Row, Run, Sizes, Tolerance, launch_1d};

use crate::{LAYERS, reference};

/// The size of a layer: `Layer` in layer.cuh, of which it is the parameter.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerSize {
    /// Images.
    pub images: u32,
    /// Planes of an image.
    pub channels: u32,
    /// Planes of a result.
    pub filters: u32,
    /// Rows of a plane.
    pub height: u32,
    /// Pixels in a row.
    pub width: u32,
}

// SAFETY: five words, as the kernels have them.
unsafe impl DeviceRepr for LayerSize {}

impl std::fmt::Display for LayerSize {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { images, channels, filters, height, width } = self;
        write!(f, "{images}x{channels}x{height}x{width}, {filters} filters")
    }
}

impl LayerSize {
    /// Pixels of a plane.
    pub fn area(self) -> usize {
        self.height as usize * self.width as usize
    }

    /// Pixels of a plane, for all images.
    pub fn pixels(self) -> usize {
        self.images as usize * self.area()
    }

    /// Products of a result: factors of a filter.
    pub fn depth(self) -> usize {
        9 * self.channels as usize
    }

    /// Floats of the images, the weights and the results.
    pub fn floats(self) -> [usize; 3] {
        let (channels, filters) = (self.channels as usize, self.filters as usize);
        [self.pixels() * channels, filters * self.depth(), self.pixels() * filters]
    }
}

/// A way to compute a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerMethod {
    /// A thread a result.
    Naive,
    /// Tiles of planes in shared memory.
    Shared,
    /// The right factor is written, then multiplied.
    Unfolded,
    /// The right factor is taken from the images.
    Implicit,
    /// Like `Implicit`, on the tensor cores.
    Tf32,
}

impl LayerMethod {
    /// The file of the kernels.
    pub fn file(self) -> &'static str {
        if self == Self::Tf32 { "tensor.cu" } else { "layer.cu" }
    }

    /// The kernels in the order of their launches, each with its launch and the floats that it writes.
    pub fn kernels(self, size: LayerSize) -> Vec<(&'static str, LaunchConfig, usize)> {
        let (area, pixels, depth) = (size.area() as u32, size.pixels() as u32, size.depth() as u32);
        let results = size.floats()[2];
        let grid = |grid_dim, block_dim| LaunchConfig { grid_dim, block_dim, shared_mem_bytes: 0 };
        let tiles = grid((pixels.div_ceil(128), size.filters.div_ceil(64), 1), (256, 1, 1));
        let of_planes = size.width.div_ceil(32) * size.height.div_ceil(8);
        match self {
            Self::Naive => {
                let launch = grid((area.div_ceil(256), size.filters, size.images), (256, 1, 1));
                vec![("layer_naive", launch, results)]
            }
            Self::Shared => {
                vec![("layer_shared", grid((of_planes, size.filters.div_ceil(8), size.images), (32, 8, 1)), results)]
            }
            Self::Unfolded => {
                let unfold = LaunchConfig { grid_dim: (pixels.div_ceil(256), depth, 1), ..launch_1d(1, 256) };
                vec![("unfold", unfold, depth as usize * pixels as usize), ("layer_product", tiles, results)]
            }
            Self::Implicit => vec![("layer_implicit", tiles, results)],
            Self::Tf32 => vec![("layer_tf32", tiles, results)],
        }
    }

    /// The bound of an error, for results whose products have magnitudes that add up to at most `magnitude`.
    ///
    /// Floats: a rounding for each product and each sum. TF32: each factor is rounded to 11 bits, which changes a
    /// product by at most 2^-10 + 2^-22 of it. The products are exact then, and the tensor cores cut off the sums of 8
    /// products instead of rounding them: for each sum, a unit in the last place of a float, twice a rounding, and as
    /// much for the alignment of a product.
    pub fn tolerance(self, size: LayerSize, magnitude: f64) -> Tolerance {
        let epsilon = f64::from(f32::EPSILON) + f64::EPSILON;
        if self != Self::Tf32 {
            return Tolerance::sum(size.depth() + 1, magnitude, epsilon);
        }
        let factors = 2.0_f64.powi(-10) + 2.0_f64.powi(-22);
        let sums = Tolerance::sum(4 * size.depth(), magnitude * (1.0 + factors), epsilon);
        Tolerance { absolute: sums.absolute + factors * magnitude, ..sums }
    }

    /// The unit that executes the products.
    fn peak(self) -> Peak {
        if self == Self::Tf32 { Peak::Tf32 } else { Peak::Single }
    }
}

/// Launches the kernels of a method; kernel i writes `outputs[i]`.
///
/// # Errors
/// The driver's errors.
///
/// # Safety
/// Images, weights and outputs are of the size that [`LayerMethod::kernels`] states.
pub unsafe fn launch_layer(
    stream: &CudaStream,
    method: LayerMethod,
    kernels: &[CudaFunction],
    (images, weights): (&CudaSlice<f32>, &CudaSlice<f32>),
    size: LayerSize,
    outputs: &mut [CudaSlice<f32>],
) -> Result<()> {
    for (i, (kernel, (_, launch, _))) in kernels.iter().zip(method.kernels(size)).enumerate() {
        let (before, rest) = outputs.split_at_mut(i);
        let mut builder = stream.launch_builder(kernel);
        builder.arg(before.last().unwrap_or(images));
        if i + 1 == kernels.len() {
            builder.arg(weights);
        }
        builder.arg(&mut rest[0]).arg(&size);
        // SAFETY: these are the kernels' parameters; the caller vouches for the sizes.
        unsafe { builder.launch(launch) }?;
    }
    Ok(())
}

/// The layer's size, by options or the device's defaults.
fn size(run: &Run) -> Result<LayerSize> {
    let pick = |option, gpu, emulated, quick| {
        let usual = || run.pick(Sizes { gpu, emulated, quick }) as u32;
        run.count(option).unwrap_or_else(usual)
    };
    let side = pick("side", 56, 14, 9);
    let size = LayerSize {
        images: pick("images", 32, 2, 1),
        channels: pick("channels", 64, 8, 3),
        filters: pick("filters", 64, 16, 5),
        height: side,
        width: side,
    };
    // A grid has at most 65535 blocks along y and z. The kernels count the pixels, and the floats of an image, in 31
    // bits.
    let limits = [("images", size.images, 65535), ("channels", size.channels, 7281), ("filters", size.filters, 65535)];
    for (option, value, most) in [limits, [("side", side, 16384); 3]].concat() {
        if value > most {
            return Err(Error::usage(format!("--{option} is {value}; choose at most {most}")));
        }
    }
    let most = i32::MAX as usize - 128;
    if size.pixels() > most || size.area() * size.channels as usize > most {
        return Err(Error::usage(format!("{size} is too large; choose a smaller --side, --images or --channels")));
    }
    let words = format!("a layer of {size}, with the unfolded images,");
    let floats = size.floats().into_iter().sum::<usize>() + size.depth() * size.pixels();
    run.needs(floats.checked_mul(size_of::<f32>()), &words, "--images, --channels or --side")?;
    Ok(size)
}

pub(crate) fn run(run: &Run) -> Result<()> {
    if run.rows(LAYERS).next().is_none() {
        return Ok(());
    }
    let size = size(run)?;
    let [of_images, of_weights, results] = size.floats();
    let images = run.input("images", || run.inputs("images").f32(of_images, -1.0..1.0));
    let weights = run.input("weights", || run.inputs("weights").f32(of_weights, -1.0..1.0));
    let expected = LazyCell::new(|| reference::layer(images.host(), weights.host(), size));
    for row in run.rows(LAYERS) {
        let kernels = row.kernels(size);
        let case = Case::new(row.name()).label(size.to_string()).n(results).work((results * size.depth()) as u64);
        // A case of two kernels has no single launch.
        let case = match &kernels[..] {
            [(kernel, launch, _)] => case.kernel(row.file(), *kernel).launch(*launch),
            _ => case,
        };
        run.case(case, |case| {
            let of_size = [size.images, size.channels, size.filters, size.height, size.width];
            for (column, value) in ["images", "channels", "filters", "height", "width"].into_iter().zip(of_size) {
                case.set(column, value);
            }
            case.bytes(size_of::<f32>() * (of_images + of_weights + results));
            case.flop(2 * (results * size.depth()) as u64);
            case.peak(row.peak());
            one(run, case, row, size, (images.device()?, weights.device()?), &|out: &[f32]| {
                let (right, magnitude) = &*expected;
                Check::compare(out, right, row.tolerance(size, *magnitude))
                    .named(|i| format!("filter {}, pixel {}", i / size.area() % size.filters as usize, i % size.area()))
            })
        })?;
    }
    Ok(())
}

fn one(
    run: &Run,
    case: &mut harness::CaseContext<'_>,
    row: &Row<LayerMethod>,
    size: LayerSize,
    inputs: (&CudaSlice<f32>, &CudaSlice<f32>),
    check: &dyn Fn(&[f32]) -> Check,
) -> Result<()> {
    let (stream, kernels) = (run.stream(), row.kernels(size));
    let functions = kernels.iter().map(|(name, ..)| run.function(row.file(), name)).collect::<Result<Vec<_>>>()?;
    // SAFETY: poisoned before each sample, and read only after the kernel that writes it.
    let outputs = kernels.iter().map(|(_, _, floats)| unsafe { stream.alloc::<f32>(*floats) });
    let mut outputs = outputs.collect::<Result<Vec<_>, _>>()?;
    case.time_chain(
        &mut outputs,
        // SAFETY: all are of this size.
        |outputs| unsafe { launch_layer(stream, row.with, &functions, inputs, size, outputs) },
        check,
    )?;
    Ok(())
}
