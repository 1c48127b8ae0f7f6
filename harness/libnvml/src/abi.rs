//! Values that are read and written through the caller's pointers.
pub use cuda_abi::nvml::Error;
use std::ffi::{CStr, c_char, c_uint, c_void};

/// `nvmlDevice_t`: a pointer that is only compared.
pub type DeviceHandle = *mut c_void;

/// The result of a call.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// Writes a result through a pointer of the caller, which must not be null.
pub fn put<T>(out: *mut T, value: T) -> Result {
    need(out)?;
    // SAFETY: the caller of the C function promises that a pointer is either null or valid.
    unsafe { out.write_unaligned(value) };
    Ok(())
}

/// Refuses a null pointer.
pub fn need<T>(pointer: *const T) -> Result {
    if pointer.is_null() { Err(Error::INVALID_ARGUMENT) } else { Ok(()) }
}

/// Reads a value through a pointer of the caller.
pub fn get<T: Copy>(from: *const T) -> Result<T> {
    need(from)?;
    // SAFETY: as in `put`.
    Ok(unsafe { from.read_unaligned() })
}

/// Reads a C string of the caller.
pub fn get_text(from: *const c_char) -> Result<String> {
    need(from)?;
    // SAFETY: as in `put`.
    Ok(unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned())
}

/// Writes text and its terminating zero to a buffer of `length` bytes.
///
/// # Errors
/// `NVML_ERROR_INSUFFICIENT_SIZE` if it does not fit: NVML does not truncate text.
pub fn put_text(out: *mut c_char, length: c_uint, text: &str) -> Result {
    need(out)?;
    if text.len() >= length as usize {
        return Err(Error::INSUFFICIENT_SIZE);
    }
    // SAFETY: as in `put`; the text and its terminating zero fit.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), out, text.len());
        out.add(text.len()).write(0);
    }
    Ok(())
}

/// Returns the text as an array, padded with zeros.
pub fn chars<const N: usize>(text: &str) -> [c_char; N] {
    let mut all = [0; N];
    for (to, from) in all.iter_mut().take(N - 1).zip(text.bytes()) {
        *to = from as c_char;
    }
    all
}

/// Returns the version number of a structure of this size and edition (`NVML_STRUCT_VERSION`).
pub const fn struct_version<T>(edition: u32) -> u32 {
    size_of::<T>() as u32 | edition << 24
}
