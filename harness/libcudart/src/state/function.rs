//! Kernels, which a program refers to by the addresses of their host stubs or by handles.
use crate::abi::{
    error::{Error, Result, instead, is_of_image, no_function},
    types::Handle,
};
use crate::driver::{calls, error_asked, kernel_missing};
use crate::state::{context, image::Image};
use std::{
    collections::{HashMap, HashSet},
    ffi::{CString, c_void},
    ptr::null_mut,
    sync::{LazyLock, PoisonError, RwLock},
};

/// A kernel that a program has registered.
pub struct Function {
    image: &'static Image,
    name: CString,
    stub: usize,
}

#[derive(Default)]
struct KnownFunctions {
    /// By the address of the stub.
    stubs: HashMap<usize, &'static Function>,
    /// The addresses of the functions themselves, which host code uses as handles for launches.
    own: HashSet<usize>,
    /// The driver's kernels that were returned to the program, with their stubs if they have any.
    kernels: HashMap<usize, Option<usize>>,
}

static KNOWN: LazyLock<RwLock<KnownFunctions>> = LazyLock::new(RwLock::default);

/// Registers a kernel of an image.
pub fn register(image: &'static Image, stub: usize, name: CString) {
    let function: &'static Function = Box::leak(Box::new(Function { image, name, stub }));
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.own.insert(std::ptr::from_ref(function).expose_provenance());
    known.stubs.insert(stub, function);
}

/// Records a kernel that was returned to the program.
pub fn remember(kernel: Handle, stub: Option<usize>) {
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    let entry = known.kernels.entry(kernel.addr()).or_default();
    *entry = entry.or(stub);
}

/// Returns the stub of a kernel, or the kernel itself if it has none.
pub fn stub_of(kernel: Handle) -> *const c_void {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    match known.kernels.get(&kernel.addr()).copied().flatten() {
        Some(stub) => std::ptr::with_exposed_provenance(stub),
        None => kernel.cast_const(),
    }
}

/// Returns the function of a stub or of a handle; `None` for a kernel of the driver's.
fn registered(symbol: *const c_void) -> Option<&'static Function> {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    let is_own = || known.own.contains(&symbol.addr());
    // SAFETY: the address is that of a leaked function.
    known.stubs.get(&symbol.addr()).copied().or_else(|| is_own().then(|| unsafe { &*symbol.cast::<Function>() }))
}

/// Returns the function of a stub.
fn of_stub(stub: *const c_void) -> Option<&'static Function> {
    KNOWN.read().unwrap_or_else(PoisonError::into_inner).stubs.get(&stub.addr()).copied()
}

/// Returns the handle that host code keeps for a stub's kernel. It stays valid when the image is reloaded.
///
/// # Errors
/// As [`no_function`].
pub fn lasting(stub: *const c_void) -> Result<Handle> {
    let function = of_stub(stub).ok_or_else(no_function)?;
    Ok(std::ptr::from_ref(function).cast_mut().cast())
}

/// Returns the driver's kernel of a stub or of a handle. Afterwards the thread has a context.
///
/// # Errors
/// As [`no_function`], and errors of loading the image.
pub fn kernel(symbol: *const c_void) -> Result<Handle> {
    context::ensure()?;
    if symbol.is_null() {
        return Err(Error::INVALID_DEVICE_FUNCTION);
    }
    if let Some(function) = registered(symbol) {
        return function.kernel();
    }
    let is_drivers = KNOWN.read().unwrap_or_else(PoisonError::into_inner).kernels.contains_key(&symbol.addr());
    if is_drivers { Ok(symbol.cast_mut()) } else { Err(no_function()) }
}

/// Like [`kernel`], for a launch: the embedded driver learns of it if there is no code of the kernel for the device.
///
/// # Errors
/// As [`kernel`].
pub fn launched(symbol: *const c_void) -> Result<Handle> {
    kernel(symbol).inspect_err(|error| {
        if is_of_image(*error) {
            kernel_missing(registered(symbol).map_or(c"", |function| &function.name));
            error_asked(false);
        }
    })
}

/// Like [`kernel`], but returns the function of the current context.
///
/// # Errors
/// As [`kernel`].
pub fn function(symbol: *const c_void) -> Result<Handle> {
    function_of(kernel(symbol)?)
}

/// Returns the function of the current context for a kernel of the driver's.
///
/// # Errors
/// The driver's.
pub fn function_of(kernel: Handle) -> Result<Handle> {
    let mut function = null_mut();
    calls::cuKernelGetFunction(&raw mut function, kernel)?;
    Ok(function)
}

impl Function {
    fn kernel(&self) -> Result<Handle> {
        let library = self.image.library()?;
        let mut kernel = null_mut();
        calls::cuLibraryGetKernel(&raw mut kernel, library, self.name.as_ptr())
            .map_err(|error| instead(error, Error::SYMBOL_NOT_FOUND, Error::INVALID_DEVICE_FUNCTION))?;
        let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner).kernels.contains_key(&kernel.addr());
        if !known {
            remember(kernel, Some(self.stub));
        }
        Ok(kernel)
    }
}
