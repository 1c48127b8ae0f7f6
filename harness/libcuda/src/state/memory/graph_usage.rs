//! How much memory graphs hold, and whether an allocation of a graph is allocated now.

use crate::abi::constants::graph_memory_attribute::{
    RESERVED_MEM_CURRENT, RESERVED_MEM_HIGH, USED_MEM_CURRENT, USED_MEM_HIGH,
};
use crate::abi::error::{Error, Result};
use crate::state::device::sync::lock;
use std::sync::Mutex;

/// Graphs take memory from the device in units of this many bytes (as seen on an H200).
const UNIT: u64 = 32 << 20;

/// The memory that graphs hold, in bytes.
struct Usage {
    /// Of allocations that are allocated now.
    live: u64,
    /// Of those that were freed: it stays with the graphs until it is trimmed.
    cached: u64,
    /// The most at any time, for each of the two attributes.
    high: [u64; 2],
}

static USAGE: Mutex<Usage> = Mutex::new(Usage { live: 0, cached: 0, high: [0; 2] });

/// The value of a `CUgraphMem_attribute`.
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
/// `CUDA_ERROR_INVALID_VALUE` for an attribute that is none.
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

/// Gives the memory of freed allocations back to the device.
pub fn trim() {
    lock(&USAGE).cached = 0;
}

/// Whether an allocation of a graph is allocated: after a launch that allocates it, until it is freed. Its address
/// belongs to the graph all the time.
#[derive(Debug)]
pub struct Life {
    bytes: u64,
    live: Mutex<bool>,
}

impl Life {
    /// Of an allocation of this size that no launch has made yet.
    pub fn new(bytes: usize) -> Self {
        Life { bytes: (bytes as u64).next_multiple_of(UNIT), live: Mutex::new(false) }
    }

    /// Whether it is allocated.
    pub fn is_live(&self) -> bool {
        *lock(&self.live)
    }

    /// A launch allocates it. If it was never freed, it is freed before.
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

    /// It is freed. Returns whether it was allocated.
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
