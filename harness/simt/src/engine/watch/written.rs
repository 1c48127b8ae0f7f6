//! The initialisation check: it finds reads of unwritten memory.

use crate::checks::{Event, Half, Layout};
use crate::engine::warp::Warp;
use crate::engine::warp::program::{Dataflow, Op};
use crate::engine::warp::shared::Shared;
use crate::engine::warp::worker_scratch::{Unjudged, WorkerScratch};
use crate::finding::{AccessKind, Finding, FindingKind, Space};
use crate::lane::{LANES, lanes};
use crate::memory::Written;

/// Returns the index of the live range that an address lies in. Usually this is the one that the instruction accessed
/// last.
#[inline(always)]
pub(super) fn range_at(launch: &Shared<'_>, scratch: &mut WorkerScratch, site: u32, address: u64) -> Option<usize> {
    let view = &launch.view;
    let last = &mut scratch.ranges[site as usize];
    match view.ranges().get(*last as usize) {
        Some(range) if range.contains(address, 1) => {}
        _ => *last = view.locate(address)?.0 as u32,
    }
    Some(*last as usize)
}

impl Warp<'_> {
    /// Returns whether the access is to shared memory in which every byte is known to be written.
    #[inline(always)]
    pub(super) fn is_known_written(&self, event: &Event<'_>, space: Space) -> bool {
        let Layout { low, high, .. } = *event.layout;
        let known = || &self.block.get().stretch;
        space == Space::Shared && known().start <= low && high.saturating_add(u64::from(event.size)) <= known().end
    }

    /// Returns whether nothing is left to check: every byte from the lowest address to the highest has been written, or
    /// the lanes write all of them now.
    fn written_at_once(&mut self, site: u32, event: &Event<'_>, space: Space) -> bool {
        // If the addresses are farther apart than this, it is faster to check the lanes one by one than all bytes
        // between them.
        const FAR: u64 = 4096;
        /// Bytes of the words of half a warp.
        const HALF_ROW: u64 = 64;
        let Layout { low, high, row, .. } = *event.layout;
        let len = high.wrapping_sub(low).wrapping_add(u64::from(event.size));
        // For two rows of a matrix, the bytes between them are not checked.
        let two_rows = space == Space::Global && !row && event.layout.halves.each() == [Half::Line; 2];
        if len > FAR && !two_rows {
            return false;
        }
        let (written, start) = match space {
            Space::Shared => (&self.block.get().written, 0),
            Space::Global => {
                let view = &self.launch().view;
                let Some(at) = range_at(self.launch(), self.scratch.get_mut(), site, low) else {
                    return false;
                };
                let range = &view.ranges()[at];
                if !range.contains(low, len) {
                    return false;
                }
                let Some(written) = view.written(at) else {
                    // Writes to this range are not tracked.
                    return true;
                };
                (written, range.start)
            }
            _ => return false,
        };
        let writes = event.what == AccessKind::Write;
        let see = |first: u64, len: u64, all: bool| {
            if writes && all {
                written.write(first - start, len);
            }
            (writes && all) || written.unwritten(first - start, len).is_none()
        };
        if two_rows {
            return see(event.address.at(0), HALF_ROW, true) && see(event.address.at(16), HALF_ROW, true);
        }
        let fine = see(low, len, row);
        if fine && space == Space::Shared {
            self.block.get_mut().has_written(low..low + len);
        }
        fine
    }

    /// Finds reads of unwritten bytes.
    pub(super) fn check_written(&mut self, op: &Op, event: &Event<'_>, space: Space) {
        let size = u64::from(event.size);
        let reads = event.what != AccessKind::Write;
        let writes = event.what != AccessKind::Read;
        if self.written_at_once(op.site, event, space) {
            return;
        }
        let element = self.element(op.site);
        let see = |written: &Written, offset: u64| {
            let missing = reads && written.has_blank(offset, size, element);
            if writes {
                written.write(offset, size);
            }
            missing
        };
        let mut bad = 0u32;
        for lane in lanes(event.mask) {
            let address = event.address.at(lane);
            let missing = match space {
                Space::Shared => see(&self.block.get().written, address),
                Space::Local => see(&self.written, lane as u64 * self.local_len + address),
                Space::Global => {
                    let view = &self.launch().view;
                    match view.locate(address) {
                        Some((at, Some(written))) => see(written, address - view.ranges()[at].start),
                        _ => false,
                    }
                }
                _ => false,
            };
            bad |= u32::from(missing) << lane;
        }
        if bad == 0 {
            return;
        }
        if let (Dataflow::Load { .. }, _) = self.program().dataflow_of(op.site) {
            let (site, size, address) = (op.site, event.size, event.address.all());
            self.loads_unwritten(Unjudged { site, mask: bad, size, space, address });
        } else {
            self.unwritten(op, event, space, bad);
        }
    }

    /// Returns the size of the elements that a memory instruction loads, in bytes.
    pub(super) fn element(&self, site: u32) -> u64 {
        let accesses = &self.program().accesses;
        accesses.binary_search_by_key(&site, |access| access.pc).map_or(1, |at| accesses[at].element.into())
    }

    /// Reports that the lanes `bad` of an access read unwritten bytes.
    #[cold]
    pub(super) fn unwritten(&mut self, op: &Op, event: &Event<'_>, space: Space, bad: u32) {
        let finding = self.finding_of_unwritten(op, event, space, bad);
        self.record(finding);
    }

    /// Returns the finding of a read of unwritten bytes by the lanes `bad`. If another thread had stored there what it
    /// had read from unwritten memory, that is the finding.
    pub(super) fn finding_of_unwritten(&self, op: &Op, event: &Event<'_>, space: Space, bad: u32) -> Finding {
        let lane = bad.trailing_zeros() as usize % LANES;
        if let Some(origin) = self.stored_unset(event, space, lane) {
            return origin;
        }
        let (mut access, allocation) = self.describe(op, event, space, lane);
        access.threads = bad.count_ones();
        let mut finding = Finding::new(FindingKind::Uninitialized { space }, self.program().name.clone());
        finding.accesses.push(access);
        finding.allocation = allocation;
        finding
    }
}
