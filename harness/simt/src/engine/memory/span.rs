//! The host memory of bulk copies.

use crate::engine::traffic::request::{Request, Wrong, space_of};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, FindingKind, Space};
use crate::lane::LANES;

/// The granularity at which a bulk copy is checked; its addresses are multiples of it.
pub(crate) const PIECE: u32 = 16;

impl Warp<'_> {
    /// Returns the host's address of `bytes` contiguous bytes that a lane copies, a multiple of [`PIECE`]. They must
    /// lie in one allocation or in one block's shared memory.
    pub(crate) fn span(
        &mut self,
        op: &Op,
        lane: usize,
        (space, address): (Space, u64),
        bytes: u32,
        what: AccessKind,
    ) -> Result<*mut u8, Flow> {
        if space == Space::Global
            && address.is_multiple_of(PIECE.into())
            && let Some(range) = self.launch().view.find(address)
            && range.contains(address, bytes.into())
            && (range.writable || what == AccessKind::Read)
            && !self.by_blocks(range)
        {
            return Ok(range.host(address));
        }
        let request = Request { space, size: PIECE, what };
        let mut first = std::ptr::null_mut::<u8>();
        for at in (0..bytes.max(1)).step_by(PIECE as usize) {
            let here = address.wrapping_add(at.into());
            let wrong = match self.resolve_lane(lane, here, request) {
                Ok(host) if at == 0 => {
                    first = host;
                    continue;
                }
                Ok(host) if host == first.wrapping_add(at as usize) => continue,
                Ok(_) => Wrong { kind: FindingKind::OutOfBounds { space }, space, address: here },
                Err(wrong) => wrong,
            };
            return Err(self.access_fault(op, lane, request, wrong));
        }
        Ok(first)
    }

    /// Returns the host's address of `bytes` contiguous bytes of global memory that a lane copies, at any alignment.
    /// They must lie in one allocation.
    pub(crate) fn run_of(
        &mut self,
        op: &Op,
        lane: usize,
        address: u64,
        bytes: u32,
        what: AccessKind,
    ) -> Result<*mut u8, Flow> {
        if let Some(range) = self.launch().view.find(address)
            && range.contains(address, bytes.into())
            && (range.writable || what == AccessKind::Read)
            && !self.by_blocks(range)
        {
            return Ok(range.host(address));
        }
        let space = Space::Global;
        let mut first = std::ptr::null_mut::<u8>();
        for (here, size) in pieces(address, bytes) {
            let request = Request { space, size, what };
            let wrong = match self.resolve_lane(lane, here, request) {
                Ok(host) if here == address => {
                    first = host;
                    continue;
                }
                Ok(host) if host == first.wrapping_add(here.wrapping_sub(address) as usize) => continue,
                Ok(_) => Wrong { kind: FindingKind::OutOfBounds { space }, space, address: here },
                Err(wrong) => wrong,
            };
            return Err(self.access_fault(op, lane, request, wrong));
        }
        Ok(first)
    }

    /// Reports to the checks and the cost counters that a lane copies `bytes` bytes from or to any address of global
    /// memory.
    pub(crate) fn check_run(&mut self, op: &Op, lane: usize, address: u64, bytes: u32, what: AccessKind) {
        self.note_copy(address, bytes, what);
        if !self.checking {
            return;
        }
        let mask = self.mask();
        self.set_mask(1 << lane);
        for (at, size) in pieces(address, bytes) {
            self.check_tile(op, Request { space: Space::Global, size, what }, &[at; LANES]);
        }
        self.set_mask(mask);
    }

    /// Reports to the checks and the cost counters that a lane copies `bytes` bytes from or to an address.
    pub(crate) fn check_span(
        &mut self,
        op: &Op,
        lane: usize,
        (space, address): (Space, u64),
        bytes: u32,
        what: AccessKind,
    ) {
        let (place, there) = if space == Space::Generic { space_of(address) } else { (space, address) };
        if place == Space::Global {
            self.note_copy(there, bytes, what);
        }
        if !self.checking {
            return;
        }
        let mask = self.mask();
        self.set_mask(1 << lane);
        for at in (0..bytes).step_by(PIECE as usize) {
            let address = [address.wrapping_add(at.into()); LANES];
            self.check_tile(op, Request { space, size: PIECE, what }, &address);
        }
        self.set_mask(mask);
    }

    /// Records the global memory that a bulk copy touches, if costs are counted.
    fn note_copy(&mut self, address: u64, bytes: u32, what: AccessKind) {
        self.scratch.get_mut().costs.copied(address, bytes, what == AccessKind::Read);
    }
}

/// Splits a range into pieces of at most [`PIECE`] bytes, each aligned to its size. Yields their addresses and sizes.
fn pieces(address: u64, bytes: u32) -> impl Iterator<Item = (u64, u32)> {
    let end = address.wrapping_add(bytes.into());
    let mut at = address;
    std::iter::from_fn(move || {
        let left = end.wrapping_sub(at);
        if left == 0 {
            return None;
        }
        let aligned = 1u64 << (at | u64::from(PIECE)).trailing_zeros();
        let size = aligned.min(1 << left.ilog2());
        let here = at;
        at = at.wrapping_add(size);
        Some((here, size as u32))
    })
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn pieces_are_aligned_and_leave_nothing_out() {
        for address in 0..40 {
            for bytes in 0..100 {
                let mut at = address;
                for (here, size) in pieces(address, bytes) {
                    assert_eq!(here, at);
                    assert!(size.is_power_of_two() && size <= 16 && here.is_multiple_of(size.into()));
                    at += u64::from(size);
                }
                assert_eq!(at, address + u64::from(bytes));
            }
        }
    }
}
