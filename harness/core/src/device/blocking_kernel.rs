//! Keeps the device busy while the host prepares a launch. If the device has to wait for a launch, that wait is
//! included between its events: 5 us for an empty kernel on an H200, and 30 us after the host has read 64 MiB to check
//! an output. Behind a kernel that runs meanwhile, events enclose only the device's work. NVBench's blocking kernel
//! waits for the host; this kernel ends automatically after a fixed time, so a body that waits for the device cannot
//! deadlock.
use std::{
    cell::Cell,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use cudarc::{
    driver::{CudaContext, CudaFunction, CudaStream, LaunchConfig, PushKernelArg},
    nvrtc::Ptx,
};

use crate::error::Result;

/// A kernel of one thread that runs for a given number of clocks of its multiprocessor. For the oldest target and PTX
/// version that any supported driver reads.
const KERNEL: &str = ".version 6.0
.target sm_50
.address_size 64
.visible .entry keeps_the_device_busy(.param .u64 clocks)
{
    .reg .pred %p<2>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [clocks];
    mov.u64 %rd2, %clock64;
AGAIN:
    mov.u64 %rd3, %clock64;
    sub.s64 %rd3, %rd3, %rd2;
    setp.lt.u64 %p1, %rd3, %rd1;
    @%p1 bra AGAIN;
    ret;
}
";

/// An upper bound of a multiprocessor's clocks in a microsecond, so that the kernel runs for at least the requested
/// time.
const CLOCKS_PER_US: u64 = 3000;
const LEAST: Duration = Duration::from_micros(50);
const MOST: Duration = Duration::from_micros(500);

/// The kernel, which a session loads once.
#[derive(Debug, Default)]
pub(crate) struct LoadedBlockingKernel(OnceLock<CudaFunction>);

/// Keeps the device busy before each sample, for twice as long as the host took to enqueue the last one.
#[derive(Debug)]
pub(crate) struct BlockingKernel<'s> {
    function: &'s CudaFunction,
    stream: &'s Arc<CudaStream>,
    time: Cell<Duration>,
}

impl<'s> BlockingKernel<'s> {
    /// Returns a guard for work on `stream`.
    ///
    /// # Errors
    /// The driver's errors.
    pub(crate) fn new(
        loaded: &'s LoadedBlockingKernel,
        context: &Arc<CudaContext>,
        stream: &'s Arc<CudaStream>,
    ) -> Result<Self> {
        let loaded = &loaded.0;
        if loaded.get().is_none() {
            let module = context.load_module(Ptx::from_src(KERNEL))?;
            // If another thread has set it meanwhile, that value is equivalent.
            let _ = loaded.set(module.load_function("keeps_the_device_busy")?);
        }
        let function = loaded.get().expect("it was set above");
        Ok(Self { function, stream, time: Cell::new(2 * LEAST) })
    }

    /// Runs `enqueue` while the stream's work is delayed.
    ///
    /// # Errors
    /// The driver's, and those of `enqueue`.
    pub(crate) fn during<T>(&self, enqueue: impl FnOnce() -> Result<T>) -> Result<T> {
        let one = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
        let clocks = self.time.get().as_micros() as u64 * CLOCKS_PER_US;
        // SAFETY: the kernel takes one number and touches no memory.
        unsafe { self.stream.launch_builder(self.function).arg(&clocks).launch(one) }?;
        let began = Instant::now();
        let done = enqueue();
        self.time.set(time_for(began.elapsed()));
        done
    }
}

/// Returns how long to keep the device busy for a sample, if the last one was enqueued in this time.
fn time_for(enqueued: Duration) -> Duration {
    (2 * enqueued).clamp(LEAST, MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::session::Session;

    #[test]
    fn the_device_is_busy_for_twice_as_long_as_the_last_sample_took_to_enqueue() {
        let of = |us| time_for(Duration::from_micros(us)).as_micros();
        assert_eq!([0, 25, 26, 100, 250, 100_000].map(of), [50, 50, 52, 200, 500, 500]);
    }

    /// Runs on the machine, whose clock advances with each instruction.
    #[test]
    fn the_kernel_ends_by_itself_before_what_is_enqueued() {
        let session = Session::open(&"emulated".parse().unwrap()).unwrap();
        let busy = BlockingKernel::new(&session.busy, &session.context, &session.stream).unwrap();
        let ones = busy.during(|| Ok(session.stream.clone_htod(&[1_u32; 4])?)).unwrap();
        assert_eq!(session.stream.clone_dtoh(&ones).unwrap(), [1; 4]);
        assert!((LEAST..=MOST).contains(&busy.time.get()));
        assert!(session.busy.0.get().is_some());
    }
}
