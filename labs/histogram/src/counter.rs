//! Launches one method on a stream.
use std::sync::Arc;

use cudarc::driver::{
    CudaFunction, CudaSlice, CudaStream, DevicePtr, DriverError, LaunchConfig, PushKernelArg,
};

use crate::{Bins, Method};

/// One method, its kernel loaded.
#[derive(Debug)]
pub struct Counter {
    stream: Arc<CudaStream>,
    function: CudaFunction,
    config: LaunchConfig,
}

impl Counter {
    /// Loads the kernel by `load(file, kernel)`.
    ///
    /// # Errors
    /// What `load` gives.
    pub fn new<E>(
        stream: &Arc<CudaStream>,
        method: Method,
        bins: Bins,
        (blocks, threads): (u32, u32),
        load: impl Fn(&str, &str) -> Result<CudaFunction, E>,
    ) -> Result<Self, E> {
        Ok(Self {
            stream: stream.clone(),
            function: load("histogram.cu", &method.kernel(bins))?,
            config: config(method, bins, blocks, threads),
        })
    }

    /// Puts it on the stream: counts, one a bin, are set to 0 and then to those of the first `n`
    /// bytes of `text`, which begins on a 16-byte boundary and holds `n` bytes at least.
    ///
    /// # Errors
    /// The driver's.
    pub fn launch(
        &self,
        text: &impl DevicePtr<u8>,
        n: usize,
        counts: &mut CudaSlice<u64>,
    ) -> Result<(), DriverError> {
        self.stream.memset_zeros(counts)?;
        let (text, _in_use) = text.device_ptr(&self.stream);
        let n = n as u64;
        let mut launch = self.stream.launch_builder(&self.function);
        launch.arg(&text).arg(counts).arg(&n);
        // SAFETY: arguments as the kernels declare them; the buffers are as long as said above.
        unsafe { launch.launch(self.config) }?;
        Ok(())
    }
}

/// The launch of `method`, its shared memory included.
pub fn config(method: Method, bins: Bins, blocks: u32, threads: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (blocks, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: method.shared_bytes(bins, threads),
    }
}
