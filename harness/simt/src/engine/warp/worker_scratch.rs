//! The scratch data of a host thread while its warps run.

use super::step_recorder::StepRecorder;
use super::sums::Sums;
use super::touched::Touched;
use crate::engine::costs::observer::CostObserver;
use crate::engine::traffic::pattern::Pattern;
use crate::finding::{Findings, Space};
use crate::lane::LANES;
use std::collections::BTreeSet;

/// Bytes of the longest load.
pub(crate) const LONGEST: usize = 32;

/// The bytes of a load, aligned for a vector.
#[derive(Clone, Copy, Default)]
#[repr(C, align(32))]
pub(crate) struct LoadCopy(pub [u64; LONGEST / 8]);

/// The part of a worker that instructions change.
pub(crate) struct WorkerScratch {
    /// The index of the worker in its launch.
    pub worker: usize,
    /// What was found.
    pub findings: Findings,
    /// The stores that wrote, without order, a value that another thread had stored there.
    pub same_values: BTreeSet<u32>,
    /// Warp instructions executed and not yet reported to the launch.
    pub spent: u64,
    /// For each branch, the number of times that warps diverged at it.
    pub divergent: Vec<u64>,
    /// Words of one of the two bit sets in [`super::slot::WarpSlot::seen`].
    pub seen_words: usize,
    /// For the checks: the index of the live range that each instruction last accessed.
    pub ranges: Vec<u32>,
    /// The patterns to which the sites of shared-memory instructions point.
    pub patterns: Patterns,
    /// For each word of shared memory, the last atomic that touched it.
    pub touched: Touched,
    /// For each lane, the bytes read by a load of which only some may be accessed.
    pub copies: Box<[LoadCopy; LANES]>,
    /// Sums that have yet to be added to memory.
    pub sums: Sums,
    /// Observes the launch's costs.
    pub costs: CostObserver,
    /// The steps of the recorded blocks, if there are any.
    pub steps: Option<Box<StepRecorder>>,
}

/// Patterns to which sites point: they do not move until the worker is done.
#[derive(Default)]
pub(crate) struct Patterns(Vec<*mut Pattern>);

/// The number of latest patterns that are compared with a new one.
const LATEST: usize = 8;

impl Patterns {
    /// Returns a pattern for an instruction that has none: one of the latest, if it is equal. So instructions that
    /// traverse a tile together, as in an unrolled loop, share a pattern, which stays in the host's nearest cache.
    pub fn like(&mut self, new: Pattern) -> *mut Pattern {
        // SAFETY: from `Box::into_raw` below; no pattern changes meanwhile.
        let same = |known: &&*mut Pattern| unsafe { &***known }.is_as(&new);
        match self.0.iter().rev().take(LATEST).find(same) {
            Some(known) => *known,
            None => self.add(new),
        }
    }

    /// Adds a new pattern, which lives as long as the worker.
    pub fn add(&mut self, new: Pattern) -> *mut Pattern {
        let new = Box::into_raw(Box::new(new));
        self.0.push(new);
        new
    }
}

impl Drop for Patterns {
    fn drop(&mut self) {
        for &pattern in &self.0 {
            // SAFETY: from `Box::into_raw` above; no site is used after its worker's patterns are dropped.
            drop(unsafe { Box::from_raw(pattern) });
        }
    }
}

/// A read of unwritten bytes, whose values may still be discarded.
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

#[cfg(test)]
mod tests {
    use super::Patterns;
    use crate::engine::traffic::pattern::{Access, Pattern};

    #[test]
    fn instructions_share_a_pattern_if_it_is_the_same() {
        let access = Access { size: 4, width: 4, one: true };
        let of = |step: u64, access: Access| {
            Pattern::from_addresses(&std::array::from_fn(|i| 64 + step * i as u64), access, 7)
        };
        let mut patterns = Patterns::default();
        let row = patterns.like(of(4, access));
        let wide = patterns.like(of(8, access));
        assert!(row != wide && patterns.like(of(4, access)) == row && patterns.like(of(8, access)) == wide);
        assert_ne!(patterns.like(of(4, Access { one: false, ..access })), row);
        assert_ne!(patterns.like(of(4, Access { width: 16, ..access })), row);
    }
}
