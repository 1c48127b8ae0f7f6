//! Chunks over streams: while one chunk is added, the next comes in and the one before goes out.
use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, PinnedHostSlice, result, sys::CUdeviceptr};
use harness::{Result, poison};

use crate::mode::{Add, Transfer};

/// One stream copies in, one computes and one copies out at any time.
const STREAMS: usize = 3;
/// Few chunks leave the engines idle at both ends, many cost a launch each.
const CHUNKS: usize = 16;
/// Below this a chunk's copies are all latency.
const SMALLEST_CHUNK: usize = 1 << 16;

/// Pinned vectors on the host, whole vectors on the device, and streams of our own.
pub struct Overlapped<'a> {
    add: &'a Add<'a>,
    host: [PinnedHostSlice<f32>; 3],
    device: [CudaSlice<f32>; 3],
    streams: Vec<Arc<CudaStream>>,
}

impl<'a> Overlapped<'a> {
    pub fn new(add: &'a Add<'a>) -> Result<Self> {
        let context = &add.run.session().context;
        // SAFETY: every float is written before it is read.
        let host = || unsafe { context.alloc_pinned_with_flags::<f32>(add.n, 0) };
        // SAFETY: as above.
        let device = || unsafe { add.run.stream().alloc::<f32>(add.n) };
        let streams = (0..STREAMS)
            .map(|_| context.new_stream())
            .collect::<std::result::Result<_, _>>()?;
        Ok(Self {
            add,
            host: [host()?, host()?, host()?],
            device: [device()?, device()?, device()?],
            streams,
        })
    }

    fn pointers(&self) -> [CUdeviceptr; 3] {
        [0, 1, 2].map(|i| self.device[i].device_ptr(self.add.run.stream()).0)
    }
}

impl Transfer for Overlapped<'_> {
    fn touch(&mut self, x: &[f32], y: &[f32]) -> Result<()> {
        self.host[0].as_mut_slice()?.copy_from_slice(x);
        self.host[1].as_mut_slice()?.copy_from_slice(y);
        Ok(())
    }

    fn poison(&mut self) -> Result<()> {
        self.host[2].as_mut_slice()?.fill(f32::NAN);
        self.poison_device()
    }

    fn poison_device(&mut self) -> Result<()> {
        poison(self.add.run, &mut self.device[2])
    }

    // The three steps by themselves do not overlap: they are measured apart.
    fn to_device(&mut self) -> Result<()> {
        let stream = self.add.run.stream();
        stream.memcpy_htod(&self.host[0], &mut self.device[0])?;
        Ok(stream.memcpy_htod(&self.host[1], &mut self.device[1])?)
    }

    fn add(&mut self) -> Result<()> {
        // SAFETY: the three buffers hold n floats each, and outlive the stream's work.
        unsafe {
            self.add
                .launch(self.add.run.stream(), self.pointers(), self.add.n)
        }
    }

    fn to_host(&mut self) -> Result<()> {
        Ok(self
            .add
            .run
            .stream()
            .memcpy_dtoh(&self.device[2], &mut self.host[2])?)
    }

    fn pass(&mut self) -> Result<()> {
        let main = self.add.run.stream();
        let pointers = self.pointers();
        let chunk = self
            .add
            .n
            .div_ceil(CHUNKS)
            .max(SMALLEST_CHUNK)
            .min(self.add.n);
        for stream in &self.streams {
            stream.join(main)?;
        }
        let [x, y, z] = &mut self.host;
        let (x, y, z) = (x.as_slice()?, y.as_slice()?, z.as_mut_slice()?);
        for (i, start) in (0..self.add.n).step_by(chunk).enumerate() {
            let stream = &self.streams[i % STREAMS];
            let here = start..(start + chunk).min(self.add.n);
            let at = pointers.map(|p| p + (start * size_of::<f32>()) as u64);
            // SAFETY: `here` lies within all six vectors; they live until the main stream, which waits
            // for the others below, is synchronised; chunks do not touch each other. The safe copies
            // would order the streams one after another, because they guard a vector as a whole.
            unsafe {
                result::memcpy_htod_async(at[0], &x[here.clone()], stream.cu_stream())?;
                result::memcpy_htod_async(at[1], &y[here.clone()], stream.cu_stream())?;
                self.add.launch(stream, at, here.len())?;
                result::memcpy_dtoh_async(&mut z[here], at[2], stream.cu_stream())?;
            }
        }
        for stream in &self.streams {
            main.join(stream)?;
        }
        Ok(())
    }

    fn sum(&mut self) -> Result<&[f32]> {
        Ok(self.host[2].as_slice()?)
    }
}
