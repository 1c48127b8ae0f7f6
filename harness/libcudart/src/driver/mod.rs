//! The driver: the `libcuda.so.1` that the loader finds, opened at the first call.
pub mod calls;
pub mod speech;

use crate::abi::error::{Error, Result, result};
use std::{
    ffi::{CStr, c_int, c_void},
    ptr::null_mut,
    sync::{
        OnceLock,
        atomic::{AtomicPtr, Ordering},
    },
};

/// A function of the driver, resolved on first use.
pub struct Slot {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Slot {
    pub const fn new(name: &'static CStr) -> Self {
        Self { name, address: AtomicPtr::new(null_mut()) }
    }

    /// Returns its address.
    ///
    /// # Errors
    /// `cudaErrorInsufficientDriver` without a driver; `cudaErrorNotSupported`, reported once on standard error, if the
    /// driver lacks the function.
    pub fn address(&self) -> Result<*mut c_void> {
        let known = self.address.load(Ordering::Relaxed);
        if !known.is_null() {
            return Ok(known);
        }
        let library = library()?;
        // SAFETY: an open library, and a zero-terminated name.
        let found = unsafe { libc::dlsym(library, self.name.as_ptr()) };
        if found.is_null() {
            speech::once(&format!("the driver has no {}", self.name.to_string_lossy()));
            return Err(Error::NOT_SUPPORTED);
        }
        self.address.store(found, Ordering::Relaxed);
        Ok(found)
    }
}

/// Returns the driver's library.
fn library() -> Result<*mut c_void> {
    static LIBRARY: OnceLock<usize> = OnceLock::new();
    // The library stays open. Its address is stored as a number, which threads may share.
    let open = || unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW) }.expose_provenance();
    match *LIBRARY.get_or_init(open) {
        0 => Err(Error::INSUFFICIENT_DRIVER),
        address => Ok(std::ptr::with_exposed_provenance_mut(address)),
    }
}

/// Notifies the embedded driver, if that is the driver, that the program has asked for this thread's last error, or
/// that the thread has just stored the error of a launch.
pub fn error_asked(asked: bool) {
    static FUNCTION: OnceLock<usize> = OnceLock::new();
    let find = || match library() {
        // SAFETY: an open library, and a zero-terminated name.
        Ok(library) => unsafe { libc::dlsym(library, c"simt_error_asked".as_ptr()) }.expose_provenance(),
        Err(_) => 0,
    };
    let function = *FUNCTION.get_or_init(find);
    if function != 0 {
        let function: *const c_void = std::ptr::with_exposed_provenance(function);
        // SAFETY: the embedded driver's function of this name takes a number.
        unsafe { std::mem::transmute::<*const c_void, unsafe extern "C" fn(c_int)>(function)(asked.into()) };
    }
}

/// Opens and initialises the driver, once per process.
///
/// # Errors
/// `cudaErrorInsufficientDriver` if there is no driver; errors of `cuInit`, such as `cudaErrorNoDevice`.
pub fn ready() -> Result {
    static INITIALISED: OnceLock<Result> = OnceLock::new();
    *INITIALISED.get_or_init(|| calls::cuInit(0))
}

/// Declares functions of the driver: each row is a function with the same name and arguments, which returns a
/// [`Result`].
macro_rules! driver_calls {
    ($($name:ident($($arg:ident: $type:ty),* $(,)?);)*) => { $(
        #[allow(non_snake_case, reason = "the C name")]
        pub fn $name($($arg: $type),*) -> $crate::abi::error::Result {
            $crate::driver::driver_call!($name($($arg: $type),*))
        }
    )* };
}
pub(crate) use driver_calls;

/// Calls the driver's function of this name with these arguments.
macro_rules! driver_call {
    ($name:ident($($arg:ident: $type:ty),* $(,)?)) => {{
        const NAME: &::std::ffi::CStr =
            match ::std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("a name without zeros"),
            };
        static SLOT: $crate::driver::Slot = $crate::driver::Slot::new(NAME);
        let address = SLOT.address()?;
        // SAFETY: the driver's function of this name has these arguments, and the caller of the runtime promises that
        // its pointers are null or valid.
        let code = unsafe {
            ::std::mem::transmute::<*mut ::std::ffi::c_void, unsafe extern "C" fn($($type),*) -> ::std::ffi::c_int>(
                address,
            )($($arg),*)
        };
        $crate::driver::told(stringify!($name), code)
    }};
}
pub(crate) use driver_call;

/// Converts the driver's code to a result. `WARPLAB_TRACE` writes it to standard error unless the call succeeded.
pub fn told(name: &str, code: i32) -> Result {
    if code != 0 && speech::is_traced() {
        eprintln!("  {name}: {code}");
    }
    result(code)
}
