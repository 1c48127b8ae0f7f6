//! The state of a device's memory: what is live, what was freed, and where the next allocation goes.

use super::ALIGNMENT;
use super::error::FreeError;
use super::kind::{Allocation, Kind};
use super::reserve::Reservation;
use super::view::{Freed, View};
use super::written::Written;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The least distance between two allocations, and the size of a page. No two allocations share a page.
pub(super) const PAGE: u64 = 4096;
/// The largest gap that is left behind an allocation. An overrun by up to the allocation's own size, or this, hits no
/// neighbour.
const MAX_GAP: u64 = 16 << 20;
/// An allocation of this size or more starts near the start of a huge page, and asks for huge pages.
pub(super) const HUGE: u64 = 2 << 20;
/// The allocations, live and freed.
#[derive(Debug)]
pub(super) struct Space {
    /// The device's addresses and the bytes behind them.
    pub addresses: Reservation,
    pub live: BTreeMap<u64, Held>,
    pub freed: Vec<Freed>,
    /// Where the next allocation is tried, as an offset in the space.
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
    /// The bytes of the address space, or of the host mapping, that it occupies with its gap.
    pub span: u64,
    /// The bytes of the device's memory that it takes.
    pub charged: u64,
    pub delta: i64,
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
    pub fn new(addresses: Reservation) -> Space {
        Space { addresses, live: BTreeMap::new(), freed: Vec::new(), next: 0, used: 0, next_id: 1, view: None }
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

    /// A free place for `bytes` bytes: its offset, and the length that it takes with its gap.
    pub fn place(&mut self, bytes: u64, align: u64) -> Option<(u64, u64)> {
        // Starts are spread over the page, so that the same elements of several arrays do not share their low address
        // bits. Host processors take a load that shares them with an earlier store for one that must wait for the
        // store.
        let stagger = if align == ALIGNMENT { u64::from(self.next_id % 8) * ALIGNMENT } else { 0 };
        let page = align.max(if bytes >= HUGE { HUGE } else { PAGE });
        let gap = bytes.clamp(PAGE, MAX_GAP);
        let span = round_up(stagger + bytes, PAGE).checked_add(round_up(gap, PAGE))?;
        let base = self.addresses.base();
        let at = |offset: u64| round_up(base + offset, page) - base;
        for start in [self.next, 0] {
            let mut offset = at(start);
            loop {
                if offset.checked_add(span)? > self.addresses.len() {
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
                        return Some((offset + stagger, span - stagger));
                    }
                }
            }
        }
        None
    }

    /// The host address of `len` bytes at `addr`, if they lie in one live allocation.
    pub fn host(&self, addr: u64, len: u64) -> Option<*mut u8> {
        let (&start, held) = self.live.range(..=addr).next_back()?;
        let offset = addr - start;
        if offset >= held.bytes || len > held.bytes - offset {
            return None;
        }
        Some(addr.wrapping_add_signed(held.delta) as usize as *mut u8)
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
