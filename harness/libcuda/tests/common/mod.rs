//! Opens the built library as a lab does: first by its file; from then on `dlopen("libcuda.so")`, and therefore cudarc,
//! gets it.
#![allow(dead_code, reason = "each test file uses what it needs")]

use cudarc::driver::sys::{self, CUresult};
use std::ffi::{CStr, CString, c_char, c_int};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Returns the library, with the driver initialised.
pub fn library() -> &'static libloading::Library {
    static LIBRARY: OnceLock<libloading::Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let library = open();
        assert_eq!(unsafe { sys::cuInit(0) }, CUresult::CUDA_SUCCESS);
        library
    })
}

/// Returns the library before `cuInit`.
pub fn open() -> libloading::Library {
    let test = std::env::current_exe().expect("a test has a file");
    let folder = test.parent().expect("in a folder");
    let name = libloading::library_filename("simt_libcuda");
    let file: PathBuf = folder.join(name);
    let library = unsafe { libloading::Library::new(&file) };
    let library = library.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let ours = unsafe { sys::culib().get::<*const ()>(b"simt_version").is_ok() };
    assert!(ours, "cudarc must have been given the library that is open under the name libcuda.so");
    library
}

/// Returns a function of the library that is missing in cuda.h, or in the version for which cudarc is built.
pub fn symbol<T: Copy>(name: &str) -> T {
    *unsafe { library().get::<T>(name.as_bytes()) }.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Returns the report since the last call. It checks that the whole report can be parsed as the types from which it was
/// written, regardless of the parts that a test uses.
pub fn report() -> serde_json::Value {
    let text = text_of("simt_report_json");
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let read = wire::Report::read(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(serde_json::to_value(&read).unwrap(), value);
    value
}

/// Returns the leaks since the last call, parsed like [`report`].
pub fn leaks() -> wire::Leaks {
    let text = text_of("simt_leaks_json");
    let read = wire::Leaks::read(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), value);
    read
}

/// Returns the text of a library function that returns JSON.
fn text_of(name: &str) -> String {
    let take: unsafe extern "C" fn() -> *mut c_char = symbol(name);
    let free: unsafe extern "C" fn(*mut c_char) = symbol("simt_string_free");
    unsafe {
        let json = take();
        let text = CStr::from_ptr(json).to_str().unwrap().to_owned();
        free(json);
        text
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

/// Makes the primary context current on this thread, and returns it.
pub fn context() -> sys::CUcontext {
    library();
    let mut context = std::ptr::null_mut();
    unsafe {
        ok(sys::cuDevicePrimaryCtxRetain(&raw mut context, 0));
        ok(sys::cuCtxSetCurrent(context));
    }
    context
}

/// Creates a new context, current on this thread: an error in it does not affect other tests.
pub fn own_context() -> sys::CUcontext {
    library();
    let create: unsafe extern "C" fn(*mut sys::CUcontext, u32, c_int) -> CUresult = symbol("cuCtxCreate_v2");
    let mut context = std::ptr::null_mut();
    ok(unsafe { create(&raw mut context, 0, 0) });
    context
}

/// Checks that a call succeeded.
#[track_caller]
pub fn ok(result: CUresult) {
    assert_eq!(result, CUresult::CUDA_SUCCESS);
}

/// Checks that a call failed with this error.
#[track_caller]
pub fn fails(result: CUresult, error: CUresult) {
    assert_eq!(result, error);
}

/// Allocates device memory.
pub fn alloc(bytes: usize) -> u64 {
    let mut address = 0;
    ok(unsafe { sys::cuMemAlloc_v2(&raw mut address, bytes) });
    address
}

/// Loads a module of PTX.
pub fn module(ptx: &str) -> sys::CUmodule {
    let ptx = CString::new(ptx).unwrap();
    let mut module = std::ptr::null_mut();
    ok(unsafe { sys::cuModuleLoadData(&raw mut module, ptx.as_ptr().cast()) });
    module
}

/// Returns a function of a module.
pub fn function(module: sys::CUmodule, name: &str) -> sys::CUfunction {
    let name = CString::new(name).unwrap();
    let mut function = std::ptr::null_mut();
    ok(unsafe { sys::cuModuleGetFunction(&raw mut function, module, name.as_ptr()) });
    function
}

/// Returns a structure of zeros with the fields that `fill` sets. Those must include its enums, which have no zero.
pub fn filled<T>(fill: impl FnOnce(*mut T)) -> T {
    let mut value = std::mem::MaybeUninit::zeroed();
    fill(value.as_mut_ptr());
    unsafe { value.assume_init() }
}
