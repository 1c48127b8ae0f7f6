//! Bounds: the range in which the addresses of an instruction may lie, if it is known.

use super::{Event, Layout};
use crate::finding::Space;

/// The range in which the addresses of an instruction may lie: the array or allocation from which they were computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub space: Space,
    pub start: u64,
    pub end: u64,
}

impl Bounds {
    /// Returns whether all bytes of an access lie inside.
    #[inline(always)]
    pub fn hold(&self, event: &Event<'_>) -> bool {
        let Layout { low, high, .. } = *event.layout;
        let size = u64::from(event.size);
        low >= self.start && high <= self.end && self.end - high >= size
    }
}
