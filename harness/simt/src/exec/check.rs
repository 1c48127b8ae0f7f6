//! The race and initialisation checks: what the memory instructions tell them, and what they make of it.

use super::Warp;
use super::access::Request;
use super::control::lanes;
use crate::finding::{Access, Blame, Finding, Kind, Scope, Space, What};
use crate::lane::LANES;
use crate::machine::Param;
use crate::memory::View;
use crate::program::{Op, Origin, Program};
use crate::shadow::clock::{BlockClock, Publications, Time};
use crate::shadow::init::Written;
use crate::shadow::lines::GlobalRaces;
use crate::shadow::race::{Clocks, Conflict, same_instruction};
use crate::shadow::{Event, Layout};
use std::sync::OnceLock;

/// What the race check shares over a launch.
pub(crate) struct Races {
    pub(super) time: Time,
    pub(super) publications: Publications,
    /// One for each live range, made when it is first touched.
    globals: Vec<OnceLock<GlobalRaces>>,
}

impl Races {
    /// For a launch that begins.
    pub fn new(blocks: u64, warps_per_block: u32, view: &View) -> Self {
        let time = Time::default();
        // Moments before the first are ordered: let the first be later than none.
        time.advance();
        Races {
            publications: Publications::new(blocks, warps_per_block, &time),
            time,
            globals: view.ranges().iter().map(|_| OnceLock::new()).collect(),
        }
    }

    /// Forgets what was done to some bytes of the live range with this index.
    pub fn forget(&self, range: usize, address: u64, bytes: u64) {
        if let Some(memory) = self.globals.get(range).and_then(OnceLock::get) {
            memory.forget(address, bytes);
        }
    }

    /// The clock of a block that begins.
    pub fn block(&self) -> BlockClock {
        BlockClock::new(&self.time)
    }

    /// Warps of a block.
    pub fn warps_per_block(&self) -> u32 {
        self.publications.warps_per_block()
    }
}

/// What helps against `x[i] += 1` by several threads.
const UPDATE: &str = "several threads read this element, change it and write it back, and one change is lost: use atomicAdd (or the atomic that fits), or give each thread an element of its own";

/// The same where locks or flags are in use.
const LOCKED_UPDATE: &str = "several threads read this element, change it and write it back: if a lock guards it, put __threadfence() before the lock is released (and behind taking it); if not, use atomicAdd (or the atomic that fits)";

/// What helps against several threads that write their own values to one place.
const ONE_WRITER: &str = "let one thread write it, or give each thread an element of its own";

/// Where the addresses of an instruction may lie: in the array, or in the allocation, from which they were computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    space: Space,
    start: u64,
    end: u64,
}

impl Bounds {
    /// Whether all that an access touches lies inside.
    #[inline(always)]
    fn hold(&self, event: &Event<'_>) -> bool {
        let Layout { low, high, .. } = event.layout;
        let size = u64::from(event.size);
        low >= self.start && high <= self.end && self.end - high >= size
    }
}

/// The bounds of every instruction of a program.
pub(crate) fn bounds(program: &Program, params: &[u8], view: &View) -> Vec<Option<Bounds>> {
    let mut all = vec![None; program.ops.len()];
    let in_range = |value: u64| {
        let ranges = view.ranges();
        let (at, _) = view.locate(value)?;
        // Ranges without a gap between them may be one to the program.
        let touches = |i: &usize| ranges[*i].end == ranges[*i + 1].start;
        let first = (0..at).rev().take_while(touches).last().unwrap_or(at);
        let last = (at..ranges.len() - 1)
            .take_while(touches)
            .last()
            .map_or(at, |i| i + 1);
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

fn points_there(argument: usize) -> String {
    format!("argument {argument} of the kernel points there")
}

impl Warp {
    /// The same for the addresses in `op.a` plus `imm`, all in one space and relative to it.
    ///
    /// # Safety
    /// `op.a` is a 64-bit register of this warp.
    #[inline(never)]
    pub(crate) unsafe fn check_addresses(
        &mut self,
        op: &Op,
        request: Request,
        layout: Option<Layout>,
    ) {
        // SAFETY: the caller's contract.
        let addr = unsafe { &*self.reg::<[u64; LANES]>(op.a) };
        let mut address = [0; LANES];
        for i in 0..LANES {
            address[i] = addr[i].wrapping_add(op.imm);
        }
        self.check_laid_out(op, request, request.space, &address, layout);
    }

    /// Tells the checks of an access that is about to be made. `address` is valid in the running lanes, and relative to its space.
    #[inline(never)]
    pub(crate) fn check(
        &mut self,
        op: &Op,
        request: Request,
        space: Space,
        address: &[u64; LANES],
    ) {
        self.check_laid_out(op, request, space, address, None);
    }

    #[inline(always)]
    fn check_laid_out(
        &mut self,
        op: &Op,
        request: Request,
        space: Space,
        address: &[u64; LANES],
        layout: Option<Layout>,
    ) {
        let mask = self.mask();
        let shared = self.worker().launch();
        let order = shared.orders[op.site as usize];
        let event = Event {
            what: request.what,
            strong: order.strong || request.what == What::Atomic,
            volatile: order.volatile,
            narrow: order.narrow && space == Space::Global,
            block_local: space == Space::Shared,
            pc: op.site,
            mask,
            size: request.size,
            address,
            layout: layout.unwrap_or_else(|| (self.worker().layout)(address, mask, request.size)),
        };
        if let Some(Some(bounds)) = shared.bounds.get(op.site as usize)
            && bounds.space == space
            && !bounds.hold(&event)
        {
            self.check_bounds(op, &event, *bounds);
        }
        if shared.init {
            self.check_written(op, &event, space);
        }
        let Some(races) = &shared.races else {
            return;
        };
        if races.time.now() > u64::from(u32::MAX) {
            // Times are kept in 32 bits: past them races are missed, and nobody is accused.
            return;
        }
        let told = event.block_local && self.meets_copies(op, &event, order.asynchronous);
        // SAFETY: the block outlives its warps, and nothing else refers to its clock and shadow now.
        let block = unsafe { &mut *self.block };
        if order.release {
            races
                .publications
                .fence(self.clock.warp, &block.clock, order.narrow, &races.time);
        }
        self.clock.settle(&mut block.clock, &races.time);
        if event.strong {
            self.clock.acquire(&races.time);
        }
        let clocks = Clocks {
            time: &races.time,
            launch: &races.publications,
            block: &block.clock,
            warp: &self.clock,
            start: match space {
                Space::Shared => block.clock.start,
                _ => races.publications.start,
            },
        };
        let found = match space {
            Space::Shared => block.races.access(&clocks, &event),
            Space::Global => {
                let mut found = None;
                let mut rest = mask;
                while rest != 0 {
                    let first = address[rest.trailing_zeros() as usize];
                    let Some(at) = self.range_at(op.site, first) else {
                        break;
                    };
                    let range = shared.view.ranges()[at];
                    let Layout { low, high, .. } = event.layout;
                    let here = if range.contains(low, 1) && range.contains(high, 1) {
                        rest
                    } else {
                        lanes(rest)
                            .filter(|&l| range.contains(address[l], 1))
                            .fold(0u32, |m, l| m | (1 << l))
                    };
                    rest &= !here;
                    if !range.writable {
                        continue;
                    }
                    let memory = races.globals[at]
                        .get_or_init(|| GlobalRaces::new(range.start, range.end - range.start));
                    found = found.or(memory.access(&clocks, &event, here));
                }
                found
            }
            _ => None,
        };
        if let Some(conflict) = found.filter(|_| !told) {
            self.race(op, &event, space, conflict);
        }
    }

    /// The index of the live range that an address lies in: most often the one that the instruction had last.
    fn range_at(&self, site: u32, address: u64) -> Option<usize> {
        let worker = self.worker();
        let view = &worker.launch().view;
        let last = &mut worker.ranges[site as usize];
        match view.ranges().get(*last as usize) {
            Some(range) if range.contains(address, 1) => {}
            _ => *last = view.locate(address)?.0 as u32,
        }
        Some(*last as usize)
    }

    /// The same for an instruction that computes its lanes' addresses itself: generic, or of the declared space.
    pub(crate) fn check_tile(&mut self, op: &Op, request: Request, address: &[u64; LANES]) {
        if !self.checking {
            return;
        }
        let first = address[self.mask().trailing_zeros() as usize & 31];
        let (space, offset) = match request.space {
            Space::Generic => super::access::space_of(first),
            Space::Const => (Space::Global, first),
            other => (other, first),
        };
        let window = first.wrapping_sub(offset);
        let address = address.map(|a| a.wrapping_sub(window));
        self.check(op, request, space, &address);
    }

    /// The warp comes to a barrier of the block: its accesses have been made. `some`: not all threads of the block pass it.
    #[inline(never)]
    pub(crate) fn arrived(&mut self, barrier: u32, some: bool) {
        if let Some(races) = &self.worker().launch().races {
            // SAFETY: the block outlives its warps.
            let block = unsafe { &mut *self.block };
            self.clock.settle(&mut block.clock, &races.time);
            if some {
                let (barrier, warp) = (barrier as usize, self.index as usize);
                block.clock.arrive(barrier, warp, &self.clock, &races.time);
            }
        }
    }

    /// The warp's turn ends: its accesses have been made.
    #[cold]
    pub(crate) fn pause(&mut self) {
        if let Some(races) = &self.worker().launch().races {
            // SAFETY: the block outlives its warps.
            let block = unsafe { &mut *self.block };
            self.clock.settle(&mut block.clock, &races.time);
        }
    }

    /// The running lanes meet those that each of them names.
    #[cold]
    pub(crate) fn met(&mut self, named: &[u32; LANES]) {
        let mask = self.mask();
        let mut rest = mask;
        while rest != 0 {
            let first = named[rest.trailing_zeros() as usize];
            let same = lanes(rest).filter(|&l| named[l] == first);
            rest &= !same.fold(0u32, |m, l| m | (1 << l));
            self.clock.sync(first & mask, self.live);
        }
    }

    /// The warp executes a fence.
    #[cold]
    pub(crate) fn fenced(&mut self, narrow: bool) {
        let shared = self.worker().launch();
        if let Some(races) = &shared.races {
            // SAFETY: the block outlives its warps.
            let block = unsafe { &*self.block };
            races
                .publications
                .fence(self.clock.warp, &block.clock, narrow, &races.time);
        }
    }

    /// Whether that was all: every byte from the lowest address to the highest has been written, or the lanes write all of them now.
    fn written_at_once(&mut self, site: u32, event: &Event<'_>, space: Space) -> bool {
        // Beyond this the lanes are looked at one by one sooner than all that lies between them.
        const FAR: u64 = 4096;
        let Layout { low, high, row, .. } = event.layout;
        let len = high.wrapping_sub(low).wrapping_add(u64::from(event.size));
        if len > FAR {
            return false;
        }
        let (written, start) = match space {
            // SAFETY: the block outlives its warps.
            Space::Shared => (unsafe { &(*self.block).written }, 0),
            Space::Global => {
                let view = &self.worker().launch().view;
                let Some(at) = self.range_at(site, low) else {
                    return false;
                };
                let range = &view.ranges()[at];
                if !range.contains(low, len) {
                    return false;
                }
                let Some(written) = view.written(at) else {
                    // Nobody follows what is written there.
                    return true;
                };
                (written, range.start)
            }
            _ => return false,
        };
        if event.what == What::Write && row {
            written.write(low - start, len);
            return true;
        }
        written.unwritten(low - start, len).is_none()
    }

    /// Looks for lanes whose address was computed from one array and lies in another.
    #[cold]
    fn check_bounds(&mut self, op: &Op, event: &Event<'_>, bounds: Bounds) {
        let Bounds { space, start, end } = bounds;
        let size = u64::from(event.size);
        let inside = |a: u64| a >= start && a <= end && end - a >= size;
        let out = lanes(event.mask)
            .filter(|&l| !inside(event.address[l]))
            .fold(0u32, |m, l| m | (1 << l));
        if out == 0 {
            return;
        }
        let lane = out.trailing_zeros() as usize;
        let address = event.address[lane];
        let (mut access, hit) = self.describe(op, event, space, lane);
        access.threads = out.count_ones();
        let beginning = Event {
            address: &[start; LANES],
            ..*event
        };
        let (_, from) = self.describe(op, &beginning, space, lane);
        let kind = Kind::OverrunsNeighbour { space };
        let mut finding = Finding::new(kind, self.program().name.clone()).with(access);
        if let Some(hit) = hit {
            let name = crate::report::demangle(&hit.name);
            finding.notes.push(format!("it lands in `{name}` instead"));
        }
        finding.allocation = from.map(|from| crate::finding::Allocation {
            relation: crate::finding::Relation::of(address, from.address, from.size),
            ..from
        });
        self.record(finding);
    }

    fn check_written(&mut self, op: &Op, event: &Event<'_>, space: Space) {
        let size = u64::from(event.size);
        let reads = event.what != What::Write;
        let writes = event.what != What::Read;
        let see = |written: &Written, offset: u64| {
            let missing = reads && written.unwritten(offset, size).is_some();
            if writes {
                written.write(offset, size);
            }
            missing
        };
        if self.written_at_once(op.site, event, space) {
            return;
        }
        let mut bad = 0u32;
        for lane in lanes(event.mask) {
            let address = event.address[lane];
            let missing = match space {
                // SAFETY: the block outlives its warps.
                Space::Shared => see(unsafe { &(*self.block).written }, address),
                Space::Local => see(&self.written, lane as u64 * self.local_len + address),
                Space::Global => {
                    let view = &self.worker().launch().view;
                    match view.locate(address) {
                        Some((at, Some(written))) => {
                            see(written, address - view.ranges()[at].start)
                        }
                        _ => false,
                    }
                }
                _ => false,
            };
            bad |= u32::from(missing) << lane;
        }
        if bad != 0 {
            let lane = bad.trailing_zeros() as usize;
            let (mut access, allocation) = self.describe(op, event, space, lane);
            access.threads = bad.count_ones();
            let mut finding =
                Finding::new(Kind::Uninitialized { space }, self.program().name.clone());
            finding.accesses.push(access);
            finding.allocation = allocation;
            self.record(finding);
        }
    }

    /// One lane's access, as findings tell it.
    pub(super) fn describe(
        &self,
        op: &Op,
        event: &Event<'_>,
        space: Space,
        lane: usize,
    ) -> (Access, Option<crate::finding::Allocation>) {
        let place = self.program().place_of(op.site);
        let address = event.address[lane];
        let mut access = Access::memory(event.what, space, event.size, address, place);
        let allocation = match space {
            Space::Global => self.nearest_global(address, event.size),
            Space::Shared => self.nearest_shared(address, &mut access),
            _ => None,
        };
        (self.located(access, lane), allocation)
    }

    fn race(&mut self, op: &Op, event: &Event<'_>, space: Space, conflict: Conflict) {
        let (now, allocation) = self.describe(op, event, space, conflict.lane);
        let launch = self.worker().launch();
        let warps = launch
            .races
            .as_ref()
            .map_or(1, |races| u64::from(races.warps_per_block()));
        let [gx, gy, _] = launch.grid.map(u64::from);
        let [bx, by, _] = launch.block;
        let block = u64::from(conflict.earlier_warp) / warps;
        let linear = (u64::from(conflict.earlier_warp) % warps) as u32 * LANES as u32
            + conflict.earlier_lane;
        let mut earlier = Access::memory(
            conflict.what,
            space,
            event.size,
            event.address[conflict.lane],
            self.program().place_of(conflict.pc),
        )
        .by(
            [
                (block % gx) as u32,
                (block / gx % gy) as u32,
                (block / gx / gy) as u32,
            ],
            [linear % bx, linear / bx % by, linear / bx / by],
        );
        earlier.variable.clone_from(&now.variable);
        let kind = Kind::Race {
            space,
            scope: conflict.scope,
        };
        let mut finding = Finding::new(kind, self.program().name.clone())
            .with(now)
            .with(earlier);
        finding.allocation = allocation;
        self.advise(&mut finding, [op.site, conflict.pc], &conflict);
        self.record(finding);
    }

    /// Tells the race check which values a store is about to write where (the host's addresses): two lanes that write different
    /// values to one place race.
    #[inline(never)]
    pub(crate) fn check_store(
        &mut self,
        op: &Op,
        request: Request,
        at: &[u64; LANES],
        values: &[u64; LANES],
    ) {
        let launch = self.worker().launch();
        if launch.races.is_none() || launch.orders[op.site as usize].strong {
            return;
        }
        let Some((one, two)) = same_instruction(self.mask(), at, values) else {
            return;
        };
        // SAFETY: `a` is the register of the addresses.
        let address = unsafe { (*self.reg::<[u64; LANES]>(op.a)).map(|a| a.wrapping_add(op.imm)) };
        let (space, offset) = match request.space {
            Space::Generic => super::access::space_of(address[one]),
            space => (space, address[one]),
        };
        let event = Event {
            what: What::Write,
            strong: false,
            volatile: false,
            narrow: false,
            block_local: space == Space::Shared,
            pc: op.site,
            mask: self.mask(),
            size: request.size,
            address: &[offset; LANES],
            layout: Layout::default(),
        };
        let (now, allocation) = self.describe(op, &event, space, two);
        let (other, _) = self.describe(op, &event, space, one);
        let kind = Kind::Race {
            space,
            scope: Scope::Warp,
        };
        let mut finding = Finding::new(kind, self.program().name.clone())
            .with(now)
            .with(other);
        finding.allocation = allocation;
        finding.remedy = Some(
            if self.updates(op.site) {
                UPDATE
            } else {
                ONE_WRITER
            }
            .into(),
        );
        self.record(finding);
    }

    /// A better remedy for a race than its scope alone suggests.
    fn advise(&self, finding: &mut Finding, pcs: [u32; 2], conflict: &Conflict) {
        let all = |what: What| finding.accesses.iter().all(|a| a.what == what);
        let program = self.program();
        let [one, other] = pcs.map(|pc| program.place_of(pc));
        let one_line = one.same_line(&other);
        let remedy = if conflict.narrow {
            "the atomics are of the scope of a block (.cta), and the threads are of two: use the scope of the device (.gpu), which atomicAdd and its like have"
        } else if self.changes_one(pcs) {
            if conflict.unfenced {
                LOCKED_UPDATE
            } else {
                UPDATE
            }
        } else if finding.accesses.iter().any(|a| a.what == What::Atomic) {
            match conflict.scope {
                Scope::Grid => "make both accesses atomic, or do the plain one in another launch",
                _ => {
                    "make both accesses atomic, or put a barrier between them that all these threads pass"
                }
            }
        } else if conflict.unfenced {
            "the one thread has looked at a flag since, which an atomic or volatile access wrote, but the other executed no fence after this access: put __threadfence() between it and the flag"
        } else if one_line && all(What::Write) {
            ONE_WRITER
        } else if conflict.scope == Scope::Warp && self.worker().launch().threads > LANES as u32 {
            "put __syncthreads() between the two accesses, or __syncwarp() where only lanes of one warp take part: lanes do not run in lockstep"
        } else {
            return;
        };
        finding.remedy = Some(remedy.into());
    }

    /// Whether two accesses are of one line that reads an element and writes it back, `x[i] += 1`: the one reads where the other
    /// writes, or both write.
    fn changes_one(&self, [a, b]: [u32; 2]) -> bool {
        let program = self.program();
        let [one, two] = [a, b].map(|pc| &program.ops[pc as usize]);
        (a == b || (one.a, one.imm) == (two.a, two.imm))
            && program.place_of(a).same_line(&program.place_of(b))
            && self.updates(a)
    }

    /// Whether a store changes what a load of the same line reads at the same address: `x[i] += 1`.
    fn updates(&self, pc: u32) -> bool {
        let program = self.program();
        let of = |pc: u32| program.accesses.iter().find(|a| a.pc == pc);
        let Some(this) = of(pc) else { return false };
        let op = &program.ops[pc as usize];
        let place = program.place_of(pc);
        program.accesses.iter().any(|other| {
            let there = &program.ops[other.pc as usize];
            matches!(
                (this.what, other.what),
                (What::Write, What::Read) | (What::Read, What::Write)
            ) && this.space == other.space
                && (there.a, there.imm) == (op.a, op.imm)
                && place.same_line(&program.place_of(other.pc))
        })
    }

    /// The number, from 1, of the argument of the kernel that is a pointer as `fits` says, and the nearest to `address`.
    fn argument(&self, address: u64, fits: impl Fn(u64) -> bool) -> Option<usize> {
        let launch = self.worker().launch();
        let value = |p: &Param| {
            let bytes = launch.params.get(p.offset as usize..)?.first_chunk()?;
            (p.size == 8).then(|| u64::from_le_bytes(*bytes))
        };
        let values = launch.param_list.iter().zip(1..);
        let values = values.filter_map(|(p, i)| Some((value(p)?, i)));
        let fitting = values.filter(|(value, _)| fits(*value));
        let nearest = fitting.min_by_key(|(value, _)| value.abs_diff(address));
        nearest.map(|(_, i)| i)
    }

    /// Says which argument of the kernel led to a bad address, in the finding that was just recorded.
    #[cold]
    pub(crate) fn name_argument(&mut self, address: u64) {
        let Some(finding) = self.worker().findings.list.last_mut() else {
            return;
        };
        finding.notes.push(match finding.kind {
            Kind::NullPointer => match self.argument(0, |value| value == 0) {
                Some(i) => format!("argument {i} of the kernel is null"),
                None => {
                    finding.blame = Some(Blame::Kernel);
                    finding.remedy = Some("look at where the pointer comes from".into());
                    "no argument of the kernel is null: it read this pointer from memory, or computed it".into()
                }
            },
            Kind::HostPointer => {
                let near = |value: u64| value > 4096 && value.abs_diff(address) < 1 << 20;
                match self.argument(address, near) {
                    Some(i) => points_there(i),
                    None => return,
                }
            }
            _ => {
                let Some(near) = &finding.allocation else {
                    return;
                };
                let inside = |value: u64| value >= near.address && value - near.address < near.size;
                match self.argument(near.address, inside) {
                    Some(i) => points_there(i),
                    None => return,
                }
            }
        });
    }

    pub(super) fn record(&mut self, mut finding: Finding) {
        let worker = self.worker();
        finding.seed = worker.launch().seed;
        if let Some(near) = &finding.allocation
            && finding
                .accesses
                .iter()
                .any(|a| a.space == Some(Space::Global))
            && let Some(i) = self.argument(near.address, |value| {
                value >= near.address && value - near.address < near.size
            })
        {
            finding.notes.push(points_there(i));
        }
        worker.findings.add(finding);
    }
}
