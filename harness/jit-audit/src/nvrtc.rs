//! NVRTC's functions that return machine code. A program that was compiled for `sm_NN` has PTX too.

use crate::library::{Family, Library, MOST, real};
use std::ffi::{c_char, c_int, c_void};

/// `NVRTC_ERROR_INTERNAL_ERROR`: the library lacks a function that every version has.
const INTERNAL_ERROR: c_int = 11;

/// The function that replaces `name` of the library with this number.
pub fn replacement(name: &str, slot: usize) -> Option<*const c_void> {
    const SIZES: [unsafe extern "C" fn(*mut c_void, *mut usize) -> c_int; MOST] =
        [cubin_size::<0>, cubin_size::<1>, cubin_size::<2>, cubin_size::<3>];
    const CUBINS: [unsafe extern "C" fn(*mut c_void, *mut c_char) -> c_int; MOST] =
        [cubin::<0>, cubin::<1>, cubin::<2>, cubin::<3>];
    match name {
        "nvrtcGetCUBINSize" => Some(SIZES[slot] as *const c_void),
        "nvrtcGetCUBIN" => Some(CUBINS[slot] as *const c_void),
        _ => None,
    }
}

/// `nvrtcGetCUBINSize`: the size of the PTX, unless there is no machine code, as for `compute_NN`.
unsafe extern "C" fn cubin_size<const SLOT: usize>(program: *mut c_void, size: *mut usize) -> c_int {
    let library = Library { family: Family::Nvrtc, slot: SLOT };
    let cubin = real!(library, "nvrtcGetCUBINSize", fn(*mut c_void, *mut usize) -> c_int, INTERNAL_ERROR);
    let ptx = real!(library, "nvrtcGetPTXSize", fn(*mut c_void, *mut usize) -> c_int, INTERNAL_ERROR);
    // SAFETY: the caller's arguments. After a success the size was written.
    unsafe {
        match cubin(program, size) {
            0 if *size > 0 => ptx(program, size),
            result => result,
        }
    }
}

/// `nvrtcGetCUBIN`: the PTX.
unsafe extern "C" fn cubin<const SLOT: usize>(program: *mut c_void, out: *mut c_char) -> c_int {
    let library = Library { family: Family::Nvrtc, slot: SLOT };
    let cubin_size = real!(library, "nvrtcGetCUBINSize", fn(*mut c_void, *mut usize) -> c_int, INTERNAL_ERROR);
    let cubin = real!(library, "nvrtcGetCUBIN", fn(*mut c_void, *mut c_char) -> c_int, INTERNAL_ERROR);
    let ptx = real!(library, "nvrtcGetPTX", fn(*mut c_void, *mut c_char) -> c_int, INTERNAL_ERROR);
    let mut size = 0;
    // SAFETY: the caller's arguments, and a number to be written.
    unsafe {
        match cubin_size(program, &raw mut size) {
            0 if size > 0 => ptx(program, out),
            _ => cubin(program, out),
        }
    }
}
