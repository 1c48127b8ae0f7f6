//! The wrapper, timed as the text times it: by the host's clock, over many runs, sum in managed memory.
use std::time::Instant;

use cudarc::driver::{result, sys::CUmemAttach_flags};
use harness::{Error, Result, Run};

/// Runs of the wrapper on a GPU: the text's least number is 50.
const RUNS: u32 = 100;

/// How often the wrapper is run: `--samples` if that is more than the text asks for, once where times
/// mean nothing.
pub(crate) fn runs(run: &Run) -> u32 {
    match run.options().samples {
        _ if run.is_emulated() => 1,
        Some(samples) => samples.max(50),
        None => RUNS,
    }
}

/// One number in managed memory: the host and the kernels use the same address.
pub(crate) struct Managed {
    pointer: cudarc::driver::sys::CUdeviceptr,
}

impl Managed {
    /// Allocates it.
    ///
    /// # Errors
    /// [`Error::Skip`] on a device without managed memory; the driver's.
    pub(crate) fn new(run: &Run) -> Result<Self> {
        let device = &run.session().device;
        if !device.managed_memory {
            return Err(Error::Skip(format!(
                "{} has no managed memory",
                device.name
            )));
        }
        run.session().context.bind_to_thread()?;
        // SAFETY: eight bytes, written before they are read.
        let pointer =
            unsafe { result::malloc_managed(8, CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL) }?;
        Ok(Self { pointer })
    }

    /// The address for a kernel's argument.
    pub(crate) fn address(&self) -> u64 {
        self.pointer
    }

    /// Writes it from the host. The device must be idle.
    pub(crate) fn write<T: Copy>(&mut self, value: T) {
        assert!(size_of::<T>() <= 8);
        // SAFETY: eight bytes of managed memory, aligned far beyond 8.
        unsafe { (self.pointer as *mut T).write_volatile(value) };
    }

    /// Reads it from the host. The device must be idle, and a T must have been written.
    pub(crate) fn read<T: Copy>(&self) -> T {
        assert!(size_of::<T>() <= 8);
        // SAFETY: as above; every bit pattern of a float is one.
        unsafe { (self.pointer as *const T).read_volatile() }
    }
}

impl Drop for Managed {
    fn drop(&mut self) {
        // SAFETY: allocated by `new`, freed once. A context that a kernel ruined refuses; nothing is lost then.
        let _ = unsafe { result::memory_free(self.pointer) };
    }
}

/// Milliseconds of each of `runs` runs of `body`, after one that is not counted.
pub(crate) fn time(runs: u32, mut body: impl FnMut() -> Result<()>) -> Result<Vec<f64>> {
    if runs > 1 {
        body()?;
    }
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            body()?;
            Ok(start.elapsed().as_secs_f64() * 1e3)
        })
        .collect()
}

/// Least, median and mean of `times`, which are not empty.
pub(crate) fn summary(times: &[f64]) -> [f64; 3] {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let median = if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    };
    [
        sorted[0],
        median,
        sorted.iter().sum::<f64>() / sorted.len() as f64,
    ]
}
