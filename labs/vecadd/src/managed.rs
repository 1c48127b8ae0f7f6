//! Managed memory: one address for host and device, and pages that migrate.
use cudarc::driver::{DevicePtr, UnifiedSlice, sys, sys::CUmem_advise as Advice};
use harness::Result;

use crate::mode::{Add, Allocated, Transfer};

/// The driver's number for the host among devices (`CU_DEVICE_CPU`).
const HOST: sys::CUdevice = -1;

/// Three managed vectors.
pub(crate) struct Managed<'a> {
    add: &'a Add<'a>,
    vectors: [UnifiedSlice<f32>; 3],
    is_prefetched: bool,
    /// Whether the sum stays on the host.
    is_sum_mapped: bool,
}

pub(crate) fn plain<'a>(add: &'a Add<'a>) -> Allocated<'a> {
    Ok(Box::new(Managed::new(add)?))
}

pub(crate) fn prefetched<'a>(add: &'a Add<'a>) -> Allocated<'a> {
    Ok(Box::new(Managed { is_prefetched: true, ..Managed::new(add)? }))
}

/// The inputs are prefetched. The sum's preferred location is the host, and the device is marked as accessing it: the
/// driver maps its pages there, and the device stores over the link into pages that never migrate.
pub(crate) fn advised<'a>(add: &'a Add<'a>) -> Allocated<'a> {
    let managed = Managed { is_prefetched: true, is_sum_mapped: true, ..Managed::new(add)? };
    let device = add.run.session().context.cu_device();
    let (sum, bytes) = (managed.address(2), managed.vectors[2].num_bytes());
    for (advice, who) in
        [(Advice::CU_MEM_ADVISE_SET_PREFERRED_LOCATION, HOST), (Advice::CU_MEM_ADVISE_SET_ACCESSED_BY, device)]
    {
        // SAFETY: the range is the sum's managed memory.
        unsafe { sys::cuMemAdvise(sum, bytes, advice, who) }.result()?;
    }
    Ok(Box::new(managed))
}

impl<'a> Managed<'a> {
    fn new(add: &'a Add<'a>) -> Result<Self> {
        let context = &add.run.session().context;
        // SAFETY: every float is written before it is read.
        let alloc = || unsafe { context.alloc_unified::<f32>(add.n, true) };
        Ok(Self { add, vectors: [alloc()?, alloc()?, alloc()?], is_prefetched: false, is_sum_mapped: false })
    }

    fn address(&self, i: usize) -> sys::CUdeviceptr {
        self.vectors[i].device_ptr(self.add.run.stream()).0
    }

    /// Prefetches vector `i`, in modes that prefetch.
    fn send(&self, i: usize, to: sys::CUdevice) -> Result<()> {
        if self.is_prefetched && !(i == 2 && self.is_sum_mapped) {
            let (address, bytes) = (self.address(i), self.vectors[i].num_bytes());
            // SAFETY: the range is this vector's managed memory, which outlives the stream's work.
            unsafe { sys::cuMemPrefetchAsync(address, bytes, to, self.add.run.stream().cu_stream()) }.result()?;
        }
        Ok(())
    }
}

impl Transfer for Managed<'_> {
    /// The host's access migrates the pages back: because z is poisoned, every pass starts with its pages on the host.
    fn host(&mut self, i: usize) -> Result<&mut [f32]> {
        Ok(self.vectors[i].as_mut_slice()?)
    }

    fn addresses(&self) -> [sys::CUdeviceptr; 3] {
        [0, 1, 2].map(|i| self.address(i))
    }

    fn to_device(&mut self) -> Result<()> {
        let device = self.add.run.session().context.cu_device();
        (0..3).try_for_each(|i| self.send(i, device))
    }

    fn add(&mut self) -> Result<()> {
        // SAFETY: the three buffers hold n floats each, and outlive the stream's work.
        unsafe { self.add.launch(self.add.run.stream(), self.addresses(), self.add.n) }
    }

    fn to_host(&mut self) -> Result<()> {
        self.send(2, HOST)
    }

    fn moves_when_read(&self) -> bool {
        true
    }
}
