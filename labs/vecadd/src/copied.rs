//! Modes that copy: pageable, pinned, pinned-async and write-combined host memory.
use cudarc::driver::{CudaSlice, DevicePtr, PinnedHostSlice, sys};
use harness::{Result, poison};

use crate::mode::{Add, Transfer};

/// Host memory of one kind.
enum Host {
    Pageable(Vec<f32>),
    Pinned(PinnedHostSlice<f32>),
}

impl Host {
    fn pinned(add: &Add<'_>, flags: u32) -> Result<Self> {
        // SAFETY: every float is written by `touch` or by a copy before it is read.
        Ok(Self::Pinned(unsafe {
            add.run
                .session()
                .context
                .alloc_pinned_with_flags(add.n, flags)
        }?))
    }

    fn as_slice(&self) -> Result<&[f32]> {
        Ok(match self {
            Self::Pageable(v) => v,
            Self::Pinned(p) => p.as_slice()?,
        })
    }

    fn as_mut_slice(&mut self) -> Result<&mut [f32]> {
        Ok(match self {
            Self::Pageable(v) => v,
            Self::Pinned(p) => p.as_mut_slice()?,
        })
    }
}

/// Three vectors on the host, three on the device.
pub struct Copied<'a> {
    add: &'a Add<'a>,
    host: [Host; 3],
    device: [CudaSlice<f32>; 3],
    /// Wait after every step, as the plain copy calls do.
    blocking: bool,
}

impl<'a> Copied<'a> {
    pub fn pageable(add: &'a Add<'a>) -> Result<Self> {
        // Zeroed lazily by the system: the first touch pays for the pages.
        let host = [(); 3].map(|()| Host::Pageable(vec![0.0; add.n]));
        Self::new(add, host, true)
    }

    pub fn pinned(add: &'a Add<'a>) -> Result<Self> {
        Self::new(
            add,
            [
                Host::pinned(add, 0)?,
                Host::pinned(add, 0)?,
                Host::pinned(add, 0)?,
            ],
            true,
        )
    }

    pub fn queued(add: &'a Add<'a>) -> Result<Self> {
        Self::new(
            add,
            [
                Host::pinned(add, 0)?,
                Host::pinned(add, 0)?,
                Host::pinned(add, 0)?,
            ],
            false,
        )
    }

    pub fn write_combined(add: &'a Add<'a>) -> Result<Self> {
        // The sum is read by the host, and reading write-combined memory is very slow.
        let input = || Host::pinned(add, sys::CU_MEMHOSTALLOC_WRITECOMBINED);
        Self::new(add, [input()?, input()?, Host::pinned(add, 0)?], false)
    }

    fn new(add: &'a Add<'a>, host: [Host; 3], blocking: bool) -> Result<Self> {
        // SAFETY: written by a copy or by the kernel before it is read.
        let alloc = || unsafe { add.run.stream().alloc::<f32>(add.n) };
        Ok(Self {
            add,
            host,
            device: [alloc()?, alloc()?, alloc()?],
            blocking,
        })
    }

    fn step(&self) -> Result<()> {
        if self.blocking {
            self.add.run.stream().synchronize()?;
        }
        Ok(())
    }
}

impl Transfer for Copied<'_> {
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

    fn to_device(&mut self) -> Result<()> {
        for i in 0..2 {
            let stream = self.add.run.stream();
            match &self.host[i] {
                Host::Pageable(v) => stream.memcpy_htod(v, &mut self.device[i])?,
                Host::Pinned(p) => stream.memcpy_htod(p, &mut self.device[i])?,
            }
            self.step()?;
        }
        Ok(())
    }

    fn add(&mut self) -> Result<()> {
        let stream = self.add.run.stream();
        let pointers = [0, 1, 2].map(|i| self.device[i].device_ptr(stream).0);
        // SAFETY: the three buffers hold n floats each, and outlive the stream's work.
        unsafe { self.add.launch(stream, pointers, self.add.n) }?;
        self.step()
    }

    fn to_host(&mut self) -> Result<()> {
        let stream = self.add.run.stream();
        match &mut self.host[2] {
            Host::Pageable(v) => stream.memcpy_dtoh(&self.device[2], v)?,
            Host::Pinned(p) => stream.memcpy_dtoh(&self.device[2], p)?,
        }
        self.step()
    }

    fn sum(&mut self) -> Result<&[f32]> {
        self.host[2].as_slice()
    }
}
