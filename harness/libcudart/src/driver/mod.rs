//! The driver: the `libcuda.so.1` that the loader finds, opened at the first call; without a GPU, the embedded one in a
//! folder next to this library, if it is there.
pub mod calls;
mod fallback;
pub mod stderr;

use crate::abi::error::{Error, Result, result};
use std::{
    ffi::{CStr, c_char, c_int, c_void},
    ptr::{null, null_mut},
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
            stderr::once(&format!("the driver has no {}", self.name.to_string_lossy()));
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
    let open = || fallback::open().expose_provenance();
    match *LIBRARY.get_or_init(open) {
        0 => Err(Error::INSUFFICIENT_DRIVER),
        address => Ok(std::ptr::with_exposed_provenance_mut(address)),
    }
}

/// The address of a function that only the embedded driver has; 0 in any other. `known` keeps it.
fn own(known: &OnceLock<usize>, name: &CStr) -> *const c_void {
    let find = || match library() {
        // SAFETY: an open library, and a name with its zero.
        Ok(library) => unsafe { libc::dlsym(library, name.as_ptr()) }.expose_provenance(),
        Err(_) => 0,
    };
    std::ptr::with_exposed_provenance(*known.get_or_init(find))
}

/// Notifies the driver, if it is the embedded one, whether the program has asked for the error that this thread keeps,
/// or whether the thread has just kept that of a launch.
pub fn error_asked(asked: bool) {
    static FUNCTION: OnceLock<usize> = OnceLock::new();
    let function = own(&FUNCTION, c"simt_error_asked");
    if !function.is_null() {
        // SAFETY: the embedded driver's function of this name takes a number.
        unsafe { std::mem::transmute::<*const c_void, unsafe extern "C" fn(c_int)>(function)(asked.into()) };
    }
}

/// Notifies the driver, if it is the embedded one, that the program has launched a kernel of this name, of which it has
/// no code for the device.
pub fn kernel_missing(name: &CStr) {
    static FUNCTION: OnceLock<usize> = OnceLock::new();
    let function = own(&FUNCTION, c"simt_kernel_missing");
    if !function.is_null() {
        // SAFETY: the embedded driver's function of this name takes a text.
        unsafe {
            std::mem::transmute::<*const c_void, unsafe extern "C" fn(*const c_char)>(function)(name.as_ptr());
        }
    }
}

/// Notifies the driver, if it is the embedded one, by these words that a call of the program has failed; without words,
/// that each failure will be reported.
pub fn call_failed(words: Option<&CStr>, code: c_int) {
    type Function = unsafe extern "C" fn(*const c_char, c_int);
    static FUNCTION: OnceLock<usize> = OnceLock::new();
    let function = own(&FUNCTION, c"simt_call_failed");
    if !function.is_null() {
        // SAFETY: the embedded driver's function of this name takes a text or null, and a number.
        unsafe {
            std::mem::transmute::<*const c_void, Function>(function)(words.map_or(null(), CStr::as_ptr), code);
        }
    }
}

/// Opens and initialises the driver, once in a process.
///
/// # Errors
/// `cudaErrorInsufficientDriver` if there is no driver; errors of `cuInit`, such as `cudaErrorNoDevice`.
pub fn ready() -> Result {
    static INITIALISED: OnceLock<Result> = OnceLock::new();
    *INITIALISED.get_or_init(|| {
        call_failed(None, 0);
        calls::cuInit(0)
    })
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
    if code != 0 && stderr::is_traced() {
        eprintln!("  {name}: {code}");
    }
    result(code)
}
