//! Zero-copy: host memory mapped into the device's address space; the kernel's loads and stores cross the
//! link one by one.
use cudarc::driver::{PinnedHostSlice, sys};
use harness::Result;

use crate::mode::{Add, Transfer};

/// Three pinned, mapped vectors, and their addresses on the device.
pub struct Mapped<'a> {
    add: &'a Add<'a>,
    host: [PinnedHostSlice<f32>; 3],
    device: [sys::CUdeviceptr; 3],
}

impl<'a> Mapped<'a> {
    pub fn new(add: &'a Add<'a>) -> Result<Self> {
        // SAFETY: every float is written before it is read.
        let alloc = || unsafe {
            add.run
                .session()
                .context
                .alloc_pinned_with_flags::<f32>(add.n, sys::CU_MEMHOSTALLOC_DEVICEMAP)
        };
        let mut host = [alloc()?, alloc()?, alloc()?];
        let mut device = [0; 3];
        for (vector, pointer) in host.iter_mut().zip(&mut device) {
            let address = vector.as_mut_ptr()?.cast();
            // SAFETY: the address is that of pinned memory allocated to be mapped.
            unsafe { sys::cuMemHostGetDevicePointer_v2(pointer, address, 0) }.result()?;
        }
        Ok(Self { add, host, device })
    }
}

impl Transfer for Mapped<'_> {
    fn touch(&mut self, x: &[f32], y: &[f32]) -> Result<()> {
        self.host[0].as_mut_slice()?.copy_from_slice(x);
        self.host[1].as_mut_slice()?.copy_from_slice(y);
        Ok(())
    }

    fn poison(&mut self) -> Result<()> {
        self.host[2].as_mut_slice()?.fill(f32::NAN);
        Ok(())
    }

    fn to_device(&mut self) -> Result<()> {
        Ok(())
    }

    fn add(&mut self) -> Result<()> {
        // SAFETY: the three vectors hold n floats each, and outlive the stream's work.
        unsafe {
            self.add
                .launch(self.add.run.stream(), self.device, self.add.n)
        }
    }

    fn to_host(&mut self) -> Result<()> {
        Ok(())
    }

    fn sum(&mut self) -> Result<&[f32]> {
        Ok(self.host[2].as_slice()?)
    }
}
