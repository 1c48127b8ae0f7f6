//! Launches one method on a stream.
use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, LaunchConfig, PushKernelArg};
use harness::{Kernels, Result, at_once};

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
    /// The ticket counter, followed by each tile's state: see `scan.cu`, 4.
    states: CudaSlice<u64>,
}

impl<T: Element> Scanner<T> {
    /// Loads the kernels of `how` and allocates what they need in addition to x and out. `config` has a block for each
    /// tile; for [`Passes::Ahead`] only as many are launched as are resident together.
    ///
    /// # Errors
    /// The errors of [`Kernels::function`], and the driver's.
    pub fn new(kernels: &Kernels, how: Scanning, n: usize, config: LaunchConfig) -> Result<Self> {
        let stream = kernels.session().stream.clone();
        let (names, tiles) = (how.kernels(T::NAME), how.tiles(n, config.block_dim.0 - how.others));
        let session = kernels.session();
        let function = |name| kernels.function_with_shared(how.file, name, config.shared_mem_bytes);
        let kernels = names.iter().map(|name| function(name)).collect::<Result<Vec<_>>>()?;
        let config = match how.passes {
            Passes::Ahead => at_once(&kernels[0], config, session.device.multiprocessors)?,
            _ => config,
        };
        let (sums, states) = (stream.alloc_zeros(tiles + 1)?, stream.alloc_zeros(tiles + 1)?);
        Ok(Self { stream, how, n, config, kernels, sums, states })
    }

    /// The launch, or the first of several.
    pub const fn config(&self) -> LaunchConfig {
        self.config
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
        // sums and states one for each tile.
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
            Passes::Ahead => {
                stream.memset_zeros(&mut self.states)?;
                first.arg(&x).arg(&out).arg(&mut self.states).arg(&n).arg(&inclusive);
                unsafe { first.launch_cooperative(self.config) }?;
            }
        }
        Ok(())
    }
}
