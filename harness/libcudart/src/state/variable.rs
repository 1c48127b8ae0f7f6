//! Device variables, which a program refers to by the addresses of their host shadows.
use crate::abi::error::{Error, Result, instead};
use crate::driver::calls;
use crate::state::{context, image::Image};
use std::{
    collections::HashMap,
    ffi::{CString, c_void},
    sync::{LazyLock, PoisonError, RwLock},
};

struct Variable {
    image: &'static Image,
    name: CString,
    /// Whether the shadow holds the address of a managed variable.
    managed: bool,
}

static KNOWN: LazyLock<RwLock<HashMap<usize, Variable>>> = LazyLock::new(RwLock::default);

/// Registers a variable of an image.
pub fn register(image: &'static Image, shadow: usize, name: CString, managed: bool) {
    if managed {
        image.add_managed(name.clone(), shadow);
    }
    KNOWN.write().unwrap_or_else(PoisonError::into_inner).insert(shadow, Variable { image, name, managed });
}

/// Returns the address and size of the variable that a symbol refers to. Afterwards the thread has a context.
///
/// # Errors
/// `cudaErrorInvalidSymbol`, and errors of loading the image.
pub fn find(symbol: *const c_void) -> Result<(u64, usize)> {
    context::ensure()?;
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    // Host code refers to a managed variable by its device address.
    let is_at = |shadow: usize| {
        // SAFETY: the program keeps the address there.
        unsafe { std::ptr::with_exposed_provenance::<usize>(shadow).read() == symbol.addr() }
    };
    let of_address = || known.iter().find(|(shadow, variable)| variable.managed && is_at(**shadow)).map(|(_, v)| v);
    let variable = known.get(&symbol.addr()).or_else(of_address).ok_or(Error::INVALID_SYMBOL)?;
    let library = variable.image.library()?;
    let (mut address, mut bytes) = (0, 0);
    let get = if variable.managed { calls::cuLibraryGetManaged } else { calls::cuLibraryGetGlobal };
    get(&raw mut address, &raw mut bytes, library, variable.name.as_ptr())
        .map_err(|error| instead(error, Error::SYMBOL_NOT_FOUND, Error::INVALID_SYMBOL))?;
    Ok((address, bytes))
}
