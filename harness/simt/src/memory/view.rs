//! A snapshot of the allocations: the table with which a launch checks its accesses, and the diagnosis of a bad access.

use super::backing::Backing;
use super::kind::MemoryKind;
use super::written::Written;
use super::{WINDOW, elsewhere, reserve};
use std::fmt;
use std::sync::Arc;

/// A live range of device addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First address.
    pub start: u64,
    /// One past the last.
    pub end: u64,
    /// The difference between the host address and the device address of each byte.
    pub delta: isize,
    /// The kind of memory.
    pub kind: MemoryKind,
    /// Whether kernels may write it.
    pub writable: bool,
    /// The allocation's number, unique in its memory.
    pub id: u32,
}

impl Range {
    /// Returns whether `len` bytes at `addr` lie inside.
    #[inline(always)]
    pub fn contains(&self, addr: u64, len: u64) -> bool {
        addr >= self.start && addr <= self.end && len <= self.end - addr
    }
    /// Returns the host address of `addr`, which must lie inside.
    #[inline(always)]
    pub fn host(&self, addr: u64) -> *mut u8 {
        addr.wrapping_add_signed(self.delta as i64) as usize as *mut u8
    }
}

/// A range that was allocated in the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freed {
    /// First address.
    pub start: u64,
    /// One past the last.
    pub end: u64,
    /// The kind of memory.
    pub kind: MemoryKind,
    /// Its label.
    pub label: Arc<str>,
    /// The allocation's number.
    pub id: u32,
}

/// A live range near an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// Its first address.
    pub start: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// The number of bytes between the address and the range. 0 means that the access begins inside and runs over the
    /// end.
    pub distance: u64,
    /// Its label.
    pub label: Arc<str>,
    /// Its number.
    pub id: u32,
}

/// The surroundings of an address that is not accessible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnosis {
    /// The nearest live range that begins at or below the address.
    pub before: Option<Neighbour>,
    /// The nearest live range above it.
    pub after: Option<Neighbour>,
    /// The freed range that the access hits.
    pub freed: Option<Freed>,
    /// Whether it is a mapped address of the host program: a host pointer was passed to a kernel.
    pub host_pointer: bool,
    /// Whether it is in the first page: a null pointer, perhaps with an offset.
    pub null: bool,
}

/// A snapshot of the address space.
#[derive(Debug)]
pub struct View {
    ranges: Vec<Range>,
    labels: Vec<Arc<str>>,
    written: Vec<Option<Arc<Written>>>,
    /// Keeps the bytes of the ranges mapped.
    _backings: Vec<Option<Arc<Backing>>>,
    freed: Vec<Freed>,
}

impl View {
    pub(super) fn new(
        ranges: Vec<Range>,
        labels: Vec<Arc<str>>,
        written: Vec<Option<Arc<Written>>>,
        backings: Vec<Option<Arc<Backing>>>,
        freed: Vec<Freed>,
    ) -> Self {
        debug_assert!(ranges.is_sorted_by_key(|range| range.start) && ranges.len() == labels.len());
        Self { ranges, labels, written, _backings: backings, freed }
    }
    /// Returns the live ranges, sorted by address and without overlaps.
    pub fn ranges(&self) -> &[Range] {
        &self.ranges
    }
    /// Returns the remembered freed ranges, oldest first.
    pub fn freed(&self) -> &[Freed] {
        &self.freed
    }
    /// Returns the live range that contains `addr`.
    #[inline]
    pub fn find(&self, addr: u64) -> Option<&Range> {
        let above = self.ranges.partition_point(|range| range.start <= addr);
        let range = self.ranges.get(above.checked_sub(1)?)?;
        (addr < range.end).then_some(range)
    }
    /// Returns the index in [`View::ranges`] of the live range that contains `addr`, and which of its bytes have been
    /// written.
    pub(crate) fn locate(&self, addr: u64) -> Option<(usize, Option<&Written>)> {
        let at = self.ranges.partition_point(|range| range.start <= addr).checked_sub(1)?;
        (addr < self.ranges[at].end).then(|| (at, self.written[at].as_deref()))
    }
    /// Returns which bytes of the live range with this index have been written.
    pub(crate) fn written(&self, at: usize) -> Option<&Written> {
        self.written.get(at)?.as_deref()
    }
    /// Returns the index in [`View::ranges`] of the live range with this number.
    fn position(&self, id: u32) -> Option<usize> {
        self.ranges.iter().position(|range| range.id == id)
    }
    /// Returns the label of the live range with this number.
    pub fn label(&self, id: u32) -> Option<&str> {
        self.labels.get(self.position(id)?).map(AsRef::as_ref)
    }
    fn neighbour(&self, at: usize, distance: u64) -> Neighbour {
        let range = self.ranges[at];
        let label = Arc::clone(&self.labels[at]);
        Neighbour { start: range.start, bytes: range.end - range.start, distance, label, id: range.id }
    }
    /// Diagnoses the `len` bytes at `addr` for a finding. This is slow.
    pub fn diagnose(&self, addr: u64, len: u64) -> Diagnosis {
        let end = addr.saturating_add(len.max(1));
        let above = self.ranges.partition_point(|range| range.start <= addr);
        let before = above.checked_sub(1).map(|at| self.neighbour(at, addr.saturating_sub(self.ranges[at].end)));
        let after = self.ranges.get(above).map(|range| self.neighbour(above, range.start.saturating_sub(end)));
        let freed = self.freed.iter().rev().find(|freed| freed.start < end && addr < freed.end).cloned();
        let device = (WINDOW.0..WINDOW.1).contains(&addr);
        let inside = before.as_ref().is_some_and(|range| addr < range.start + range.bytes);
        // The rest of the page behind managed or pinned memory is mapped too, but does not hold other host data.
        let slack = above.checked_sub(1).is_some_and(|at| {
            let range = self.ranges[at];
            range.kind.is_host()
                && range.kind != MemoryKind::Registered
                && addr < range.end.next_multiple_of(reserve::PAGE)
        });
        let is_hosts = || reserve::is_mapped(addr, 1) || elsewhere::is_known(addr);
        let host_pointer = !device && !inside && !slack && freed.is_none() && is_hosts();
        Diagnosis { before, after, freed, host_pointer, null: addr < 4096 }
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.null {
            return f.write_str("a null pointer");
        }
        if self.host_pointer {
            return f.write_str("an address of the host program, which the device cannot reach");
        }
        if let Some(freed) = &self.freed {
            let bytes = freed.end - freed.start;
            return write!(f, "freed already: {bytes} bytes at {:#x} ({})", freed.start, freed.label);
        }
        let near = |range: &Neighbour| (range.distance, range.start, range.bytes);
        let (side, (distance, start, bytes)) = match (&self.before, &self.after) {
            (Some(before), Some(after)) if after.distance < before.distance => ("before", near(after)),
            (Some(before), _) => ("after", near(before)),
            (None, Some(after)) => ("before", near(after)),
            (None, None) => return f.write_str("nothing is allocated"),
        };
        if distance == 0 && side == "after" && self.before.is_some() {
            return write!(f, "it runs over the end of the allocation at {start:#x} of size {bytes} bytes");
        }
        write!(f, "{distance} bytes {side} the nearest allocation at {start:#x} of size {bytes} bytes")
    }
}
