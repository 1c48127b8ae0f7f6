//! Access through the caller's pointers, which are null or valid.
use super::error::{Error, Result};

/// # Errors
/// When the pointer is null.
pub fn need<T>(pointer: *const T) -> Result {
    if pointer.is_null() { Err(Error::INVALID_VALUE) } else { Ok(()) }
}

/// Writes a result through the caller's pointer.
///
/// # Errors
/// When the pointer is null.
pub fn put<T>(out: *mut T, value: T) -> Result {
    need(out)?;
    // SAFETY: not null, so valid, as the caller promises.
    unsafe { out.write_unaligned(value) };
    Ok(())
}

/// Reads a structure of the caller.
///
/// # Errors
/// When the pointer is null.
pub fn get<T: Copy>(pointer: *const T) -> Result<T> {
    need(pointer)?;
    // SAFETY: not null, so valid, as the caller promises.
    Ok(unsafe { pointer.read_unaligned() })
}
