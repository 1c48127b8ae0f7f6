//! The pending asynchronous copies of a block.

use super::{Event, Layout};
use crate::finding::{AccessKind, Scope};
use crate::lane::{LANES, lanes};

/// A copy instruction of a warp, for the lanes that have not waited for it.
#[derive(Clone)]
pub(crate) struct Copy {
    pub pc: u32,
    /// The warp in its block.
    pub warp: u32,
    pub lanes: u32,
    pub size: u32,
    /// Offsets in shared memory.
    pub address: [u64; LANES],
    /// The layout of these offsets, for all the lanes that began the copy.
    pub layout: Layout,
    pub began: u32,
    /// For each lane, the number of groups that it had closed before.
    pub group: [u32; LANES],
    /// The moment at which it began: the time, the block's epoch and the warp's tick.
    pub moment: (u64, u32, u32),
}

/// The event that ends a bulk copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// A phase of the mbarrier at this offset, by its number.
    Phase(u32, u64),
    /// A group of the thread's bulk copies, by its number.
    Group(u32),
}

/// A bulk copy, for the shared memory that it reads, writes or changes atomically.
#[derive(Clone, Debug)]
pub(crate) struct Bulk {
    pub pc: u32,
    /// The warp in the grid and the lane that began it.
    pub warp: u32,
    pub lane: u32,
    /// The first offset in shared memory.
    pub start: u64,
    pub bytes: u64,
    /// The kind of access.
    pub what: AccessKind,
    pub until: Until,
}

impl Bulk {
    /// Returns the pieces of at most 16 bytes in which accesses are compared: their offsets and sizes.
    pub fn pieces(&self) -> impl Iterator<Item = (u64, u32)> + use<> {
        let end = self.start + self.bytes;
        (self.start..end).step_by(16).map(move |at| (at, (end - at).min(16) as u32))
    }
}

/// The pending copies of a block.
#[derive(Default)]
pub(crate) struct Copies {
    list: Vec<Copy>,
    bulk: Vec<Bulk>,
    /// For each warp and lane, the number of groups of bulk copies that it has closed.
    closed_bulk: Vec<[u32; LANES]>,
    /// A bit for each four bytes of shared memory that a pending copy writes. Four bytes are the minimum size and
    /// alignment of a copy.
    bits: Vec<u64>,
    /// For each warp and lane, the number of groups that it has closed.
    closed: Vec<[u32; LANES]>,
}

/// An access that conflicts with a pending copy.
#[derive(Clone, Copy)]
pub(crate) struct CopyConflict {
    /// The lane that makes the access.
    pub lane: usize,
    pub pc: u32,
    pub warp: u32,
    /// The lane that copies.
    pub by: usize,
    pub address: u64,
    pub size: u32,
    pub scope: Scope,
}

impl Copies {
    /// Resets for a new block with `bytes` bytes of shared memory.
    pub fn reset(&mut self, bytes: u64) {
        self.list.clear();
        self.bulk.clear();
        self.closed.clear();
        self.closed_bulk.clear();
        self.bits.clear();
        self.bits.resize(bytes.div_ceil(256) as usize, 0);
    }

    /// Returns whether no copy is pending.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty() && self.bulk.is_empty()
    }

    /// Returns the number of groups that each lane of a warp has closed.
    pub fn closed(&mut self, warp: u32) -> &mut [u32; LANES] {
        let warp = warp as usize;
        if self.closed.len() <= warp {
            self.closed.resize(warp + 1, [0; LANES]);
        }
        &mut self.closed[warp]
    }

    /// Returns the number of groups of bulk copies that each lane of a warp has closed.
    pub fn closed_bulk(&mut self, warp: u32) -> &mut [u32; LANES] {
        let warp = warp as usize;
        if self.closed_bulk.len() <= warp {
            self.closed_bulk.resize(warp + 1, [0; LANES]);
        }
        &mut self.closed_bulk[warp]
    }

    /// Records a bulk copy that begins.
    pub fn begin_bulk(&mut self, copy: Bulk) {
        self.bulk.push(copy);
    }

    /// Ends the bulk copies that reported to phases of the mbarrier at this offset before number `ended`, and returns
    /// them.
    pub fn end_phase(&mut self, offset: u32, ended: u64) -> Vec<Bulk> {
        let over = |copy: &mut Bulk| matches!(copy.until, Until::Phase(at, phase) if at == offset && phase < ended);
        self.bulk.extract_if(.., over).collect()
    }

    /// Ends the bulk copies of a lane of a warp (by its number in the grid) in all but the last `keep` groups that it
    /// has closed.
    pub fn end_groups(&mut self, (warp, lane): (u32, u32), closed: u32, keep: u32) {
        let over = |group: u32| group.saturating_add(keep) < closed;
        let ended = |copy: &Bulk| matches!(copy.until, Until::Group(group) if over(group));
        self.bulk.retain(|copy| copy.warp != warp || copy.lane != lane || !ended(copy));
    }

    /// Returns the bulk copy with which an access of a lane conflicts; `now` is the warp's number in the grid. Reads do
    /// not conflict with copies that read, nor atomics with those that reduce.
    pub fn bulk_conflict(&self, event: &Event<'_>, now: u32) -> Option<(usize, &Bulk)> {
        let Layout { low, high, .. } = *event.layout;
        let size = u64::from(event.size);
        let near = |copy: &&Bulk| copy.start < high + size && low < copy.start + copy.bytes;
        let meets = |copy: &Bulk, lane: &usize| {
            let at = event.address.at(*lane);
            copy.start < at + size && at < copy.start + copy.bytes
        };
        let alike = |copy: &Bulk| {
            matches!(
                (copy.what, event.what),
                (AccessKind::Read, AccessKind::Read) | (AccessKind::Atomic, AccessKind::Atomic)
            )
        };
        let conflicts = |copy: &&Bulk| !alike(copy);
        let found = self.bulk.iter().filter(near).filter(conflicts);
        let by = found.filter_map(|copy| Some((lanes(event.mask).find(|lane| meets(copy, lane))?, copy)));
        by.max_by_key(|(_, copy)| copy.warp != now)
    }

    /// Returns the index of a word of [`Copies::bits`], and the bits in it, for `bytes` bytes (a power of two) at an
    /// offset that is a multiple of `bytes`.
    #[inline(always)]
    fn place(offset: u64, bytes: u32) -> (usize, u64) {
        let bits = (1u64 << (bytes / 4).clamp(1, 63)) - 1;
        ((offset / 256) as usize, bits << (offset / 4 % 64))
    }

    fn mark(&mut self, copy: &Copy, on: bool) {
        for lane in lanes(copy.lanes) {
            let (word, bits) = Self::place(copy.address[lane], copy.size);
            if let Some(word) = self.bits.get_mut(word) {
                *word = if on { *word | bits } else { *word & !bits };
            }
        }
    }

    #[inline(always)]
    fn marked(&self, offset: u64, bytes: u32) -> bool {
        let (word, bits) = Self::place(offset, bytes);
        self.bits.get(word).is_some_and(|word| word & bits != 0)
    }

    /// Returns whether any bit may be set between two offsets.
    #[inline(always)]
    fn any_between(&self, low: u64, high: u64) -> bool {
        let words = (low / 256) as usize..=(high / 256) as usize;
        let words = self.bits.get(words).unwrap_or(&[]);
        words.iter().any(|word| *word != 0)
    }

    /// Records a copy that begins.
    pub fn begin(&mut self, event: &Event<'_>, warp: u32, moment: (u64, u32, u32)) {
        let copy = Copy {
            pc: event.pc,
            warp,
            lanes: event.mask,
            size: event.size,
            address: event.address.all(),
            layout: *event.layout,
            began: event.mask,
            group: *self.closed(warp),
            moment,
        };
        self.mark(&copy, true);
        self.list.push(copy);
    }

    /// Ends the copies that lanes of a warp wait for, and returns them: all except those of the last `keep` groups that
    /// each lane has closed, or all if `keep` is `None`.
    pub fn wait(&mut self, warp: u32, mask: u32, keep: Option<u32>) -> Vec<Copy> {
        let closed = *self.closed(warp);
        let mut done = Vec::new();
        for copy in self.list.iter_mut().filter(|copy| copy.warp == warp) {
            let ended = |lane: &usize| match keep {
                Some(keep) => copy.group[*lane].saturating_add(keep) < closed[*lane],
                None => true,
            };
            let ended = lanes(copy.lanes & mask).filter(ended).fold(0, |m, lane| m | (1 << lane));
            if ended != 0 {
                copy.lanes &= !ended;
                done.push(Copy { lanes: ended, ..copy.clone() });
            }
        }
        self.list.retain(|copy| copy.lanes != 0);
        for copy in &done {
            self.mark(copy, false);
        }
        done
    }

    /// Returns the copy with which an access of a warp conflicts. Of several copies, the one by the farthest thread.
    pub fn conflict(&self, event: &Event<'_>, warp: u32) -> Option<CopyConflict> {
        let Layout { low, high, .. } = *event.layout;
        if !self.any_between(low, high) {
            return None;
        }
        let size = u64::from(event.size);
        let hit = lanes(event.mask).filter(|&lane| self.marked(event.address.at(lane), event.size));
        let mut found: Option<CopyConflict> = None;
        for lane in hit {
            let at = event.address.at(lane);
            for copy in &self.list {
                let meets = |by: &usize| {
                    let to = copy.address[*by];
                    to < at + size && at < to + u64::from(copy.size)
                };
                let Some(by) = lanes(copy.lanes).find(meets) else {
                    continue;
                };
                let scope = match (copy.warp == warp, by == lane) {
                    (true, true) => Scope::Thread,
                    (true, false) => Scope::Warp,
                    (false, _) => Scope::Block,
                };
                if found.is_none_or(|known| known.scope < scope) {
                    found = Some(CopyConflict {
                        lane,
                        pc: copy.pc,
                        warp: copy.warp,
                        by,
                        address: copy.address[by],
                        size: copy.size,
                        scope,
                    });
                }
            }
        }
        found
    }
}
