//! Error codes, and values that are read and written through the caller's pointers.
use nvml_wrapper_sys::bindings as nvml;
use std::ffi::{CStr, c_char, c_uint};

/// An error code, `nvmlReturn_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(pub u32);

/// The result of a call.
pub type Result<T = ()> = std::result::Result<T, Error>;

impl Error {
    pub const UNINITIALIZED: Self = Self(nvml::nvmlReturn_enum_NVML_ERROR_UNINITIALIZED);
    pub const INVALID_ARGUMENT: Self = Self(nvml::nvmlReturn_enum_NVML_ERROR_INVALID_ARGUMENT);
    pub const NOT_SUPPORTED: Self = Self(nvml::nvmlReturn_enum_NVML_ERROR_NOT_SUPPORTED);
    pub const NOT_FOUND: Self = Self(nvml::nvmlReturn_enum_NVML_ERROR_NOT_FOUND);
    pub const INSUFFICIENT_SIZE: Self = Self(nvml::nvmlReturn_enum_NVML_ERROR_INSUFFICIENT_SIZE);
    pub const DRIVER_NOT_LOADED: Self = Self(nvml::nvmlReturn_enum_NVML_ERROR_DRIVER_NOT_LOADED);
    pub const ARGUMENT_VERSION_MISMATCH: Self = Self(nvml::nvmlReturn_enum_NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    pub const UNKNOWN: Self = Self(nvml::nvmlReturn_enum_NVML_ERROR_UNKNOWN);
}

/// The texts of `nvmlErrorString`, by code, as nvml.h describes the codes.
const TEXTS: &[&CStr] = &[
    c"Success",
    c"Uninitialized",
    c"Invalid Argument",
    c"Not Supported",
    c"Insufficient Permissions",
    c"Already Initialized",
    c"Not Found",
    c"Insufficient Size",
    c"Insufficient External Power",
    c"Driver Not Loaded",
    c"Timeout",
    c"Interrupt Request Issue",
    c"NVML Shared Library Not Found",
    c"Function Not Found",
    c"Corrupted infoROM",
    c"GPU is lost",
    c"GPU requires reset",
    c"GPU access blocked by the operating system",
    c"Driver/library version mismatch",
    c"In use by another client",
    c"Insufficient Memory",
    c"No data",
    c"vGPU operation is not available while ECC is enabled",
    c"Insufficient resources",
    c"Frequency not supported",
    c"Argument version mismatch",
    c"Deprecated",
    c"Not ready",
    c"GPU not found",
    c"Invalid state",
    c"Reset type not supported",
];

/// Returns the text of a code.
pub fn text_of(code: u32) -> &'static CStr {
    TEXTS.get(code as usize).copied().unwrap_or(c"Unknown Error")
}

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
