//! The state of a device's memory: what is live, what was freed, and where the next allocation goes.

use super::ALIGNMENT;
use super::backing::{Backing, Slabs};
use super::error::FreeError;
use super::kind::{Allocation, Kind};
use super::reserve::{DEVICE, DEVICE_LEN, PAGE};
use super::view::{Freed, View};
use super::written::Written;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The largest gap that is left behind an allocation. An overrun by up to the allocation's own size, or this, hits no
/// neighbour.
const MAX_GAP: u64 = 16 << 20;
/// The allocations, live and freed.
#[derive(Debug)]
pub(super) struct Space {
    /// The memory behind small allocations.
    pub slabs: Arc<Slabs>,
    pub live: BTreeMap<u64, Held>,
    pub freed: Vec<Freed>,
    /// Where the next allocation is tried, as an offset in the device's addresses.
    pub next: u64,
    pub used: u64,
    pub next_id: u32,
    /// A snapshot of the present state, if one has been asked for since the last change.
    pub view: Option<Arc<View>>,
}

/// A live allocation.
#[derive(Debug)]
pub(super) struct Held {
    pub bytes: u64,
    pub kind: Kind,
    pub label: Arc<str>,
    pub id: u32,
    /// The addresses that it occupies with its gap.
    pub span: u64,
    /// The bytes of the device's memory that it takes.
    pub charged: u64,
    /// What to add to an address for the host address of its byte.
    pub delta: i64,
    /// What keeps its bytes; none if they are the program's own.
    pub backing: Option<Arc<Backing>>,
    /// Which bytes have been written, if that is tracked.
    pub written: Option<Arc<Written>>,
}

/// How many freed ranges are remembered for diagnosis.
pub(super) const REMEMBERED: usize = 4096;

fn round_up(value: u64, to: u64) -> u64 {
    value.div_ceil(to) * to
}

impl Held {
    /// Describes it for the outside.
    pub fn describe(&self, start: u64) -> Allocation {
        Allocation { start, bytes: self.bytes, kind: self.kind, label: Arc::clone(&self.label), id: self.id }
    }
}

impl Space {
    /// An address space in which nothing is allocated.
    pub fn new() -> Space {
        Space {
            slabs: Arc::default(),
            live: BTreeMap::new(),
            freed: Vec::new(),
            next: 0,
            used: 0,
            next_id: 1,
            view: None,
        }
    }

    /// Keeps a new allocation at its first address.
    pub fn add(&mut self, start: u64, mut held: Held) {
        held.id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        self.used += held.charged;
        self.view = None;
        // An address that is used again is no longer a freed one.
        let end = start + held.bytes;
        self.freed.retain(|freed| freed.end <= start || freed.start >= end);
        self.live.insert(start, held);
    }

    /// How far the next allocation's bytes begin behind the start of a page of the host, so that the same elements of
    /// several arrays do not share their low address bits. Host processors take a load that shares them with an earlier
    /// store for one that must wait for the store.
    pub fn stagger(&self) -> u64 {
        u64::from(self.next_id % 8) * ALIGNMENT
    }

    /// A free place for `bytes` bytes among the device's addresses: the first address, and how many addresses it takes
    /// with its gap. No two allocations share a page.
    pub fn place(&mut self, bytes: u64, align: u64) -> Option<(u64, u64)> {
        // What needs no more than the least alignment gets no more, as on a device, where such allocations lie one
        // behind the other.
        let stagger = if align == ALIGNMENT { self.stagger() } else { 0 };
        let page = align.max(PAGE);
        let gap = bytes.clamp(PAGE, MAX_GAP);
        let span = round_up(stagger + bytes, PAGE).checked_add(round_up(gap, PAGE))?;
        let base = DEVICE;
        let at = |offset: u64| round_up(base + offset, page) - base;
        for start in [self.next, 0] {
            let mut offset = at(start);
            loop {
                if offset.checked_add(span)? > DEVICE_LEN {
                    break;
                }
                // The last allocation that begins before the end of this place decides whether it is free.
                let before = self.live.range(base..base + offset + span).next_back();
                match before {
                    Some((&live, held)) if live + held.span > base + offset => {
                        offset = at(live - base + held.span);
                    }
                    _ => {
                        self.next = offset + span;
                        return Some((base + offset + stagger, span - stagger));
                    }
                }
            }
        }
        None
    }

    /// The host address of `len` bytes at `addr`, if they lie in one live allocation, and what keeps them.
    pub fn host(&self, addr: u64, len: u64) -> Option<(*mut u8, Option<&Arc<Backing>>)> {
        let (&start, held) = self.live.range(..=addr).next_back()?;
        let offset = addr - start;
        if offset >= held.bytes || len > held.bytes - offset {
            return None;
        }
        Some((addr.wrapping_add_signed(held.delta) as usize as *mut u8, held.backing.as_ref()))
    }

    /// Which bytes have been written of the allocation around `addr`, and the offset of `addr` in it.
    pub fn written(&self, addr: u64) -> Option<(&Written, u64)> {
        let (&start, held) = self.live.range(..=addr).next_back()?;
        let offset = addr - start;
        (offset < held.bytes).then_some(())?;
        Some((held.written.as_deref()?, offset))
    }

    /// Why nothing can be freed at `addr`.
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
