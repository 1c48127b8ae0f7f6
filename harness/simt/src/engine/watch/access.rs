//! Passes memory accesses to the race and initialisation checks.

use super::written::range_at;
use crate::checks::clock::Release;
use crate::checks::race::Conflict;
use crate::checks::{Addresses, Event, Layout};
use crate::engine::traffic::request::{RANK_SHIFT, Request, space_of};
use crate::engine::warp::Show;
use crate::engine::warp::Warp;
use crate::engine::warp::program::Op;
use crate::finding::{AccessKind, Space};
use crate::lane::{HostVectors, LANES, lanes};

/// Splits a load of which the bytes of `used` are used into pieces: yields their offsets and sizes. The sizes are
/// powers of two, and each piece is aligned to its size.
pub(crate) fn pieces_of(used: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut rest = used;
    std::iter::from_fn(move || {
        let at = (rest != 0).then(|| rest.trailing_zeros())?;
        let run = (!(rest >> at)).trailing_zeros();
        let aligned = if at == 0 { 16 } else { 1 << at.trailing_zeros().min(4) };
        let size = (1 << run.ilog2()).min(aligned);
        rest &= !(((1u64 << size) - 1) << at) as u32;
        Some((at, size))
    })
}

impl Warp<'_> {
    /// Passes an access to the checks: all addresses of the memory instruction are in the same space, and relative to
    /// it.
    ///
    /// # Safety
    /// `op` is a memory instruction of the program that runs.
    #[inline(always)]
    pub(crate) unsafe fn check_addresses(&mut self, op: &Op, request: Request, layout: Option<&Layout>) {
        // SAFETY: the caller's contract.
        unsafe { (self.show)(self, op, request, layout) }
    }

    /// # Safety
    /// As for [`Warp::check_addresses`].
    #[inline(always)]
    unsafe fn show_addresses(&mut self, op: &Op, request: Request, layout: Option<&Layout>) {
        let (base, offset) = op.address();
        // SAFETY: the caller's contract.
        let address = Addresses { base: unsafe { &*self.reg::<[u64; LANES]>(base) }, offset };
        if let Some(layout) = layout
            && (self.note_usual(op, request, address, layout) || self.note_rows(op, request, address, layout))
        {
            return;
        }
        self.check_laid_out(op, request, request.space, address, layout);
    }

    /// Passes an access to the checks before it is made. `address` is valid in the running lanes, and relative to its
    /// space.
    #[inline(never)]
    pub(crate) fn check(&mut self, op: &Op, request: Request, space: Space, address: &[u64; LANES]) {
        self.check_laid_out(op, request, space, Addresses::of(address), None);
    }

    /// Like `check`, for a load of which only some bytes are used: each piece of them is a separate access.
    #[cold]
    fn check_pieces(&mut self, op: &Op, request: Request, space: Space, address: Addresses<'_>, used: u32) {
        for (at, size) in pieces_of(used) {
            let address = Addresses { offset: address.offset.wrapping_add(at.into()), ..address };
            self.check_whole(op, Request { size, ..request }, space, address, None);
        }
        self.join_loaded(address.all(), request.size);
    }

    #[inline(always)]
    fn check_laid_out(
        &mut self,
        op: &Op,
        request: Request,
        space: Space,
        address: Addresses<'_>,
        layout: Option<&Layout>,
    ) {
        let program = self.program();
        if !program.used_bytes.is_empty()
            && let Some(used) = program.used_bytes_of(op.site)
        {
            self.check_pieces(op, request, space, address, used);
            return;
        }
        self.check_whole(op, request, space, address, layout);
    }

    #[inline(always)]
    fn check_whole(
        &mut self,
        op: &Op,
        request: Request,
        space: Space,
        address: Addresses<'_>,
        layout: Option<&Layout>,
    ) {
        let mask = self.mask();
        let own;
        let layout = if let Some(layout) = layout {
            layout
        } else {
            own = (self.layout)(address, mask, request.size);
            &own
        };
        let shared = self.launch();
        let order = shared.orders[op.site as usize];
        let store = (request.what == AccessKind::Write).then(|| self.store(op, space, request.size, address));
        let excuses = store.as_ref().map(|store| |conflict: &Conflict| store.excuses(conflict));
        let event = Event {
            what: request.what,
            strong: order.strong || request.what == AccessKind::Atomic,
            volatile: order.volatile,
            narrow: order.narrow && space == Space::Global,
            block_local: space == Space::Shared && shared.geometry.cluster.is_none(),
            pc: op.site,
            mask,
            size: request.size,
            address,
            excuses: excuses.as_ref().map(|excuses| excuses as _),
            layout,
        };
        if let Some(Some(bounds)) = shared.bounds.get(op.site as usize)
            && bounds.space == space
            && !bounds.hold(&event)
        {
            self.check_bounds(op, &event, *bounds);
        }
        if space == Space::Shared && event.layout.high >> RANK_SHIFT != 0 {
            self.check_in_cluster(op, &event);
            return;
        }
        if shared.init && !self.is_known_written(&event, space) {
            self.check_written(op, &event, space);
        }
        let Some(races) = &shared.races else {
            return;
        };
        self.begin_store(op, request.what, space, request.size, address);
        // Other blocks can access only global memory: see the clocks.
        let wide = space == Space::Global;
        let clock = &mut self.block.get_mut().clock;
        if wide {
            clock.catch_up(&races.time);
        }
        if !clock.is_in_time(&races.time) {
            return;
        }
        let told = space == Space::Shared && self.meets_copies(op, &event, order.asynchronous);
        let block = self.block.get_mut();
        if order.release {
            let by = Release { clock: &self.clock, lanes: mask, live: self.live };
            races.publications.fence(&by, &mut block.clock, order.narrow, &races.time);
        }
        self.clock.settle(&mut block.clock, &races.time);
        if event.strong {
            self.clock.acquire(&mut block.clock, wide, &races.time);
            if wide && event.what != AccessKind::Read {
                races.publications.flag(self.clock.warp, &block.clock);
            }
        }
        let start = if space == Space::Shared { block.clock.start } else { races.publications.start };
        let clocks = races.clocks(&block.clock, &self.clock, start);
        let found = match space {
            Space::Shared => block.races.access(&clocks, &event),
            Space::Global => {
                let mut found = None;
                let mut rest = mask;
                while rest != 0 {
                    let first = address.at(rest.trailing_zeros() as usize & 31);
                    let Some(at) = range_at(shared, self.scratch.get_mut(), op.site, first) else {
                        break;
                    };
                    let range = shared.view.ranges()[at];
                    let Layout { low, high, .. } = *event.layout;
                    let here = if range.contains(low, 1) && range.contains(high, 1) {
                        rest
                    } else {
                        lanes(rest).filter(|&l| range.contains(address.at(l), 1)).fold(0u32, |m, l| m | (1 << l))
                    };
                    rest &= !here;
                    if !range.writable {
                        continue;
                    }
                    let memory = races.global(at, range.start, range.end - range.start);
                    found = found.or(memory.access(&clocks, &event, here));
                }
                found
            }
            _ => None,
        };
        let unread = store.as_ref().map_or_else(Vec::new, |store| self.end_store(store));
        self.follow_unread(op, &event, space, &unread);
        let raced = told || found.is_some();
        if let Some(conflict) = found.filter(|_| !told) {
            self.race(op, &event, space, conflict);
        }
        // Asynchronous copies of lanes (`cp.async`) are skipped: they are not plain stores.
        if space == Space::Shared && !order.asynchronous {
            let (proxies, index) = (&mut self.block.get_mut().proxies, self.index);
            if !proxies.is_off()
                && let Some(unfenced) = proxies.access(&event, index, order.bulk)
                && shared.bulk
                && !raced
            {
                self.misses_fence(op, &event, unfenced);
            }
        }
    }

    /// Like `check`, for an instruction that computes its lanes' addresses itself. They are generic, or lie in the
    /// declared space.
    pub(crate) fn check_tile(&mut self, op: &Op, request: Request, address: &[u64; LANES]) {
        if !self.checking {
            return;
        }
        let first = address[self.mask().trailing_zeros() as usize & 31];
        let (space, offset) = match request.space {
            Space::Generic => space_of(first),
            Space::Const => (Space::Global, first),
            other => (other, first),
        };
        let window = first.wrapping_sub(offset);
        let address = address.map(|a| a.wrapping_sub(window));
        self.check(op, request, space, &address);
    }
}

unsafe fn show_base(warp: &mut Warp<'_>, op: &Op, request: Request, layout: Option<&Layout>) {
    // SAFETY: the caller's contract.
    unsafe { warp.show_addresses(op, request, layout) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn show_v3(warp: &mut Warp<'_>, op: &Op, request: Request, layout: Option<&Layout>) {
    // SAFETY: the caller's contract.
    unsafe { warp.show_addresses(op, request, layout) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
unsafe fn show_v4(warp: &mut Warp<'_>, op: &Op, request: Request, layout: Option<&Layout>) {
    // SAFETY: the caller's contract.
    unsafe { warp.show_addresses(op, request, layout) }
}

/// Returns the function that passes accesses to the checks, compiled for a processor.
pub(crate) fn show_for(vectors: HostVectors) -> Show {
    match vectors {
        #[cfg(target_arch = "x86_64")]
        HostVectors::V4 => show_v4,
        #[cfg(target_arch = "x86_64")]
        HostVectors::V3 => show_v3,
        _ => show_base,
    }
}
