//! Values that a client keeps with a context, each under a key (an address in the client). NVIDIA's runtime keeps its
//! own state of a context there, and is called back when the context ends.

use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::device::sync::lock;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// A function of the client that is called with the context, the key and the value when the context ends.
pub type Destructor = unsafe extern "C" fn(Handle, usize, usize);

/// A value, and what is called when its context ends.
#[derive(Clone, Copy)]
pub struct LocalValue {
    pub value: usize,
    pub destructor: Option<Destructor>,
}

/// The values of one context.
#[derive(Default)]
pub struct LocalStorage(Mutex<BTreeMap<usize, LocalValue>>);

impl LocalStorage {
    /// Sets the value of a key. A previous value is dropped without a call of its destructor.
    pub fn put(&self, key: usize, value: LocalValue) {
        lock(&self.0).insert(key, value);
    }

    /// Returns the value of a key.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_HANDLE` when there is none.
    pub fn get(&self, key: usize) -> Result<usize> {
        lock(&self.0).get(&key).map(|kept| kept.value).ok_or(Error::INVALID_HANDLE)
    }

    /// Removes the value of a key, without a call of its destructor.
    pub fn delete(&self, key: usize) {
        lock(&self.0).remove(&key);
    }

    /// Removes all values and calls their destructors. The caller holds no lock: a destructor may call the driver.
    pub fn end(&self, context: Handle) {
        let ended = std::mem::take(&mut *lock(&self.0));
        for (key, kept) in ended {
            if let Some(destructor) = kept.destructor {
                // SAFETY: the client promises a function of this type that may be called until its context has ended.
                unsafe { destructor(context, key, kept.value) };
            }
        }
    }
}
