//! Contexts, and the sticky error of each.

use super::attributes::Attributes;
use super::green;
use super::limits::ContextLimits;
use super::local_storage::LocalStorage;
use super::stream::Stream;
use crate::abi::constants::shared_config;
use crate::abi::error::{Error, Result};
use crate::abi::types::Handle;
use crate::state::device::driver::driver;
use crate::state::device::ending;
use crate::state::device::handles::HandleTable;
use crate::state::device::sync::lock;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

/// A context.
pub struct Context {
    /// Its handle.
    pub handle: Handle,
    /// Scheduling flags, which are stored but have no effect.
    pub flags: AtomicU32,
    /// The error of a failed kernel, if there was one: from then on the context can only be destroyed.
    error: AtomicI32,
    /// The stream with handle 0.
    pub legacy: Arc<Stream>,
    /// Its other streams.
    streams: Mutex<Vec<Weak<Stream>>>,
    /// Stack size, printf buffer and so on.
    pub limits: Mutex<ContextLimits>,
    /// The preference between cache and shared memory, which is stored but has no effect.
    pub cache_config: AtomicI32,
    /// The width of shared memory's banks, which is stored but has no effect.
    pub shared_config: AtomicI32,
    /// Contexts whose memory it may access.
    peers: Mutex<Vec<Handle>>,
    /// Values that clients keep with the context.
    pub storage: LocalStorage,
}

/// The time for which the end of the process waits for kernels that it has stopped.
const STOP: Duration = Duration::from_millis(500);

/// All contexts by handle.
static CONTEXTS: HandleTable<Context> = HandleTable::new();

/// Returns the context of a handle; for the context of a green context, the primary context.
///
/// # Errors
/// `CUDA_ERROR_NOT_INITIALIZED`, `CUDA_ERROR_INVALID_CONTEXT`.
pub fn find(handle: Handle) -> Result<Arc<Context>> {
    driver()?;
    CONTEXTS.get(handle).or_else(|_| {
        let green = green::of_context(handle).ok_or(Error::INVALID_CONTEXT)?;
        CONTEXTS.get(green.primary).map_err(|_| Error::INVALID_CONTEXT)
    })
}

/// Adds a context to the table, under its handle.
pub fn register(context: &Arc<Context>) {
    CONTEXTS.insert_as(context.handle, Arc::clone(context));
}

/// Removes a context from the table.
pub fn forget(context: &Context) {
    let _ = CONTEXTS.remove(context.handle);
}

/// All contexts.
pub fn all() -> Vec<Arc<Context>> {
    CONTEXTS.all()
}

/// Waits for all work of the device. At the end of the process, waits only until the deadline.
pub fn synchronize_device() {
    if ending::has_begun() {
        wind_down();
    } else if driver().is_ok() {
        for context in all() {
            let _ = context.synchronize();
        }
    }
}

/// Waits until the deadline for all work of the device, and abandons unfinished work.
pub fn wind_down() {
    if driver().is_err() || finish_by(ending::deadline()) {
        return;
    }
    // Kernels stop soon; a function of the program might not.
    if ending::abandon() {
        finish_by(Instant::now() + STOP);
    }
}

fn finish_by(deadline: Instant) -> bool {
    all().into_iter().flat_map(|context| context.all_streams()).all(|stream| stream.finish_by(deadline))
}

impl Context {
    /// Creates a context with this handle; [`register`] adds it to the table.
    pub fn new(handle: Handle, flags: u32) -> Arc<Self> {
        Arc::new_cyclic(|weak: &Weak<Context>| Context {
            handle,
            flags: AtomicU32::new(flags),
            error: AtomicI32::new(0),
            legacy: Stream::new(weak.clone(), 0, Attributes::default(), true),
            streams: Mutex::default(),
            limits: Mutex::default(),
            cache_config: AtomicI32::new(0),
            shared_config: AtomicI32::new(shared_config::FOUR_BYTE_BANK_SIZE),
            peers: Mutex::default(),
            storage: LocalStorage::default(),
        })
    }

    /// Returns the context's sticky error.
    ///
    /// # Errors
    /// The sticky error.
    pub fn check(&self) -> Result {
        match self.error.load(Ordering::Acquire) {
            0 => Ok(()),
            code => Err(Error(code)),
        }
    }

    /// Sets the error of a failed kernel. The first such error stays.
    pub fn fail(&self, error: Error) {
        let _ = self.error.compare_exchange(0, error.0, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Adds a stream of this context.
    pub fn add_stream(&self, stream: &Arc<Stream>) {
        lock(&self.streams).push(Arc::downgrade(stream));
    }

    /// Returns the context's streams, the legacy one first.
    pub fn all_streams(&self) -> Vec<Arc<Stream>> {
        let mut streams = lock(&self.streams);
        streams.retain(|stream| stream.strong_count() > 0);
        std::iter::once(Arc::clone(&self.legacy)).chain(streams.iter().filter_map(Weak::upgrade)).collect()
    }

    /// Waits for all work of all streams of the context.
    ///
    /// # Errors
    /// The error of a failed kernel.
    pub fn synchronize(&self) -> Result {
        for stream in self.all_streams() {
            stream.finish();
        }
        self.check()
    }

    /// Allows this context to access the memory of another.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_CONTEXT` for itself, `CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`.
    pub fn enable_peer(&self, peer: Handle) -> Result {
        if peer == self.handle {
            return Err(Error::INVALID_CONTEXT);
        }
        let mut peers = lock(&self.peers);
        if peers.contains(&peer) {
            return Err(Error::PEER_ACCESS_ALREADY_ENABLED);
        }
        peers.push(peer);
        Ok(())
    }

    /// Revokes the access that [`Self::enable_peer`] allowed.
    ///
    /// # Errors
    /// `CUDA_ERROR_PEER_ACCESS_NOT_ENABLED`.
    pub fn disable_peer(&self, peer: Handle) -> Result {
        let mut peers = lock(&self.peers);
        let at = peers.iter().position(|known| *known == peer).ok_or(Error::PEER_ACCESS_NOT_ENABLED)?;
        peers.remove(at);
        Ok(())
    }
}
