//! The functions that nvcc's host code calls before `main`: they register images, kernels and variables by name
//! (`crt/host_runtime.h`).
use crate::api::entry::{calls, guard};
use crate::state::{function, image, image::Image, variable};
use std::ffi::{CStr, c_char, c_int, c_void};

/// A registered image, as host code refers to it.
type Registered = *mut *mut c_void;

fn image_of(registered: Registered) -> &'static Image {
    // SAFETY: host code passes the pointer from `__cudaRegisterFatBinary`, which is never freed.
    unsafe { &*registered.cast::<Image>() }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cudaRegisterFatBinary(binary: *mut c_void) -> Registered {
    // SAFETY: host code passes its own fat binary.
    let image = unsafe { image::register(binary) };
    std::ptr::from_ref(image).cast_mut().cast()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cudaRegisterFatBinaryEnd(_image: Registered) {}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cudaUnregisterFatBinary(image: Registered) {
    if !image.is_null() {
        image_of(image).unload();
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cudaRegisterFunction(
    image: Registered,
    stub: *const c_char,
    _device_function: *mut c_char,
    name: *const c_char,
    _thread_limit: c_int,
    _thread: *mut c_void,
    _block: *mut c_void,
    _block_size: *mut c_void,
    _grid_size: *mut c_void,
    _warp_size: *mut c_int,
) {
    // SAFETY: host code's constant name.
    let name = unsafe { CStr::from_ptr(name) }.to_owned();
    function::register(image_of(image), stub.expose_provenance(), name);
}

/// Registers a variable that host code knows by the address `shadow`.
///
/// # Safety
/// `name` is a C string.
unsafe fn register_variable(image: Registered, shadow: usize, name: *const c_char, is_managed: bool) {
    // SAFETY: the caller's contract.
    let name = unsafe { CStr::from_ptr(name) }.to_owned();
    variable::register(image_of(image), shadow, name, is_managed);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cudaRegisterVar(
    image: Registered,
    shadow: *mut c_char,
    _address: *mut c_char,
    name: *const c_char,
    _external: c_int,
    _bytes: usize,
    _constant: c_int,
    _global: c_int,
) {
    // SAFETY: host code's constant name.
    unsafe { register_variable(image, shadow.expose_provenance(), name, false) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cudaRegisterHostVar(image: Registered, name: *const c_char, shadow: *mut c_char, _bytes: usize) {
    // SAFETY: host code's constant name.
    unsafe { register_variable(image, shadow.expose_provenance(), name, false) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cudaRegisterManagedVar(
    image: Registered,
    place: *mut *mut c_void,
    _address: *mut c_char,
    name: *const c_char,
    _external: c_int,
    _bytes: usize,
    _constant: c_int,
    _global: c_int,
) {
    // SAFETY: host code's constant name.
    unsafe { register_variable(image, place.expose_provenance(), name, true) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cudaRegisterUnifiedTable(_image: Registered, _table: *mut c_void) {}

/// Loads an image, because the program reads one of its managed variables. Returns whether that succeeded.
#[unsafe(no_mangle)]
unsafe extern "C" fn __cudaInitModule(image: Registered) -> c_char {
    let loaded = guard("__cudaInitModule", &|| {
        crate::state::context::ensure()?;
        image_of(image).library().map(drop)
    });
    c_char::from(loaded == 0)
}

fn lasting(out: *mut *mut c_void, stub: *const c_void) -> crate::abi::error::Result {
    crate::abi::pointers::put(out, function::lasting(stub)?)
}

calls! {
    __cudaGetKernel(out: *mut *mut c_void, stub: *const c_void) = lasting;
}
