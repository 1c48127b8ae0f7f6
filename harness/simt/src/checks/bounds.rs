//! Bounds: where the addresses of an instruction may lie, if that is known.

use super::{Event, Layout};
use crate::finding::Space;

/// Where the addresses of an instruction may lie: inside the array or allocation from which they were computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub space: Space,
    pub start: u64,
    pub end: u64,
}

impl Bounds {
    /// Whether everything that an access touches lies inside.
    #[inline(always)]
    pub fn hold(&self, event: &Event<'_>) -> bool {
        let Layout { low, high, .. } = *event.layout;
        let size = u64::from(event.size);
        low >= self.start && high <= self.end && self.end - high >= size
    }
}
