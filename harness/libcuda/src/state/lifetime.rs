//! Creating and ending contexts. Ending one affects all other parts of the state.

use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::contexts::context::{self, Context};
use crate::state::contexts::{current, streams};
use crate::state::device::driver::{driver, tell};
use crate::state::device::handles::fresh;
use crate::state::device::sync::lock;
use crate::state::graphs::capture;
use crate::state::memory::allocation::release_all;
use crate::state::modules::module::{reset_libraries, unload_all};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard};

/// The primary context.
struct Primary {
    context: Option<Arc<Context>>,
    /// Its handle; 0 before the first use. It stays the same when the context is created again: clients keep it across
    /// a reset.
    handle: Handle,
    retained: u32,
    flags: u32,
}

static PRIMARY: Mutex<Primary> = Mutex::new(Primary { context: None, handle: 0, retained: 0, flags: 0 });

impl Primary {
    /// Returns the handle, which is made at the first use.
    fn handle(&mut self) -> Handle {
        if self.handle == 0 {
            self.handle = fresh();
        }
        self.handle
    }
}

/// Creates a context and makes it current. Returns its handle.
pub fn create(flags: u32) -> Handle {
    let handle = fresh();
    context::register(&Context::new(handle, flags));
    current::push(handle);
    handle
}

/// Ends a created context.
///
/// # Errors
/// `CUDA_ERROR_INVALID_CONTEXT` for a handle that is not a context, and for the primary context.
pub fn destroy(handle: Handle) -> Result {
    let context = context::find(handle)?;
    if context.handle != handle {
        return Err(Error::INVALID_CONTEXT);
    }
    let primary = lock(&PRIMARY).context.as_ref().is_some_and(|primary| Arc::ptr_eq(primary, &context));
    if primary {
        return Err(Error::INVALID_CONTEXT);
    }
    let result = end(&context, true);
    context.storage.end(handle);
    result
}

/// Ends a context: waits for its work, then frees its remaining objects. `leaks` means that its owner had the chance to
/// free them, so that they are leaks. The caller then ends the context's storage, when it holds no lock.
fn end(ended: &Arc<Context>, leaks: bool) -> Result {
    driver()?;
    for stream in ended.all_streams() {
        capture::abandon(&stream);
        stream.finish();
    }
    context::forget(ended);
    streams::forget_all(ended);
    unload_all(ended);
    let left = release_all(ended.handle);
    if leaks && ended.check().is_ok() {
        tell(|observer| observer.left_behind(&left));
    }
    current::leave(ended.handle);
    Ok(())
}

/// Returns the handle that the primary context has or will have.
pub fn primary_handle() -> Handle {
    lock(&PRIMARY).handle()
}

/// Returns whether this is the handle of the primary context, which may not exist at the moment.
pub fn is_primary(handle: Handle) -> bool {
    handle != 0 && lock(&PRIMARY).handle == handle
}

/// Retains the primary context, which is created if there is none. Returns its handle.
pub fn retain_primary() -> Handle {
    let mut primary = lock(&PRIMARY);
    let handle = primary.handle();
    let context = primary.context.get_or_insert_with(|| Context::new(handle, 0)).clone();
    context.flags.store(primary.flags, Ordering::Relaxed);
    primary.retained += 1;
    context::register(&context);
    handle
}

/// Releases the primary context; the last release ends it.
///
/// # Errors
/// `CUDA_ERROR_INVALID_CONTEXT` when it is not retained.
pub fn release_primary() -> Result {
    let mut primary = lock(&PRIMARY);
    if primary.retained == 0 {
        return Err(Error::INVALID_CONTEXT);
    }
    primary.retained -= 1;
    let ended = if primary.retained == 0 { primary.context.take() } else { None };
    end_primary(primary, ended, true)
}

/// Ends the primary context, even if it is retained. The next call that retains it creates a new one.
///
/// # Errors
/// `CUDA_ERROR_NOT_INITIALIZED`.
pub fn reset_primary() -> Result {
    let mut primary = lock(&PRIMARY);
    let ended = primary.context.take();
    primary.retained = 0;
    end_primary(primary, ended, false)
}

/// Ends what was the primary context, if there was one. The lock is held meanwhile, because the next primary context
/// has the same handle.
fn end_primary(primary: MutexGuard<'_, Primary>, ended: Option<Arc<Context>>, leaks: bool) -> Result {
    let Some(context) = ended else { return Ok(()) };
    let result = end(&context, leaks);
    reset_libraries();
    drop(primary);
    context.storage.end(context.handle);
    result
}

/// Returns the flags of the primary context, and whether it exists.
pub fn primary_state() -> (u32, bool) {
    let primary = lock(&PRIMARY);
    (primary.flags, primary.context.is_some())
}

/// Sets the flags of the primary context, now and whenever it is made again.
pub fn set_primary_flags(flags: u32) {
    let mut primary = lock(&PRIMARY);
    primary.flags = flags;
    if let Some(context) = &primary.context {
        context.flags.store(flags, Ordering::Relaxed);
    }
}
