//! Reading and writing values through pointers of the caller, which are checked for null.

use super::error::{Error, Result};
use super::types::Handle;
use std::ffi::{CStr, c_char};

/// Writes a result through a pointer of the caller, which must not be null.
pub fn put<T>(out: *mut T, value: T) -> Result {
    if out.is_null() {
        return Err(Error::INVALID_VALUE);
    }
    // SAFETY: the caller of the C function promises that a pointer is either null or valid.
    unsafe { out.write_unaligned(value) };
    Ok(())
}

/// Writes a result, unless the pointer is null because the caller does not want it.
pub fn put_optional<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: as in `put`.
        unsafe { out.write_unaligned(value) };
    }
}

/// Refuses a null pointer, before doing any work whose result could not be written.
pub fn need<T>(out: *const T) -> Result {
    if out.is_null() { Err(Error::INVALID_VALUE) } else { Ok(()) }
}

/// Reads a value or structure through a pointer of the caller.
pub fn get<T: Copy>(from: *const T) -> Result<T> {
    need(from)?;
    // SAFETY: as in `put`.
    Ok(unsafe { from.read_unaligned() })
}

/// Reads an array through a pointer of the caller.
pub fn get_all<T: Copy>(from: *const T, count: usize) -> Result<Vec<T>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    // No array of handles or options is longer: a larger number is a mistake of the caller.
    if count > 1 << 20 {
        return Err(Error::INVALID_VALUE);
    }
    need(from)?;
    // SAFETY: as in `put`.
    Ok((0..count).map(|i| unsafe { from.add(i).read_unaligned() }).collect())
}

/// Reads a C string of the caller.
pub fn text(from: *const c_char) -> Result<String> {
    need(from)?;
    // SAFETY: as in `put`.
    Ok(unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned())
}

/// Writes text and a terminator into a buffer of `len` bytes; text that is too long is truncated.
pub fn put_text(out: *mut c_char, len: usize, text: &str) -> Result {
    need(out)?;
    if len == 0 {
        return Err(Error::INVALID_VALUE);
    }
    let bytes = &text.as_bytes()[..text.len().min(len - 1)];
    // SAFETY: as in `put`; `bytes` and the terminator fit in `len`.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr().cast(), out, bytes.len());
        out.add(bytes.len()).write(0);
    }
    Ok(())
}

/// Writes handles in the way of the driver's list queries: at most as many as there is room for, and the rest of the
/// list becomes null. `count` holds the capacity, and receives the number of handles. Without a list only the number is
/// written.
pub fn put_list(list: *mut Handle, count: *mut usize, handles: &[Handle]) -> Result {
    let room = get(count)?;
    put(count, handles.len())?;
    if list.is_null() {
        return Ok(());
    }
    for i in 0..room.min(1 << 20) {
        // SAFETY: as in `put`, `room` handles long.
        unsafe {
            list.add(i).write_unaligned(handles.get(i).copied().unwrap_or(0));
        };
    }
    put(count, handles.len().min(room))
}
