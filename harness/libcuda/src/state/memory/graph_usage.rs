//! The amount of memory that graphs hold, and whether an allocation of a graph is currently allocated.

use crate::abi::constants::graph_memory_attribute::{
    RESERVED_MEM_CURRENT, RESERVED_MEM_HIGH, USED_MEM_CURRENT, USED_MEM_HIGH,
};
use crate::abi::error::{Error, Result};
use crate::state::device::sync::lock;
use std::sync::Mutex;

/// Graphs take memory from the device in units of this number of bytes (as measured on an H200).
const UNIT: u64 = 32 << 20;

/// The memory that graphs hold, in bytes.
struct Usage {
    /// Memory of current allocations.
    live: u64,
    /// Memory of freed allocations, which stays with the graphs until it is trimmed.
    cached: u64,
    /// The high-water mark of each of the two attributes.
    high: [u64; 2],
}

static USAGE: Mutex<Usage> = Mutex::new(Usage { live: 0, cached: 0, high: [0; 2] });

/// Returns the value of a `CUgraphMem_attribute`.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a number that is not an attribute.
pub fn attribute(attribute: i32) -> Result<u64> {
    let usage = lock(&USAGE);
    match attribute {
        USED_MEM_CURRENT | RESERVED_MEM_CURRENT => Ok(usage.live + usage.cached),
        USED_MEM_HIGH => Ok(usage.high[0]),
        RESERVED_MEM_HIGH => Ok(usage.high[1]),
        _ => Err(Error::INVALID_VALUE),
    }
}

/// Resets a high-water mark.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for an invalid attribute.
pub fn reset(attribute: i32) -> Result {
    let mut usage = lock(&USAGE);
    let now = usage.live + usage.cached;
    match attribute {
        USED_MEM_HIGH => usage.high[0] = now,
        RESERVED_MEM_HIGH => usage.high[1] = now,
        _ => return Err(Error::INVALID_VALUE),
    }
    Ok(())
}

/// Returns the memory of freed allocations to the device.
pub fn trim() {
    lock(&USAGE).cached = 0;
}

/// The lifetime of a graph's allocation: it is allocated from a launch that allocates it until it is freed. Its address
/// belongs to the graph all the time.
#[derive(Debug)]
pub struct Life {
    bytes: u64,
    live: Mutex<bool>,
}

impl Life {
    /// Creates the lifetime of an allocation of this size, before the first launch.
    pub fn new(bytes: usize) -> Self {
        Life { bytes: (bytes as u64).next_multiple_of(UNIT), live: Mutex::new(false) }
    }

    /// Returns whether the allocation is currently allocated.
    pub fn is_live(&self) -> bool {
        *lock(&self.live)
    }

    /// Records that a launch allocates it. If it was never freed, it is freed first.
    pub fn begin(&self) {
        let mut live = lock(&self.live);
        if !std::mem::replace(&mut *live, true) {
            let mut usage = lock(&USAGE);
            usage.cached = usage.cached.saturating_sub(self.bytes);
            usage.live += self.bytes;
            let now = usage.live + usage.cached;
            usage.high = usage.high.map(|high| high.max(now));
        }
    }

    /// Records that it is freed. Returns whether it was allocated.
    pub fn end(&self) -> bool {
        let mut live = lock(&self.live);
        let was = std::mem::replace(&mut *live, false);
        if was {
            let mut usage = lock(&USAGE);
            usage.live -= self.bytes;
            usage.cached += self.bytes;
        }
        was
    }
}
