//! Each thread's stack of current contexts.

use super::context::{self, Context};
use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::device::driver::driver;
use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::sync::Arc;

thread_local! {
    /// The stack is never dropped, because destructors of the program's own thread-local objects may still call the
    /// driver after those of this library have run. A thread that ends with contexts on its stack leaks a few bytes.
    static STACK: RefCell<ManuallyDrop<Vec<Handle>>> = const { RefCell::new(ManuallyDrop::new(Vec::new())) };
    /// Set while this thread runs a host function of a stream, which must not call the driver.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Runs a host function in which calls to the driver are refused.
pub fn in_callback(body: impl FnOnce()) {
    IN_CALLBACK.set(true);
    body();
    IN_CALLBACK.set(false);
}

/// The handle of the calling thread's context; 0 if it has none.
pub fn top() -> Handle {
    STACK.with_borrow(|stack| stack.last().copied().unwrap_or(0))
}

/// Pushes a context, which becomes current.
pub fn push(handle: Handle) {
    STACK.with_borrow_mut(|stack| stack.push(handle));
}

/// Pops the current context.
pub fn pop() -> Option<Handle> {
    STACK.with_borrow_mut(|stack| stack.pop())
}

/// Replaces the current context; with 0 the context below it becomes current.
pub fn replace(handle: Handle) {
    STACK.with_borrow_mut(|stack| {
        stack.pop();
        if handle != 0 {
            stack.push(handle);
        }
    });
}

/// Removes a context that has ended from the top of the calling thread's stack.
pub fn leave(handle: Handle) {
    STACK.with_borrow_mut(|stack| {
        if stack.last() == Some(&handle) {
            stack.pop();
        }
    });
}

/// Returns the calling thread's context, whether or not it has a sticky error.
///
/// # Errors
/// `CUDA_ERROR_INVALID_CONTEXT` if there is no context, `CUDA_ERROR_CONTEXT_IS_DESTROYED`, or
/// `CUDA_ERROR_NOT_PERMITTED` in a host function of a stream.
pub fn current_any() -> Result<Arc<Context>> {
    driver()?;
    if IN_CALLBACK.get() {
        return Err(Error::NOT_PERMITTED);
    }
    match top() {
        0 => Err(Error::INVALID_CONTEXT),
        handle => context::find(handle).map_err(|_| Error::CONTEXT_IS_DESTROYED),
    }
}

/// Returns the calling thread's context, if it has no sticky error.
///
/// # Errors
/// As [`current_any`], and the error of a kernel that failed in the context.
pub fn current() -> Result<Arc<Context>> {
    let context = current_any()?;
    context.check()?;
    Ok(context)
}

/// Returns the context for a call that frees an object of the context `owner`: the current one, or, if there is none,
/// the owner. Clients free memory after they have popped all their contexts, and with unified addressing the driver
/// knows its owner.
///
/// # Errors
/// As [`current`].
pub fn current_or_owner(owner: Option<Handle>) -> Result<Arc<Context>> {
    match (top(), owner) {
        (0, Some(owner)) if !IN_CALLBACK.get() => {
            let context = context::find(owner)?;
            context.check()?;
            Ok(context)
        }
        _ => current(),
    }
}

/// The context of an argument, where null means the current one.
///
/// # Errors
/// As [`current_any`], and `CUDA_ERROR_INVALID_CONTEXT` for a handle that is not a context.
pub fn given_or_current(handle: Handle) -> Result<Arc<Context>> {
    if handle == 0 { current_any() } else { context::find(handle) }
}
