//! The definition of a mode: where its vectors are, how they travel, and what it requires of the device.
use cudarc::driver::{CudaFunction, CudaStream, LaunchConfig, PushKernelArg, sys::CUdeviceptr};
use harness::{Error, Result, Run, Way, parallel_chunks};

/// The number of elements of a vector that a core writes at a time, outside of measurements.
pub(crate) const PART: usize = 1 << 18;

/// Three vectors, x, y and z, in the memory of one mode.
pub(crate) trait Transfer {
    /// Vector `i` as the host sees it. All queued work on it must be done.
    fn host(&mut self, i: usize) -> Result<&mut [f32]>;
    /// The vectors' addresses, as passed to the kernel.
    fn addresses(&self) -> [CUdeviceptr; 3];
    /// Queues the transfer of x and y to the device.
    fn to_device(&mut self) -> Result<()> {
        Ok(())
    }
    /// Queues the kernel.
    fn add(&mut self) -> Result<()>;
    /// Queues the transfer of z back.
    fn to_host(&mut self) -> Result<()> {
        Ok(())
    }
    /// The three steps, one after the other.
    fn steps(&mut self) -> Result<()> {
        self.to_device()?;
        self.add()?;
        self.to_host()
    }
    /// Runs all three steps as this mode does them without measurements in between.
    fn pass(&mut self) -> Result<()> {
        self.steps()
    }
    /// Overwrites the device's own copy of z, because fresh memory may still hold the previous mode's sum. The host's
    /// side stays untouched, because the first touch is measured.
    fn poison_device(&mut self) -> Result<()> {
        Ok(())
    }
    /// Overwrites every old sum, wherever it lies, so that a pass that writes no sum is detected.
    fn poison(&mut self) -> Result<()> {
        parallel_chunks(self.host(2)?, PART, |_, sums| sums.fill(f32::NAN));
        self.poison_device()
    }
    /// Whether z moves only when the host reads it, so that reading is part of a pass.
    fn moves_when_read(&self) -> bool {
        false
    }
}

/// A mode's vectors, of any type.
pub(crate) type Allocated<'a> = Result<Box<dyn Transfer + 'a>>;

/// Allocates vectors of the length given by `Add`.
type Allocate = for<'a> fn(&'a Add<'a>) -> Allocated<'a>;

/// A memory mode.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mode {
    pub(crate) allocate: Allocate,
    /// How a pass moves its vectors.
    pub(crate) way: Way,
    /// Whether a pass uses both directions of the link at once.
    pub(crate) is_both_ways: bool,
    pub(crate) needs: Needs,
}

/// The requirements of a mode, apart from free memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    /// Managed memory.
    Managed,
    /// Managed memory whose pages move on demand.
    Migration,
    /// Host memory that the device can map.
    Mapping,
}

impl Mode {
    /// Whether this device can run the mode with vectors of `n` elements.
    pub(crate) fn check(&self, run: &Run, n: usize) -> Result<()> {
        let device = &run.session().device;
        let free = run.session().free_bytes()?;
        // Managed memory cannot use the part kept by the allocator.
        let (for_managed, _) = run.session().context.mem_get_info()?;
        let bytes = 3 * n * size_of::<f32>();
        let lacking = match self.needs {
            Needs::Managed | Needs::Migration if !device.managed_memory => "the device has no managed memory".into(),
            Needs::Migration if !device.concurrent_managed_access => {
                "pages do not move on demand here (no concurrent managed access), so there is nothing to prefetch or \
                 advise"
                    .into()
            }
            Needs::Mapping if !device.can_map_host_memory => "the device cannot map host memory".into(),
            // A device whose managed memory is oversubscribed thrashes until nothing progresses.
            Needs::Managed | Needs::Migration if bytes > for_managed / 4 => {
                format!(
                    "{bytes} bytes of managed memory are more than a quarter of the {for_managed} free on the device"
                )
            }
            _ if bytes > free / 10 * 9 => format!("three vectors are {bytes} bytes, the device has {free} free"),
            _ => return Ok(()),
        };
        Err(Error::skip(lacking))
    }
}

/// The kernel, ready to launch.
pub(crate) struct Add<'a> {
    pub(crate) run: &'a Run,
    /// Elements.
    pub(crate) n: usize,
    pub(crate) kernel: CudaFunction,
    pub(crate) launch: LaunchConfig,
    /// Whether the kernel strides over the grid, so that every launch has the whole grid.
    pub(crate) is_striding: bool,
    /// The number of elements that a thread takes, unless it strides.
    pub(crate) each: usize,
}

impl Add<'_> {
    /// Queues the kernel on `stream` for `n` elements at three device addresses.
    ///
    /// # Safety
    /// Each address must be a multiple of 16 and that of `n` floats that the device can reach until the kernel is done,
    /// the last one writable.
    pub(crate) unsafe fn launch(&self, stream: &CudaStream, [x, y, z]: [CUdeviceptr; 3], n: usize) -> Result<()> {
        let mut launch = self.launch;
        if !self.is_striding {
            let enough = n.div_ceil(self.each * launch.block_dim.0 as usize) as u32;
            launch.grid_dim.0 = launch.grid_dim.0.min(enough);
        }
        let n = n as u64;
        let mut builder = stream.launch_builder(&self.kernel);
        builder.arg(&x).arg(&y).arg(&z).arg(&n);
        // SAFETY: the kernel takes three pointers and a count; the caller vouches for the pointers.
        unsafe { builder.launch(launch) }?;
        Ok(())
    }
}
