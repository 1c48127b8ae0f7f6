//! The functions that the dynamic loader calls, by the names and types of `<link.h>`.

use crate::library::{Family, Library, LinkMap, looks_up};
use crate::{nvjitlink, nvrtc};
use std::ffi::{CStr, c_char, c_long, c_uint, c_void};

/// Lookups in the library are to be reported.
const BIND_TO: c_uint = 1;
/// Lookups by the library are to be reported. A call is reported if this is set for the caller and [`BIND_TO`] for the
/// library that it calls; `dlsym`, if either is.
const BIND_FROM: c_uint = 2;

/// A symbol of a library (`Elf64_Sym`); when it is looked up, `value` is its address.
#[repr(C)]
struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: usize,
    size: u64,
}

/// Returns the version of the interface: whichever the loader has, because what is used here is in all of them.
#[unsafe(no_mangle)]
extern "C" fn la_version(version: c_uint) -> c_uint {
    version
}

/// A library is loaded.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_objopen(map: *mut LinkMap, _namespace: c_long, cookie: *mut usize) -> c_uint {
    // SAFETY: the loader's record.
    let path = unsafe { (*map).path };
    if path.is_null() {
        return BIND_FROM;
    }
    // SAFETY: a path of the loader.
    let family = Family::from_path(unsafe { CStr::from_ptr(path) });
    let Some(library) = family.and_then(|family| Library::add(family, map)) else {
        return BIND_FROM;
    };
    // SAFETY: the loader's cookie for this library.
    unsafe { *cookie = library.cookie() };
    // Calls of these libraries to their own functions are not replaced.
    if library.family == Family::Driver { 0 } else { BIND_TO }
}

/// A library is closed.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_objclose(cookie: *mut usize) -> c_uint {
    // SAFETY: the loader's cookie for a library.
    if let Some(library) = Library::from_cookie(unsafe { *cookie }) {
        library.remove();
    }
    0
}

/// A function was looked up, by `dlsym` or to bind a call. Returns the address that the caller gets.
#[unsafe(no_mangle)]
unsafe extern "C" fn la_symbind64(
    symbol: *const Symbol,
    _index: c_uint,
    _from: *mut usize,
    to: *mut usize,
    _flags: *mut c_uint,
    name: *const c_char,
) -> usize {
    // SAFETY: the loader's symbol, cookie and name.
    let (own, cookie, name) = unsafe { ((*symbol).value, *to, CStr::from_ptr(name)) };
    let library = Library::from_cookie(cookie).filter(|_| !looks_up());
    let replacement = library.zip(name.to_str().ok()).and_then(|(library, name)| match library.family {
        Family::Nvrtc => nvrtc::replacement(name, library.slot),
        Family::NvJitLink => nvjitlink::replacement(name, library.slot),
        Family::Driver => None,
    });
    replacement.map_or(own, <*const c_void>::addr)
}
