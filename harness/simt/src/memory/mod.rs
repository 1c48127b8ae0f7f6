//! The device's address space: live and freed allocations, and the diagnosis of an address.
//!
//! Device addresses come from a range in which the system maps nothing, so a host program that dereferences one faults
//! as it would with a GPU. The bytes lie in host memory that is mapped for each allocation; the distance between the
//! two is a [`Range`]'s `delta`. Managed, pinned and registered memory is host memory: its delta is zero.
//!
//! A snapshot ([`View`]) keeps the bytes of all its ranges alive. So a kernel whose memory is freed while it runs reads
//! stale bytes, never those of another allocation.
//!
//! Allocations are exact to the byte and have guard gaps between them. A freed range is not reused until the whole
//! space has been used. So an access slightly out of bounds, or slightly after the free, is recognised.

mod backing;
mod elsewhere;
mod error;
mod heap;
mod kind;
mod mapping;
mod physical;
mod reserve;
mod shared;
mod space;
mod view;
mod written;

pub use elsewhere::know_host;
pub use error::{AccessError, FreeError, MemoryError};
pub use kind::{Allocation, MemoryKind, Shared};
pub use physical::{Access, GRANULARITY, PHYSICAL_LABEL, Physical};
pub use reserve::unnamed_file;
pub use view::{Diagnosis, Freed, Neighbour, Range, View};

use crate::texture::{Object, Objects};
use backing::Backing;
pub(crate) use heap::{HEAP_BLOCK, HeapBlock, Places, Who};
pub use heap::{HEAP_BYTES, Heap, HeapError, Unfreed};
use space::{Held, Space};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
pub(crate) use written::Written;

/// The alignment of every allocation, as with NVIDIA's driver.
pub const ALIGNMENT: u64 = 512;
/// Pairs of a size and an alignment: an allocation of at least that size has that alignment, as on an H200. Smaller
/// ones, and all pool allocations, only have [`ALIGNMENT`].
const COARSE: [(u64, u64); 2] = [(32 << 20, 32 << 20), ((1 << 20) + 1, 2 << 20)];
/// The range of the device's own addresses.
const WINDOW: (u64, u64) = (reserve::DEVICE, reserve::DEVICE + reserve::DEVICE_LEN);

/// The alignment that the driver gives an allocation.
fn alignment(kind: MemoryKind, bytes: u64) -> u64 {
    let of_driver = matches!(kind, MemoryKind::Device | MemoryKind::Managed | MemoryKind::Pinned { .. });
    let coarse = COARSE.iter().find(|(from, _)| of_driver && bytes >= *from);
    coarse.map_or(ALIGNMENT, |(_, align)| *align)
}

/// The host bytes behind device addresses. They stay mapped as long as this value lives, even if the allocation is
/// freed.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The first byte. Use it for plain and atomic accesses through raw pointers only, because kernels share these
    /// bytes.
    pub pointer: *mut u8,
    _backing: Option<Arc<Backing>>,
}

impl Reached {
    /// Wraps memory whose lifetime the caller manages.
    pub fn own(pointer: *mut u8) -> Self {
        Reached { pointer, _backing: None }
    }
}

/// The device's memory.
#[derive(Debug)]
pub struct Memory {
    inner: Mutex<Space>,
    /// The heap from which kernels allocate, once a module has requested it.
    heap: OnceLock<Heap>,
    total: u64,
    /// Whether new allocations remember which of their bytes have been written.
    tracking: AtomicBool,
    /// The textures and surfaces that refer to its bytes.
    objects: Mutex<Arc<Objects>>,
}

/// Returns whether `len` bytes at `addr` are mapped in this process. A device's own addresses are not.
pub fn is_host_range(addr: u64, len: u64) -> bool {
    reserve::is_mapped(addr, len)
}

/// Whether an address is one of a device's own, which the host cannot reach.
pub fn is_device_address(addr: u64) -> bool {
    (WINDOW.0..WINDOW.1).contains(&addr)
}

/// Whether `len` bytes at `addr` can be read in this process, as far as the system reports.
pub fn is_readable(addr: u64, len: u64) -> bool {
    reserve::is_readable(addr, len)
}

/// Prefetches the host memory at this address, which may be any address.
#[inline(always)]
pub(crate) fn fetch_ahead(at: u64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor has this instruction, and it only affects caches.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at as *const i8);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

impl Memory {
    /// Creates a device with `total_bytes` of memory. Memory is mapped only when something is allocated.
    pub fn new(total_bytes: u64) -> Self {
        Self {
            inner: Mutex::new(Space::new()),
            heap: OnceLock::new(),
            total: total_bytes,
            tracking: AtomicBool::new(false),
            objects: Mutex::default(),
        }
    }

    /// Returns a snapshot of the textures and surfaces.
    pub fn objects(&self) -> Arc<Objects> {
        Arc::clone(&self.objects.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a texture or surface; returns the handle by which kernels name it.
    pub fn add_object(&self, object: Object) -> u64 {
        Arc::make_mut(&mut self.objects.lock().unwrap_or_else(PoisonError::into_inner)).add(object)
    }

    /// Removes a texture or surface. Returns whether there was one with this handle.
    pub fn remove_object(&self, handle: u64) -> bool {
        Arc::make_mut(&mut self.objects.lock().unwrap_or_else(PoisonError::into_inner)).remove(handle)
    }

    /// Makes sure that there is a heap for kernels.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn ensure_heap(&self) -> Result<(), MemoryError> {
        if self.heap.get().is_none() {
            let start = self.alloc(HEAP_BYTES, 256, MemoryKind::Heap, "the device heap")?;
            if self.heap.set(Heap::new(start, HEAP_BYTES)).is_err() {
                // Another thread was faster, so this heap is unused.
                let _ = self.free(start);
            }
        }
        Ok(())
    }

    /// Returns the heap from which kernels allocate, if a module has requested it.
    pub fn heap(&self) -> Option<&Heap> {
        self.heap.get()
    }

    fn lock(&self) -> MutexGuard<'_, Space> {
        // No code in here unwinds in the middle of a change, so the state behind a poisoned lock is still consistent.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates `bytes` bytes (at least 1), aligned to `align` and at least as NVIDIA's driver aligns them. Returns
    /// the device address. New memory is zero, which is not guaranteed on a GPU. `label` names the allocation in
    /// findings.
    ///
    /// # Errors
    /// When it does not fit on the device or on the host, or when the request is invalid.
    pub fn alloc(&self, bytes: u64, align: u64, kind: MemoryKind, label: &str) -> Result<u64, MemoryError> {
        if bytes == 0 || !align.is_power_of_two() || kind == MemoryKind::Registered {
            return Err(MemoryError::Invalid { bytes, align });
        }
        let mut inner = self.lock();
        let free = self.total.saturating_sub(inner.used());
        let out_of_memory = MemoryError::OutOfMemory { asked: bytes, free, total: self.total };
        let charged =
            if kind.is_charged() { bytes.checked_next_multiple_of(ALIGNMENT).ok_or(out_of_memory)? } else { 0 };
        if charged > free {
            return Err(out_of_memory);
        }
        let short = MemoryError::Host { asked: bytes };
        let align = align.max(alignment(kind, bytes));
        let written = self.tracks(kind).then(|| Written::new(bytes).ok_or(short)).transpose()?;
        let (start, span, delta, backing) = if kind.is_host() {
            let backing = Backing::mapped_for_both(bytes, align).ok_or(short)?;
            (backing.start(), 0, 0, backing)
        } else {
            let (start, span) = inner.place(bytes, align).ok_or(out_of_memory)?;
            let stagger = inner.host_stagger();
            let backing = Backing::pages(&inner.slabs, stagger + bytes).ok_or(short)?;
            (start, span, (backing.start() + stagger).wrapping_sub(start) as i64, backing)
        };
        inner.add(
            start,
            Held {
                bytes,
                kind,
                label: label.into(),
                id: 0,
                span,
                charged,
                delta,
                backing: Some(Arc::new(backing)),
                written: written.map(Arc::new),
                mapped: None,
            },
        );
        Ok(start)
    }

    /// Registers host memory at its own address, and returns that address.
    ///
    /// # Errors
    /// When the range is empty, or overlaps an allocation or another registration.
    pub fn register(&self, addr: u64, bytes: u64, label: &str) -> Result<u64, MemoryError> {
        if bytes == 0 || addr == 0 || addr.checked_add(bytes).is_none() {
            return Err(MemoryError::Invalid { bytes, align: 1 });
        }
        let mut inner = self.lock();
        let before = inner.live.range(..addr + bytes).next_back();
        if let Some((&start, held)) = before
            && start + held.bytes > addr
        {
            return Err(MemoryError::Overlaps { addr, start });
        }
        if addr < WINDOW.1 && addr + bytes > WINDOW.0 {
            return Err(MemoryError::Overlaps { addr, start: WINDOW.0 });
        }
        let held = Held {
            bytes,
            kind: MemoryKind::Registered,
            label: label.into(),
            id: 0,
            span: 0,
            charged: 0,
            delta: 0,
            backing: None,
            written: None,
            mapped: None,
        };
        inner.add(addr, held);
        Ok(addr)
    }

    /// Frees the allocation, or ends the registration, that starts at `addr`. Returns its description.
    ///
    /// # Errors
    /// When no live allocation starts there. The error describes what is at the address.
    pub fn free(&self, addr: u64) -> Result<Allocation, FreeError> {
        let mut inner = self.lock();
        if inner.live.get(&addr).is_some_and(|held| held.mapped.is_some()) {
            return Err(FreeError::Unknown { addr });
        }
        let Some(held) = inner.live.remove(&addr) else {
            return Err(inner.explain_free(addr));
        };
        inner.allocated -= held.charged;
        let freed = held.describe(addr);
        let label = Arc::clone(&held.label);
        inner.forget(Freed { start: addr, end: addr + held.bytes, kind: held.kind, label, id: held.id });
        Ok(freed)
    }

    /// Lets the addresses of freed allocations be used again, as a device does immediately. Until then an access to one
    /// of them is reported as what it is, however much has been allocated since.
    pub fn reuse_freed(&self) {
        self.lock().reuse_freed();
    }

    /// Returns a snapshot of the current state. It is cheap if nothing has changed since the last call.
    pub fn view(&self) -> Arc<View> {
        let mut inner = self.lock();
        if let Some(view) = &inner.view {
            return Arc::clone(view);
        }
        let view = Arc::new(inner.snapshot());
        inner.view = Some(Arc::clone(&view));
        view
    }

    /// Returns the host address of `len` bytes at the device address `addr`, which must lie in one live allocation. The
    /// host address is valid until the allocation is freed; if another thread may free it, see [`Memory::reach`]. Use
    /// it for plain and atomic accesses through raw pointers only, because kernels share these bytes.
    ///
    /// # Errors
    /// When the bytes do not lie in one live allocation.
    pub fn host(&self, addr: u64, len: u64) -> Result<*mut u8, AccessError> {
        self.reach(addr, len).map(|reached| reached.pointer)
    }

    /// Like [`Memory::host`], and keeps the bytes mapped.
    ///
    /// # Errors
    /// When the bytes do not lie in one live allocation.
    pub fn reach(&self, addr: u64, len: u64) -> Result<Reached, AccessError> {
        if let Some((pointer, backing)) = self.lock().host(addr, len) {
            return Ok(Reached { pointer, _backing: backing.cloned() });
        }
        Err(AccessError { addr, len, diagnosis: Box::new(self.view().diagnose(addr, len)) })
    }

    /// Sets whether future allocations track which of their bytes have been written. Memory that the host can write
    /// directly counts as written.
    pub fn track_writes(&self, on: bool) {
        self.tracking.store(on, Ordering::Relaxed);
    }

    fn tracks(&self, kind: MemoryKind) -> bool {
        self.tracking.load(Ordering::Relaxed)
            && matches!(kind, MemoryKind::Device | MemoryKind::Pool | MemoryKind::Heap)
    }

    /// Records that the host has written `len` bytes at `addr` by a copy or a fill. Does nothing if writes are not
    /// tracked.
    pub fn wrote(&self, addr: u64, len: u64) {
        if let Some((written, offset)) = self.lock().written(addr) {
            written.write(offset, len);
        }
    }

    /// The first address of `len` bytes at `addr` that no one has written, and how many such bytes there are. Gaps that
    /// may be padding between the members of structures do not count. `None` where writes are not tracked.
    pub fn unset(&self, addr: u64, len: u64) -> Option<(u64, u64)> {
        let inner = self.lock();
        let (written, offset) = inner.written(addr)?;
        written.blank(offset, len).map(|(first, bytes)| (addr + (first - offset), bytes))
    }

    /// Notes that `len` bytes have been copied inside the device. A byte that has never been written stays so in the
    /// copy.
    pub fn copied(&self, dst: u64, src: u64, len: u64) {
        let inner = self.lock();
        let Some((to, to_offset)) = inner.written(dst) else {
            return;
        };
        match inner.written(src) {
            Some((from, from_offset)) => to.copy(to_offset, from, from_offset, len),
            None => to.write(to_offset, len),
        }
    }

    /// Discards the contents of the whole pages within `len` bytes at `addr`: they read as zero. Does nothing for
    /// memory that is not managed.
    pub fn discard(&self, addr: u64, len: u64) {
        let inner = self.lock();
        let Some((&start, held)) = inner.live.range(..=addr).next_back() else { return };
        let first = addr.next_multiple_of(reserve::PAGE);
        let end = addr.saturating_add(len).min(start + held.bytes) / reserve::PAGE * reserve::PAGE;
        if held.kind == MemoryKind::Managed && held.backing.is_some() && first < end {
            reserve::discard(first, end - first);
        }
    }

    /// Returns the live allocation that contains `addr`.
    pub fn find(&self, addr: u64) -> Option<Allocation> {
        let inner = self.lock();
        let (&start, held) = inner.live.range(..=addr).next_back()?;
        (addr - start < held.bytes).then(|| held.describe(start))
    }

    /// Returns all live allocations, by address.
    pub fn live(&self) -> Vec<Allocation> {
        self.lock().live.iter().map(|(&start, held)| held.describe(start)).collect()
    }

    /// Returns whether `addr` is one of this device's own addresses (allocated or not), which the host cannot access.
    pub fn owns(&self, addr: u64) -> bool {
        is_device_address(addr)
    }

    /// Returns the number of allocated bytes, with each allocation rounded up to [`ALIGNMENT`].
    pub fn used(&self) -> u64 {
        self.lock().used()
    }

    /// Returns the total number of bytes.
    pub fn total(&self) -> u64 {
        self.total
    }
}

#[cfg(test)]
mod tests;
