//! Zero-copy: host memory mapped into the device's address space. The kernel's loads and stores cross the link one by
//! one.
use cudarc::driver::{PinnedHostSlice, sys};
use harness::Result;

use crate::mode::{Add, Allocated, Transfer};

/// Three pinned, mapped vectors, and their addresses on the device.
pub(crate) struct Mapped<'a> {
    add: &'a Add<'a>,
    host: [PinnedHostSlice<f32>; 3],
    device: [sys::CUdeviceptr; 3],
}

pub(crate) fn zero_copy<'a>(add: &'a Add<'a>) -> Allocated<'a> {
    let context = &add.run.session().context;
    // SAFETY: every float is written before it is read.
    let alloc = || unsafe { context.alloc_pinned_with_flags::<f32>(add.n, sys::CU_MEMHOSTALLOC_DEVICEMAP) };
    let mut host = [alloc()?, alloc()?, alloc()?];
    let mut device = [0; 3];
    for (vector, address) in host.iter_mut().zip(&mut device) {
        // SAFETY: the pointer is that of pinned memory allocated to be mapped.
        unsafe { sys::cuMemHostGetDevicePointer_v2(address, vector.as_mut_ptr()?.cast(), 0) }.result()?;
    }
    Ok(Box::new(Mapped { add, host, device }))
}

impl Transfer for Mapped<'_> {
    fn host(&mut self, i: usize) -> Result<&mut [f32]> {
        Ok(self.host[i].as_mut_slice()?)
    }

    fn addresses(&self) -> [sys::CUdeviceptr; 3] {
        self.device
    }

    fn add(&mut self) -> Result<()> {
        // SAFETY: the three vectors hold n floats each, and outlive the stream's work.
        unsafe { self.add.launch(self.add.run.stream(), self.device, self.add.n) }
    }
}
