//! Stream-ordered allocation and its pools.
//!
//! Memory is allocated when it is asked for and freed when the stream comes to the free; a pool is an account of what was taken
//! through it and gives back all that is freed.

use crate::abi::{AccessDesc, DevicePtr, Handle, Location, PoolProps, get, get_all, need, put};
use crate::capture;
use crate::context::current;
use crate::device;
use crate::driver::{driver, lock};
use crate::error::{Error, Result};
use crate::handles::Table;
use crate::queue::Stream;
use crate::task::Task;
use crate::{memory, report, stream};
use simt::memory::Kind;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// One pool.
#[derive(Default)]
pub struct Pool {
    used: AtomicU64,
    used_high: AtomicU64,
    /// Reuse policies (attributes 1 to 3) and the release threshold (4), kept and given back.
    settings: Mutex<[u64; 5]>,
    max_size: u64,
}

static POOLS: Table<Pool> = Table::new();

impl Pool {
    fn new(max_size: u64) -> Arc<Self> {
        Arc::new(Pool {
            settings: Mutex::new([0, 1, 1, 1, 0]),
            max_size,
            ..Pool::default()
        })
    }

    /// The device's default pool.
    pub fn default_pool() -> Arc<Self> {
        let pool = Pool::new(0);
        POOLS.insert(Arc::clone(&pool));
        pool
    }

    /// Its handle.
    pub fn handle(self: &Arc<Self>) -> Handle {
        POOLS.handle_of(self)
    }

    /// Memory of it was freed.
    pub fn gave_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn took(&self, bytes: u64) {
        let used = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.used_high.fetch_max(used, Ordering::Relaxed);
    }
}

/// Allocates from a pool for a stream; in a capture, for the graph.
fn take(out: *mut DevicePtr, bytes: usize, pool: &Arc<Pool>, stream: &Arc<Stream>) -> Result {
    need(out)?;
    let context = current()?;
    if bytes == 0 {
        return put(out, 0);
    }
    if pool.max_size != 0 && pool.used.load(Ordering::Relaxed) + bytes as u64 > pool.max_size {
        return Err(Error::OUT_OF_MEMORY);
    }
    let captured = capture::position(stream)?.is_some();
    let address = memory::allocate(&context, bytes, Kind::Pool, 0, "cuMemAllocAsync")?;
    if let Some(owned) = lock(&driver()?.owned).get_mut(&address) {
        owned.pool = Some(Arc::clone(pool));
    }
    pool.took(bytes as u64);
    if captured {
        memory::give_to_graph(address, bytes as u64)?;
        stream::enqueue(stream, Task::Alloc(address))?;
    }
    put(out, address)
}

fn alloc_async(out: *mut DevicePtr, bytes: usize, stream: Handle) -> Result {
    let stream = stream::find(stream)?;
    let pool = Arc::clone(&lock(&driver()?.pools.1));
    take(out, bytes, &pool, &stream)
}

fn alloc_from(out: *mut DevicePtr, bytes: usize, pool: Handle, stream: Handle) -> Result {
    let stream = stream::find(stream)?;
    take(
        out,
        bytes,
        &POOLS.get(pool).map_err(|_| Error::INVALID_VALUE)?,
        &stream,
    )
}

fn free_async(address: DevicePtr, stream: Handle) -> Result {
    let stream = stream::find(stream)?;
    if address == 0 {
        return Ok(());
    }
    let driver = driver()?;
    let captured = capture::position(&stream)?.is_some();
    let mut owned = lock(&driver.owned);
    let ours = owned
        .get_mut(&address)
        .filter(|owned| owned.pool.is_some() && !owned.ending);
    let Some(owned_here) = ours else {
        drop(owned);
        report::wrong_stream_free(driver, address);
        return Err(Error::INVALID_VALUE);
    };
    let task = if captured && owned_here.of_graph {
        Task::GraphFree(address)
    } else {
        // A graph's allocation that is freed outside it stays the graph's, to be given again by its next launch.
        if owned_here.of_graph {
            return Ok(());
        }
        owned_here.ending = !captured;
        Task::Free(address)
    };
    drop(owned);
    stream::enqueue(&stream, task)
}

fn create(out: *mut Handle, properties: *const PoolProps) -> Result {
    driver()?;
    need(out)?;
    let properties = get(properties)?;
    let here = properties.location.kind == Location::DEVICE;
    if properties.alloc_type != 1 {
        return Err(Error::INVALID_VALUE);
    }
    if !here || properties.handle_types != 0 {
        return Err(Error::NOT_SUPPORTED);
    }
    device::check(properties.location.id)?;
    put(out, POOLS.insert(Pool::new(properties.max_size as u64)))
}

fn destroy(pool: Handle) -> Result {
    let driver = driver()?;
    let found = POOLS.get(pool).map_err(|_| Error::INVALID_VALUE)?;
    if Arc::ptr_eq(&found, &driver.pools.0) {
        return Err(Error::INVALID_VALUE);
    }
    let mut current = lock(&driver.pools.1);
    if Arc::ptr_eq(&found, &current) {
        *current = Arc::clone(&driver.pools.0);
    }
    POOLS.remove(pool).map(drop)
}

fn trim(pool: Handle, _keep: usize) -> Result {
    driver()?;
    POOLS.get(pool).map(drop).map_err(|_| Error::INVALID_VALUE)
}

fn get_attribute(pool: Handle, attribute: c_int, out: *mut c_void) -> Result {
    driver()?;
    need(out)?;
    let pool = POOLS.get(pool).map_err(|_| Error::INVALID_VALUE)?;
    let used = pool.used.load(Ordering::Relaxed);
    let high = pool.used_high.load(Ordering::Relaxed);
    match attribute {
        1..=3 => put(
            out.cast::<c_int>(),
            lock(&pool.settings)[attribute as usize] as c_int,
        ),
        4 => put(out.cast::<u64>(), lock(&pool.settings)[4]),
        5 | 7 => put(out.cast::<u64>(), used),
        6 | 8 => put(out.cast::<u64>(), high),
        _ => Err(Error::INVALID_VALUE),
    }
}

fn set_attribute(pool: Handle, attribute: c_int, value: *const c_void) -> Result {
    driver()?;
    let pool = POOLS.get(pool).map_err(|_| Error::INVALID_VALUE)?;
    match attribute {
        1..=3 => {
            lock(&pool.settings)[attribute as usize] = u64::from(get(value.cast::<c_int>())? != 0);
        }
        4 => lock(&pool.settings)[4] = get(value.cast::<u64>())?,
        // The high-water marks can be set back.
        6 | 8 if get(value.cast::<u64>())? == 0 => {
            pool.used_high
                .store(pool.used.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        _ => return Err(Error::INVALID_VALUE),
    }
    Ok(())
}

fn set_access(pool: Handle, list: *const AccessDesc, count: usize) -> Result {
    driver()?;
    POOLS.get(pool).map_err(|_| Error::INVALID_VALUE)?;
    for access in get_all(list, count)? {
        let here = access.location.kind == Location::DEVICE && access.location.id == 0;
        // The device that owns the pool always has access to it.
        if !here || access.flags != 3 {
            return Err(Error::INVALID_VALUE);
        }
    }
    Ok(())
}

fn get_access(out: *mut c_int, pool: Handle, location: *const Location) -> Result {
    driver()?;
    POOLS.get(pool).map_err(|_| Error::INVALID_VALUE)?;
    let location = get(location)?;
    if location.kind != Location::DEVICE || location.id != 0 {
        return Err(Error::INVALID_VALUE);
    }
    put(out, 3)
}

fn default_pool(out: *mut Handle, dev: c_int) -> Result {
    device::check(dev)?;
    put(out, driver()?.pools.0.handle())
}

fn device_pool(out: *mut Handle, dev: c_int) -> Result {
    device::check(dev)?;
    put(out, lock(&driver()?.pools.1).handle())
}

fn set_device_pool(dev: c_int, pool: Handle) -> Result {
    device::check(dev)?;
    let pool = POOLS.get(pool).map_err(|_| Error::INVALID_VALUE)?;
    *lock(&driver()?.pools.1) = pool;
    Ok(())
}

entry_points! {
    cuMemAllocAsync(out: *mut DevicePtr, bytes: usize, stream: Handle) = alloc_async;
    cuMemAllocAsync_ptsz(out: *mut DevicePtr, bytes: usize, stream: Handle) = alloc_async;
    cuMemAllocFromPoolAsync(out: *mut DevicePtr, bytes: usize, pool: Handle, stream: Handle) = alloc_from;
    cuMemAllocFromPoolAsync_ptsz(out: *mut DevicePtr, bytes: usize, pool: Handle, stream: Handle) = alloc_from;
    cuMemFreeAsync(address: DevicePtr, stream: Handle) = free_async;
    cuMemFreeAsync_ptsz(address: DevicePtr, stream: Handle) = free_async;
    cuMemPoolCreate(out: *mut Handle, properties: *const PoolProps) = create;
    cuMemPoolDestroy(pool: Handle) = destroy;
    cuMemPoolTrimTo(pool: Handle, keep: usize) = trim;
    cuMemPoolGetAttribute(pool: Handle, attribute: c_int, out: *mut c_void) = get_attribute;
    cuMemPoolSetAttribute(pool: Handle, attribute: c_int, value: *const c_void) = set_attribute;
    cuMemPoolSetAccess(pool: Handle, list: *const AccessDesc, count: usize) = set_access;
    cuMemPoolGetAccess(out: *mut c_int, pool: Handle, location: *const Location) = get_access;
    cuDeviceGetDefaultMemPool(out: *mut Handle, dev: c_int) = default_pool;
    cuDeviceGetMemPool(out: *mut Handle, dev: c_int) = device_pool;
    cuDeviceSetMemPool(dev: c_int, pool: Handle) = set_device_pool;
}
