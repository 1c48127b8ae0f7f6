//! Green contexts: subsets of the device's multiprocessors. A green context also has a handle as a context, by which it
//! is made current; memory and modules belong to the primary context. Its kernels run on any multiprocessor with room,
//! as they may on a device; only kernels whose blocks wait for each other must fit on its own multiprocessors.

use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::device::handles::{HandleTable, fresh};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A green context.
pub struct Green {
    /// Its handle, and its handle as a context.
    pub handle: Handle,
    pub context: Handle,
    /// The primary context to which it belongs.
    pub primary: Handle,
    /// The number of its multiprocessors.
    pub sms: u32,
    ended: AtomicBool,
}

static GREEN: HandleTable<Green> = HandleTable::new();

/// Creates a green context of `sms` multiprocessors, and returns its handle.
pub fn create(primary: Handle, sms: u32) -> Handle {
    let handle = fresh();
    let green = Green { handle, context: fresh(), primary, sms, ended: AtomicBool::new(false) };
    GREEN.insert_as(handle, Arc::new(green));
    handle
}

/// The green context of a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_CONTEXT` for null, `CUDA_ERROR_CONTEXT_IS_DESTROYED` for any other handle that is not a green
/// context, as NVIDIA's driver returns.
pub fn find(handle: Handle) -> Result<Arc<Green>> {
    let missing = if handle == 0 { Error::INVALID_CONTEXT } else { Error::CONTEXT_IS_DESTROYED };
    GREEN.get(handle).map_err(|_| missing)
}

/// The green context that has this handle as a context.
pub fn of_context(handle: Handle) -> Option<Arc<Green>> {
    GREEN.all().into_iter().find(|green| green.context == handle)
}

/// Ends a green context. Its streams are no longer found.
pub fn end(green: &Green) {
    green.ended.store(true, Ordering::Release);
    let _ = GREEN.remove(green.handle);
}

impl Green {
    /// Returns whether the green context has ended.
    pub fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }
}
