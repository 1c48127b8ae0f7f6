//! Opens the built library the way a lab does: first by its file; from then on `dlopen("libcuda.so")`, and so cudarc, gets it.
#![allow(dead_code, reason = "each test file uses what it needs")]

use cudarc::driver::sys::{self, CUresult};
use std::ffi::{CStr, CString, c_char, c_int};
use std::path::PathBuf;
use std::sync::OnceLock;

/// The library, with the driver initialised.
pub fn library() -> &'static libloading::Library {
    static LIBRARY: OnceLock<libloading::Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let library = open();
        assert_eq!(unsafe { sys::cuInit(0) }, CUresult::CUDA_SUCCESS);
        library
    })
}

/// The library before `cuInit`.
pub fn open() -> libloading::Library {
    let test = std::env::current_exe().expect("a test has a file");
    let folder = test.parent().expect("in a folder");
    let name = libloading::library_filename("simt_libcuda");
    let file: PathBuf = folder.join(name);
    let library = unsafe { libloading::Library::new(&file) };
    let library = library.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let ours = unsafe { sys::culib().get::<*const ()>(b"simt_version").is_ok() };
    assert!(
        ours,
        "cudarc must have been given the library that is open under the name libcuda.so"
    );
    library
}

/// A function of the library that cuda.h does not have, or not in the version that cudarc is built for.
pub fn symbol<T: Copy>(name: &str) -> T {
    *unsafe { library().get::<T>(name.as_bytes()) }
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The report since the last call.
pub fn report() -> serde_json::Value {
    text_of("simt_report_json")
}

/// What a function of the library that gives JSON gives.
pub fn text_of(name: &str) -> serde_json::Value {
    let take: unsafe extern "C" fn() -> *mut c_char = symbol(name);
    let free: unsafe extern "C" fn(*mut c_char) = symbol("simt_string_free");
    unsafe {
        let json = take();
        let value = serde_json::from_str(CStr::from_ptr(json).to_str().unwrap()).unwrap();
        free(json);
        value
    }
}

/// Changes settings.
pub fn configure(json: &str) -> Result<(), String> {
    let configure: unsafe extern "C" fn(*const c_char) -> c_int = symbol("simt_configure");
    let last: unsafe extern "C" fn() -> *const c_char = symbol("simt_last_error");
    let json = CString::new(json).unwrap();
    unsafe {
        match configure(json.as_ptr()) {
            0 => Ok(()),
            _ => Err(CStr::from_ptr(last()).to_string_lossy().into_owned()),
        }
    }
}

/// The primary context, current on this thread.
pub fn context() -> sys::CUcontext {
    library();
    let mut context = std::ptr::null_mut();
    unsafe {
        ok(sys::cuDevicePrimaryCtxRetain(&raw mut context, 0));
        ok(sys::cuCtxSetCurrent(context));
    }
    context
}

/// A context of one's own, current on this thread: what goes wrong in it concerns no other test.
pub fn own_context() -> sys::CUcontext {
    library();
    let create: unsafe extern "C" fn(*mut sys::CUcontext, u32, c_int) -> CUresult =
        symbol("cuCtxCreate_v2");
    let mut context = std::ptr::null_mut();
    ok(unsafe { create(&raw mut context, 0, 0) });
    context
}

/// It must have succeeded.
#[track_caller]
pub fn ok(result: CUresult) {
    assert_eq!(result, CUresult::CUDA_SUCCESS);
}

/// It must have failed like this.
#[track_caller]
pub fn fails(result: CUresult, error: CUresult) {
    assert_eq!(result, error);
}

/// Device memory.
pub fn alloc(bytes: usize) -> u64 {
    let mut address = 0;
    ok(unsafe { sys::cuMemAlloc_v2(&raw mut address, bytes) });
    address
}

/// A module of PTX.
pub fn module(ptx: &str) -> sys::CUmodule {
    let ptx = CString::new(ptx).unwrap();
    let mut module = std::ptr::null_mut();
    ok(unsafe { sys::cuModuleLoadData(&raw mut module, ptx.as_ptr().cast()) });
    module
}

/// A function of a module.
pub fn function(module: sys::CUmodule, name: &str) -> sys::CUfunction {
    let name = CString::new(name).unwrap();
    let mut function = std::ptr::null_mut();
    ok(unsafe { sys::cuModuleGetFunction(&raw mut function, module, name.as_ptr()) });
    function
}

/// A structure of zeros, with what `fill` sets: its enums have no zero, so they must be among it.
pub fn filled<T>(fill: impl FnOnce(*mut T)) -> T {
    let mut value = std::mem::MaybeUninit::zeroed();
    fill(value.as_mut_ptr());
    unsafe { value.assume_init() }
}
