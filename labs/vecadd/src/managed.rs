//! Managed memory: one address for host and device, pages that move.
use cudarc::driver::{DevicePtr, UnifiedSlice, sys, sys::CUmem_advise as Advice};
use harness::Result;

use crate::mode::{Add, Transfer};

/// The driver's number for the host among devices (`CU_DEVICE_CPU`).
const HOST: sys::CUdevice = -1;

/// Three managed vectors.
pub struct Managed<'a> {
    add: &'a Add<'a>,
    vectors: [UnifiedSlice<f32>; 3],
    prefetch: bool,
}

impl<'a> Managed<'a> {
    pub fn plain(add: &'a Add<'a>) -> Result<Self> {
        let context = &add.run.session().context;
        // SAFETY: every float is written before it is read.
        let alloc = || unsafe { context.alloc_unified::<f32>(add.n, true) };
        Ok(Self {
            add,
            vectors: [alloc()?, alloc()?, alloc()?],
            prefetch: false,
        })
    }

    pub fn prefetched(add: &'a Add<'a>) -> Result<Self> {
        Ok(Self {
            prefetch: true,
            ..Self::plain(add)?
        })
    }

    /// The inputs are mostly read, so the device takes copies and the host's pages stay; the sum's home is
    /// the device, so its pages are made there and not moved there.
    pub fn advised(add: &'a Add<'a>) -> Result<Self> {
        let managed = Self::plain(add)?;
        let device = add.run.session().context.cu_device();
        for (i, advice) in [
            (0, Advice::CU_MEM_ADVISE_SET_READ_MOSTLY),
            (1, Advice::CU_MEM_ADVISE_SET_READ_MOSTLY),
            (2, Advice::CU_MEM_ADVISE_SET_PREFERRED_LOCATION),
        ] {
            let (pointer, bytes) = managed.range(i);
            // SAFETY: the range is this vector's managed memory.
            unsafe { sys::cuMemAdvise(pointer, bytes, advice, device) }.result()?;
        }
        Ok(managed)
    }

    fn range(&self, i: usize) -> (sys::CUdeviceptr, usize) {
        (
            self.vectors[i].device_ptr(self.add.run.stream()).0,
            self.vectors[i].num_bytes(),
        )
    }

    fn send(&self, i: usize, to: sys::CUdevice) -> Result<()> {
        let (pointer, bytes) = self.range(i);
        // SAFETY: the range is this vector's managed memory, which outlives the stream's work.
        Ok(unsafe {
            sys::cuMemPrefetchAsync(pointer, bytes, to, self.add.run.stream().cu_stream())
        }
        .result()?)
    }
}

impl Transfer for Managed<'_> {
    fn touch(&mut self, x: &[f32], y: &[f32]) -> Result<()> {
        self.vectors[0].as_mut_slice()?.copy_from_slice(x);
        self.vectors[1].as_mut_slice()?.copy_from_slice(y);
        Ok(())
    }

    fn poison(&mut self) -> Result<()> {
        // By the host, which brings the pages home: every pass starts from there.
        self.vectors[2].as_mut_slice()?.fill(f32::NAN);
        Ok(())
    }

    fn to_device(&mut self) -> Result<()> {
        if self.prefetch {
            let device = self.add.run.session().context.cu_device();
            (0..3).try_for_each(|i| self.send(i, device))?;
        }
        Ok(())
    }

    fn add(&mut self) -> Result<()> {
        let pointers = [0, 1, 2].map(|i| self.range(i).0);
        // SAFETY: the three buffers hold n floats each, and outlive the stream's work.
        unsafe { self.add.launch(self.add.run.stream(), pointers, self.add.n) }
    }

    fn to_host(&mut self) -> Result<()> {
        if self.prefetch {
            self.send(2, HOST)
        } else {
            Ok(())
        }
    }

    fn sum(&mut self) -> Result<&[f32]> {
        Ok(self.vectors[2].as_slice()?)
    }

    fn moves_when_read(&self) -> bool {
        true
    }
}
