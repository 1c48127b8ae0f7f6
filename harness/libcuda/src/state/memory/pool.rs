//! Pools for stream-ordered allocation. A pool only counts what was allocated from it; freed memory always goes back to
//! the device.
//!
//! The counts are those that an H200's driver gives: memory is reserved in pieces of 32 MiB until all of it is free,
//! and what an ordinary free takes is still counted as used.

use crate::abi::constants::pool_attribute::{
    RELEASE_THRESHOLD, RESERVED_MEM_CURRENT, RESERVED_MEM_HIGH, REUSE_ALLOW_INTERNAL_DEPENDENCIES,
    REUSE_FOLLOW_EVENT_DEPENDENCIES, USED_MEM_CURRENT, USED_MEM_HIGH,
};
use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::device::handles::Table;
use crate::state::device::sync::lock;
use std::sync::{Arc, LazyLock, Mutex};

/// Bytes that a pool reserves at once.
const PIECE: u64 = 32 << 20;

/// A number of bytes, and the most that it has been.
#[derive(Clone, Copy, Default)]
struct Count {
    now: u64,
    high: u64,
}

impl Count {
    fn set(&mut self, bytes: u64) {
        self.now = bytes;
        self.high = self.high.max(bytes);
    }
}

/// What a pool counts.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// What the attribute tells.
    used: Count,
    reserved: Count,
    /// What is allocated.
    live: u64,
}

/// One pool.
#[derive(Default)]
pub struct Pool {
    counts: Mutex<Counts>,
    /// The reuse policies and the release threshold by `CUmemPool_attribute`, kept and given back.
    settings: Mutex<[u64; RELEASE_THRESHOLD as usize + 1]>,
    /// The most bytes that may be allocated at once; 0: no bound.
    max_size: u64,
}

static POOLS: Table<Pool> = Table::new();

/// The device's default pool, and the pool that `cuMemAllocAsync` takes from.
static OF_DEVICE: LazyLock<(Arc<Pool>, Mutex<Arc<Pool>>)> = LazyLock::new(|| {
    let pool = Pool::new(0);
    POOLS.insert(Arc::clone(&pool));
    (Arc::clone(&pool), Mutex::new(pool))
});

/// The pool of a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`, as in the real driver.
pub fn find(handle: Handle) -> Result<Arc<Pool>> {
    POOLS.get(handle).map_err(|_| Error::INVALID_VALUE)
}

/// The device's default pool.
pub fn default_pool() -> Arc<Pool> {
    Arc::clone(&OF_DEVICE.0)
}

/// The pool that `cuMemAllocAsync` takes from.
pub fn device_pool() -> Arc<Pool> {
    Arc::clone(&lock(&OF_DEVICE.1))
}

/// Chooses the pool that `cuMemAllocAsync` takes from.
pub fn set_device_pool(pool: Arc<Pool>) {
    *lock(&OF_DEVICE.1) = pool;
}

/// Makes a pool of at most `max_size` bytes (0: without a bound); returns its handle.
pub fn create(max_size: u64) -> Handle {
    POOLS.insert(Pool::new(max_size))
}

/// Removes a pool from the table. If it was the device's current pool, the default one becomes current.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for the default pool, and for handles that are not pools.
pub fn destroy(handle: Handle) -> Result {
    let found = find(handle)?;
    if Arc::ptr_eq(&found, &OF_DEVICE.0) {
        return Err(Error::INVALID_VALUE);
    }
    let mut current = lock(&OF_DEVICE.1);
    if Arc::ptr_eq(&found, &current) {
        *current = Arc::clone(&OF_DEVICE.0);
    }
    POOLS.remove(handle).map(drop)
}

/// The value of an attribute of a pool. The two kinds have different types in C.
pub enum Attribute {
    /// A reuse policy: on or off.
    Policy(bool),
    /// A number of bytes.
    Bytes(u64),
}

impl Pool {
    fn new(max_size: u64) -> Arc<Self> {
        Arc::new(Pool { settings: Mutex::new([0, 1, 1, 1, 0]), max_size, ..Pool::default() })
    }

    /// Its handle; 0 once it was destroyed.
    pub fn handle(self: &Arc<Self>) -> Handle {
        POOLS.handle_of(self)
    }

    /// Whether this many more bytes stay within its bound.
    pub fn has_room(&self, bytes: u64) -> bool {
        self.max_size == 0 || lock(&self.counts).live.saturating_add(bytes) <= self.max_size
    }

    /// Counts memory that was freed, in the order of a stream or by an ordinary free.
    pub fn gave_back(&self, bytes: u64, ordered: bool) {
        let threshold = lock(&self.settings)[RELEASE_THRESHOLD as usize];
        let mut counts = lock(&self.counts);
        counts.live = counts.live.saturating_sub(bytes);
        if ordered {
            counts.used.now = counts.used.now.saturating_sub(bytes);
        }
        if counts.live == 0 && counts.reserved.now > threshold {
            counts.reserved.now = threshold.next_multiple_of(PIECE);
        }
    }

    /// Counts memory that was allocated.
    pub fn took(&self, bytes: u64) {
        let mut counts = lock(&self.counts);
        counts.live += bytes;
        let (used, reserved) = (counts.used.now + bytes, counts.live.next_multiple_of(PIECE));
        counts.used.set(used);
        if reserved > counts.reserved.now {
            counts.reserved.set(reserved);
        }
    }

    /// Gives back what is reserved and not allocated, but for so many bytes.
    pub fn trim(&self, keep: u64) {
        let mut counts = lock(&self.counts);
        let least = counts.live.max(keep.min(counts.reserved.now)).next_multiple_of(PIECE);
        counts.reserved.now = counts.reserved.now.min(least);
    }

    /// The value of a `CUmemPool_attribute`.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a number that is not an attribute.
    pub fn attribute(&self, attribute: i32) -> Result<Attribute> {
        Ok(match attribute {
            REUSE_FOLLOW_EVENT_DEPENDENCIES..=REUSE_ALLOW_INTERNAL_DEPENDENCIES => {
                Attribute::Policy(lock(&self.settings)[attribute as usize] != 0)
            }
            RELEASE_THRESHOLD => Attribute::Bytes(lock(&self.settings)[attribute as usize]),
            RESERVED_MEM_CURRENT => Attribute::Bytes(lock(&self.counts).reserved.now),
            RESERVED_MEM_HIGH => Attribute::Bytes(lock(&self.counts).reserved.high),
            USED_MEM_CURRENT => Attribute::Bytes(lock(&self.counts).used.now),
            USED_MEM_HIGH => Attribute::Bytes(lock(&self.counts).used.high),
            _ => return Err(Error::INVALID_VALUE),
        })
    }

    /// Sets a reuse policy or the release threshold, or resets a high-water mark.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for an attribute that cannot be set, and for a high-water mark with a value other
    /// than 0.
    pub fn set_attribute(&self, attribute: i32, value: &Attribute) -> Result {
        match (attribute, value) {
            (REUSE_FOLLOW_EVENT_DEPENDENCIES..=REUSE_ALLOW_INTERNAL_DEPENDENCIES, Attribute::Policy(on)) => {
                lock(&self.settings)[attribute as usize] = u64::from(*on);
            }
            (RELEASE_THRESHOLD, Attribute::Bytes(bytes)) => {
                lock(&self.settings)[attribute as usize] = *bytes;
            }
            (RESERVED_MEM_HIGH | USED_MEM_HIGH, Attribute::Bytes(0)) => {
                let mut counts = lock(&self.counts);
                let count = if attribute == USED_MEM_HIGH { &mut counts.used } else { &mut counts.reserved };
                count.high = count.now;
            }
            _ => return Err(Error::INVALID_VALUE),
        }
        Ok(())
    }
}

/// Whether an attribute is a policy, whose value is an `int` in C. All others have 64 bits.
pub fn is_policy(attribute: i32) -> bool {
    (REUSE_FOLLOW_EVENT_DEPENDENCIES..=REUSE_ALLOW_INTERNAL_DEPENDENCIES).contains(&attribute)
}
