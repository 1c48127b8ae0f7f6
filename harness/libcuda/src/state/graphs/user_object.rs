//! User objects: resources of the caller that live as long as the graphs that refer to them.

use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::contexts::current::in_callback;
use crate::state::device::driver::driver;
use crate::state::device::handles::HandleTable;
use crate::state::device::sync::lock;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

/// An object: its destructor, and the number of references to it.
pub struct UserObject {
    destroy: unsafe extern "C" fn(*mut c_void),
    data: *mut c_void,
    held: Mutex<u64>,
}
// SAFETY: the thread that releases the last reference uses the pointer; the caller promises that any thread may.
unsafe impl Send for UserObject {}
// SAFETY: as above.
unsafe impl Sync for UserObject {}

static OBJECTS: HandleTable<UserObject> = HandleTable::new();

impl UserObject {
    /// Adds references.
    pub fn retain(&self, count: u64) {
        *lock(&self.held) += count;
    }

    /// Releases references; when the last one is released, the object is destroyed.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` when there are fewer references.
    pub fn release(self: &Arc<Self>, count: u64) -> Result {
        let mut held = lock(&self.held);
        *held = held.checked_sub(count).ok_or(Error::INVALID_VALUE)?;
        let last = *held == 0;
        drop(held);
        if last {
            let _ = OBJECTS.remove(OBJECTS.handle_of(self));
            // SAFETY: the creator promised a valid function and argument, and this was the last reference.
            in_callback(|| unsafe { (self.destroy)(self.data) });
        }
        Ok(())
    }
}

/// A reference of a graph to an object.
pub struct Hold(Arc<UserObject>);

impl Clone for Hold {
    fn clone(&self) -> Self {
        *lock(&self.0.held) += 1;
        Hold(Arc::clone(&self.0))
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // This reference was counted, so the release cannot fail.
        let _ = self.0.release(1);
    }
}

/// Creates an object with `count` references, and returns its handle. The release of the last one calls `destroy` with
/// `data`.
pub fn create(destroy: unsafe extern "C" fn(*mut c_void), data: *mut c_void, count: u32) -> Handle {
    OBJECTS.insert(Arc::new(UserObject { destroy, data, held: Mutex::new(u64::from(count)) }))
}

/// The object of a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`.
pub fn find(handle: Handle) -> Result<Arc<UserObject>> {
    driver()?;
    OBJECTS.get(handle).map_err(|_| Error::INVALID_VALUE)
}

/// Adds `count` references to the list of a graph. With `moved` they are taken from the caller; otherwise they are new.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` when more are taken from the caller than there are.
pub fn give(holds: &Mutex<Vec<Hold>>, object: &Arc<UserObject>, count: u32, moved: bool) -> Result {
    if !moved {
        object.retain(u64::from(count));
    } else if *lock(&object.held) < u64::from(count) {
        return Err(Error::INVALID_VALUE);
    }
    lock(holds).extend((0..count).map(|_| Hold(Arc::clone(object))));
    Ok(())
}

/// Removes `count` references to an object from the list of a graph, and releases them.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` when the list has fewer.
pub fn take(holds: &Mutex<Vec<Hold>>, object: &Arc<UserObject>, count: u32) -> Result {
    let mut holds = lock(holds);
    let of_it = |hold: &Hold| Arc::ptr_eq(&hold.0, object);
    if holds.iter().filter(|hold| of_it(hold)).count() < count as usize {
        return Err(Error::INVALID_VALUE);
    }
    let mut gone = Vec::new();
    for _ in 0..count {
        if let Some(at) = holds.iter().position(of_it) {
            gone.push(holds.swap_remove(at));
        }
    }
    // Releasing the last reference calls a function of the caller, which may use the graph: the list must be unlocked
    // by then.
    drop(holds);
    drop(gone);
    Ok(())
}
