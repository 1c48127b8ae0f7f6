//! Races between stores to shared memory by lanes of one warp, as long as nothing has read the location.
//!
//! A compaction often gives every lane something to store: lanes without a result store to a spare element behind the
//! others, all at once and without order. Which value stays there has no consequences, because nothing reads the
//! element. So such a race is kept, and reported when the location is read. It is dropped when a store behind a barrier
//! of the block overwrites the location, or when the block ends. Stores of several warps are always reported.

use super::{Event, lanes};
use crate::finding::Finding;
use std::collections::HashMap;

/// The races of a block.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    /// The races by their stores. A race that has been reported is empty.
    races: Vec<(Stores, Option<Finding>)>,
    /// The bytes that were stored without order, by address.
    bytes: HashMap<u64, Byte>,
}

/// Two stores by lanes of one warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stores {
    /// The warp in the grid.
    pub warp: u32,
    /// The program counters of both.
    pub pcs: [u32; 2],
}

#[derive(Debug)]
struct Byte {
    /// The index of the race.
    race: usize,
    /// The section of the later store.
    section: u64,
}

/// Returns the addresses of the bytes that a lane accesses.
fn bytes_of(event: &Event<'_>, lane: usize) -> std::ops::Range<u64> {
    let start = event.address.at(lane);
    start..start.saturating_add(event.size.into())
}

impl Unread {
    /// Returns whether there are no such bytes.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Drops everything, for a new block.
    pub fn clear(&mut self) {
        self.races.clear();
        self.bytes.clear();
    }

    /// Returns the index of the race between these stores, if the block has had one.
    pub fn find(&self, stores: Stores) -> Option<usize> {
        self.races.iter().position(|race| race.0 == stores)
    }

    /// Adds a race, and returns its index.
    pub fn add(&mut self, stores: Stores, finding: Finding) -> usize {
        self.races.push((stores, Some(finding)));
        self.races.len() - 1
    }

    /// Records that a lane has taken part in a race in this section.
    pub fn keep(&mut self, race: usize, event: &Event<'_>, lane: usize, section: u64) {
        self.bytes.extend(bytes_of(event, lane).map(|at| (at, Byte { race, section })));
    }

    /// Drops the bytes that an access in this section overwrites after a barrier.
    pub fn overwrite(&mut self, event: &Event<'_>, section: u64) {
        for at in lanes(event.mask).flat_map(|lane| bytes_of(event, lane as usize)) {
            if self.bytes.get(&at).is_some_and(|byte| byte.section != section) {
                self.bytes.remove(&at);
            }
        }
    }

    /// Returns the races at the bytes that are read. They are not returned again.
    pub fn read(&mut self, event: &Event<'_>) -> Vec<Finding> {
        let read = lanes(event.mask).flat_map(|lane| bytes_of(event, lane as usize));
        let bytes = read.filter_map(|at| self.bytes.remove(&at));
        bytes.filter_map(|byte| self.races[byte.race].1.take()).collect()
    }
}
