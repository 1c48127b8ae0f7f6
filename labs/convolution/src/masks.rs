//! The masks: what the host draws, and how it comes into constant memory.
use cudarc::driver::CudaModule;
use harness::{Error, Inputs, Result, Run};
use std::sync::Arc;

/// The largest radius of a mask: RADIUS in the kernels.
pub const LARGEST_RADIUS: u32 = 8;

/// A mask of an image, the product of a column and a row of 2 radius + 1 floats.
#[derive(Debug, Clone)]
pub struct Mask {
    /// The factors of the rows, from the top.
    pub column: Vec<f32>,
    /// The factors of the columns, from the left.
    pub row: Vec<f32>,
}

impl Mask {
    /// Draws the mask of a radius: factors from -1 to 1, none of which is so small that its absence goes unnoticed.
    pub fn drawn(inputs: &mut Inputs, radius: u32) -> Self {
        let taps = 2 * radius as usize + 1;
        Self { column: factors(inputs, taps), row: factors(inputs, taps) }
    }

    /// The whole mask, row by row: the products, each rounded to a float.
    pub fn whole(&self) -> Vec<f32> {
        self.column.iter().flat_map(|c| self.row.iter().map(move |r| c * r)).collect()
    }

    /// The sum of the magnitudes of all products.
    pub fn magnitude(&self) -> f64 {
        magnitude(&self.column) * magnitude(&self.row)
    }
}

/// Draws `taps` factors with magnitudes from 1/4 to 1.
pub fn factors(inputs: &mut Inputs, taps: usize) -> Vec<f32> {
    let sign = |x: f32| if x < 0.0 { x - 0.25 } else { x + 0.25 };
    inputs.f32(taps, -0.75..0.75).into_iter().map(sign).collect()
}

/// The sum of the magnitudes of a mask's factors.
pub fn magnitude(factors: &[f32]) -> f64 {
    factors.iter().map(|x| f64::from(x.abs())).sum()
}

/// Copies values to the beginning of the `__constant__` array `name` of a module.
pub(crate) fn copy(run: &Run, module: &Arc<CudaModule>, file: &str, name: &str, values: &[f32]) -> Result<()> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    let mut there = module.get_global(name, run.stream()).map_err(|error| {
        let error = Error::Driver(error);
        Error::usage(format!("{file} has no array `__constant__ float {name}[...]`, which the host fills ({error})"))
    })?;
    if there.len() < bytes.len() {
        let (needed, given) = (values.len(), there.len() / size_of::<f32>());
        return Err(Error::usage(format!("{file}: `{name}` has room for {given} floats, and the mask has {needed}")));
    }
    Ok(run.stream().memcpy_htod(&bytes, &mut there.slice_mut(..bytes.len()))?)
}
