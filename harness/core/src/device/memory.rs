//! The device's memory: how much is free, and how much the stream-ordered allocator retains.
use std::{ffi::c_void, ptr};

use cudarc::driver::{
    CudaContext,
    sys::{self, CUmemPool_attribute, CUmemoryPool},
};

use crate::{device::session::Session, error::Result};

/// Returns the pool of the context's stream-ordered allocations; `None` if the device has none.
fn pool(context: &CudaContext) -> Option<CUmemoryPool> {
    if !context.has_async_alloc() {
        return None;
    }
    let mut pool = ptr::null_mut();
    // SAFETY: the call writes a handle to the given address.
    unsafe { sys::cuDeviceGetDefaultMemPool(&raw mut pool, context.cu_device()) }.result().ok()?;
    Some(pool)
}

/// Returns an attribute of the pool, in bytes; 0 if it cannot be read.
fn bytes_of(pool: CUmemoryPool, attribute: CUmemPool_attribute) -> u64 {
    let mut bytes = 0_u64;
    // SAFETY: these attributes are 64 bits wide.
    let read = unsafe { sys::cuMemPoolGetAttribute(pool, attribute, (&raw mut bytes).cast::<c_void>()) };
    if read.result().is_ok() { bytes } else { 0 }
}

/// Makes the pool retain freed memory for later allocations. By default the driver returns it to the system at the next
/// synchronization of the stream, and maps memory again for the next allocation, which takes a second for some
/// gigabytes each time.
pub(crate) fn keep_freed(context: &CudaContext) {
    let Some(pool) = pool(context) else { return };
    let mut all = u64::MAX;
    let threshold = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    // SAFETY: the attribute is 64 bits wide. If it cannot be set, allocations are only slow.
    unsafe { sys::cuMemPoolSetAttribute(pool, threshold, (&raw mut all).cast::<c_void>()) };
}

impl Session {
    /// Returns the bytes of device memory that can be allocated, including the memory that the pool retains.
    ///
    /// # Errors
    /// The driver's errors.
    pub fn free_bytes(&self) -> Result<usize> {
        let (free, _) = self.context.mem_get_info()?;
        let kept = pool(&self.context).map_or(0, |pool| {
            let reserved = bytes_of(pool, CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
            reserved.saturating_sub(bytes_of(pool, CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT))
        });
        Ok(free + kept as usize)
    }

    /// Returns the pool's retained memory to the system, so that another process can use it. The machine gives the
    /// addresses of freed memory out again. Does nothing if a kernel has corrupted the context.
    pub(crate) fn give_back_freed(&self) {
        if let (Ok(()), Some(pool)) = (self.stream.synchronize(), pool(&self.context)) {
            // SAFETY: the handle is the default pool's, which lives as long as the device.
            unsafe { sys::cuMemPoolTrimTo(pool, 0) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs on the machine, which has a pool too.
    #[test]
    fn what_is_freed_can_be_allocated() {
        let session = Session::open(&"emulated".parse().unwrap()).unwrap();
        assert!(pool(&session.context).is_some());
        let before = session.free_bytes().unwrap();
        let held = session.stream.alloc_zeros::<u8>(4 << 30).unwrap();
        let during = session.free_bytes().unwrap();
        // Other tests of this program allocate meanwhile, but far less.
        assert!(before - during > 3 << 30, "{before} {during}");
        drop(held);
        session.stream.synchronize().unwrap();
        assert!(session.free_bytes().unwrap() - during > 3 << 30);
        session.give_back_freed();
        assert!(session.free_bytes().unwrap() - during > 3 << 30);
    }
}
