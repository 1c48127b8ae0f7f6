//! The device of each thread, and the devices' primary contexts.
use crate::abi::{
    error::{Error, Result},
    types::Handle,
};
use crate::driver::{self, calls};
use std::{
    cell::Cell,
    ffi::c_int,
    ptr::null_mut,
    sync::{Mutex, PoisonError},
};

thread_local! {
    /// The device that the thread has selected.
    static CHOSEN: Cell<c_int> = const { Cell::new(0) };
}

/// The primary contexts that this process has retained, by device, as numbers.
static HELD: Mutex<Vec<(c_int, usize)>> = Mutex::new(Vec::new());

/// Ensures that the calling thread has a context: a thread without one gets the primary context of its device.
///
/// # Errors
/// Without a driver or a device, and when the context cannot be created.
pub fn ensure() -> Result {
    driver::ready()?;
    let mut current = null_mut();
    calls::cuCtxGetCurrent(&raw mut current)?;
    if current.is_null() { calls::cuCtxSetCurrent(primary(CHOSEN.get())?) } else { Ok(()) }
}

/// Returns the primary context of a device, which is created if necessary.
///
/// # Errors
/// `cudaErrorInvalidDevice`, and errors of the creation.
pub fn primary(device: c_int) -> Result<Handle> {
    driver::ready()?;
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, context)) = held.iter().find(|(other, _)| *other == device) {
        return Ok(std::ptr::with_exposed_provenance_mut(*context));
    }
    let mut context = null_mut();
    calls::cuDevicePrimaryCtxRetain(&raw mut context, device)?;
    held.push((device, context.expose_provenance()));
    Ok(context)
}

/// Selects the calling thread's device, and makes its primary context current.
///
/// # Errors
/// As [`primary`].
pub fn choose(device: c_int) -> Result {
    check(device)?;
    let context = primary(device)?;
    calls::cuCtxSetCurrent(context)?;
    CHOSEN.set(device);
    Ok(())
}

/// Checks that this device exists.
///
/// # Errors
/// `cudaErrorInvalidDevice`.
pub fn check(device: c_int) -> Result {
    if (0..count()?).contains(&device) { Ok(()) } else { Err(Error::INVALID_DEVICE) }
}

/// Returns the number of devices.
///
/// # Errors
/// Without a driver.
pub fn count() -> Result<c_int> {
    driver::ready()?;
    let mut count = 0;
    calls::cuDeviceGetCount(&raw mut count)?;
    Ok(count)
}

/// Returns the calling thread's device: that of its context, or the one that it has selected.
///
/// # Errors
/// Without a driver.
pub fn device() -> Result<c_int> {
    driver::ready()?;
    let mut current = null_mut();
    calls::cuCtxGetCurrent(&raw mut current)?;
    let mut device = CHOSEN.get();
    if !current.is_null() {
        calls::cuCtxGetDevice(&raw mut device)?;
    }
    Ok(device)
}

/// Destroys the primary context of the calling thread's device.
///
/// # Errors
/// The driver's errors.
pub fn reset() -> Result {
    let device = device()?;
    calls::cuDevicePrimaryCtxReset_v2(device)?;
    HELD.lock().unwrap_or_else(PoisonError::into_inner).retain(|(other, _)| *other != device);
    calls::cuCtxSetCurrent(null_mut())
}
