//! Green contexts: some multiprocessors of the device. Such a context has a handle as a context too, by which it is
//! made current; memory and modules are the primary context's. Its kernels run wherever there is room, as on a device
//! they may do; only those whose blocks wait for each other must fit into its part.

use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::device::handles::{Table, fresh};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A green context.
pub struct Green {
    /// Its handle, and the one that it has as a context.
    pub handle: Handle,
    pub context: Handle,
    /// The primary context, whose part it is.
    pub primary: Handle,
    /// Its multiprocessors.
    pub sms: u32,
    ended: AtomicBool,
}

static GREEN: Table<Green> = Table::new();

/// Makes one of so many multiprocessors; returns its handle.
pub fn create(primary: Handle, sms: u32) -> Handle {
    let handle = fresh();
    let green = Green { handle, context: fresh(), primary, sms, ended: AtomicBool::new(false) };
    GREEN.insert_as(handle, Arc::new(green));
    handle
}

/// The green context of a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_CONTEXT` for null, `CUDA_ERROR_CONTEXT_IS_DESTROYED` for any other that is none, as NVIDIA's
/// driver answers.
pub fn find(handle: Handle) -> Result<Arc<Green>> {
    let missing = if handle == 0 { Error::INVALID_CONTEXT } else { Error::CONTEXT_IS_DESTROYED };
    GREEN.get(handle).map_err(|_| missing)
}

/// The green context that has this handle as a context.
pub fn of_context(handle: Handle) -> Option<Arc<Green>> {
    GREEN.all().into_iter().find(|green| green.context == handle)
}

/// Ends one. Its streams are no longer found.
pub fn end(green: &Green) {
    green.ended.store(true, Ordering::Release);
    let _ = GREEN.remove(green.handle);
}

impl Green {
    /// Whether it has ended.
    pub fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }
}
