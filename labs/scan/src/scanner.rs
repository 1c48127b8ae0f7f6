//! Launches one method on a stream.
use std::sync::Arc;

use cudarc::driver::{
    CudaFunction, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DriverError, LaunchConfig,
    PushKernelArg,
};

use crate::{Element, Method};

/// One method for one type and size, its kernels loaded.
#[derive(Debug)]
pub struct Scanner<T> {
    stream: Arc<CudaStream>,
    method: Method,
    n: usize,
    config: LaunchConfig,
    kernels: Vec<CudaFunction>,
    sums: CudaSlice<T>,
    /// The ticket counter, and then each tile's state: see `scan.cu`, 4.
    states: CudaSlice<u64>,
}

/// The launch of `method` over `n` elements, a block for each tile.
/// `None` when no grid has that many blocks.
pub fn config(method: Method, n: usize, threads: u32) -> Option<LaunchConfig> {
    // look_back counts tiles in a signed int, which is also the most blocks of a grid.
    let blocks = i32::try_from(method.tiles(n, threads)).ok()?;
    Some(LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: method.shared_bytes(threads),
    })
}

impl<T: Element> Scanner<T> {
    /// Loads the kernels by `load(file, kernel)` and allocates what they need beside x and out.
    /// `config` is [`config`]'s.
    ///
    /// # Errors
    /// What `load` gives, and the driver's.
    pub fn new<E: From<DriverError>>(
        stream: &Arc<CudaStream>,
        method: Method,
        n: usize,
        config: LaunchConfig,
        load: impl Fn(&str, &str) -> Result<CudaFunction, E>,
    ) -> Result<Self, E> {
        let names = method.kernels(T::NAME);
        let kernels = names.iter().map(|name| load("scan.cu", name));
        let kernels = kernels.collect::<Result<Vec<_>, E>>()?;
        let tiles = method.tiles(n, config.block_dim.0);
        Ok(Self {
            stream: stream.clone(),
            method,
            n,
            config,
            kernels,
            sums: stream.alloc_zeros(tiles + 1)?,
            states: stream.alloc_zeros(tiles + 1)?,
        })
    }

    /// Puts the whole scan on the stream: `x` and `out` hold n elements (or one where n is 0).
    ///
    /// # Errors
    /// The driver's.
    pub fn launch(
        &mut self,
        x: &impl DevicePtr<T>,
        out: &mut impl DevicePtrMut<T>,
        inclusive: bool,
    ) -> Result<(), DriverError> {
        let stream = self.stream.clone();
        let (x, _x_in_use) = x.device_ptr(&stream);
        let (out, _out_in_use) = out.device_ptr_mut(&stream);
        let (n, inclusive) = (self.n as u64, u32::from(inclusive));
        // SAFETY (all launches): arguments as the kernels declare them; x and out hold n elements,
        // sums and states one for each block.
        match self.method {
            Method::KoggeStone | Method::BrentKung | Method::OneBarrier => {
                let mut launch = stream.launch_builder(&self.kernels[0]);
                launch.arg(&x).arg(&out).arg(&n).arg(&inclusive);
                unsafe { launch.launch(self.config) }?;
            }
            Method::ThreeKernel => {
                let mut sums = stream.launch_builder(&self.kernels[0]);
                sums.arg(&x).arg(&mut self.sums).arg(&n);
                unsafe { sums.launch(self.config) }?;

                let tiles = u64::from(self.config.grid_dim.0);
                let mut one = self.config;
                one.grid_dim.0 = 1;
                let mut of_sums = stream.launch_builder(&self.kernels[1]);
                of_sums.arg(&mut self.sums).arg(&tiles);
                unsafe { of_sums.launch(one) }?;

                let mut tiles = stream.launch_builder(&self.kernels[2]);
                tiles.arg(&x).arg(&self.sums).arg(&out);
                tiles.arg(&n).arg(&inclusive);
                unsafe { tiles.launch(self.config) }?;
            }
            Method::SinglePass { .. } => {
                stream.memset_zeros(&mut self.states)?;
                let (ticket, _states_in_use) = self.states.device_ptr_mut(&stream);
                let states = ticket + size_of::<u64>() as u64;
                let mut launch = stream.launch_builder(&self.kernels[0]);
                launch.arg(&x).arg(&out).arg(&states).arg(&ticket);
                launch.arg(&n).arg(&inclusive);
                unsafe { launch.launch(self.config) }?;
            }
        }
        Ok(())
    }
}

/// Whether `n` elements fit the method in blocks of `threads`.
///
/// # Errors
/// What does not fit, in words.
pub fn fits(method: Method, n: usize, threads: u32) -> Result<(), String> {
    let most = threads as usize * method.items() as usize;
    if method.one_block() && n > most {
        return Err(format!(
            "{} scans what one block of {threads} threads holds, {most} elements, not {n}; three-kernel and single-pass take any n",
            method.name()
        ));
    }
    Ok(())
}
