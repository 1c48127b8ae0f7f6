//! The linker of the embedded machine.

use crate::library::{Family, Library, MOST};
use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;

/// Joins parts, each of which is PTX or a fat binary that contains PTX, into one text with its terminator. Its
/// kernels have at most this number of registers, unless it is 0. `None` if the process has not loaded the embedded
/// machine, or these parts cannot be joined.
pub fn join(parts: &[Vec<u8>], registers: u32) -> Option<Vec<u8>> {
    type Link = unsafe extern "C" fn(*const *const c_void, *const usize, usize, u32) -> *mut c_char;
    type Free = unsafe extern "C" fn(*mut c_char);
    let mut drivers = (0..MOST).map(|slot| Library { family: Family::Driver, slot });
    let (link, free) =
        drivers.find_map(|driver| driver.function("simt_link_ptx").zip(driver.function("simt_string_free")))?;
    let places: Vec<*const c_void> = parts.iter().map(|part| part.as_ptr().cast()).collect();
    let sizes: Vec<usize> = parts.iter().map(Vec::len).collect();
    // SAFETY: the functions have these types in the embedded machine; it reads the parts during the call, and frees the
    // text that it has made.
    unsafe {
        let text = transmute::<*mut c_void, Link>(link)(places.as_ptr(), sizes.as_ptr(), parts.len(), registers);
        if text.is_null() {
            return None;
        }
        let joined = CStr::from_ptr(text).to_bytes_with_nul().to_vec();
        transmute::<*mut c_void, Free>(free)(text);
        Some(joined)
    }
}
