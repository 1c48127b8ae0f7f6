//! What a host thread notes down while its warps run.

use super::seen::Seen;
use super::sums::Sums;
use super::touched::Touched;
use crate::engine::traffic::pattern::Pattern;
use crate::finding::{Findings, Space};
use crate::lane::LANES;

/// The part of a worker that instructions change.
pub(crate) struct Notes {
    /// What was found.
    pub findings: Findings,
    /// Warp instructions executed and not yet reported to the launch.
    pub spent: u64,
    /// For each branch, how often warps diverged at it.
    pub divergent: Vec<u64>,
    /// Words of one of the two bit sets in [`super::slot::WarpSlot::seen`].
    pub seen_words: usize,
    /// For the checks: the index of the live range that each instruction accessed last.
    pub ranges: Vec<u32>,
    /// The patterns at which the sites of shared-memory instructions point.
    pub patterns: Patterns,
    /// For each word of shared memory, the last atomic that touched it.
    pub touched: Touched,
    /// Sums that are still to be added to memory.
    pub sums: Sums,
    /// What was seen of the launch's costs, if they are counted.
    pub seen: Option<Box<Seen>>,
}

/// Patterns that sites point at: they stay where they are until the worker is done.
#[derive(Default)]
pub(crate) struct Patterns(Vec<*mut Pattern>);

impl Patterns {
    /// A new pattern, which lives as long as the worker.
    pub fn add(&mut self) -> *mut Pattern {
        let new = Box::into_raw(Box::new(Pattern::none()));
        self.0.push(new);
        new
    }
}

impl Drop for Patterns {
    fn drop(&mut self) {
        for &pattern in &self.0 {
            // SAFETY: from `Box::into_raw` above; no site is used after its worker's patterns are gone.
            drop(unsafe { Box::from_raw(pattern) });
        }
    }
}

/// A read of bytes that nobody has written, whose values may still be discarded.
pub(crate) struct Unjudged {
    /// The load's program counter.
    pub site: u32,
    /// The lanes that read such bytes.
    pub mask: u32,
    /// Bytes a lane.
    pub size: u32,
    /// The space that was read.
    pub space: Space,
    /// Where each lane read, relative to the space.
    pub address: [u64; LANES],
}
