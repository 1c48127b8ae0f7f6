//! The device's address space: what is allocated where, what was, and what lies behind an address.
//!
//! Device addresses come from a range of virtual addresses that is reserved and never accessible, so a host program that
//! dereferences one faults as it would with a GPU. The bytes lie in a second range of the same shape; the distance between the
//! two is a [`Range`]'s `delta`. Managed, pinned and registered memory is the host's own: its delta is zero.
//!
//! Allocations are exact to the byte, have guard gaps between them, and a freed range is not handed out again until the whole
//! space has been used, so that an access a little outside or a little late is recognised.

mod heap;
mod reserve;
mod view;

pub use view::{Diagnosis, Freed, Neighbour, Range, View};

use crate::shadow::init::Written;
pub use heap::{HEAP_BYTES, Heap, HeapError};
pub(crate) use heap::{HeapBlock, Who};
use reserve::Reservation;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The least distance between two allocations, and the page that each has to itself.
const PAGE: u64 = 4096;
/// The greatest gap left behind an allocation: an overrun up to the allocation's own size, or this, hits no neighbour.
const MAX_GAP: u64 = 16 << 20;
/// From this size on an allocation starts near a huge page's start, and asks for huge pages.
const HUGE: u64 = 2 << 20;
/// The alignment every allocation has, as the driver's do.
pub const ALIGNMENT: u64 = 512;
/// How many freed ranges are remembered for diagnosis.
const REMEMBERED: usize = 4096;

/// Whose memory it is, and how it came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Device memory.
    Device,
    /// Managed memory: one address for host and device.
    Managed,
    /// Page-locked host memory. With unified addressing every device can reach it at the host's address.
    Pinned {
        /// Asked for as mapped.
        mapped: bool,
        /// Asked for as write-combined.
        write_combined: bool,
    },
    /// The host's own memory, registered with the device: never freed here.
    Registered,
    /// A module's variable; `true` if kernels may only read it (`.const`).
    Global(bool),
    /// Device memory of a pool (stream-ordered allocation).
    Pool,
    /// What kernels allocate from themselves: a [`Heap`], which knows what of it may be accessed.
    Heap,
}

impl Kind {
    /// Whether host and device reach it at one address.
    pub fn is_host(self) -> bool {
        matches!(self, Kind::Managed | Kind::Pinned { .. } | Kind::Registered)
    }
    /// Whether it takes of the device's memory. (Managed memory does, once it has migrated; it is counted from the start.)
    fn is_charged(self) -> bool {
        !matches!(self, Kind::Pinned { .. } | Kind::Registered)
    }
}

/// Why an allocation was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// It does not fit.
    #[error(
        "{asked} bytes asked for, {free} of the device's {total} bytes are free: allocate less, or free first"
    )]
    OutOfMemory {
        /// Bytes asked for.
        asked: u64,
        /// Bytes free.
        free: u64,
        /// Bytes in all.
        total: u64,
    },
    /// Zero bytes, or an alignment that is no power of two.
    #[error(
        "{bytes} bytes aligned to {align}: a size must be at least 1 and an alignment a power of two"
    )]
    Invalid {
        /// Bytes asked for.
        bytes: u64,
        /// Alignment asked for.
        align: u64,
    },
    /// The host has no more memory to stand behind it.
    #[error("the host cannot back {asked} bytes")]
    Host {
        /// Bytes asked for.
        asked: u64,
    },
    /// A range to register overlaps one that is known already.
    #[error("{addr:#x} overlaps an allocation or registration at {start:#x}")]
    Overlaps {
        /// Start of the range to register.
        addr: u64,
        /// Start of the range it overlaps.
        start: u64,
    },
}

/// Why an address could not be freed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FreeError {
    /// It was an allocation, and is freed already.
    #[error("double free: {addr:#x} ({label}, {bytes} bytes) is freed already")]
    DoubleFree {
        /// The address.
        addr: u64,
        /// Its size when it lived.
        bytes: u64,
        /// What it was called.
        label: Arc<str>,
    },
    /// It lies inside an allocation.
    #[error("{addr:#x} lies {offset} bytes inside the allocation at {start:#x}: free that address")]
    Inside {
        /// The address.
        addr: u64,
        /// Start of the allocation.
        start: u64,
        /// Distance from its start.
        offset: u64,
    },
    /// Nothing was ever allocated there.
    #[error("{addr:#x} is not an allocation of this device")]
    Unknown {
        /// The address.
        addr: u64,
    },
}

/// Why a range of device addresses cannot be reached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{len} bytes at {addr:#x} are not in one live allocation: {diagnosis}")]
pub struct AccessError {
    /// Start of the range.
    pub addr: u64,
    /// Its length in bytes.
    pub len: u64,
    /// What lies there.
    pub diagnosis: Box<Diagnosis>,
}

/// A live allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// First address.
    pub start: u64,
    /// Size in bytes, as asked for.
    pub bytes: u64,
    /// Whose it is.
    pub kind: Kind,
    /// What it is called in findings.
    pub label: Arc<str>,
    /// Unique among all allocations of this memory.
    pub id: u32,
}

/// The device's memory.
#[derive(Debug)]
pub struct Memory {
    inner: Mutex<Inner>,
    /// What kernels allocate from, once a module has asked for it.
    heap: OnceLock<Heap>,
    total: u64,
    window: (u64, u64),
    /// Whether new allocations remember which of their bytes have been written.
    tracking: AtomicBool,
}

#[derive(Debug)]
struct Inner {
    /// The device's addresses and the bytes behind them.
    space: Reservation,
    live: BTreeMap<u64, Block>,
    freed: Vec<Freed>,
    /// Where the next allocation is tried, as an offset in the space.
    next: u64,
    used: u64,
    next_id: u32,
    /// The snapshot of the present state, if one was asked for since the last change.
    view: Option<Arc<View>>,
}

#[derive(Debug)]
struct Block {
    bytes: u64,
    kind: Kind,
    label: Arc<str>,
    id: u32,
    /// Bytes of the space, or of the host mapping, that it occupies with its gap.
    span: u64,
    /// Bytes that it counts for.
    charged: u64,
    delta: i64,
    /// Which bytes have been written, if that is followed.
    written: Option<Arc<Written>>,
}

/// Whether `len` bytes at `addr` are mapped in this process. (Reserved device addresses are: see [`Memory::owns`].)
pub fn is_host_range(addr: u64, len: u64) -> bool {
    reserve::is_mapped(addr, len)
}

fn round_up(value: u64, to: u64) -> u64 {
    value.div_ceil(to) * to
}

impl Memory {
    /// A device with `total_bytes` of memory.
    ///
    /// # Errors
    /// When the system refuses to reserve the addresses.
    pub fn new(total_bytes: u64) -> io::Result<Self> {
        let space = Reservation::new(total_bytes)?;
        let window = (space.base(), space.base() + space.len());
        Ok(Self {
            inner: Mutex::new(Inner {
                space,
                live: BTreeMap::new(),
                freed: Vec::new(),
                next: 0,
                used: 0,
                next_id: 1,
                view: None,
            }),
            heap: OnceLock::new(),
            total: total_bytes,
            window,
            tracking: AtomicBool::new(false),
        })
    }

    /// Makes sure that there is a heap for kernels.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn ensure_heap(&self) -> Result<(), MemoryError> {
        if self.heap.get().is_none() {
            let start = self.alloc(HEAP_BYTES, 256, Kind::Heap, "the device heap")?;
            if self.heap.set(Heap::new(start, HEAP_BYTES)).is_err() {
                // Another thread was faster; nobody knows of this one.
                let _ = self.free(start);
            }
        }
        Ok(())
    }

    /// What kernels allocate from, if a module has asked for it.
    pub fn heap(&self) -> Option<&Heap> {
        self.heap.get()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing in here unwinds halfway through a change, so a poisoned lock still guards a whole state.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates `bytes` (at least 1), aligned to `align` and at least to [`ALIGNMENT`]; returns the device address.
    /// New memory is zero, which real memory need not be. `label` names it in findings.
    ///
    /// # Errors
    /// When it does not fit, on the device or on the host, or the request is not one.
    pub fn alloc(
        &self,
        bytes: u64,
        align: u64,
        kind: Kind,
        label: &str,
    ) -> Result<u64, MemoryError> {
        if bytes == 0 || !align.is_power_of_two() || kind == Kind::Registered {
            return Err(MemoryError::Invalid { bytes, align });
        }
        let mut inner = self.lock();
        let free = self.total.saturating_sub(inner.used);
        let out_of_memory = MemoryError::OutOfMemory {
            asked: bytes,
            free,
            total: self.total,
        };
        let charged = if kind.is_charged() {
            bytes
                .checked_next_multiple_of(ALIGNMENT)
                .ok_or(out_of_memory)?
        } else {
            0
        };
        if charged > free {
            return Err(out_of_memory);
        }
        let (start, span, delta) = if kind.is_host() {
            let (start, span) =
                reserve::map_host(bytes, align).ok_or(MemoryError::Host { asked: bytes })?;
            (start, span, 0)
        } else {
            let (offset, span) = inner
                .place(bytes, align.max(ALIGNMENT))
                .ok_or(out_of_memory)?;
            let backed = inner.space.back(offset, bytes, bytes >= HUGE);
            backed.map_err(|_| MemoryError::Host { asked: bytes })?;
            (inner.space.base() + offset, span, inner.space.delta())
        };
        inner.add(
            start,
            Block {
                bytes,
                kind,
                label: label.into(),
                id: 0,
                span,
                charged,
                delta,
                written: self.tracks(kind).then(|| Arc::new(Written::new(bytes))),
            },
        );
        Ok(start)
    }

    /// Makes host memory known at its own address; returns that address.
    ///
    /// # Errors
    /// When it overlaps what is known already, or is empty.
    pub fn register(&self, addr: u64, bytes: u64, label: &str) -> Result<u64, MemoryError> {
        if bytes == 0 || addr == 0 || addr.checked_add(bytes).is_none() {
            return Err(MemoryError::Invalid { bytes, align: 1 });
        }
        let mut inner = self.lock();
        let before = inner.live.range(..addr + bytes).next_back();
        if let Some((&start, block)) = before
            && start + block.bytes > addr
        {
            return Err(MemoryError::Overlaps { addr, start });
        }
        if addr < self.window.1 && addr + bytes > self.window.0 {
            return Err(MemoryError::Overlaps {
                addr,
                start: self.window.0,
            });
        }
        let block = Block {
            bytes,
            kind: Kind::Registered,
            label: label.into(),
            id: 0,
            span: 0,
            charged: 0,
            delta: 0,
            written: None,
        };
        inner.add(addr, block);
        Ok(addr)
    }

    /// Frees the allocation, or ends the registration, that starts at `addr`; returns what it was.
    ///
    /// # Errors
    /// When no live allocation starts there; says what does lie there.
    pub fn free(&self, addr: u64) -> Result<Allocation, FreeError> {
        let mut inner = self.lock();
        let Some(block) = inner.live.remove(&addr) else {
            return Err(inner.explain_free(addr));
        };
        inner.view = None;
        inner.used -= block.charged;
        if block.kind.is_host() {
            if block.kind != Kind::Registered {
                reserve::unmap_host(addr, block.span);
            }
        } else {
            let offset = addr - inner.space.base();
            inner.space.discard(offset, block.bytes);
        }
        if inner.freed.len() == REMEMBERED {
            inner.freed.remove(0);
        }
        let label = Arc::clone(&block.label);
        inner.freed.push(Freed {
            start: addr,
            end: addr + block.bytes,
            kind: block.kind,
            label,
            id: block.id,
        });
        Ok(Allocation {
            start: addr,
            bytes: block.bytes,
            kind: block.kind,
            label: block.label,
            id: block.id,
        })
    }

    /// The state as it is now; cheap when nothing changed since the last call.
    pub fn view(&self) -> Arc<View> {
        let mut inner = self.lock();
        if let Some(view) = &inner.view {
            return Arc::clone(view);
        }
        let ranges = inner.live.iter().map(|(&start, block)| Range {
            start,
            end: start + block.bytes,
            delta: block.delta as isize,
            kind: block.kind,
            writable: block.kind != Kind::Global(true),
            id: block.id,
        });
        let labels = inner
            .live
            .values()
            .map(|block| Arc::clone(&block.label))
            .collect();
        let written = inner
            .live
            .values()
            .map(|block| block.written.clone())
            .collect();
        let view = Arc::new(View::new(
            ranges.collect(),
            labels,
            written,
            inner.freed.clone(),
            self.window,
        ));
        inner.view = Some(Arc::clone(&view));
        view
    }

    /// The host address of `len` bytes at the device address `addr`, which must lie in one live allocation.
    /// Only plain and atomic accesses through raw pointers may be made with it: kernels share these bytes.
    ///
    /// # Errors
    /// When they do not.
    pub fn host(&self, addr: u64, len: u64) -> Result<*mut u8, AccessError> {
        if let Some(pointer) = self.lock().host(addr, len) {
            return Ok(pointer);
        }
        Err(AccessError {
            addr,
            len,
            diagnosis: Box::new(self.view().diagnose(addr, len)),
        })
    }

    /// From now on, remembers of new device memory which bytes have been written (or no longer). Memory that the host can
    /// write itself counts as written.
    pub fn track_writes(&self, on: bool) {
        self.tracking.store(on, Ordering::Relaxed);
    }

    fn tracks(&self, kind: Kind) -> bool {
        self.tracking.load(Ordering::Relaxed)
            && matches!(kind, Kind::Device | Kind::Pool | Kind::Heap)
    }

    /// The host has written `len` bytes at `addr`: a copy or a fill. Nothing happens where writes are not followed.
    pub fn wrote(&self, addr: u64, len: u64) {
        if let Some((written, offset)) = self.lock().written(addr) {
            written.write(offset, len);
        }
    }

    /// `len` bytes have been copied inside the device, written or not.
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

    /// The live allocation that `addr` lies in.
    pub fn find(&self, addr: u64) -> Option<Allocation> {
        let inner = self.lock();
        let (&start, block) = inner.live.range(..=addr).next_back()?;
        (addr - start < block.bytes).then(|| block.describe(start))
    }

    /// All live allocations, by address.
    pub fn live(&self) -> Vec<Allocation> {
        self.lock()
            .live
            .iter()
            .map(|(&start, block)| block.describe(start))
            .collect()
    }

    /// Whether `addr` is one of this device's own addresses (allocated or not), which the host cannot touch.
    pub fn owns(&self, addr: u64) -> bool {
        (self.window.0..self.window.1).contains(&addr)
    }

    /// Bytes allocated, each allocation rounded up to [`ALIGNMENT`].
    pub fn used(&self) -> u64 {
        self.lock().used
    }

    /// Bytes in all.
    pub fn total(&self) -> u64 {
        self.total
    }
}

impl Block {
    fn describe(&self, start: u64) -> Allocation {
        Allocation {
            start,
            bytes: self.bytes,
            kind: self.kind,
            label: Arc::clone(&self.label),
            id: self.id,
        }
    }
}

impl Inner {
    fn add(&mut self, start: u64, mut block: Block) {
        block.id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        self.used += block.charged;
        self.view = None;
        // An address that comes back to life is no longer a freed one.
        let end = start + block.bytes;
        self.freed
            .retain(|freed| freed.end <= start || freed.start >= end);
        self.live.insert(start, block);
    }

    /// A free place for `bytes`: its offset and the length to keep free behind it.
    fn place(&mut self, bytes: u64, align: u64) -> Option<(u64, u64)> {
        // Starts are spread over the page, so that element i of several arrays does not always share its low address bits:
        // host processors take such a load for one that must wait for the store.
        let stagger = if align == ALIGNMENT {
            u64::from(self.next_id % 8) * ALIGNMENT
        } else {
            0
        };
        let page = align.max(if bytes >= HUGE { HUGE } else { PAGE });
        let gap = bytes.clamp(PAGE, MAX_GAP);
        let span = round_up(stagger + bytes, PAGE).checked_add(round_up(gap, PAGE))?;
        let base = self.space.base();
        let at = |offset: u64| round_up(base + offset, page) - base;
        for start in [self.next, 0] {
            let mut offset = at(start);
            loop {
                if offset.checked_add(span)? > self.space.len() {
                    break;
                }
                // The last allocation that begins before this place ends decides.
                let before = self.live.range(base..base + offset + span).next_back();
                match before {
                    Some((&live, block)) if live + block.span > base + offset => {
                        offset = at(live - base + block.span);
                    }
                    _ => {
                        self.next = offset + span;
                        return Some((offset + stagger, span - stagger));
                    }
                }
            }
        }
        None
    }

    fn host(&self, addr: u64, len: u64) -> Option<*mut u8> {
        let (&start, block) = self.live.range(..=addr).next_back()?;
        let offset = addr - start;
        if offset >= block.bytes || len > block.bytes - offset {
            return None;
        }
        Some(addr.wrapping_add_signed(block.delta) as usize as *mut u8)
    }

    /// What is known of the writes to the allocation around `addr`, and the offset of `addr` in it.
    fn written(&self, addr: u64) -> Option<(&Written, u64)> {
        let (&start, block) = self.live.range(..=addr).next_back()?;
        let offset = addr - start;
        (offset < block.bytes).then_some(())?;
        Some((block.written.as_deref()?, offset))
    }

    fn explain_free(&self, addr: u64) -> FreeError {
        if let Some((&start, block)) = self.live.range(..=addr).next_back()
            && addr - start < block.bytes
        {
            return FreeError::Inside {
                addr,
                start,
                offset: addr - start,
            };
        }
        match self.freed.iter().rev().find(|freed| freed.start == addr) {
            Some(freed) => FreeError::DoubleFree {
                addr,
                bytes: freed.end - freed.start,
                label: Arc::clone(&freed.label),
            },
            None => FreeError::Unknown { addr },
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let inner = self.inner.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (&start, block) in &inner.live {
            if block.kind.is_host() && block.kind != Kind::Registered {
                reserve::unmap_host(start, block.span);
            }
        }
    }
}

#[cfg(test)]
mod tests;
