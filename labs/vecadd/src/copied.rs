//! Modes that copy: pageable, pinned, pinned-async and write-combined host memory.
use std::{ops::Range, sync::Arc};

use cudarc::driver::{
    CudaEvent, CudaSlice, CudaStream, DevicePtr, PinnedHostSlice, result,
    sys::{CU_MEMHOSTALLOC_WRITECOMBINED, CUdeviceptr},
};
use harness::{Result, ordinary_pages, poison};

use crate::mode::{Add, Allocated, Transfer};

/// Below this size a chunk's copies are dominated by latency.
const SMALLEST_CHUNK: usize = 1 << 17;

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
    /// Whether to wait after every step, as the plain copy calls do.
    is_blocking: bool,
    /// Streams for a pass in chunks; `None` for a pass step by step. The single steps are never split.
    engines: Option<Engines>,
}

/// A stream for each of the engines that work in parallel.
struct Engines {
    copy_in: Arc<CudaStream>,
    add: Arc<CudaStream>,
    copy_out: Arc<CudaStream>,
    /// For each chunk, the events of its arrival and of its addition. They are made beforehand: making an event takes
    /// longer than recording it.
    done: Vec<[CudaEvent; 2]>,
}

/// The ranges of the chunks of `n` elements. While the sum of one chunk is copied back, the inputs of the next come in:
/// half the elements take as long, because the inputs have twice the bytes. So each chunk is half of the rest; the
/// first is a quarter of all, so that the way back is in use early. All begin at multiples of 16 bytes, as vectors do.
fn chunks(n: usize) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let left = n - start;
        let half = (left / 2).min(n / 4).next_multiple_of(4).max(SMALLEST_CHUNK);
        let here = if left < half + SMALLEST_CHUNK / 2 { left } else { half };
        start += here;
        (here > 0).then(|| start - here..start)
    })
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
    let context = &add.run.session().context;
    let done =
        chunks(add.n).map(|_| Ok([context.new_event(None)?, context.new_event(None)?])).collect::<Result<_>>()?;
    let (copy_in, add_up, copy_out) = (context.new_stream()?, context.new_stream()?, context.new_stream()?);
    let engines = Engines { copy_in, add: add_up, copy_out, done };
    Ok(Box::new(Copied { engines: Some(engines), ..Copied::in_pinned_memory(add, 0)? }))
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
        Ok(Self { add, host, device: [alloc()?, alloc()?, alloc()?], is_blocking, engines: None })
    }

    /// Runs a pass in chunks: while one is added, the next comes in and the previous one goes out.
    fn in_chunks(&mut self) -> Result<()> {
        let addresses = self.addresses();
        let (main, Some(Engines { copy_in, add, copy_out, done })) = (self.add.run.stream(), &self.engines) else {
            return self.steps();
        };
        copy_in.join(main)?;
        let [x, y, z] = &mut self.host;
        let (x, y, z) = (x.as_mut_slice()?, y.as_mut_slice()?, z.as_mut_slice()?);
        for (here, [came, added]) in chunks(self.add.n).zip(done) {
            let at = addresses.map(|address| address + (here.start * size_of::<f32>()) as u64);
            // SAFETY: `here` lies within all six vectors; they live until the main stream, which waits for the last
            // copy below, is synchronised; each stream waits for what it needs of the one before; chunks do not
            // overlap. The safe copies would order the streams one after another, because they guard a vector as a
            // whole.
            unsafe {
                result::memcpy_htod_async(at[0], &x[here.clone()], copy_in.cu_stream())?;
                result::memcpy_htod_async(at[1], &y[here.clone()], copy_in.cu_stream())?;
                came.record(copy_in)?;
                add.wait(came)?;
                self.add.launch(add, at, here.len())?;
                added.record(add)?;
                copy_out.wait(added)?;
                result::memcpy_dtoh_async(&mut z[here], at[2], copy_out.cu_stream())?;
            }
        }
        main.join(copy_out)?;
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
        self.in_chunks()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_all_and_halve() {
        for n in [1, 31, SMALLEST_CHUNK, SMALLEST_CHUNK + 1, 200_003, 999_983, 1 << 24, (1 << 24) + 5] {
            let chunks: Vec<_> = chunks(n).collect();
            assert_eq!(chunks.first().map(|chunk| chunk.start), Some(0), "{n}");
            assert_eq!(chunks.last().map(|chunk| chunk.end), Some(n), "{n}");
            assert!(chunks.windows(2).all(|two| two[0].end == two[1].start), "{n}: {chunks:?}");
            assert!(chunks.iter().all(|chunk| chunk.start % 4 == 0 && !chunk.is_empty()), "{n}: {chunks:?}");
        }
        let lengths: Vec<usize> = chunks(1 << 24).map(|chunk| chunk.len() >> 17).collect();
        assert_eq!(lengths, [32, 32, 32, 16, 8, 4, 2, 1, 1]);
    }
}
