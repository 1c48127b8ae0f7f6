//! What was written to shared memory and has not been made visible to the asynchronous proxy.
//!
//! Products of matrices by a warpgroup read shared memory through that proxy. What threads store there themselves needs
//! a `fence.proxy.async` in between, besides what orders threads. Any such fence behind the write counts here, whoever
//! executes it: a fence by the wrong thread is not found, but no right program is accused.

use super::Event;
use crate::finding::What;
use crate::lane::lanes;

/// Bytes of a piece, for which one write is remembered.
pub(crate) const PIECE: u32 = 16;

/// The writes to a block's shared memory by stores and atomics.
#[derive(Debug, Default)]
pub(crate) struct Proxies {
    /// For each piece, the number of the last write and its program counter; 0 if there was none.
    pieces: Vec<(u32, u32)>,
    /// The number of the last write.
    writes: u32,
    /// The number of the last write before a fence.
    fenced: u32,
}

impl Proxies {
    /// Forgets everything, for a block with so many bytes of shared memory.
    pub fn reset(&mut self, bytes: u64) {
        self.pieces.clear();
        self.pieces.resize(bytes.div_ceil(PIECE.into()) as usize, (0, 0));
        (self.writes, self.fenced) = (0, 0);
    }

    /// An access to the block's shared memory.
    pub fn access(&mut self, event: &Event<'_>) {
        if event.what == What::Read || self.pieces.is_empty() {
            return;
        }
        // After the last number, nothing is found any more.
        self.writes = self.writes.saturating_add(1);
        for lane in lanes(event.mask) {
            let (first, last) = (event.address[lane], event.address[lane] + u64::from(event.size.max(1) - 1));
            for piece in first / u64::from(PIECE)..=last / u64::from(PIECE) {
                if let Some(piece) = self.pieces.get_mut(piece as usize) {
                    *piece = (self.writes, event.pc);
                }
            }
        }
    }

    /// A `fence.proxy.async`.
    pub fn fence(&mut self) {
        self.fenced = self.writes;
    }

    /// The first of these pieces that was written without a fence since, by its address, and the program counter of
    /// the write.
    pub fn written(&self, places: &[u64]) -> Option<(u64, u32)> {
        places.iter().find_map(|&place| {
            let (number, pc) = *self.pieces.get((place / u64::from(PIECE)) as usize)?;
            (number > self.fenced).then_some((place, pc))
        })
    }
}
