//! Launches one method on a stream: buffers, passes, and the result back.
use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DevicePtr, LaunchConfig, PushKernelArg};
use harness::{Kernels, Result, poison};

use crate::{Finish, Op, Reducing};

/// One method for one operation and size: its loaded kernels, and their buffers.
#[derive(Debug)]
pub struct Reducer {
    stream: Arc<CudaStream>,
    how: Reducing,
    op: Op,
    n: usize,
    config: LaunchConfig,
    first: CudaFunction,
    next: CudaFunction,
    /// Partial results, one for each block. There are two buffers, because a pass must not read what it writes.
    partial: [CudaSlice<f32>; 2],
    result: CudaSlice<f32>,
    /// The result in double, for [`Reducing::in_double`].
    wide: CudaSlice<f64>,
    /// Blocks that have finished, or the lock; a launch leaves it at 0.
    tickets: CudaSlice<u32>,
}

impl Reducer {
    /// Loads the kernels of `how` for `op`, and allocates. `config` is the first launch.
    ///
    /// # Errors
    /// Those of [`Kernels::function`], and the driver's.
    pub fn new(kernels: &Kernels, how: Reducing, op: Op, n: usize, config: LaunchConfig) -> Result<Self> {
        let first = kernels.function(how.file, &how.kernel(op, config.block_dim.0))?;
        let next = match how.launches(config).len() {
            1 => first.clone(),
            _ => kernels.function(how.file, &how.kernel(op.join(), config.block_dim.0))?,
        };
        let (stream, blocks) = (kernels.session().stream.clone(), config.grid_dim.0 as usize);
        let partial = [stream.alloc_zeros(blocks)?, stream.alloc_zeros(blocks)?];
        let (result, wide, tickets) = (stream.alloc_zeros(1)?, stream.alloc_zeros(1)?, stream.alloc_zeros(1)?);
        Ok(Self { stream, how, op, n, config, first, next, partial, result, wide, tickets })
    }

    /// Poisons the output buffers: all bits are 1, which is a NaN.
    ///
    /// # Errors
    /// The driver's.
    pub fn poison(&mut self) -> Result<()> {
        poison(&self.stream, &mut self.partial[0])?;
        poison(&self.stream, &mut self.partial[1])?;
        poison(&self.stream, &mut self.result)?;
        poison(&self.stream, &mut self.wide)
    }

    /// Queues the whole reduction on the stream. `x` and `y` hold n floats, or one if n is 0; only a dot product reads
    /// `y`.
    ///
    /// # Errors
    /// The driver's.
    pub fn launch(&mut self, x: &impl DevicePtr<f32>, y: &impl DevicePtr<f32>) -> Result<()> {
        let (stream, n) = (self.stream.clone(), self.n as u64);
        let ((x, _x_in_use), (y, _y_in_use)) = (x.device_ptr(&stream), y.device_ptr(&stream));
        let mut launch = stream.launch_builder(&self.first);
        launch.arg(&x).arg(&y);
        // A sum starts from 0; a maximum from all bits 1, which is below every float in the order that the kernels use.
        match (self.how.finish, self.op) {
            (Finish::Atomic | Finish::AtomicInDouble | Finish::Lock, Op::Max) => {
                poison(&self.stream, &mut self.result)?;
            }
            (Finish::Atomic | Finish::Lock, _) => self.stream.memset_zeros(&mut self.result)?,
            (Finish::AtomicInDouble, _) => self.stream.memset_zeros(&mut self.wide)?,
            _ => {}
        }
        let launches = self.how.launches(self.config);
        match self.how.finish {
            Finish::Tickets => launch.arg(&mut self.partial[0]).arg(&mut self.tickets).arg(&mut self.result),
            Finish::Lock => launch.arg(&mut self.result).arg(&mut self.tickets),
            _ if self.how.in_double(self.op) => launch.arg(&mut self.wide),
            _ if launches.len() > 1 => launch.arg(&mut self.partial[0]),
            _ => launch.arg(&mut self.result),
        };
        launch.arg(&n);
        // SAFETY: the arguments are as the kernels declare them; x and y hold n floats, partial holds one for each
        // block, and the others hold one.
        unsafe { launch.launch(self.config) }?;
        self.join(&launches)
    }

    /// The launches after the first, each over the partial results of the previous one.
    fn join(&mut self, launches: &[u32]) -> Result<()> {
        let [from, to] = &mut self.partial;
        let (mut from, mut to) = (from, to);
        for (i, &blocks) in launches.iter().enumerate().skip(1) {
            let n = u64::from(launches[i - 1]);
            let mut launch = self.stream.launch_builder(&self.next);
            launch.arg(&*from).arg(&*from);
            let to_write = if i + 1 == launches.len() { &mut self.result } else { &mut *to };
            launch.arg(to_write).arg(&n);
            // SAFETY: as in `launch`.
            unsafe { launch.launch(LaunchConfig { grid_dim: (blocks, 1, 1), ..self.config }) }?;
            std::mem::swap(&mut from, &mut to);
        }
        Ok(())
    }

    /// The result, as f64.
    ///
    /// # Errors
    /// The driver's; this is where an asynchronous fault of the kernel is seen.
    pub fn result(&self) -> Result<f64> {
        if self.how.in_double(self.op) {
            return Ok(self.stream.clone_dtoh(&self.wide)?[0]);
        }
        Ok(f64::from(self.stream.clone_dtoh(&self.result)?[0]))
    }
}
