//! The race and initialisation checks: what the memory instructions tell them, and what they make of it.

use super::Warp;
use super::access::Request;
use super::control::lanes;
use crate::finding::{Access, Finding, Kind, Space, What};
use crate::lane::LANES;
use crate::memory::View;
use crate::program::Op;
use crate::shadow::Event;
use crate::shadow::clock::{Publications, Time};
use crate::shadow::init::Written;
use crate::shadow::race::{Clocks, Conflict, GlobalRaces, same_instruction};
use std::sync::OnceLock;

/// What the race check shares over a launch.
pub(crate) struct Races {
    time: Time,
    publications: Publications,
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

    /// Warps of a block.
    pub fn warps_per_block(&self) -> u32 {
        self.publications.warps_per_block()
    }
}

impl Warp {
    /// Tells the checks of an access that is about to be made. `address` is valid in the running lanes, and relative to its space.
    #[cold]
    #[inline(never)]
    pub(crate) fn check(
        &mut self,
        op: &Op,
        request: Request,
        space: Space,
        address: &[u64; LANES],
    ) {
        let mask = self.mask();
        let shared = self.worker().launch();
        let order = shared.orders[op.site as usize];
        let event = Event {
            what: request.what,
            strong: order.strong || request.what == What::Atomic,
            block_local: space == Space::Shared,
            pc: op.site,
            mask,
            size: request.size,
            address,
        };
        if shared.init {
            self.check_written(op, &event, space);
        }
        let Some(races) = &shared.races else {
            return;
        };
        // SAFETY: the block outlives its warps, and nothing else refers to its clock and shadow now.
        let block = unsafe { &mut *self.block };
        if order.release {
            races
                .publications
                .fence(self.clock.warp, block.clock.epoch, &races.time);
        }
        self.clock.settle(&mut block.clock, &races.time);
        if event.strong {
            self.clock.acquire();
        }
        let clocks = Clocks {
            time: &races.time,
            launch: &races.publications,
            block: &block.clock,
            warp: &self.clock,
        };
        let found = match space {
            Space::Shared => block.races.access(&clocks, &event),
            Space::Global => {
                let mut found = None;
                let mut rest = mask;
                while rest != 0 {
                    let first = address[rest.trailing_zeros() as usize];
                    let Some((at, _)) = shared.view.locate(first) else {
                        break;
                    };
                    let range = shared.view.ranges()[at];
                    let here = lanes(rest)
                        .filter(|&l| range.contains(address[l], 1))
                        .fold(0u32, |m, l| m | (1 << l));
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
        if let Some(conflict) = found {
            self.race(op, &event, space, conflict);
        }
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

    /// The warp comes to a barrier: its accesses have been made.
    #[cold]
    pub(crate) fn settled(&mut self) {
        if let Some(races) = &self.worker().launch().races {
            // SAFETY: the block outlives its warps.
            let block = unsafe { &mut *self.block };
            self.clock.settle(&mut block.clock, &races.time);
        }
    }

    /// The warp executes a fence.
    #[cold]
    pub(crate) fn fenced(&mut self) {
        let shared = self.worker().launch();
        if let Some(races) = &shared.races {
            // SAFETY: the block outlives its warps.
            let epoch = unsafe { (*self.block).clock.epoch };
            races
                .publications
                .fence(self.clock.warp, epoch, &races.time);
        }
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
        let mut bad = None;
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
            if missing && bad.is_none() {
                bad = Some(lane);
            }
        }
        if let Some(lane) = bad {
            let (access, allocation) = self.describe(op, event, space, lane);
            let mut finding =
                Finding::new(Kind::Uninitialized { space }, self.program().name.clone());
            finding.accesses.push(access);
            finding.allocation = allocation;
            self.record(finding);
        }
    }

    /// One lane's access, as findings tell it.
    fn describe(
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
        self.record(finding);
    }

    /// Tells the race check which values a store is about to write where (the host's addresses): two lanes that write different
    /// values to one place race.
    #[cold]
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
            block_local: space == Space::Shared,
            pc: op.site,
            mask: self.mask(),
            size: request.size,
            address: &[offset; LANES],
        };
        let (now, allocation) = self.describe(op, &event, space, two);
        let (other, _) = self.describe(op, &event, space, one);
        let kind = Kind::Race {
            space,
            scope: crate::finding::Scope::Warp,
        };
        let mut finding = Finding::new(kind, self.program().name.clone())
            .with(now)
            .with(other);
        finding.allocation = allocation;
        self.record(finding);
    }

    fn record(&mut self, mut finding: Finding) {
        let worker = self.worker();
        finding.seed = worker.launch().seed;
        worker.findings.add(finding);
    }
}
