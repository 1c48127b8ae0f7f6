//! Contexts: the primary one, created ones, each thread's stack of current ones, and the error that sticks to one.

use crate::abi::{ContextParams, Device, Handle, get, need, put, put_optional};
use crate::driver::{driver, lock};
use crate::error::{Error, Result};
use crate::handles::fresh;
use crate::limits::Limits;
use crate::queue::Stream;
use crate::{capture, device, leak, memory, module, stream};
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// One context.
pub struct Context {
    /// Its handle.
    pub handle: Handle,
    /// Scheduling flags; they are kept and change nothing here.
    flags: AtomicU32,
    /// The error of the kernel that failed in it, if one did: from then on it can only be destroyed.
    error: AtomicI32,
    destroyed: AtomicBool,
    /// The stream that handle 0 names.
    pub legacy: Arc<Stream>,
    /// Its other streams.
    pub streams: Mutex<Vec<Weak<Stream>>>,
    /// Stack size, printf buffer and so on.
    pub limits: Mutex<Limits>,
    cache_config: AtomicI32,
    shared_config: AtomicI32,
    /// Contexts that it may reach the memory of.
    peers: Mutex<Vec<Handle>>,
}

/// The primary context.
#[derive(Default)]
pub struct Primary {
    context: Option<Arc<Context>>,
    /// Its handle, the same each time it is made anew: clients keep it across a reset.
    handle: Handle,
    retained: u32,
    flags: u32,
}

thread_local! {
    static STACK: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
    /// Set while this thread runs a host function of a stream: those may not call the driver.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

const FLAGS: u32 = 0xff;

/// Runs a host function in which calls to the driver are refused.
pub fn in_callback(body: impl FnOnce()) {
    IN_CALLBACK.set(true);
    body();
    IN_CALLBACK.set(false);
}

fn top() -> Handle {
    STACK.with_borrow(|stack| stack.last().copied().unwrap_or(0))
}

fn lookup(handle: Handle) -> Result<Arc<Context>> {
    driver()?
        .contexts
        .get(handle)
        .map_err(|_| Error::INVALID_CONTEXT)
}

/// The calling thread's context, whether or not an error sticks to it.
///
/// # Errors
/// When there is none, or it was destroyed.
pub fn current_any() -> Result<Arc<Context>> {
    let driver = driver()?;
    if IN_CALLBACK.get() {
        return Err(Error::NOT_PERMITTED);
    }
    match top() {
        0 => Err(Error::INVALID_CONTEXT),
        handle => driver
            .contexts
            .get(handle)
            .map_err(|_| Error::CONTEXT_IS_DESTROYED),
    }
}

/// The calling thread's context, fit for use.
///
/// # Errors
/// As [`current_any`], and the error of a kernel that failed in it.
pub fn current() -> Result<Arc<Context>> {
    let context = current_any()?;
    context.check()?;
    Ok(context)
}

/// The current context for a call that a stream capture forbids (it would wait, or run outside the capture).
///
/// # Errors
/// As [`current`]; `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED` while a capture forbids it, which ends that capture.
pub fn current_uncaptured() -> Result<Arc<Context>> {
    let context = current()?;
    capture::forbid()?;
    Ok(context)
}

/// The context for giving back what `owner` owns: the current one, or without any the owner's. Clients free what they have
/// left after they have popped all their contexts, and with unified addressing the driver knows whose it is.
///
/// # Errors
/// As [`current`].
pub fn current_or_owner(owner: Option<Handle>) -> Result<Arc<Context>> {
    match (top(), owner) {
        (0, Some(owner)) if !IN_CALLBACK.get() => {
            let context = lookup(owner)?;
            context.check()?;
            Ok(context)
        }
        _ => current(),
    }
}

impl Context {
    fn new(handle: Handle, flags: u32) -> Arc<Self> {
        Arc::new_cyclic(|weak: &Weak<Context>| Context {
            handle,
            flags: AtomicU32::new(flags),
            error: AtomicI32::new(0),
            destroyed: AtomicBool::new(false),
            legacy: Stream::new(weak.clone(), 0, 0, true),
            streams: Mutex::default(),
            limits: Mutex::default(),
            cache_config: AtomicI32::new(0),
            shared_config: AtomicI32::new(1),
            peers: Mutex::default(),
        })
    }

    /// The error that sticks to it.
    ///
    /// # Errors
    /// That error.
    pub fn check(&self) -> Result {
        match self.error.load(Ordering::Acquire) {
            0 => Ok(()),
            code => Err(Error(code)),
        }
    }

    /// A kernel failed: the first such error stays.
    pub fn fail(&self, error: Error) {
        let _ = self
            .error
            .compare_exchange(0, error.0, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Its streams, the legacy one first.
    pub fn all_streams(&self) -> Vec<Arc<Stream>> {
        let mut streams = lock(&self.streams);
        streams.retain(|stream| stream.strong_count() > 0);
        std::iter::once(Arc::clone(&self.legacy))
            .chain(streams.iter().filter_map(Weak::upgrade))
            .collect()
    }

    /// Waits for all work of all its streams.
    ///
    /// # Errors
    /// The error of a kernel that failed.
    pub fn synchronize(&self) -> Result {
        for stream in self.all_streams() {
            stream.finish();
        }
        self.check()
    }

    /// Ends it: waits for its work, then frees what is left of it. What was left is a leak if its owner had the chance to free it.
    fn destroy(self: &Arc<Self>, leaks: bool) -> Result {
        let driver = driver()?;
        for stream in self.all_streams() {
            capture::abandon(&stream);
            stream.finish();
        }
        self.destroyed.store(true, Ordering::Release);
        let _ = driver.contexts.remove(self.handle);
        stream::forget_all(self);
        module::unload_all(self);
        let left = memory::release_all(self.handle);
        if leaks && self.check().is_ok() {
            leak::tell(&left);
        }
        STACK.with_borrow_mut(|stack| {
            if stack.last() == Some(&self.handle) {
                stack.pop();
            }
        });
        Ok(())
    }
}

/// Waits for all work of the device.
pub fn synchronize_device() {
    if let Ok(driver) = driver() {
        for context in driver.contexts.all() {
            let _ = context.synchronize();
        }
    }
}

fn create(out: *mut Handle, flags: c_uint, dev: Device) -> Result {
    device::check(dev)?;
    need(out)?;
    if flags & !FLAGS != 0 || (flags & 7).count_ones() > 1 {
        return Err(Error::INVALID_VALUE);
    }
    let handle = fresh();
    let context = Context::new(handle, flags);
    driver()?.contexts.insert_as(handle, context);
    STACK.with_borrow_mut(|stack| stack.push(handle));
    put(out, handle)
}

fn create_v3(
    out: *mut Handle,
    affinity: *mut c_void,
    count: c_int,
    flags: c_uint,
    dev: Device,
) -> Result {
    if count != 0 || !affinity.is_null() {
        driver()?;
        return Err(Error::UNSUPPORTED_EXEC_AFFINITY);
    }
    create(out, flags, dev)
}

fn create_v4(out: *mut Handle, params: *const ContextParams, flags: c_uint, dev: Device) -> Result {
    if !params.is_null() {
        let params = get(params)?;
        if !params.graphics.is_null() {
            driver()?;
            return Err(Error::NOT_SUPPORTED);
        }
        return create_v3(out, params.affinity, params.affinity_count, flags, dev);
    }
    create(out, flags, dev)
}

fn destroy(handle: Handle) -> Result {
    let context = lookup(handle)?;
    if is_primary(&context)? {
        return Err(Error::INVALID_CONTEXT);
    }
    context.destroy(true)
}

fn is_primary(context: &Arc<Context>) -> Result<bool> {
    Ok(lock(&driver()?.primary)
        .context
        .as_ref()
        .is_some_and(|primary| Arc::ptr_eq(primary, context)))
}

fn push(handle: Handle) -> Result {
    let context = lookup(handle)?;
    STACK.with_borrow_mut(|stack| stack.push(context.handle));
    Ok(())
}

fn pop(out: *mut Handle) -> Result {
    driver()?;
    let popped = STACK
        .with_borrow_mut(Vec::pop)
        .ok_or(Error::INVALID_CONTEXT)?;
    put_optional(out, popped);
    Ok(())
}

fn set_current(handle: Handle) -> Result {
    driver()?;
    if handle != 0 {
        lookup(handle)?;
    }
    STACK.with_borrow_mut(|stack| {
        stack.pop();
        if handle != 0 {
            stack.push(handle);
        }
    });
    Ok(())
}

fn get_current(out: *mut Handle) -> Result {
    driver()?;
    put(out, top())
}

fn get_device(out: *mut Device) -> Result {
    current_any()?;
    put(out, 0)
}

/// A context argument where null names the current one.
fn of(handle: Handle) -> Result<Arc<Context>> {
    if handle == 0 {
        current_any()
    } else {
        lookup(handle)
    }
}

fn get_flags(out: *mut c_uint) -> Result {
    put(out, current_any()?.flags.load(Ordering::Relaxed))
}

fn set_flags(flags: c_uint) -> Result {
    if flags & !FLAGS != 0 {
        return Err(Error::INVALID_VALUE);
    }
    current_any()?.flags.store(flags, Ordering::Relaxed);
    Ok(())
}

fn get_id(context: Handle, out: *mut u64) -> Result {
    put(out, of(context)?.handle as u64)
}

fn api_version(context: Handle, out: *mut c_uint) -> Result {
    of(context)?;
    put(out, 3020)
}

fn synchronize() -> Result {
    current_uncaptured()?.synchronize()
}

fn priority_range(least: *mut c_int, greatest: *mut c_int) -> Result {
    current()?;
    put_optional(least, stream::LEAST_PRIORITY);
    put_optional(greatest, stream::GREATEST_PRIORITY);
    Ok(())
}

fn get_cache_config(out: *mut c_int) -> Result {
    put(out, current()?.cache_config.load(Ordering::Relaxed))
}

fn set_cache_config(config: c_int) -> Result {
    let context = current()?;
    if !(0..=3).contains(&config) {
        return Err(Error::INVALID_VALUE);
    }
    context.cache_config.store(config, Ordering::Relaxed);
    Ok(())
}

fn get_shared_config(out: *mut c_int) -> Result {
    put(out, current()?.shared_config.load(Ordering::Relaxed))
}

fn set_shared_config(config: c_int) -> Result {
    let context = current()?;
    if !(0..=2).contains(&config) {
        return Err(Error::INVALID_VALUE);
    }
    // Banks are four bytes wide on every part since Maxwell; the wish is taken and changes nothing.
    context.shared_config.store(1, Ordering::Relaxed);
    Ok(())
}

fn reset_l2() -> Result {
    current().map(drop)
}

fn attach(out: *mut Handle, flags: c_uint) -> Result {
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    put(out, current()?.handle)
}

fn detach(handle: Handle) -> Result {
    lookup(handle).map(drop)
}

fn enable_peer(peer: Handle, flags: c_uint) -> Result {
    let context = current()?;
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let peer = lookup(peer)?;
    if peer.handle == context.handle {
        return Err(Error::INVALID_CONTEXT);
    }
    let mut peers = lock(&context.peers);
    if peers.contains(&peer.handle) {
        return Err(Error::PEER_ACCESS_ALREADY_ENABLED);
    }
    peers.push(peer.handle);
    Ok(())
}

fn disable_peer(peer: Handle) -> Result {
    let context = current()?;
    let peer = lookup(peer)?;
    let mut peers = lock(&context.peers);
    let at = peers
        .iter()
        .position(|known| *known == peer.handle)
        .ok_or(Error::PEER_ACCESS_NOT_ENABLED)?;
    peers.remove(at);
    Ok(())
}

fn primary_retain(out: *mut Handle, dev: Device) -> Result {
    device::check(dev)?;
    need(out)?;
    let driver = driver()?;
    let mut primary = lock(&driver.primary);
    if primary.handle == 0 {
        primary.handle = fresh();
    }
    let handle = primary.handle;
    let context = primary
        .context
        .get_or_insert_with(|| Context::new(handle, 0))
        .clone();
    context.flags.store(primary.flags, Ordering::Relaxed);
    primary.retained += 1;
    driver
        .contexts
        .insert_as(context.handle, Arc::clone(&context));
    put(out, context.handle)
}

fn primary_release(dev: Device) -> Result {
    device::check(dev)?;
    let mut primary = lock(&driver()?.primary);
    if primary.retained == 0 {
        return Err(Error::INVALID_CONTEXT);
    }
    primary.retained -= 1;
    let ended = if primary.retained == 0 {
        primary.context.take()
    } else {
        None
    };
    // Under the lock: the next one has the same handle.
    ended.map_or(Ok(()), |context| context.destroy(true))
}

fn primary_reset(dev: Device) -> Result {
    device::check(dev)?;
    let mut primary = lock(&driver()?.primary);
    // Those who retained it keep their claim; the next retain makes a fresh context.
    let ended = primary.context.take();
    primary.retained = 0;
    ended.map_or(Ok(()), |context| context.destroy(false))
}

fn primary_state(dev: Device, flags: *mut c_uint, active: *mut c_int) -> Result {
    device::check(dev)?;
    need(flags)?;
    need(active)?;
    let primary = lock(&driver()?.primary);
    put(flags, primary.flags)?;
    put(active, c_int::from(primary.context.is_some()))
}

fn primary_set_flags(dev: Device, flags: c_uint) -> Result {
    device::check(dev)?;
    if flags & !FLAGS != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let mut primary = lock(&driver()?.primary);
    primary.flags = flags;
    if let Some(context) = &primary.context {
        context.flags.store(flags, Ordering::Relaxed);
    }
    Ok(())
}

entry_points! {
    cuCtxCreate(out: *mut Handle, flags: c_uint, dev: Device) = create;
    cuCtxCreate_v2(out: *mut Handle, flags: c_uint, dev: Device) = create;
    cuCtxCreate_v3(out: *mut Handle, affinity: *mut c_void, count: c_int, flags: c_uint, dev: Device) = create_v3;
    cuCtxCreate_v4(out: *mut Handle, params: *const ContextParams, flags: c_uint, dev: Device) = create_v4;
    cuCtxDestroy(context: Handle) = destroy;
    cuCtxDestroy_v2(context: Handle) = destroy;
    cuCtxPushCurrent(context: Handle) = push;
    cuCtxPushCurrent_v2(context: Handle) = push;
    cuCtxPopCurrent(out: *mut Handle) = pop;
    cuCtxPopCurrent_v2(out: *mut Handle) = pop;
    cuCtxSetCurrent(context: Handle) = set_current;
    cuCtxGetCurrent(out: *mut Handle) = get_current;
    cuCtxGetDevice(out: *mut Device) = get_device;
    cuCtxGetFlags(out: *mut c_uint) = get_flags;
    cuCtxSetFlags(flags: c_uint) = set_flags;
    cuCtxGetId(context: Handle, out: *mut u64) = get_id;
    cuCtxGetApiVersion(context: Handle, out: *mut c_uint) = api_version;
    cuCtxSynchronize() = synchronize;
    cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) = priority_range;
    cuCtxGetCacheConfig(out: *mut c_int) = get_cache_config;
    cuCtxSetCacheConfig(config: c_int) = set_cache_config;
    cuCtxGetSharedMemConfig(out: *mut c_int) = get_shared_config;
    cuCtxSetSharedMemConfig(config: c_int) = set_shared_config;
    cuCtxResetPersistingL2Cache() = reset_l2;
    cuCtxAttach(out: *mut Handle, flags: c_uint) = attach;
    cuCtxDetach(context: Handle) = detach;
    cuCtxEnablePeerAccess(peer: Handle, flags: c_uint) = enable_peer;
    cuCtxDisablePeerAccess(peer: Handle) = disable_peer;
    cuDevicePrimaryCtxRetain(out: *mut Handle, dev: Device) = primary_retain;
    cuDevicePrimaryCtxRelease(dev: Device) = primary_release;
    cuDevicePrimaryCtxRelease_v2(dev: Device) = primary_release;
    cuDevicePrimaryCtxReset(dev: Device) = primary_reset;
    cuDevicePrimaryCtxReset_v2(dev: Device) = primary_reset;
    cuDevicePrimaryCtxGetState(dev: Device, flags: *mut c_uint, active: *mut c_int) = primary_state;
    cuDevicePrimaryCtxSetFlags(dev: Device, flags: c_uint) = primary_set_flags;
    cuDevicePrimaryCtxSetFlags_v2(dev: Device, flags: c_uint) = primary_set_flags;
}
