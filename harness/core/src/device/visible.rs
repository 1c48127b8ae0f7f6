//! One value in memory that the host and the device both reach.
use cudarc::driver::{
    DeviceRepr, result,
    sys::{self, CUdeviceptr, CUmemAttach_flags::CU_MEM_ATTACH_GLOBAL},
};

use crate::{Error, Result, Session};

/// One value in memory that the host and the device both reach: managed memory, or the host's own that the device maps.
/// The host writes and reads it in place, and the device must be idle while it does.
#[derive(Debug)]
pub struct HostVisible<T> {
    host: *mut T,
    device: CUdeviceptr,
    is_managed: bool,
}

impl<T: DeviceRepr + Copy> HostVisible<T> {
    /// `value` in managed memory, whose page moves to whoever uses it.
    ///
    /// # Errors
    /// [`Error::Skip`] on a device without managed memory; the driver's errors.
    pub fn managed(session: &Session, value: T) -> Result<Self> {
        if !session.device.managed_memory {
            return Err(Error::Skip(format!("{} has no managed memory", session.device.name)));
        }
        session.context.bind_to_thread()?;
        // SAFETY: room for one T, written below, which `drop` frees.
        let device = unsafe { result::malloc_managed(size_of::<T>(), CU_MEM_ATTACH_GLOBAL) }?;
        let mut memory = Self { host: device as *mut T, device, is_managed: true };
        memory.write(value);
        Ok(memory)
    }

    /// `value` in the host's memory, which the device reaches over the bus.
    ///
    /// # Errors
    /// [`Error::Skip`] on a device that cannot map the host's memory; the driver's errors.
    pub fn mapped(session: &Session, value: T) -> Result<Self> {
        if !session.device.can_map_host_memory {
            return Err(Error::Skip(format!("{} cannot map host memory", session.device.name)));
        }
        session.context.bind_to_thread()?;
        // SAFETY: room for one T, written below, which `drop` frees.
        let host = unsafe { result::malloc_host(size_of::<T>(), sys::CU_MEMHOSTALLOC_DEVICEMAP) }?;
        let mut memory = Self { host: host.cast(), device: 0, is_managed: false };
        // SAFETY: the memory was allocated to be mapped.
        unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut memory.device, host, 0) }.result()?;
        memory.write(value);
        Ok(memory)
    }

    /// The device's address of it, for a kernel's argument.
    pub fn address(&self) -> CUdeviceptr {
        self.device
    }

    /// Writes it from the host. The device must be idle.
    pub fn write(&mut self, value: T) {
        // SAFETY: memory for one T, aligned far beyond what any type of a kernel's needs, which lives as long as
        // `self`.
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
        // SAFETY: allocated by `managed` or `mapped`, freed once. A context that a kernel has ruined refuses the call,
        // but then nothing is lost.
        let _ = unsafe {
            if self.is_managed { result::memory_free(self.device) } else { result::free_host(self.host.cast()) }
        };
    }
}
