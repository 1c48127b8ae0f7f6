//! Which driver a program uses that was started alone, without `warplab exec`. `warplab nvcc` links programs with this
//! library in a folder of its own, which also has the embedded driver.
use std::{
    env,
    ffi::{CStr, CString, OsStr, c_int, c_uint, c_void},
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr::null_mut,
};

/// The embedded driver, relative to this library.
const EMBEDDED: &str = "machine/libcuda.so.1";

/// The part that is emulated if `WARPLAB_PROFILE` is not set, as by `warplab exec`.
const PROFILE: &CStr = c"h200";

/// Opens the driver that the loader finds, or else the embedded one: if there is no driver, or it finds no GPU. A GPU
/// that `CUDA_VISIBLE_DEVICES` hides is not replaced. Null if there is neither.
pub fn open() -> *mut c_void {
    // SAFETY: a zero-terminated name. Loading a driver runs its constructors, which any program that uses CUDA does.
    let found = unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW) };
    if !found.is_null() && (env::var_os("CUDA_VISIBLE_DEVICES").is_some() || has_device(found)) {
        return found;
    }
    let embedded = embedded();
    if embedded.is_null() { found } else { embedded }
}

/// Whether this driver starts and finds a device. The embedded one does.
fn has_device(library: *mut c_void) -> bool {
    type Init = unsafe extern "C" fn(c_uint) -> c_int;
    type Count = unsafe extern "C" fn(*mut c_int) -> c_int;
    let mut count = 0;
    // SAFETY: an open library, whose functions of these names have these types.
    unsafe {
        if !libc::dlsym(library, c"simt_version".as_ptr()).is_null() {
            return true;
        }
        let init = libc::dlsym(library, c"cuInit".as_ptr());
        let get_count = libc::dlsym(library, c"cuDeviceGetCount".as_ptr());
        !init.is_null()
            && !get_count.is_null()
            && std::mem::transmute::<*mut c_void, Init>(init)(0) == 0
            && std::mem::transmute::<*mut c_void, Count>(get_count)(&raw mut count) == 0
            && count > 0
    }
}

/// Opens the embedded driver, which will say so: its times are not those of a GPU.
fn embedded() -> *mut c_void {
    let mut own: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the address is in this library, and the structure is filled in; its name is zero-terminated.
    let folder = unsafe {
        if libc::dladdr(open as *const c_void, &raw mut own) == 0 || own.dli_fname.is_null() {
            return null_mut();
        }
        Path::new(OsStr::from_bytes(CStr::from_ptr(own.dli_fname).to_bytes())).parent()
    };
    let Some(name) = folder.and_then(|folder| CString::new(folder.join(EMBEDDED).as_os_str().as_bytes()).ok()) else {
        return null_mut();
    };
    // SAFETY: zero-terminated texts. Other threads of the program do not change the environment during their first call
    // of the runtime.
    let opened = unsafe {
        libc::setenv(c"WARPLAB_PROFILE".as_ptr(), PROFILE.as_ptr(), 0);
        libc::dlopen(name.as_ptr(), libc::RTLD_NOW)
    };
    if !opened.is_null() {
        // SAFETY: an open library, whose function of this name has no arguments.
        unsafe {
            let alone = libc::dlsym(opened, c"simt_alone".as_ptr());
            if !alone.is_null() {
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn()>(alone)();
            }
        }
    }
    opened
}
