//! Finds accesses that hit another array than the one from which their addresses were computed.

use crate::checks::bounds::Bounds;
use crate::checks::{Addresses, Event};
use crate::engine::warp::Warp;
use crate::engine::warp::program::Op;
use crate::engine::warp::program::{Origin, Program};
use crate::finding::{Allocation, Finding, FindingKind, Relation, Space};
use crate::lane::{LANES, lanes};
use crate::memory::View;

/// Returns the bounds of every instruction of a program.
pub(crate) fn bounds(program: &Program, params: &[u8], view: &View) -> Vec<Option<Bounds>> {
    let mut all = vec![None; program.ops.len()];
    let in_range = |value: u64| {
        let ranges = view.ranges();
        let (at, _) = view.locate(value)?;
        // Adjacent ranges without a gap may be a single array to the program.
        let touches = |i: &usize| ranges[*i].end == ranges[*i + 1].start;
        let first = (0..at).rev().take_while(touches).last().unwrap_or(at);
        let last = (at..ranges.len() - 1).take_while(touches).last().map_or(at, |i| i + 1);
        Some((ranges[first].start, ranges[last].end))
    };
    for access in &program.accesses {
        let (space, found) = match access.origin {
            Origin::Unknown => continue,
            Origin::Shared(start, end) => (Space::Shared, Some((start, end))),
            Origin::Global(start, end) => (Space::Global, Some((start, end))),
            Origin::Param(offset) => {
                let bytes = params.get(offset as usize..).and_then(|p| p.first_chunk());
                let value = bytes.map(|b| u64::from_le_bytes(*b));
                (Space::Global, value.and_then(in_range))
            }
        };
        all[access.pc as usize] = found.map(|(start, end)| Bounds { space, start, end });
    }
    all
}

impl Warp<'_> {
    /// Finds lanes whose address was computed from one array and lies in another.
    #[cold]
    pub(super) fn check_bounds(&mut self, op: &Op, event: &Event<'_>, bounds: Bounds) {
        let Bounds { space, start, end } = bounds;
        let size = u64::from(event.size);
        let inside = |a: u64| a >= start && a <= end && end - a >= size;
        let out = lanes(event.mask).filter(|&l| !inside(event.address.at(l))).fold(0u32, |m, l| m | (1 << l));
        if out == 0 {
            return;
        }
        let lane = out.trailing_zeros() as usize;
        let address = event.address.at(lane);
        let (mut access, _) = self.describe(op, event, space, lane);
        access.threads = out.count_ones();
        let near = |at: u64| {
            self.describe(op, &Event { address: Addresses::of(&[at; LANES]), size: 1, ..*event }, space, lane).1
        };
        let from = near(start);
        // The first byte out of bounds.
        let outside = if address >= start && address < end { end } else { address };
        let kind = FindingKind::OverrunsNeighbour { space };
        let mut finding = Finding::new(kind, self.program().name.clone()).with(access);
        let other = |hit: &Allocation| from.as_ref().is_none_or(|from| from.address != hit.address);
        let hit = near(outside).filter(|hit| matches!(hit.relation, Relation::Inside(_)) && other(hit));
        match hit {
            Some(hit) => finding.notes.push(landing(&hit, (address + size).saturating_sub(outside), size)),
            None => finding.remedy = Some("check the index against the array's size".into()),
        }
        finding.allocation =
            from.map(|from| Allocation { relation: Relation::from_address(address, from.address, from.size), ..from });
        self.record(finding);
    }
}

/// Describes the target of the last `outside` bytes of an access of `size` bytes.
fn landing(hit: &Allocation, outside: u64, size: u64) -> String {
    let what = if outside < size { format!("its last {outside} bytes land") } else { "it lands".into() };
    match hit.name.as_str() {
        "" => format!("{what} in another allocation instead, at {:#x} of size {} bytes", hit.address, hit.size),
        name => format!("{what} in `{}` instead", wire::demangle(name)),
    }
}
