//! The state of a device's memory: live and freed allocations, and the address of the next one.

use super::ALIGNMENT;
use super::backing::{Backing, Slabs};
use super::error::FreeError;
use super::kind::{Allocation, MemoryKind};
use super::physical::{Access, Mapped, Reservation};
use super::reserve::{DEVICE, DEVICE_LEN, PAGE, SHARED};
use super::view::{Freed, Range, View};
use super::written::Written;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The largest gap behind an allocation. An overrun by up to the allocation's own size, or up to this, does not hit the
/// next one.
const MAX_GAP: u64 = 16 << 20;
/// The allocations, live and freed.
#[derive(Debug)]
pub(super) struct Space {
    /// The memory behind small allocations.
    pub slabs: Arc<Slabs>,
    pub live: BTreeMap<u64, Held>,
    pub freed: Vec<Freed>,
    /// Reserved addresses, into which physical memory can be mapped.
    pub reserved: BTreeMap<u64, Reservation>,
    /// Device memory used by physical memory, in bytes.
    pub physical: Arc<AtomicU64>,
    /// The offset in the device's addresses at which the next allocation is tried.
    pub next: u64,
    /// Device memory used by allocations, in bytes.
    pub allocated: u64,
    pub next_id: u32,
    /// A snapshot of the current state, if one was requested since the last change.
    pub view: Option<Arc<View>>,
}

/// A live allocation.
#[derive(Debug)]
pub(super) struct Held {
    pub bytes: u64,
    pub kind: MemoryKind,
    pub label: Arc<str>,
    pub id: u32,
    /// The number of addresses that it occupies, including its gap.
    pub span: u64,
    /// The bytes of device memory that it uses.
    pub charged: u64,
    /// The difference between the host address and the device address of each byte.
    pub delta: i64,
    /// Keeps its bytes mapped; `None` if they belong to the program.
    pub backing: Option<Arc<Backing>>,
    /// Which bytes have been written, if writes are tracked.
    pub written: Option<Arc<Written>>,
    /// The mapped physical memory, if this is a mapping.
    pub mapped: Option<Mapped>,
}

/// The number of freed ranges that are kept for diagnosis.
pub(super) const REMEMBERED: usize = 4096;

fn round_up(value: u64, to: u64) -> u64 {
    value.div_ceil(to) * to
}

impl Held {
    /// Returns the public description.
    pub fn describe(&self, start: u64) -> Allocation {
        Allocation { start, bytes: self.bytes, kind: self.kind, label: Arc::clone(&self.label), id: self.id }
    }

    /// Returns whether any access is allowed.
    fn is_accessible(&self) -> bool {
        self.mapped.as_ref().is_none_or(|mapped| mapped.access != Access::None)
    }

    /// Returns whether kernels may write it.
    fn is_writable(&self) -> bool {
        self.kind != MemoryKind::Global(true)
            && self.mapped.as_ref().is_none_or(|mapped| mapped.access == Access::ReadWrite)
    }

    /// Returns whether this is a mapping that continues `before` on the host, if their addresses are adjacent, with the
    /// same access rights.
    fn continues(&self, before: &Held) -> bool {
        let access = |held: &Held| held.mapped.as_ref().map(|mapped| mapped.access);
        self.mapped.is_some() && access(self) == access(before) && self.delta == before.delta
    }
}

impl Space {
    /// Creates an address space without allocations.
    pub fn new() -> Space {
        Space {
            slabs: Arc::default(),
            live: BTreeMap::new(),
            freed: Vec::new(),
            reserved: BTreeMap::new(),
            physical: Arc::default(),
            next: 0,
            allocated: 0,
            next_id: 1,
            view: None,
        }
    }

    /// Adds a new allocation at its first address.
    pub fn add(&mut self, start: u64, mut held: Held) {
        held.id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        self.allocated += held.charged;
        self.view = None;
        // An address that is reused is no longer a freed one.
        let end = start + held.bytes;
        self.freed.retain(|freed| freed.end <= start || freed.start >= end);
        self.live.insert(start, held);
    }

    /// Returns the bytes of device memory in use.
    pub fn used(&self) -> u64 {
        self.allocated + self.physical.load(Ordering::Relaxed)
    }

    /// Records a range that was live until now as freed.
    pub fn forget(&mut self, freed: Freed) {
        self.view = None;
        if self.freed.len() == REMEMBERED {
            self.freed.remove(0);
        }
        self.freed.push(freed);
    }

    /// Lets the addresses of freed allocations be used again, the lowest first.
    pub fn reuse_freed(&mut self) {
        self.next = 0;
        SHARED.start_over();
    }

    /// Returns the offset of the next allocation's bytes in a page of the host. It varies with the live allocations, so
    /// that the same elements of several arrays do not share their low address bits: host processors make a load wait
    /// for an earlier store that shares these bits.
    pub fn host_stagger(&self) -> u64 {
        (self.live.len() % 8) as u64 * ALIGNMENT
    }

    /// Returns the offset of a small allocation's address in a page, if it comes after `before`. It differs from the
    /// offset there, and depends on nothing else, so that allocations that are made in the same order have the same
    /// addresses again.
    fn stagger(before: Option<u64>) -> u64 {
        before.map_or(0, |start| (start % PAGE / ALIGNMENT + 1) * ALIGNMENT % PAGE)
    }

    /// Finds a free range for `bytes` bytes among the device's addresses. Returns its first address, and the number of
    /// addresses including the gap. No two allocations share a page.
    pub fn place(&mut self, bytes: u64, align: u64) -> Option<(u64, u64)> {
        // An allocation that only needs the least alignment gets only that, as on a device, where such allocations are
        // adjacent.
        let is_staggered = align == ALIGNMENT;
        let page = align.max(PAGE);
        let gap = bytes.clamp(PAGE, MAX_GAP);
        let most = if is_staggered { PAGE - ALIGNMENT } else { 0 };
        let span = round_up(bytes.checked_add(most)?, PAGE).checked_add(round_up(gap, PAGE))?;
        let base = DEVICE;
        let at = |offset: u64| round_up(base + offset, page) - base;
        for start in [self.next, 0] {
            let mut offset = at(start);
            loop {
                if offset.checked_add(span)? > DEVICE_LEN {
                    break;
                }
                // The last allocation that begins before the end of this range decides whether it is free.
                let place = base..base + offset + span;
                let before = self.live.range(place.clone()).next_back();
                let live = before.map(|(live, held)| live + held.span);
                let reserved = self.reserved.range(place).next_back().map(|(_, reserved)| reserved.limit);
                match live.max(reserved) {
                    Some(end) if end > base + offset => offset = at(end - base),
                    _ => {
                        let before = before.map(|(live, _)| *live).filter(|_| is_staggered);
                        let stagger = Self::stagger(before);
                        self.next = offset + span;
                        return Some((base + offset + stagger, span - stagger));
                    }
                }
            }
        }
        None
    }

    /// Takes a snapshot of the current state. Adjacent mappings become one range.
    pub fn snapshot(&self) -> View {
        let (mut ranges, mut labels, mut written, mut backings) = (Vec::<Range>::new(), vec![], vec![], vec![]);
        let mut last: Option<&Held> = None;
        for (&start, held) in self.live.iter().filter(|(_, held)| held.is_accessible()) {
            let end = start + held.bytes;
            let before = last.replace(held);
            if let (Some(range), Some(before)) = (ranges.last_mut(), before)
                && range.end == start
                && held.continues(before)
            {
                range.end = end;
                continue;
            }
            let (delta, kind, writable) = (held.delta as isize, held.kind, held.is_writable());
            ranges.push(Range { start, end, delta, kind, writable, id: held.id });
            labels.push(Arc::clone(&held.label));
            written.push(held.written.clone());
            backings.push(held.backing.clone());
        }
        View::new(ranges, labels, written, backings, self.freed.clone())
    }

    /// Returns the host address of `len` bytes at `addr`, if they lie in one live allocation or in adjacent mappings,
    /// and the backing that keeps them mapped.
    pub fn host(&self, addr: u64, len: u64) -> Option<(*mut u8, Option<&Arc<Backing>>)> {
        let (&start, held) = self.live.range(..=addr).next_back()?;
        if addr - start >= held.bytes || !held.is_accessible() {
            return None;
        }
        // Adjacent mappings are adjacent on the host too.
        let (mut end, last) = (start + held.bytes, addr.checked_add(len)?);
        while end < last {
            let next = self.live.get(&end).filter(|next| next.continues(held))?;
            end += next.bytes;
        }
        Some((addr.wrapping_add_signed(held.delta) as usize as *mut u8, held.backing.as_ref()))
    }

    /// Returns which bytes of the allocation around `addr` have been written, and the offset of `addr` in it.
    pub fn written(&self, addr: u64) -> Option<(&Written, u64)> {
        let (&start, held) = self.live.range(..=addr).next_back()?;
        let offset = addr - start;
        (offset < held.bytes).then_some(())?;
        Some((held.written.as_deref()?, offset))
    }

    /// Returns the reason why `addr` cannot be freed.
    pub fn explain_free(&self, addr: u64) -> FreeError {
        if let Some((&start, held)) = self.live.range(..=addr).next_back()
            && addr - start < held.bytes
        {
            return FreeError::Inside { addr, start, offset: addr - start };
        }
        match self.freed.iter().rev().find(|freed| freed.start == addr) {
            Some(freed) => {
                FreeError::DoubleFree { addr, bytes: freed.end - freed.start, label: Arc::clone(&freed.label) }
            }
            None => FreeError::Unknown { addr },
        }
    }
}
