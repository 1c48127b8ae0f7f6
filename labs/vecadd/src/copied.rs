//! Modes that copy: pageable, pinned, pinned-async and write-combined host memory.
use std::sync::Arc;

use cudarc::driver::{
    CudaSlice, CudaStream, DevicePtr, PinnedHostSlice, result,
    sys::{CU_MEMHOSTALLOC_WRITECOMBINED, CUdeviceptr},
};
use harness::{Result, ordinary_pages, poison};

use crate::mode::{Add, Allocated, Transfer};

/// One stream copies in, one computes and one copies out at any time.
const STREAMS: usize = 3;
/// Few chunks leave the engines idle at both ends; many chunks cost a launch each.
const CHUNKS: usize = 16;
/// Below this size a chunk's copies are all latency.
const SMALLEST_CHUNK: usize = 1 << 16;

/// A vector in host memory of one kind.
enum Host {
    Pageable(Vec<f32>),
    Pinned(PinnedHostSlice<f32>),
}

impl Host {
    fn pinned(add: &Add<'_>, flags: u32) -> Result<Self> {
        // SAFETY: every float is written by the host or by a copy before it is read.
        Ok(Self::Pinned(unsafe { add.run.session().context.alloc_pinned_with_flags(add.n, flags) }?))
    }

    fn as_mut_slice(&mut self) -> Result<&mut [f32]> {
        Ok(match self {
            Self::Pageable(vector) => vector,
            Self::Pinned(vector) => vector.as_mut_slice()?,
        })
    }
}

/// Three vectors on the host, three on the device.
struct Copied<'a> {
    add: &'a Add<'a>,
    host: [Host; 3],
    device: [CudaSlice<f32>; 3],
    /// Wait after every step, as the plain copy calls do.
    is_blocking: bool,
    /// Streams for a pass in chunks; `None` means that a pass goes step by step. The single steps are never split.
    streams: Vec<Arc<CudaStream>>,
}

pub(crate) fn pageable<'a>(add: &'a Add<'a>) -> Allocated<'a> {
    // The system zeroes these pages lazily, so the first touch pays for them.
    let host = [(); 3].map(|()| Host::Pageable(ordinary_pages(|| vec![0.0; add.n])));
    Ok(Box::new(Copied::new(add, host, true)?))
}

pub(crate) fn pinned<'a>(add: &'a Add<'a>) -> Allocated<'a> {
    Ok(Box::new(Copied { is_blocking: true, ..Copied::in_pinned_memory(add, 0)? }))
}

pub(crate) fn queued<'a>(add: &'a Add<'a>) -> Allocated<'a> {
    Ok(Box::new(Copied::in_pinned_memory(add, 0)?))
}

pub(crate) fn write_combined<'a>(add: &'a Add<'a>) -> Allocated<'a> {
    Ok(Box::new(Copied::in_pinned_memory(add, CU_MEMHOSTALLOC_WRITECOMBINED)?))
}

pub(crate) fn chunked<'a>(add: &'a Add<'a>) -> Allocated<'a> {
    let mut copied = Copied::in_pinned_memory(add, 0)?;
    for _ in 0..STREAMS {
        copied.streams.push(add.run.session().context.new_stream()?);
    }
    Ok(Box::new(copied))
}

impl<'a> Copied<'a> {
    /// Allocates the inputs in pinned memory with these flags. The sum has no flags: the host reads it, and reading
    /// write-combined memory is very slow.
    fn in_pinned_memory(add: &'a Add<'a>, flags: u32) -> Result<Self> {
        let host = [Host::pinned(add, flags)?, Host::pinned(add, flags)?, Host::pinned(add, 0)?];
        Self::new(add, host, false)
    }

    fn new(add: &'a Add<'a>, host: [Host; 3], is_blocking: bool) -> Result<Self> {
        // SAFETY: written by a copy or by the kernel before it is read.
        let alloc = || unsafe { add.run.stream().alloc::<f32>(add.n) };
        Ok(Self { add, host, device: [alloc()?, alloc()?, alloc()?], is_blocking, streams: Vec::new() })
    }

    /// A pass in chunks over the mode's own streams.
    fn in_chunks(&mut self) -> Result<()> {
        let (main, n) = (self.add.run.stream(), self.add.n);
        // Chunks begin at multiples of 16 bytes, as vectors do.
        let chunk = n.div_ceil(CHUNKS).next_multiple_of(4).max(SMALLEST_CHUNK).min(n);
        for stream in &self.streams {
            stream.join(main)?;
        }
        let addresses = self.addresses();
        let [x, y, z] = &mut self.host;
        let (x, y, z) = (x.as_mut_slice()?, y.as_mut_slice()?, z.as_mut_slice()?);
        for (start, stream) in (0..n).step_by(chunk).zip(self.streams.iter().cycle()) {
            let here = start..(start + chunk).min(n);
            let at = addresses.map(|address| address + (start * size_of::<f32>()) as u64);
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

    fn step(&self) -> Result<()> {
        if self.is_blocking {
            self.add.run.stream().synchronize()?;
        }
        Ok(())
    }
}

impl Transfer for Copied<'_> {
    fn host(&mut self, i: usize) -> Result<&mut [f32]> {
        self.host[i].as_mut_slice()
    }

    fn addresses(&self) -> [CUdeviceptr; 3] {
        self.device.each_ref().map(|vector| vector.device_ptr(self.add.run.stream()).0)
    }

    fn poison_device(&mut self) -> Result<()> {
        poison(self.add.run.stream(), &mut self.device[2])
    }

    fn to_device(&mut self) -> Result<()> {
        let stream = self.add.run.stream();
        for i in 0..2 {
            match &self.host[i] {
                Host::Pageable(vector) => stream.memcpy_htod(vector, &mut self.device[i])?,
                Host::Pinned(vector) => stream.memcpy_htod(vector, &mut self.device[i])?,
            }
            self.step()?;
        }
        Ok(())
    }

    fn add(&mut self) -> Result<()> {
        // SAFETY: the three buffers hold n floats each, and outlive the stream's work.
        unsafe { self.add.launch(self.add.run.stream(), self.addresses(), self.add.n) }?;
        self.step()
    }

    fn to_host(&mut self) -> Result<()> {
        let stream = self.add.run.stream();
        match &mut self.host[2] {
            Host::Pageable(vector) => stream.memcpy_dtoh(&self.device[2], vector)?,
            Host::Pinned(vector) => stream.memcpy_dtoh(&self.device[2], vector)?,
        }
        self.step()
    }

    fn pass(&mut self) -> Result<()> {
        if self.streams.is_empty() { self.steps() } else { self.in_chunks() }
    }
}
