//! Launches one method on a stream.
use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, LaunchConfig, PushKernelArg};
use harness::{Kernels, Result};

use crate::{Element, Passes, Scanning};

/// One method for one type and size, its kernels loaded.
#[derive(Debug)]
pub struct Scanner<T> {
    stream: Arc<CudaStream>,
    how: Scanning,
    n: usize,
    config: LaunchConfig,
    kernels: Vec<CudaFunction>,
    sums: CudaSlice<T>,
    /// The ticket counter, and then each tile's state: see `scan.cu`, 4.
    states: CudaSlice<u64>,
}

impl<T: Element> Scanner<T> {
    /// Loads the kernels of `how` and allocates what they need in addition to x and out. `config` has a block for each
    /// tile.
    ///
    /// # Errors
    /// The errors of [`Kernels::function`], and the driver's.
    pub fn new(kernels: &Kernels, how: Scanning, n: usize, config: LaunchConfig) -> Result<Self> {
        let stream = kernels.session().stream.clone();
        let names = how.kernels(T::NAME);
        let kernels = names.iter().map(|name| kernels.function("scan.cu", name)).collect::<Result<_>>()?;
        let tiles = config.grid_dim.0 as usize;
        let (sums, states) = (stream.alloc_zeros(tiles + 1)?, stream.alloc_zeros(tiles + 1)?);
        Ok(Self { stream, how, n, config, kernels, sums, states })
    }

    /// Queues the whole scan on the stream. `x` and `out` hold n elements (or one if n is 0).
    ///
    /// # Errors
    /// The driver's errors.
    pub fn launch(&mut self, x: &impl DevicePtr<T>, out: &mut impl DevicePtrMut<T>, inclusive: bool) -> Result<()> {
        let stream = self.stream.clone();
        let (x, _x_in_use) = x.device_ptr(&stream);
        let (out, _out_in_use) = out.device_ptr_mut(&stream);
        let (n, inclusive) = (self.n as u64, u32::from(inclusive));
        // SAFETY (all launches): arguments as the kernels declare them; x and out hold n elements,
        // sums and states one for each block.
        let mut first = stream.launch_builder(&self.kernels[0]);
        match self.how.passes {
            Passes::OneBlock => {
                first.arg(&x).arg(&out).arg(&n).arg(&inclusive);
                unsafe { first.launch(self.config) }?;
            }
            Passes::Three => {
                first.arg(&x).arg(&mut self.sums).arg(&n);
                unsafe { first.launch(self.config) }?;

                let tiles = u64::from(self.config.grid_dim.0);
                let one_block = LaunchConfig { grid_dim: (1, 1, 1), ..self.config };
                let mut of_sums = stream.launch_builder(&self.kernels[1]);
                of_sums.arg(&mut self.sums).arg(&tiles);
                unsafe { of_sums.launch(one_block) }?;

                let mut of_tiles = stream.launch_builder(&self.kernels[2]);
                of_tiles.arg(&x).arg(&self.sums).arg(&out).arg(&n).arg(&inclusive);
                unsafe { of_tiles.launch(self.config) }?;
            }
            Passes::LookBack => {
                stream.memset_zeros(&mut self.states)?;
                let (ticket, _states_in_use) = self.states.device_ptr_mut(&stream);
                let states = ticket + size_of::<u64>() as u64;
                first.arg(&x).arg(&out).arg(&states).arg(&ticket).arg(&n).arg(&inclusive);
                unsafe { first.launch(self.config) }?;
            }
        }
        Ok(())
    }
}
