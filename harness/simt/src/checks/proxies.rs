//! Plain stores to shared memory, and whether a proxy fence followed them.
//!
//! Bulk copies, and warpgroup matrix products, read shared memory through the async proxy, not like loads and stores. A
//! barrier orders a store before them only together with `fence.proxy.async`, by the storing thread before the barrier
//! or by the reading thread after it. A finding requires that no thread of the block has executed this fence since the
//! store. So an unrelated fence can hide a missing one, but no correct kernel is reported.

use super::{Event, lanes};
use crate::finding::AccessKind;

/// The granularity of the record.
pub(crate) const PIECE: u64 = 16;

/// The last store to a piece.
#[derive(Clone, Copy, Default)]
pub(crate) struct Stored {
    /// The number of fences before it plus one; 0 if there was no store, or a bulk copy has overwritten it.
    fences: u32,
    /// Its program counter.
    pub pc: u32,
    /// The warp in its block, and the lane.
    pub by: (u32, u32),
}

/// The stores to a block's shared memory.
#[derive(Default)]
pub(crate) struct Proxies {
    fences: u32,
    /// The last store to each piece. Empty if stores are not recorded.
    stored: Vec<Stored>,
}

impl Proxies {
    /// Resets for a new block with `bytes` bytes of shared memory; with 0, nothing is recorded.
    pub fn reset(&mut self, bytes: u64) {
        self.fences = 0;
        self.stored.clear();
        self.stored.resize(bytes.div_ceil(PIECE) as usize, Stored::default());
    }

    /// Returns whether stores are not recorded.
    #[inline(always)]
    pub fn is_off(&self) -> bool {
        self.stored.is_empty()
    }

    /// Records that a thread of the block executes `fence.proxy.async`.
    pub fn fence(&mut self) {
        self.fences += 1;
    }

    /// Records that a warp accesses shared memory, by a bulk copy or otherwise. Returns the address and the store that
    /// the copy reads without a fence between them.
    pub fn access(&mut self, event: &Event<'_>, warp: u32, bulk: bool) -> Option<(u64, Stored)> {
        let reads = event.what == AccessKind::Read;
        if reads && !bulk {
            return None;
        }
        let mut found = None;
        for lane in lanes(event.mask) {
            let at = event.address.at(lane as usize);
            for piece in at / PIECE..=(at + u64::from(event.size) - 1) / PIECE {
                let Some(stored) = self.stored.get_mut(piece as usize) else {
                    continue;
                };
                if !bulk {
                    *stored = Stored { fences: self.fences + 1, pc: event.pc, by: (warp, lane) };
                    continue;
                }
                if reads && stored.fences == self.fences + 1 {
                    found = found.or(Some((piece * PIECE, *stored)));
                }
                // A finding is reported only once.
                *stored = Stored::default();
            }
        }
        found
    }

    /// Returns the first of these addresses whose piece was stored to without a fence since, and the program counter of
    /// the store.
    pub fn unfenced(&self, places: &[u64]) -> Option<(u64, u32)> {
        places.iter().find_map(|&place| {
            let stored = self.stored.get((place / PIECE) as usize)?;
            (stored.fences == self.fences + 1).then_some((place, stored.pc))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Addresses, Layout};
    use super::*;
    use crate::lane::LANES;

    fn access(proxies: &mut Proxies, what: AccessKind, address: u64, size: u32, bulk: bool) -> Option<u64> {
        let address = [address; LANES];
        let event = Event {
            what,
            strong: false,
            volatile: false,
            narrow: false,
            block_local: true,
            pc: 1,
            mask: 1,
            size,
            address: Addresses::of(&address),
            excuses: None,
            layout: &Layout::default(),
        };
        proxies.access(&event, 3, bulk).map(|(at, _)| at)
    }

    #[test]
    fn a_fence_is_missed_once() {
        let mut proxies = Proxies::default();
        proxies.reset(100);
        assert_eq!(access(&mut proxies, AccessKind::Write, 36, 4, false), None);
        assert_eq!(access(&mut proxies, AccessKind::Read, 0, 16, true), None);
        assert_eq!(access(&mut proxies, AccessKind::Read, 32, 16, false), None);
        assert_eq!(access(&mut proxies, AccessKind::Read, 32, 16, true), Some(32));
        assert_eq!(access(&mut proxies, AccessKind::Read, 32, 16, true), None);
    }

    #[test]
    fn a_fence_or_another_copy_comes_between() {
        let mut proxies = Proxies::default();
        proxies.reset(100);
        access(&mut proxies, AccessKind::Write, 32, 4, false);
        proxies.fence();
        assert_eq!(access(&mut proxies, AccessKind::Read, 32, 16, true), None);
        access(&mut proxies, AccessKind::Atomic, 32, 4, false);
        access(&mut proxies, AccessKind::Write, 32, 16, true);
        assert_eq!(access(&mut proxies, AccessKind::Read, 32, 16, true), None);
        access(&mut proxies, AccessKind::Atomic, 32, 4, false);
        assert_eq!(access(&mut proxies, AccessKind::Read, 32, 16, true), Some(32));
        proxies.reset(0);
        assert!(proxies.is_off());
    }
}
