//! A value in memory that both the host and the device can access.
use cudarc::driver::{
    DeviceRepr, result,
    sys::{self, CUdeviceptr, CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL},
};

use crate::{Error, Result, Session};

/// A value in memory that both the host and the device can access: managed memory, or mapped host memory. The host
/// reads and writes it in place, and the device must be idle meanwhile.
#[derive(Debug)]
pub struct HostVisible<T> {
    host: *mut T,
    device: CUdeviceptr,
    is_managed: bool,
}

impl<T: DeviceRepr + Copy> HostVisible<T> {
    /// Returns `value` in managed memory, whose page migrates to the accessing side.
    ///
    /// # Errors
    /// [`Error::Skip`] on a device without managed memory; the driver's errors.
    pub fn managed(session: &Session, value: T) -> Result<Self> {
        if !session.device.managed_memory {
            return Err(Error::skip(format!("{} has no managed memory", session.device.name)));
        }
        session.context.bind_to_thread()?;
        // SAFETY: memory for one T, written below and freed by `drop`.
        let device = unsafe { result::malloc_managed(size_of::<T>(), CU_MEM_ATTACH_GLOBAL) }?;
        let mut memory = Self { host: device as *mut T, device, is_managed: true };
        memory.write(value);
        Ok(memory)
    }

    /// Returns `value` in the host's memory, which the device accesses over the bus.
    ///
    /// # Errors
    /// [`Error::Skip`] on a device that cannot map host memory; the driver's errors.
    pub fn mapped(session: &Session, value: T) -> Result<Self> {
        if !session.device.can_map_host_memory {
            return Err(Error::skip(format!("{} cannot map host memory", session.device.name)));
        }
        session.context.bind_to_thread()?;
        // SAFETY: memory for one T, written below and freed by `drop`.
        let host = unsafe { result::malloc_host(size_of::<T>(), sys::CU_MEMHOSTALLOC_DEVICEMAP) }?;
        let mut memory = Self { host: host.cast(), device: 0, is_managed: false };
        // SAFETY: the memory was allocated to be mapped.
        unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut memory.device, host, 0) }.result()?;
        memory.write(value);
        Ok(memory)
    }

    /// Returns its device address, for a kernel's argument.
    pub fn address(&self) -> CUdeviceptr {
        self.device
    }

    /// Writes it from the host. The device must be idle.
    pub fn write(&mut self, value: T) {
        // SAFETY: memory for one T, aligned for any type of a kernel, which lives as long as `self`.
        unsafe { self.host.write_volatile(value) };
    }

    /// Reads it from the host. The device must be idle.
    pub fn read(&self) -> T {
        // SAFETY: as in `write`; it was written when it was allocated.
        unsafe { self.host.read_volatile() }
    }
}

impl<T> Drop for HostVisible<T> {
    fn drop(&mut self) {
        // SAFETY: allocated by `managed` or `mapped`, freed once. A context that a kernel has corrupted rejects the
        // call, but then nothing is lost.
        let _ = unsafe {
            if self.is_managed { result::memory_free(self.device) } else { result::free_host(self.host.cast()) }
        };
    }
}
