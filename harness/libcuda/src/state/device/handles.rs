//! Tables of the objects that the caller refers to by handle. A stale or invented handle is an error, never a crash.

use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// Handles look like pointers (some clients test their alignment), are numbered in ascending order, and are never
/// reused.
static NEXT: AtomicUsize = AtomicUsize::new(0x6000_0000_1000);

/// Returns a new handle.
pub fn fresh() -> Handle {
    NEXT.fetch_add(64, Ordering::Relaxed)
}

/// Objects of one kind by their handles.
pub struct HandleTable<T: ?Sized>(RwLock<BTreeMap<Handle, Arc<T>>>);

impl<T: ?Sized> HandleTable<T> {
    /// An empty table.
    pub const fn new() -> Self {
        HandleTable(RwLock::new(BTreeMap::new()))
    }
    /// Adds an object under a handle that the caller has created.
    pub fn insert_as(&self, handle: Handle, object: Arc<T>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(handle, object);
    }
    /// Adds an object and returns its handle.
    pub fn insert(&self, object: Arc<T>) -> Handle {
        let handle = fresh();
        self.insert_as(handle, object);
        handle
    }
    /// Returns the object of a handle.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_HANDLE` when the table has no such handle.
    pub fn get(&self, handle: Handle) -> Result<Arc<T>> {
        let table = self.0.read().unwrap_or_else(PoisonError::into_inner);
        table.get(&handle).cloned().ok_or(Error::INVALID_HANDLE)
    }
    /// Removes an object from the table.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_HANDLE` when the table has no such handle.
    pub fn remove(&self, handle: Handle) -> Result<Arc<T>> {
        let mut table = self.0.write().unwrap_or_else(PoisonError::into_inner);
        table.remove(&handle).ok_or(Error::INVALID_HANDLE)
    }
    /// Returns the handle of an object; 0 if it is not, or no longer, in the table.
    pub fn handle_of(&self, object: &Arc<T>) -> Handle {
        let table = self.0.read().unwrap_or_else(PoisonError::into_inner);
        table.iter().find(|(_, other)| Arc::ptr_eq(other, object)).map_or(0, |(handle, _)| *handle)
    }
    /// Returns all objects.
    pub fn all(&self) -> Vec<Arc<T>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
    /// Keeps only the objects that `keep` accepts; the others are dropped after the table is unlocked.
    pub fn retain(&self, mut keep: impl FnMut(&Arc<T>) -> bool) {
        let mut table = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let gone: Vec<Handle> = table.iter().filter(|(_, object)| !keep(object)).map(|(handle, _)| *handle).collect();
        let gone: Vec<_> = gone.iter().filter_map(|handle| table.remove(handle)).collect();
        drop(table);
        drop(gone);
    }
}
