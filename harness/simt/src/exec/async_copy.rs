//! Asynchronous copies from global to shared memory (`cp.async`).
//!
//! The machine copies at once, which a device may do. But until the thread that copies has waited for the copy's group, nobody may
//! rely on that: the race check keeps the copies under way, and any access to what they write is a race with them. When they are
//! waited for they count as writes of that moment, so that other threads still need a barrier behind it. (Not looked for: a write
//! to the *source* of a copy under way.)

use super::access::{Pointers, Request, Wrong, sectors};
use super::control::lanes;
use super::{Flow, Warp};
use crate::finding::{Access, Finding, Kind, Scope, Space, What};
use crate::lane::LANES;
use crate::program::Op;
use crate::shadow::race::Clocks;
use crate::shadow::{Event, Layout};

/// A copy instruction of a warp, as far as it has not been waited for.
#[derive(Clone)]
struct Copy {
    pc: u32,
    /// The warp in its block.
    warp: u32,
    lanes: u32,
    size: u32,
    /// Offsets in shared memory.
    address: [u64; LANES],
    /// How they lie, for all the lanes that began it.
    layout: Layout,
    began: u32,
    /// Each lane's groups that were closed before.
    group: [u32; LANES],
    /// When it began: the time, the block's epoch and the warp's tick.
    moment: (u64, u32, u32),
}

/// The copies of a block that are under way.
#[derive(Default)]
pub(crate) struct Copies {
    list: Vec<Copy>,
    /// A bit for each four bytes of shared memory that one of them writes: no copy is smaller, or less aligned.
    bits: Vec<u64>,
    /// For each warp and lane: groups that it has closed.
    closed: Vec<[u32; LANES]>,
}

/// A place that a copy under way writes.
#[derive(Clone, Copy)]
struct Conflict {
    /// The lane that comes across it.
    lane: usize,
    pc: u32,
    warp: u32,
    /// The lane that copies.
    by: usize,
    address: u64,
    size: u32,
    scope: Scope,
}

impl Copies {
    /// For a block that begins, with `bytes` of shared memory.
    pub fn reset(&mut self, bytes: u64) {
        self.list.clear();
        self.closed.clear();
        self.bits.clear();
        self.bits.resize(bytes.div_ceil(256) as usize, 0);
    }

    fn closed(&mut self, warp: u32) -> &mut [u32; LANES] {
        let warp = warp as usize;
        if self.closed.len() <= warp {
            self.closed.resize(warp + 1, [0; LANES]);
        }
        &mut self.closed[warp]
    }

    /// The word of [`Copies::bits`], and the bits in it, for so many bytes (a power of two) at an offset that is a multiple of that.
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

    /// Whether something may be marked from one offset to another.
    #[inline(always)]
    fn any_between(&self, low: u64, high: u64) -> bool {
        let words = (low / 256) as usize..=(high / 256) as usize;
        let words = self.bits.get(words).unwrap_or(&[]);
        words.iter().any(|word| *word != 0)
    }

    fn begin(&mut self, event: &Event<'_>, warp: u32, moment: (u64, u32, u32)) {
        let copy = Copy {
            pc: event.pc,
            warp,
            lanes: event.mask,
            size: event.size,
            address: *event.address,
            layout: event.layout,
            began: event.mask,
            group: *self.closed(warp),
            moment,
        };
        self.mark(&copy, true);
        self.list.push(copy);
    }

    /// The copies that lanes of a warp wait for: all but those of the last `keep` groups that each has closed; without `keep`, all.
    fn wait(&mut self, warp: u32, mask: u32, keep: Option<u32>) -> Vec<Copy> {
        let closed = *self.closed(warp);
        let mut done = Vec::new();
        for copy in self.list.iter_mut().filter(|copy| copy.warp == warp) {
            let ended = |lane: &usize| match keep {
                Some(keep) => copy.group[*lane].saturating_add(keep) < closed[*lane],
                None => true,
            };
            let ended = lanes(copy.lanes & mask)
                .filter(ended)
                .fold(0, |m, lane| m | (1 << lane));
            if ended != 0 {
                copy.lanes &= !ended;
                done.push(Copy {
                    lanes: ended,
                    ..copy.clone()
                });
            }
        }
        self.list.retain(|copy| copy.lanes != 0);
        for copy in &done {
            self.mark(copy, false);
        }
        done
    }

    /// The copy that an access of a warp comes across; of several, one by the thread that is farthest.
    fn conflict(&self, event: &Event<'_>, warp: u32) -> Option<Conflict> {
        let Layout { low, high, .. } = event.layout;
        if !self.any_between(low, high) {
            return None;
        }
        let size = u64::from(event.size);
        let hit = lanes(event.mask).filter(|&lane| self.marked(event.address[lane], event.size));
        let mut found: Option<Conflict> = None;
        for lane in hit {
            let at = event.address[lane];
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
                    found = Some(Conflict {
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

impl Warp {
    /// Holds an access to shared memory against the copies under way, of which it may be one itself. True if it is a race.
    #[inline(always)]
    pub(super) fn meets_copies(&mut self, op: &Op, event: &Event<'_>, copies: bool) -> bool {
        // SAFETY: the block outlives its warps.
        let none = unsafe { (*self.block).copies.list.is_empty() };
        (copies || !none) && self.check_copies(op, event, copies)
    }

    #[inline(never)]
    fn check_copies(&mut self, op: &Op, event: &Event<'_>, copies: bool) -> bool {
        // SAFETY: the block outlives its warps, and nothing else refers to its copies now.
        let (under_way, epoch) = unsafe {
            let block = &mut *self.block;
            (&mut block.copies, block.clock.epoch)
        };
        let found = under_way.conflict(event, self.index);
        if copies && let Some(races) = &self.worker().launch().races {
            let moment = (races.time.now(), epoch, self.clock.tick());
            under_way.begin(event, self.index, moment);
        }
        if let Some(conflict) = found {
            let (mut now, allocation) = self.describe(op, event, Space::Shared, conflict.lane);
            if copies {
                now.what = What::Copy;
            }
            self.copy_race(conflict, now, allocation);
        }
        found.is_some()
    }

    #[cold]
    fn copy_race(
        &mut self,
        conflict: Conflict,
        now: Access,
        allocation: Option<crate::finding::Allocation>,
    ) {
        let Conflict { address, size, .. } = conflict;
        let place = self.program().place_of(conflict.pc);
        let mut copy = Access::memory(What::Copy, Space::Shared, size, address, place);
        self.nearest_shared(address, &mut copy);
        let [x, y, _] = self.worker().launch().block;
        let linear = conflict.warp * LANES as u32 + conflict.by as u32;
        let copy = copy.by(now.block, [linear % x, linear / x % y, linear / x / y]);
        let scope = conflict.scope;
        let space = Space::Shared;
        let kind = Kind::Race { space, scope };
        let mut finding = Finding::new(kind, self.program().name.clone())
            .with(now)
            .with(copy);
        finding.allocation = allocation;
        finding.remedy = Some(
            match scope {
                Scope::Thread => {
                    "wait for the copy before its bytes are used: cp.async.wait_all, or wait_group with as many groups as may stay under way (__pipeline_wait_prior, or wait of a cuda::pipeline)"
                }
                _ => {
                    "let each thread wait for its own copies (cp.async.wait_all or wait_group, __pipeline_wait_prior), and put __syncthreads() behind that, before the others use what was copied"
                }
            }
            .into(),
        );
        self.record(finding);
    }

    /// The running lanes have waited for their copies.
    #[cold]
    fn waited(&mut self, keep: Option<u32>) {
        let Some(races) = &self.worker().launch().races else {
            return;
        };
        // SAFETY: the block outlives its warps, and nothing else refers to its parts now.
        let block = unsafe { &mut *self.block };
        let done = block.copies.wait(self.index, self.mask(), keep);
        self.clock.settle(&mut block.clock, &races.time);
        let now = (races.time.now(), block.clock.epoch, self.clock.tick());
        // Nothing has happened since one began that could order it too early: it stands as it was remembered then.
        for copy in done.iter().filter(|copy| copy.moment != now) {
            let layout = if copy.lanes == copy.began {
                copy.layout
            } else {
                Layout::of(&copy.address, copy.lanes, copy.size)
            };
            let event = Event {
                what: What::Write,
                strong: false,
                volatile: false,
                narrow: false,
                block_local: true,
                pc: copy.pc,
                mask: copy.lanes,
                size: copy.size,
                address: &copy.address,
                layout,
            };
            let clocks = Clocks {
                time: &races.time,
                launch: &races.publications,
                block: &block.clock,
                warp: &self.clock,
                start: block.clock.start,
            };
            // Whoever came across the copy has been told of already.
            block.races.access(&clocks, &event);
        }
    }
}

/// `cp.async.commit_group`.
pub(crate) unsafe fn commit(warp: &mut Warp, _: &Op) -> Flow {
    if warp.checking {
        // SAFETY: the block outlives its warps, and nothing else refers to its copies now.
        let copies = unsafe { &mut (*warp.block).copies };
        let mask = warp.mask();
        let closed = copies.closed(warp.index);
        for lane in lanes(mask) {
            closed[lane] += 1;
        }
    }
    Flow::Next
}

/// `cp.async.wait_group`, with as many groups as `imm` says still under way.
pub(crate) unsafe fn wait_group(warp: &mut Warp, op: &Op) -> Flow {
    if warp.checking {
        warp.waited(Some(op.imm.min(u64::from(u32::MAX)) as u32));
    }
    Flow::Next
}

/// `cp.async.wait_all`.
pub(crate) unsafe fn wait_all(warp: &mut Warp, _: &Op) -> Flow {
    if warp.checking {
        warp.waited(None);
    }
    Flow::Next
}

/// The reading half of a copy of which each lane says how many bytes it reads, in the 32-bit register `b`: from the address in `a`
/// plus `imm`, to the values `d` and, if the low byte of `e` is 2, `d2`; `c` bytes each. The rest of them becomes 0.
pub(crate) unsafe fn read_some(warp: &mut Warp, op: &Op) -> Flow {
    let whole = op.c * (op.e & 0xff);
    let mask = warp.mask();
    let request = Request {
        space: Space::Global,
        size: whole,
        what: What::Read,
    };
    // SAFETY: registers of these widths; addresses are checked before they are read.
    unsafe {
        let source = *warp.reg::<[u32; LANES]>(op.b);
        let (mut full, mut part) = (0u32, 0u32);
        for lane in 0..LANES {
            full |= u32::from(source[lane] >= whole) << lane;
            part |= u32::from(source[lane] > 0 && source[lane] < whole) << lane;
        }
        (full, part) = (full & mask, part & mask);
        let mut at: Pointers = [0; LANES];
        if full != 0 {
            warp.set_mask(full);
            let resolve = warp.worker().resolve;
            let fine = resolve(warp, op, request, &mut at);
            warp.set_mask(mask);
            if !fine {
                return Flow::Stop;
            }
        }
        // 16 bytes of zero: what lanes without a source read.
        let nothing = [0u64; 2];
        let mut pieces = [[0u64; 2]; LANES];
        if part != 0
            && let Err(flow) = read_parts(warp, op, (part, full == 0), &source, &mut pieces)
        {
            return flow;
        }
        for lane in 0..LANES {
            if part & (1 << lane) != 0 {
                at[lane] = pieces[lane].as_ptr() as u64;
            } else if full & (1 << lane) == 0 {
                at[lane] = nothing.as_ptr() as u64;
            }
        }
        if op.c == 4 {
            let to = &mut *warp.reg::<[u32; LANES]>(op.d);
            for lane in lanes(mask) {
                to[lane] = *(at[lane] as *const u32);
            }
            return Flow::Next;
        }
        for (k, register) in [op.d, op.d2][..(whole / 8) as usize].iter().enumerate() {
            let to = &mut *warp.reg::<[u64; LANES]>(*register);
            for lane in lanes(mask) {
                to[lane] = *(at[lane] as *const u64).add(k);
            }
        }
    }
    Flow::Next
}

/// The lanes that read a part only. `alone`: there are no others, so that this is the request to count.
#[cold]
unsafe fn read_parts(
    warp: &mut Warp,
    op: &Op,
    (part, alone): (u32, bool),
    source: &[u32; LANES],
    pieces: &mut [[u64; 2]; LANES],
) -> Result<(), Flow> {
    let (space, what) = (Space::Global, What::Read);
    let whole = op.c * (op.e & 0xff);
    // SAFETY: the caller's contract.
    let address = unsafe { (*warp.reg::<[u64; LANES]>(op.a)).map(|a| a.wrapping_add(op.imm)) };
    let (mut low, mut high, mut bytes) = (u64::MAX, 0, 0u64);
    for lane in lanes(part) {
        let (at, size) = (address[lane], source[lane]);
        let request = Request { space, size, what };
        if at & u64::from(whole - 1) != 0 {
            let wrong = Wrong {
                kind: Kind::Misaligned {
                    space,
                    required: whole,
                },
                space,
                address: at,
            };
            return Err(warp.access_fault(op, lane, request, wrong));
        }
        match warp.resolve_lane(lane, at, request) {
            // SAFETY: so many bytes have been checked, and a piece has room for 16.
            Ok(from) => unsafe {
                let to = pieces[lane].as_mut_ptr().cast::<u8>();
                from.copy_to_nonoverlapping(to, size as usize);
            },
            Err(wrong) => return Err(warp.access_fault(op, lane, request, wrong)),
        }
        (low, high) = (low.min(at), high.max(at));
        bytes += u64::from(size);
    }
    // SAFETY: there is a site for every instruction.
    let site = unsafe { &mut *warp.sites.add(op.site as usize) };
    let touched = u64::from(sectors(&address, part, low, high + 1));
    site.requests += u64::from(alone);
    site.lanes += u64::from(part.count_ones());
    site.sectors += touched;
    site.ideal += touched.min(bytes.div_ceil(32));
    let mask = warp.mask();
    let mut rest = part;
    while warp.checking && rest != 0 {
        let size = source[rest.trailing_zeros() as usize];
        let same = lanes(rest)
            .filter(|&lane| source[lane] == size)
            .fold(0u32, |m, lane| m | (1 << lane));
        warp.set_mask(same);
        warp.check_tile(op, Request { space, size, what }, &address);
        warp.set_mask(mask);
        rest &= !same;
    }
    Ok(())
}
