//! Conditions: values that kernels set, and that determine which graphs a conditional node runs.
//!
//! A condition's handle is the address of its value on the device, so `cudaGraphSetConditional` is a store there
//! (`state/modules/device_runtime`).

use crate::abi::constants::conditional_type;
use crate::abi::error::{Error, Result};
use crate::state::device::driver::{Driver, driver};
use crate::state::device::sync::lock;
use simt::memory::MemoryKind;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// The maximum number of bodies of one node. A larger number is a mistake of the caller.
const MOST_BODIES: u32 = 1 << 16;

/// A value on the device that determines what a conditional node runs.
pub struct Condition {
    address: u64,
    /// The initial value for each launch of the graph; without it the value is kept.
    default: Option<u32>,
    /// Whether a node uses it.
    taken: AtomicBool,
}

/// All conditions by handle.
static CONDITIONS: Mutex<BTreeMap<u64, Weak<Condition>>> = Mutex::new(BTreeMap::new());

impl Condition {
    /// Creates a condition. Its handle is valid as long as the condition is kept.
    ///
    /// # Errors
    /// `CUDA_ERROR_OUT_OF_MEMORY`.
    pub fn create(driver: &Driver, default: Option<u32>) -> Result<Arc<Self>> {
        let memory = driver.memory.alloc(4, 4, MemoryKind::Global(false), "cuGraphConditionalHandleCreate");
        let address = memory.map_err(|_| Error::OUT_OF_MEMORY)?;
        let condition = Arc::new(Condition { address, default, taken: AtomicBool::new(false) });
        lock(&CONDITIONS).insert(address, Arc::downgrade(&condition));
        Ok(condition)
    }

    /// Returns the condition of a handle.
    pub fn find(handle: u64) -> Option<Arc<Self>> {
        lock(&CONDITIONS).get(&handle).and_then(Weak::upgrade)
    }

    /// Returns the condition's handle.
    pub fn handle(&self) -> u64 {
        self.address
    }

    /// Takes the condition for a node. Returns whether no other node had taken it.
    pub fn take(&self) -> bool {
        !self.taken.swap(true, Ordering::Relaxed)
    }

    /// Releases the condition, because the node that took it is gone.
    pub fn give_back(&self) {
        self.taken.store(false, Ordering::Relaxed);
    }

    /// Sets the initial value for a launch.
    pub fn reset(&self) {
        if let (Some(default), Some(cell)) = (self.default, self.cell()) {
            cell.store(default, Ordering::Relaxed);
        }
    }

    /// Returns the current value.
    pub fn value(&self) -> u32 {
        self.cell().map_or(0, |cell| cell.load(Ordering::Relaxed))
    }

    fn cell(&self) -> Option<&AtomicU32> {
        let cell = driver().ok()?.memory.host(self.address, 4).ok()?;
        // SAFETY: four aligned bytes that stay allocated as long as `self` lives.
        Some(unsafe { AtomicU32::from_ptr(cell.cast()) })
    }
}

impl Drop for Condition {
    fn drop(&mut self) {
        lock(&CONDITIONS).remove(&self.address);
        if let Ok(driver) = driver() {
            let _ = driver.memory.free(self.address);
        }
    }
}

/// The rule by which the value selects a body (`CUgraphConditionalNodeType`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Choosing {
    /// The first body if the value is not zero; the second, if there is one, if it is zero.
    If,
    /// The only body, as long as the value is not zero.
    While,
    /// The body with this number.
    Switch,
}

impl Choosing {
    /// Returns the rule for its number in cuda.h, if it allows `bodies` bodies.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE`.
    pub fn new(kind: i32, bodies: u32) -> Result<Self> {
        match (kind, bodies) {
            (conditional_type::IF, 1 | 2) => Ok(Choosing::If),
            (conditional_type::WHILE, 1) => Ok(Choosing::While),
            (conditional_type::SWITCH, 1..=MOST_BODIES) => Ok(Choosing::Switch),
            _ => Err(Error::INVALID_VALUE),
        }
    }
}
