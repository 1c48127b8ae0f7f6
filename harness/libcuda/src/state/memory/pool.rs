//! Pools for stream-ordered allocation. A pool only counts its allocations; freed memory always returns to the device.
//!
//! The counts match those of an H200's driver: memory is reserved in pieces of 32 MiB until all of it is free, and
//! memory freed by an ordinary free still counts as used.

use crate::abi::constants::pool_attribute::{
    RELEASE_THRESHOLD, RESERVED_MEM_CURRENT, RESERVED_MEM_HIGH, REUSE_ALLOW_INTERNAL_DEPENDENCIES,
    REUSE_FOLLOW_EVENT_DEPENDENCIES, USED_MEM_CURRENT, USED_MEM_HIGH,
};
use crate::abi::constants::{access_flags, allocation_type, location_type};
use crate::abi::error::{Error, Result};
use crate::abi::types::{Handle, Location};
use crate::state::device::handles::HandleTable;
use crate::state::device::sync::lock;
use simt::memory::MemoryKind;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Bytes that a pool reserves together.
const PIECE: u64 = 32 << 20;

/// A number of bytes, and its high-water mark.
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

/// The counts of a pool.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// The value of the attribute.
    used: Count,
    reserved: Count,
    /// The bytes currently allocated.
    live: u64,
}

/// The memory of a pool: the kind of the allocation (`CUmemAllocationType`) and its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    pub kind: i32,
    pub place: i32,
}

impl Source {
    /// The device's own memory.
    pub const DEVICE: Source = Source { kind: allocation_type::PINNED, place: location_type::DEVICE };

    /// Returns the kind of its memory.
    pub fn memory(self) -> MemoryKind {
        match self {
            Source { kind: allocation_type::MANAGED, .. } => MemoryKind::Managed,
            Source { place: location_type::DEVICE, .. } => MemoryKind::Pool,
            _ => MemoryKind::Pinned { mapped: true, write_combined: false },
        }
    }
}

/// A pool of another process: the process, and the pool's number there.
pub type Foreign = (u32, u64);

/// A pool.
pub struct Pool {
    counts: Mutex<Counts>,
    /// The reuse policies and the release threshold by `CUmemPool_attribute`, which are stored and returned.
    settings: Mutex<[u64; RELEASE_THRESHOLD as usize + 1]>,
    /// The maximum number of bytes allocated at the same time; 0 means no limit.
    max_size: u64,
    /// The memory that it allocates.
    pub source: Source,
    /// The handles by which it can be exported (`CUmemAllocationHandleType`).
    pub handle_types: i32,
    /// For an imported pool, its origin. Only memory that its process exports can be opened from it.
    pub foreign: Option<Foreign>,
    /// The access rights of each location (`CUmemAccess_flags`).
    access: Mutex<BTreeMap<(i32, i32), i32>>,
}

static POOLS: HandleTable<Pool> = HandleTable::new();

/// The default pool of a source, and the pool that currently replaces it.
type Pair = (Arc<Pool>, Arc<Pool>);

/// The pools of each source.
static OF_SOURCES: Mutex<BTreeMap<Source, Pair>> = Mutex::new(BTreeMap::new());

/// The pool of a handle.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE`, as in the real driver.
pub fn find(handle: Handle) -> Result<Arc<Pool>> {
    POOLS.get(handle).map_err(|_| Error::INVALID_VALUE)
}

/// Accesses the pools of a source: the default one, and the current one.
fn of_source<T>(source: Source, with: impl FnOnce(&mut Pair) -> T) -> T {
    let mut all = lock(&OF_SOURCES);
    with(all.entry(source).or_insert_with(|| {
        let pool = Pool::new(0, source, 0, None);
        POOLS.insert(Arc::clone(&pool));
        (Arc::clone(&pool), pool)
    }))
}

/// The default pool of a source.
pub fn default_of(source: Source) -> Arc<Pool> {
    of_source(source, |(standard, _)| Arc::clone(standard))
}

/// Returns the current pool of a source; `cuMemAllocAsync` allocates from that of the device.
pub fn current_of(source: Source) -> Arc<Pool> {
    of_source(source, |(_, current)| Arc::clone(current))
}

/// Sets the current pool of a source.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a pool of different memory, or of another process.
pub fn set_current(source: Source, pool: Arc<Pool>) -> Result {
    if pool.source != source || pool.foreign.is_some() {
        return Err(Error::INVALID_VALUE);
    }
    of_source(source, |(_, current)| *current = pool);
    Ok(())
}

/// Creates a pool of at most `max_size` bytes (0: without a limit), and returns its handle.
pub fn create(max_size: u64, source: Source, handle_types: i32) -> Handle {
    POOLS.insert(Pool::new(max_size, source, handle_types, None))
}

/// Imports a pool of another process, and returns its handle.
pub fn import(foreign: Foreign) -> Handle {
    let known = POOLS.all().into_iter().find(|pool| pool.foreign == Some(foreign));
    let pool = known.unwrap_or_else(|| {
        let pool = Pool::new(0, Source::DEVICE, 0, Some(foreign));
        POOLS.insert(Arc::clone(&pool));
        pool
    });
    pool.handle()
}

/// Removes a pool from the table. If it was the current pool of its source, the default one becomes current.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for default pools, those of other processes, and handles that are not pools.
pub fn destroy(handle: Handle) -> Result {
    let found = find(handle)?;
    if found.foreign.is_some() {
        return Err(Error::INVALID_VALUE);
    }
    of_source(found.source, |(standard, current)| {
        if Arc::ptr_eq(&found, standard) {
            return Err(Error::INVALID_VALUE);
        }
        if Arc::ptr_eq(&found, current) {
            *current = Arc::clone(standard);
        }
        Ok(())
    })?;
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
    fn new(max_size: u64, source: Source, handle_types: i32, foreign: Option<Foreign>) -> Arc<Self> {
        let (counts, settings, access) = (Mutex::default(), Mutex::new([0, 1, 1, 1, 0]), Mutex::default());
        Arc::new(Pool { counts, settings, max_size, source, handle_types, foreign, access })
    }

    /// Returns the access rights of a location (`CUmemAccess_flags`). The owner of the memory always has access.
    pub fn access(&self, place: Location) -> i32 {
        let owner =
            if self.source.place == location_type::DEVICE { location_type::DEVICE } else { location_type::HOST };
        if self.source.kind == allocation_type::PINNED && place.kind == owner {
            return access_flags::READWRITE;
        }
        lock(&self.access).get(&(place.kind, place.id)).copied().unwrap_or(access_flags::NONE)
    }

    /// Sets the access rights of a location.
    pub fn allow(&self, place: Location, flags: i32) {
        lock(&self.access).insert((place.kind, place.id), flags);
    }

    /// Returns the pool's handle; 0 once it was destroyed.
    pub fn handle(self: &Arc<Self>) -> Handle {
        POOLS.handle_of(self)
    }

    /// Returns whether `bytes` more bytes stay within its limit.
    pub fn has_room(&self, bytes: u64) -> bool {
        self.max_size == 0 || lock(&self.counts).live.saturating_add(bytes) <= self.max_size
    }

    /// Counts freed memory, in the order of a stream or by an ordinary free.
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

    /// Counts allocated memory.
    pub fn took(&self, bytes: u64) {
        let mut counts = lock(&self.counts);
        counts.live += bytes;
        let (used, reserved) = (counts.used.now + bytes, counts.live.next_multiple_of(PIECE));
        counts.used.set(used);
        if reserved > counts.reserved.now {
            counts.reserved.set(reserved);
        }
    }

    /// Releases reserved memory that is not allocated, except for `keep` bytes.
    pub fn trim(&self, keep: u64) {
        let mut counts = lock(&self.counts);
        let least = counts.live.max(keep.min(counts.reserved.now)).next_multiple_of(PIECE);
        counts.reserved.now = counts.reserved.now.min(least);
    }

    /// Returns the value of a `CUmemPool_attribute`.
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

/// Returns whether an attribute is a policy, whose value is an `int` in C. All others have 64 bits.
pub fn is_policy(attribute: i32) -> bool {
    (REUSE_FOLLOW_EVENT_DEPENDENCIES..=REUSE_ALLOW_INTERNAL_DEPENDENCIES).contains(&attribute)
}
