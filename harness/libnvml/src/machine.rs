//! Queries the driver library for its device. Only the embedded machine's library is used.
use crate::abi::{Error, Result};
use libloading::Library;
use std::{
    ffi::{CStr, c_char},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};
use wire::Device;

/// The number of `nvmlInit` calls minus the number of `nvmlShutdown` calls.
static USERS: AtomicU32 = AtomicU32::new(0);

/// The driver library that the loader finds.
const DRIVER: &str = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };

fn library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    let open = || {
        // SAFETY: loading a CUDA driver runs its own initialisers, as in any client of CUDA.
        let library = unsafe { Library::new(DRIVER) }.ok()?;
        // SAFETY: the symbol is only looked up.
        let is_ours = unsafe { library.get::<*const ()>(b"simt_device_json") }.is_ok();
        if !is_ours {
            eprintln!(
                "libnvidia-ml: this is the embedded device's, and {DRIVER} is another driver; take its folder off \
                 LD_LIBRARY_PATH, or put the embedded driver there too (warplab driver --out)"
            );
        }
        is_ours.then_some(library)
    };
    LIBRARY.get_or_init(open).as_ref()
}

/// Queries the driver for the current state of its device.
fn ask() -> Result<Device> {
    type Tell = unsafe extern "C" fn() -> *mut c_char;
    type Why = unsafe extern "C" fn() -> *const c_char;
    type Free = unsafe extern "C" fn(*mut c_char);
    let library = library().ok_or(Error::DRIVER_NOT_LOADED)?;
    // SAFETY: the functions have these types in the embedded library, which stays open; the text is freed by the
    // library that made it.
    unsafe {
        let tell = library.get::<Tell>(b"simt_device_json").map_err(|_| Error::UNKNOWN)?;
        let free = library.get::<Free>(b"simt_string_free").map_err(|_| Error::UNKNOWN)?;
        let text = tell();
        if text.is_null() {
            if let Ok(why) = library.get::<Why>(b"simt_last_error") {
                eprintln!("libnvidia-ml: {}", CStr::from_ptr(why()).to_string_lossy());
            }
            return Err(Error::DRIVER_NOT_LOADED);
        }
        let device = Device::read(&CStr::from_ptr(text).to_string_lossy());
        free(text);
        device.map_err(|error| {
            eprintln!(
                "libnvidia-ml: cannot parse the device description of {DRIVER}: {error}; use libraries of the same release"
            );
            Error::UNKNOWN
        })
    }
}

/// `nvmlInit`.
///
/// # Errors
/// `NVML_ERROR_DRIVER_NOT_LOADED` unless the driver is the embedded machine's.
pub fn start() -> Result {
    ask()?;
    USERS.fetch_add(1, Ordering::SeqCst);
    Ok(())
}

/// `nvmlShutdown`.
///
/// # Errors
/// `NVML_ERROR_UNINITIALIZED` if every `nvmlInit` has already been matched.
pub fn stop() -> Result {
    let fewer = |users: u32| users.checked_sub(1);
    USERS.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fewer).map(drop).map_err(|_| Error::UNINITIALIZED)
}

/// Checks that `nvmlInit` has been called.
///
/// # Errors
/// `NVML_ERROR_UNINITIALIZED` if it has not.
pub fn started() -> Result {
    if USERS.load(Ordering::SeqCst) > 0 { Ok(()) } else { Err(Error::UNINITIALIZED) }
}

/// Returns the current state of the device.
///
/// # Errors
/// `NVML_ERROR_UNINITIALIZED` before `nvmlInit`.
pub fn device() -> Result<Device> {
    started()?;
    ask()
}
