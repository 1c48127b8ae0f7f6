//! Allocations: the driver's record of each, and freeing them.

use super::advice::Advice;
use super::graph_usage::Life;
use super::pool::Pool;
use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::contexts::context::{self, Context};
use crate::state::contexts::stream::Stream;
use crate::state::device::call_site::CallSite;
use crate::state::device::driver::{Driver, driver, leaks_wanted, tell};
use crate::state::device::leftover::Leftover;
use crate::state::device::ordering;
use crate::state::device::sync::lock;
use simt::memory::{FreeError, Heap, MemoryError, MemoryKind, Unfreed};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// The driver's record of an allocation.
pub struct Owned {
    /// The context that frees it when the context ends.
    pub context: Handle,
    /// Its number, which is unique and never reused (`CU_POINTER_ATTRIBUTE_BUFFER_ID`).
    pub id: u64,
    /// The flags given at its allocation.
    pub flags: u32,
    /// The pool from which it was allocated.
    pub pool: Option<Arc<Pool>>,
    /// Whether a stream-ordered free is pending.
    pub ending: bool,
    /// Whether it can be freed in a stream's order.
    pub ordered: bool,
    /// The stream in whose order it was allocated, and its number ([`ordering`]).
    pub allocated_in: Option<(Weak<Stream>, u64)>,
    /// A graph allocates it.
    pub graph: Option<Arc<Life>>,
    /// Whether the graph that allocates it is gone.
    pub orphan: bool,
    /// Its advice, if it is managed.
    pub advice: Option<Box<Advice>>,
    /// `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`.
    pub sync_memops: bool,
    /// The origin of the allocation, if the leak check is on.
    call_site: Option<Arc<CallSite>>,
    /// Whether it was reported as a leak.
    reported: bool,
}

/// All allocations by address.
static OWNED: Mutex<BTreeMap<u64, Owned>> = Mutex::new(BTreeMap::new());
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

impl Owned {
    /// Creates the record of an allocation of a context.
    fn new(context: &Context, flags: u32) -> Self {
        Owned {
            context: context.handle,
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            flags,
            pool: None,
            ending: false,
            ordered: false,
            allocated_in: None,
            graph: None,
            orphan: false,
            advice: None,
            sync_memops: false,
            call_site: None,
            reported: false,
        }
    }

    /// Returns whether its address belongs to a graph.
    pub fn is_of_graph(&self) -> bool {
        self.graph.is_some() && !self.orphan
    }
}

/// Reads or changes the record of the allocation that begins at an address; `None` if there is none. The table is
/// locked during `change`.
pub fn with_owned<T>(address: u64, change: impl FnOnce(&mut Owned) -> T) -> Option<T> {
    lock(&OWNED).get_mut(&address).map(change)
}

/// Returns the context to which an allocation belongs.
pub fn owner(address: u64) -> Option<Handle> {
    with_owned(address, |owned| owned.context)
}

/// Returns the driver's error for a request that the machine refuses.
pub fn refused(error: MemoryError) -> Error {
    match error {
        MemoryError::OutOfMemory { .. } | MemoryError::Host { .. } => Error::OUT_OF_MEMORY,
        MemoryError::Invalid { .. } => Error::INVALID_VALUE,
        MemoryError::Overlaps { .. } => Error::HOST_MEMORY_ALREADY_REGISTERED,
    }
}

/// Runs `take`, which allocates device memory. If the device is out of memory, waits for pending frees and tries again.
///
/// # Errors
/// As [`refused`].
pub fn taken<T>(take: impl Fn() -> std::result::Result<T, MemoryError>) -> Result<T> {
    let again = |error| match error {
        MemoryError::OutOfMemory { asked, total, .. } if asked <= total => {
            context::synchronize_device();
            take()
        }
        other => Err(other),
    };
    take().or_else(again).map_err(refused)
}

/// Allocates for a context, as [`taken`]; `call` is the name of the entry point.
///
/// # Errors
/// `CUDA_ERROR_OUT_OF_MEMORY`, `CUDA_ERROR_INVALID_VALUE` for 0 bytes.
pub fn allocate(context: &Context, bytes: usize, kind: MemoryKind, flags: u32, call: &str) -> Result<u64> {
    let driver = driver()?;
    let address = taken(|| driver.memory.alloc(bytes as u64, 1, kind, call))?;
    let mut owned = Owned::new(context, flags);
    owned.ordered = kind == MemoryKind::Pool;
    if matches!(kind, MemoryKind::Device | MemoryKind::Managed | MemoryKind::Pool) {
        owned.call_site = leaks_wanted().then(CallSite::here);
    }
    lock(&OWNED).insert(address, owned);
    Ok(address)
}

/// Records memory of another process, which a context has opened.
pub fn adopt(context: &Context, address: u64, ordered: bool) {
    let owned = Owned { ordered, ..Owned::new(context, 0) };
    lock(&OWNED).insert(address, owned);
}

/// Returns whether an allocation of the program begins at an address, without a pending free.
pub fn is_live(address: u64) -> bool {
    with_owned(address, |owned| !owned.ending && owned.graph.is_none()).unwrap_or(false)
}

/// Registers host memory of the program for a context.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for memory that is not the program's, `CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED`.
pub fn register(context: &Context, address: u64, bytes: u64, flags: u32) -> Result {
    let memory = &driver()?.memory;
    if !simt::memory::is_host_range(address, bytes) || memory.owns(address) {
        return Err(Error::INVALID_VALUE);
    }
    memory.register(address, bytes, "cuMemHostRegister").map_err(refused)?;
    lock(&OWNED).insert(address, Owned::new(context, flags));
    Ok(())
}

/// Frees an allocation. The caller has checked that this is allowed. The address of a graph's allocation stays with the
/// graph.
pub fn release(address: u64) {
    let kept = with_owned(address, |owned| {
        let was_live = owned.graph.as_ref().is_some_and(|life| life.end());
        was_live && owned.is_of_graph()
    });
    if kept == Some(false) {
        remove(address);
    }
}

/// Frees an allocation, regardless of its owner.
fn remove(address: u64) {
    let Ok(driver) = driver() else { return };
    let Some(owned) = lock(&OWNED).remove(&address) else {
        return;
    };
    if let Some(life) = &owned.graph {
        life.end();
    }
    if let Ok(freed) = driver.memory.free(address)
        && let Some(pool) = &owned.pool
    {
        pool.gave_back(freed.bytes, owned.ending);
    }
}

/// Frees all memory of a context that ends. Returns the device memory that was not freed.
pub fn release_all(context: Handle) -> Vec<Leftover> {
    if driver().is_err() {
        return Vec::new();
    }
    let left = left(Some(context));
    let mine: Vec<u64> = lock(&OWNED).iter().filter(|(_, owned)| owned.context == context).map(|(at, _)| *at).collect();
    mine.into_iter().for_each(remove);
    left
}

/// Returns whether `cuMemFree` accepts an address: the start of device, managed or pool memory without a pending
/// stream-ordered free. Memory of a graph must be allocated at the time.
pub fn is_freeable(driver: &Driver, address: u64) -> bool {
    let found = driver.memory.find(address);
    let kind = found.filter(|found| found.start == address).map(|found| found.kind);
    let is_live = |owned: &mut Owned| owned.graph.as_ref().is_none_or(|life| life.is_live());
    let mine = with_owned(address, |owned| !owned.ending && is_live(owned));
    mine == Some(true) && matches!(kind, Some(MemoryKind::Device | MemoryKind::Managed | MemoryKind::Pool))
}

/// Returns whether host memory begins at this address that was registered (`registered`), or that the driver allocated.
pub fn is_host_allocation(driver: &Driver, address: u64, registered: bool) -> bool {
    driver.memory.find(address).is_some_and(|found| {
        found.start == address
            && match found.kind {
                MemoryKind::Pinned { .. } => !registered,
                MemoryKind::Registered => registered,
                _ => false,
            }
    })
}

/// Notes that memory was allocated in the order of a stream.
pub fn allocated_in(stream: &Arc<Stream>, address: u64) {
    with_owned(address, |owned| owned.allocated_in = Some((Arc::downgrade(stream), ordering::next())));
}

/// Reports that a task of a stream uses memory of another stream at an address, if nothing orders its allocation before
/// the task. `kernel` is the name of the kernel whose launch it is; empty for a copy or a fill.
pub fn used_in(stream: &Arc<Stream>, address: u64, kernel: &str) {
    let Ok(driver) = driver() else { return };
    let Some(found) = driver.memory.find(address).filter(|found| found.kind == MemoryKind::Pool) else { return };
    let Some((other, number)) = with_owned(found.start, |owned| owned.allocated_in.clone()).flatten() else { return };
    // What was allocated in a stream that is gone by now may have been ordered by any way.
    if other.upgrade().is_some_and(|other| !stream.comes_after(&other, number)) {
        tell(|observer| observer.early_use(address, &found, kernel));
    }
}

/// Reports why an address cannot be freed; returns the error code.
pub fn wrong_free(driver: &Driver, address: u64) -> Error {
    let why = match driver.memory.find(address) {
        Some(found) if found.start != address => {
            FreeError::Inside { addr: address, start: found.start, offset: address - found.start }
        }
        Some(found) if found.kind == MemoryKind::Opened => {
            tell(|observer| {
                observer.explain_error("memory of another process is closed (cuIpcCloseMemHandle), not freed");
            });
            FreeError::Unknown { addr: address }
        }
        // The allocation exists, but this call does not free memory of its kind.
        Some(_) => FreeError::Unknown { addr: address },
        None => match driver.memory.free(address) {
            Err(error) => error,
            Ok(_) => return Error::INVALID_VALUE,
        },
    };
    tell(|observer| observer.wrong_free(&why));
    Error::INVALID_VALUE
}

/// Reports why an address cannot be freed in a stream's order, and returns the error code.
pub fn wrong_stream_free(driver: &Driver, address: u64) -> Error {
    let double = |bytes, label| FreeError::DoubleFree { addr: address, bytes, label };
    let why = match driver.memory.find(address) {
        Some(live) if live.start != address => {
            FreeError::Inside { addr: address, start: live.start, offset: address - live.start }
        }
        // The allocation exists: either a stream-ordered free of it is pending, or it is of a different kind.
        Some(live) if with_owned(address, |owned| owned.ordered) == Some(true) => double(live.bytes, live.label),
        Some(_) => FreeError::Unknown { addr: address },
        None => match freed(driver, address) {
            Some((bytes, label)) => double(bytes, label),
            None => FreeError::Unknown { addr: address },
        },
    };
    tell(|observer| observer.wrong_free(&why));
    Error::INVALID_VALUE
}

/// Returns the size and the label of the allocation that was last freed at this address.
fn freed(driver: &Driver, address: u64) -> Option<(u64, Arc<str>)> {
    let view = driver.memory.view();
    let freed = view.freed().iter().rev().find(|freed| freed.start == address)?;
    Some((freed.end - freed.start, freed.label.clone()))
}

/// Returns the device memory that lives in a context, or in any context, and was not reported before. Pinned memory,
/// variables of modules and memory that graphs own are not leaks, and neither is memory whose stream-ordered free is
/// pending.
fn left(context: Option<Handle>) -> Vec<Leftover> {
    let Ok(driver) = driver() else {
        return Vec::new();
    };
    let mine: Vec<_> = lock(&OWNED)
        .iter()
        .filter(|(_, owned)| !owned.is_of_graph() && !owned.ending && !owned.reported)
        .filter(|(_, owned)| context.is_none_or(|context| owned.context == context))
        .map(|(at, owned)| (*at, owned.call_site.clone()))
        .collect();
    let found = mine.into_iter().filter_map(|(at, call_site)| Some((driver.memory.find(at)?, call_site)));
    found
        .filter(|(found, _)| matches!(found.kind, MemoryKind::Device | MemoryKind::Managed | MemoryKind::Pool))
        .map(|(found, call_site)| Leftover { address: found.start, bytes: found.bytes, call: found.label, call_site })
        .collect()
}

/// Returns the current device memory of all contexts. Empty if a kernel has failed in one of them, because its owner
/// could then not free it.
pub fn left_now() -> Vec<Leftover> {
    let sound = driver().is_ok() && context::all().iter().all(|context| context.check().is_ok());
    if sound { left(None) } else { Vec::new() }
}

/// The blocks that kernels have allocated from the device heap and not freed. None if a kernel has failed.
pub fn unfreed_now() -> Vec<Unfreed> {
    let sound = context::all().iter().all(|context| context.check().is_ok());
    let heap = driver().ok().filter(|_| sound).and_then(|driver| driver.memory.heap());
    heap.map_or_else(Vec::new, Heap::unfreed)
}

/// Marks these as reported, so that none is reported twice.
pub fn mark_reported(left: &[Leftover]) {
    if driver().is_err() {
        return;
    }
    let mut owned = lock(&OWNED);
    for left in left {
        if let Some(owned) = owned.get_mut(&left.address) {
            owned.reported = true;
        }
    }
}
