//! Launches one method on a stream: buffers, passes, and the result back.
use std::sync::Arc;

use cudarc::driver::{
    CudaFunction, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DriverError, LaunchConfig,
    PushKernelArg,
};

use crate::{Grid, Method, Op, Shape};

/// One method for one operation and size, its kernels loaded.
#[derive(Debug)]
pub struct Reducer {
    stream: Arc<CudaStream>,
    method: Method,
    op: Op,
    n: usize,
    shape: Shape,
    first: CudaFunction,
    next: CudaFunction,
}

/// What a reduction writes.
#[derive(Debug)]
pub struct Buffers {
    /// Partial results, one a block; two, because a pass must not read what it writes.
    partial: [CudaSlice<f32>; 2],
    result: CudaSlice<f32>,
    /// The result in double, for [`Method::in_double`].
    wide: CudaSlice<f64>,
    /// Blocks that have finished; the last one of a launch leaves it at 0.
    tickets: CudaSlice<u32>,
}

impl Reducer {
    /// Loads the kernels by `load(file, kernel)`.
    ///
    /// # Errors
    /// What `load` gives.
    pub fn new<E>(
        stream: &Arc<CudaStream>,
        method: Method,
        op: Op,
        n: usize,
        shape: Shape,
        load: impl Fn(&str, &str) -> Result<CudaFunction, E>,
    ) -> Result<Self, E> {
        let (file, kernel) = method.kernel(op);
        let first = load(file, &kernel)?;
        let next = if method.launches(n, shape).len() > 1 {
            let (file, kernel) = method.kernel(op.join());
            load(file, &kernel)?
        } else {
            first.clone()
        };
        Ok(Self {
            stream: stream.clone(),
            method,
            op,
            n,
            shape,
            first,
            next,
        })
    }

    /// The first launch.
    pub fn config(&self) -> LaunchConfig {
        self.launch_of(self.shape.blocks)
    }

    fn launch_of(&self, blocks: u32) -> LaunchConfig {
        LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (self.shape.threads, 1, 1),
            shared_mem_bytes: self.method.shared_bytes(self.shape.threads),
        }
    }

    /// Buffers for [`Reducer::launch`].
    ///
    /// # Errors
    /// The driver's.
    pub fn buffers(&self) -> Result<Buffers, DriverError> {
        let blocks = self.shape.blocks as usize;
        Ok(Buffers {
            partial: [
                self.stream.alloc_zeros(blocks)?,
                self.stream.alloc_zeros(blocks)?,
            ],
            result: self.stream.alloc_zeros(1)?,
            wide: self.stream.alloc_zeros(1)?,
            tickets: self.stream.alloc_zeros(1)?,
        })
    }

    /// Poisons what the kernels are to write: all bits 1, a NaN.
    ///
    /// # Errors
    /// The driver's.
    pub fn poison(&self, b: &mut Buffers) -> Result<(), DriverError> {
        fill_ones(&self.stream, &mut b.partial[0])?;
        fill_ones(&self.stream, &mut b.partial[1])?;
        fill_ones(&self.stream, &mut b.result)?;
        fill_ones(&self.stream, &mut b.wide)
    }

    /// Puts the whole reduction on the stream: `x` and `y` hold n floats (only a dot product reads
    /// `y`), or one where n is 0.
    ///
    /// # Errors
    /// The driver's.
    pub fn launch(
        &self,
        x: &impl DevicePtr<f32>,
        y: &impl DevicePtr<f32>,
        b: &mut Buffers,
    ) -> Result<(), DriverError> {
        let (x, _x_in_use) = x.device_ptr(&self.stream);
        let (y, _y_in_use) = y.device_ptr(&self.stream);
        let n = self.n as u64;
        let config = self.config();
        let mut launch = self.stream.launch_builder(&self.first);
        launch.arg(&x).arg(&y);
        // SAFETY (all launches): arguments as the kernels declare them; x and y hold n floats,
        // partial as many as there are blocks, the others one.
        match self.method {
            Method::AtomicFinish | Method::CasLoop if self.op == Op::Max => {
                fill_ones(&self.stream, &mut b.result)?;
                unsafe { launch.arg(&mut b.result).arg(&n).launch(config) }?;
            }
            Method::AtomicFinish => {
                self.stream.memset_zeros(&mut b.result)?;
                unsafe { launch.arg(&mut b.result).arg(&n).launch(config) }?;
            }
            Method::CasLoop => {
                self.stream.memset_zeros(&mut b.wide)?;
                unsafe { launch.arg(&mut b.wide).arg(&n).launch(config) }?;
            }
            Method::Vectorized => {
                launch.arg(&mut b.partial[0]).arg(&mut b.tickets);
                unsafe { launch.arg(&mut b.result).arg(&n).launch(config) }?;
            }
            _ => {
                let launches = self.method.launches(self.n, self.shape);
                if launches.len() == 1 {
                    unsafe { launch.arg(&mut b.result).arg(&n).launch(config) }?;
                    return Ok(());
                }
                unsafe { launch.arg(&mut b.partial[0]).arg(&n).launch(config) }?;
                self.join(&launches, b)?;
            }
        }
        Ok(())
    }

    /// The launches after the first, each over the partial results of the one before.
    fn join(&self, launches: &[u32], b: &mut Buffers) -> Result<(), DriverError> {
        let [from, to] = &mut b.partial;
        let (mut from, mut to) = (from, to);
        for (i, &blocks) in launches.iter().enumerate().skip(1) {
            let n = u64::from(launches[i - 1]);
            let mut launch = self.stream.launch_builder(&self.next);
            launch.arg(&*from).arg(&*from);
            let to_write = if i + 1 == launches.len() {
                &mut b.result
            } else {
                &mut *to
            };
            launch.arg(to_write).arg(&n);
            // SAFETY: as in `launch`.
            unsafe { launch.launch(self.launch_of(blocks)) }?;
            std::mem::swap(&mut from, &mut to);
        }
        Ok(())
    }

    /// The result, as f64.
    ///
    /// # Errors
    /// The driver's; this is where an asynchronous fault of the kernel is seen.
    pub fn result(&self, b: &Buffers) -> Result<f64, DriverError> {
        if self.method.in_double(self.op) {
            return Ok(self.stream.clone_dtoh(&b.wide)?[0]);
        }
        Ok(f64::from(self.stream.clone_dtoh(&b.result)?[0]))
    }

    /// Whether `n` and the block fit the method.
    ///
    /// # Errors
    /// What does not fit, in words.
    pub fn fits(method: Method, n: usize) -> Result<(), String> {
        match method {
            Method::DotPow2 if n > 1024 || !n.is_power_of_two() => Err(format!(
                "dot-pow2 takes a power of two up to 1024, not {n}; dot-1024 takes any n up to 1024, the others any n"
            )),
            Method::Dot1024 if n > 1024 || n == 0 => Err(format!(
                "dot-1024 takes 1 to 1024 elements, not {n}; the variants above it take any n"
            )),
            _ => {
                debug_assert!(method.grid() != Grid::NThreads || n <= 1024);
                Ok(())
            }
        }
    }
}

/// Sets all bits of a buffer, on the stream: NaN as a float, -1 as an integer.
fn fill_ones<T>(stream: &CudaStream, buffer: &mut impl DevicePtrMut<T>) -> Result<(), DriverError> {
    let bytes = buffer.len() * size_of::<T>();
    let (pointer, _in_use) = buffer.device_ptr_mut(stream);
    // SAFETY: the buffer is `bytes` long and is kept until `_in_use` is dropped.
    unsafe { cudarc::driver::result::memset_d8_async(pointer, 0xFF, bytes, stream.cu_stream()) }
}
