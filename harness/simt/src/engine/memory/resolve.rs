//! Address translation for memory instructions. Every memory instruction goes through here, except the fastest paths,
//! which repeat the first lines. Checks bounds, alignment and liveness, and counts sectors and bank conflicts.

#[cfg(target_arch = "x86_64")]
use crate::checks::Addresses;
use crate::checks::Layout;
use crate::engine::traffic::banks::{atomic_passes, bank_conflicts};
use crate::engine::traffic::counts::count_sectors;
use crate::engine::traffic::request::{
    LOCAL_WINDOW, Pointers, RANK_SHIFT, Request, SHARED_WINDOW, Wrong, home_of, space_of,
};
use crate::engine::traffic::sectors::sectors;
use crate::engine::warp::program::Op;
use crate::engine::warp::worker_scratch::LONGEST;
use crate::engine::warp::{LayoutOf, Resolve, Warp};
use crate::engine::watch::access::pieces_of;
use crate::finding::{AccessKind, FindingKind, Space};
use crate::lane::{HostVectors, LANES, lanes};
use crate::memory::{self, Range, fetch_ahead};

impl Warp<'_> {
    /// Resolves the addresses of a memory instruction for the running lanes into `at`. Records a fault and returns
    /// false if one of them may not be accessed.
    ///
    /// # Safety
    /// `op` is a memory instruction of the program that runs.
    #[inline(always)]
    pub(crate) unsafe fn resolve(&mut self, op: &Op, request: Request, at: &mut Pointers) -> bool {
        let mask = self.mask();
        let (base, offset) = op.address();
        // SAFETY: the caller's contract.
        let addr = unsafe { &*self.reg::<[u64; LANES]>(base) };
        let (mut low, mut high, mut bits) = (u64::MAX, 0u64, 0u64);
        let mut address = [0u64; LANES];
        for i in 0..LANES {
            let on = 0u64.wrapping_sub(u64::from((mask >> i) & 1));
            let a = addr[i].wrapping_add(offset);
            address[i] = a;
            low = low.min(a | !on);
            high = high.max(a & on);
            bits |= a & on;
        }
        let size = u64::from(request.size);
        let aligned = bits & (size - 1) == 0;
        let space = match request.space {
            Space::Generic => space_of(low).0,
            Space::Const => Space::Global,
            other => other,
        };
        // Generic accesses that all lie in one window behave like accesses to its space.
        let base = match (request.space, space) {
            (Space::Generic, Space::Shared) => SHARED_WINDOW,
            (Space::Generic, Space::Local) => LOCAL_WINDOW,
            _ => 0,
        };
        let fine = match space {
            Space::Global if aligned => {
                // SAFETY: every instruction has a site.
                let site = unsafe { &mut *self.sites.add(op.site as usize) };
                let inside = |start: u64, len: u64| {
                    low >= start && high.wrapping_sub(start) < len && len - (high - start) >= size
                };
                if !inside(site.start, site.len) {
                    let view = &self.launch().view;
                    match view.find(low) {
                        Some(range)
                            if (range.writable || request.what == AccessKind::Read)
                                && !self.by_blocks(range)
                                && inside(range.start, range.end - range.start) =>
                        {
                            site.start = range.start;
                            site.len = range.end - range.start;
                            site.delta = range.delta as u64;
                        }
                        _ => {
                            let fine = self.resolve_each(op, request, &address, at);
                            if fine && self.checking {
                                self.check(op, request, space, &address);
                            }
                            return fine;
                        }
                    }
                }
                for i in 0..LANES {
                    at[i] = address[i].wrapping_add(site.delta);
                }
                if request.what == AccessKind::Atomic {
                    site.requests += 1;
                    site.lanes += u64::from(mask.count_ones());
                } else if self.counting {
                    let sectors = sectors(&address, mask, low, high + size);
                    count_sectors(site, mask, sectors, size);
                }
                true
            }
            Space::Shared
                if aligned
                    && low >= base
                    && high - base < self.shared_len
                    && self.shared_len - (high - base) >= size =>
            {
                let delta = (self.shared as u64).wrapping_sub(base);
                for i in 0..LANES {
                    at[i] = address[i].wrapping_add(delta);
                }
                // SAFETY: the caller's contract.
                unsafe { self.count_shared(op, request, mask, &address) };
                true
            }
            Space::Local
                if aligned && low >= base && high - base < self.local_len && self.local_len - (high - base) >= size =>
            {
                let delta = (self.local as u64).wrapping_sub(base);
                for i in 0..LANES {
                    at[i] = address[i].wrapping_add(delta).wrapping_add((i * self.local_stride) as u64);
                }
                if self.counting {
                    // SAFETY: the caller's contract.
                    unsafe { self.count_local(op, request, mask, &address, base) };
                }
                true
            }
            _ => self.resolve_each(op, request, &address, at),
        };
        if fine && self.checking {
            if space == Space::Global {
                // Prefetches the shadow memory, which the checks need first. The data can arrive in the meantime.
                fetch_ahead(at[0]);
                fetch_ahead(at[LANES / 2]);
            }
            for a in &mut address {
                *a = a.wrapping_sub(base);
            }
            self.check(op, request, space, &address);
        }
        fine
    }

    /// Counts a shared-memory access of several lanes. A generic address maps to the same bank as the offset that it
    /// stands for.
    ///
    /// # Safety
    /// `op` is a memory instruction of the program, and `request` is its request.
    #[inline(always)]
    unsafe fn count_shared(&mut self, op: &Op, request: Request, mask: u32, address: &[u64; LANES]) {
        // SAFETY: the caller's contract.
        let site = unsafe { self.site(op, request.space, Space::Shared) };
        site.requests += 1;
        site.lanes += u64::from(mask.count_ones());
        if self.counting && request.what == AccessKind::Atomic {
            let (passes, ideal) = atomic_passes(address, mask, request.size);
            site.sectors += u64::from(passes);
            site.ideal += u64::from(ideal);
        } else if self.counting {
            let width = self.program().width(op, request.size);
            let (waves, ideal, ways) = bank_conflicts(address, mask, width);
            site.sectors += u64::from(waves);
            site.ideal += u64::from(ideal);
            site.extra = site.extra.max(u64::from(ways));
        }
    }

    /// Counts the sectors of a local-memory access of several lanes. The hardware interleaves local memory by words, so
    /// lanes at the same offset share sectors.
    ///
    /// # Safety
    /// As for [`Warp::count_shared`].
    #[inline(always)]
    unsafe fn count_local(&mut self, op: &Op, request: Request, mask: u32, address: &[u64; LANES], base: u64) {
        let size = request.size;
        let mut interleaved = *address;
        for (i, a) in interleaved.iter_mut().enumerate() {
            let offset = a.wrapping_sub(base);
            // Lanes that do not take part may have any address.
            *a = (offset & !3).wrapping_mul(LANES as u64).wrapping_add(i as u64 * 4 + (offset & 3));
        }
        let (mut first, mut last) = (u64::MAX, 0);
        for lane in lanes(mask) {
            first = first.min(interleaved[lane]);
            last = last.max(interleaved[lane]);
        }
        let words = size.div_ceil(4);
        let sectors = sectors(&interleaved, mask, first, last + 1) * words;
        // SAFETY: the caller's contract.
        let site = unsafe { self.site(op, request.space, Space::Local) };
        count_sectors(site, mask, sectors, u64::from(size));
    }

    /// Resolves lane by lane: for addresses in several allocations or spaces, and for faults.
    #[cold]
    fn resolve_each(&mut self, op: &Op, request: Request, address: &[u64; LANES], at: &mut Pointers) -> bool {
        for lane in lanes(self.mask()) {
            match self.resolve_lane(lane, address[lane], request) {
                Ok(pointer) => at[lane] = pointer as u64,
                Err(wrong) => {
                    let (request, wrong) = match self.used_part(op, lane, address[lane], request) {
                        Ok(Some(copy)) => {
                            at[lane] = copy as u64;
                            continue;
                        }
                        Ok(None) => (request, wrong),
                        Err(part) => part,
                    };
                    match self.stray(op, lane, request, wrong) {
                        Some(pointer) => at[lane] = pointer as u64,
                        None => return false,
                    }
                }
            }
        }
        let generic = request.space == Space::Generic;
        let lies_in = |space: Space| {
            let here = |l: &usize| if generic { space_of(address[*l]).0 == space } else { request.space == space };
            lanes(self.mask()).filter(here).fold(0u32, |m, l| m | 1 << l)
        };
        let (shared, local) = (lies_in(Space::Shared), lies_in(Space::Local));
        let elsewhere = self.mask() & !shared & !local;
        if !self.counting {
            return true;
        }
        // SAFETY: `op` is a memory instruction of the program, and `request` is its request.
        unsafe {
            if shared != 0 {
                self.count_shared(op, request, shared, address);
            }
            if local != 0 {
                self.count_local(op, request, local, address, LOCAL_WINDOW);
            }
        }
        if elsewhere != 0 {
            let (mut low, mut high) = (u64::MAX, 0);
            for lane in lanes(elsewhere) {
                low = low.min(address[lane]);
                high = high.max(address[lane]);
            }
            let size = u64::from(request.size);
            let sectors = sectors(address, elsewhere, low, high.saturating_add(size));
            // SAFETY: every instruction has a site.
            let site = unsafe { &mut *self.sites.add(op.site as usize) };
            count_sectors(site, elsewhere, sectors, size);
        }
        true
    }

    /// Copies the used bytes of a load for a lane whose other bytes are out of bounds: a compiler may load whole words
    /// at the end of an array. Returns `Ok(None)` for loads that use all their bytes, and an error if a used byte is
    /// out of bounds.
    fn used_part(
        &mut self,
        op: &Op,
        lane: usize,
        address: u64,
        request: Request,
    ) -> Result<Option<*const u8>, (Request, Wrong)> {
        let Some(used) = self.program().used_bytes_of(op.site) else {
            return Ok(None);
        };
        let mut copy = [0u64; LONGEST / 8];
        if !address.is_multiple_of(request.size.into()) || request.size as usize > LONGEST {
            return Ok(None);
        }
        for (at, size) in pieces_of(used & (u32::MAX >> (32 - request.size))) {
            let piece = Request { size, ..request };
            let from =
                self.resolve_lane(lane, address.wrapping_add(at.into()), piece).map_err(|wrong| (piece, wrong))?;
            // SAFETY: the piece lies in readable memory, and inside the load.
            unsafe {
                from.cast_const()
                    .copy_to_nonoverlapping(copy.as_mut_ptr().cast::<u8>().add(at as usize), size as usize);
            };
        }
        let kept = &mut self.scratch.get_mut().copies[lane];
        kept.0 = copy;
        Ok(Some(kept.0.as_ptr().cast()))
    }

    /// Returns the host's address of one lane's access.
    pub(crate) fn resolve_lane(&self, lane: usize, address: u64, request: Request) -> Result<*mut u8, Wrong> {
        let size = u64::from(request.size);
        let (space, offset) = match request.space {
            Space::Generic => space_of(address),
            Space::Const => (Space::Global, address),
            other => (other, address),
        };
        let wrong = |kind| Wrong { kind, space, address: offset };
        if size.is_power_of_two() && offset & (size - 1) != 0 {
            return Err(wrong(FindingKind::Misaligned { space, required: request.size }));
        }
        let fits = |len: u64| offset < len && len - offset >= size;
        let write = request.what != AccessKind::Read;
        match space {
            Space::Shared if fits(self.shared_len) => {
                // SAFETY: inside the block's shared memory.
                Ok(unsafe { self.shared.add(offset as usize) })
            }
            Space::Shared if offset >> RANK_SHIFT != 0 => self.resolve_in_cluster(offset, size),
            Space::Local if fits(self.local_len) => {
                // SAFETY: inside the lane's part of the warp's local memory.
                Ok(unsafe { self.local.add(lane * self.local_stride + offset as usize) })
            }
            Space::Param => {
                let params = &self.launch().params;
                if write {
                    Err(wrong(FindingKind::ReadOnly { space }))
                } else if fits(params.len() as u64) {
                    // SAFETY: inside the parameter block, which is only read.
                    Ok(unsafe { params.as_ptr().add(offset as usize).cast_mut() })
                } else {
                    Err(wrong(FindingKind::OutOfBounds { space }))
                }
            }
            Space::Shared | Space::Local => Err(wrong(FindingKind::OutOfBounds { space })),
            _ => {
                let view = &self.launch().view;
                match view.find(offset) {
                    Some(range) if range.contains(offset, size) => {
                        if write && !range.writable {
                            return Err(wrong(FindingKind::ReadOnly { space: Space::Const }));
                        }
                        if self.by_blocks(range)
                            && let Some(kind) = self.heap_wrong(offset, size)
                        {
                            return Err(wrong(kind));
                        }
                        Ok(range.host(offset))
                    }
                    _ => {
                        let diagnosis = view.diagnose(offset, size);
                        let kind = if diagnosis.null {
                            FindingKind::NullPointer
                        } else if diagnosis.freed.is_some() {
                            FindingKind::UseAfterFree
                        } else if diagnosis.host_pointer {
                            FindingKind::HostPointer
                        } else {
                            FindingKind::OutOfBounds { space: Space::Global }
                        };
                        Err(wrong(kind))
                    }
                }
            }
        }
    }

    /// Returns the host's address of an access to the shared memory of the cluster's block that the offset names.
    #[cold]
    fn resolve_in_cluster(&self, offset: u64, size: u64) -> Result<*mut u8, Wrong> {
        let wrong = |kind, address| Err(Wrong { kind, space: Space::Shared, address });
        let outside = FindingKind::OutOfBounds { space: Space::Shared };
        let block = self.block.get();
        let (Some(rank), at) = home_of(offset) else {
            return wrong(outside, offset);
        };
        let peers = if block.cluster.is_lent() { &block.cluster.get().blocks[..] } else { &[] };
        if rank != block.rank && rank as usize >= peers.len() {
            return wrong(outside, offset);
        }
        if at >= self.shared_len || self.shared_len - at < size {
            return wrong(outside, at);
        }
        if rank == block.rank {
            // SAFETY: inside the block's shared memory.
            return Ok(unsafe { self.shared.add(at as usize) });
        }
        match &peers[rank as usize] {
            // SAFETY: the shared memory of all blocks of a launch has the same size.
            Some(peer) if peer.live > 0 => Ok(unsafe { peer.shared.ptr().add(at as usize) }),
            _ => wrong(FindingKind::BlockLeft { rank }, at),
        }
    }

    /// Returns whether accesses to a range must be checked one by one, as in the kernels' heap, which consists of many
    /// blocks.
    pub(super) fn by_blocks(&self, range: &Range) -> bool {
        range.kind == memory::MemoryKind::Heap && self.launch().memory_check
    }
}

#[cfg(target_arch = "x86_64")]
fn layout_v3(address: Addresses<'_>, mask: u32, size: u32) -> Layout {
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    fn inner(address: Addresses<'_>, mask: u32, size: u32) -> Layout {
        Layout::of(address, mask, size)
    }
    // SAFETY: chosen for a processor with these instructions.
    unsafe { inner(address, mask, size) }
}
#[cfg(target_arch = "x86_64")]
fn layout_v4(address: Addresses<'_>, mask: u32, size: u32) -> Layout {
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
    fn inner(address: Addresses<'_>, mask: u32, size: u32) -> Layout {
        Layout::of(address, mask, size)
    }
    // SAFETY: chosen for a processor with these instructions.
    unsafe { inner(address, mask, size) }
}
unsafe fn resolve_base(w: &mut Warp<'_>, op: &Op, request: Request, at: &mut Pointers) -> bool {
    // SAFETY: the caller's contract.
    unsafe { w.resolve(op, request, at) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn resolve_v3(w: &mut Warp<'_>, op: &Op, request: Request, at: &mut Pointers) -> bool {
    // SAFETY: the caller's contract.
    unsafe { w.resolve(op, request, at) }
}
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
unsafe fn resolve_v4(w: &mut Warp<'_>, op: &Op, request: Request, at: &mut Pointers) -> bool {
    // SAFETY: the caller's contract.
    unsafe { w.resolve(op, request, at) }
}

/// Returns the address translation compiled for a processor.
pub(crate) fn resolve_for(vectors: HostVectors) -> Resolve {
    match vectors {
        #[cfg(target_arch = "x86_64")]
        HostVectors::V4 => resolve_v4,
        #[cfg(target_arch = "x86_64")]
        HostVectors::V3 => resolve_v3,
        _ => resolve_base,
    }
}

/// Returns the layout analysis compiled for a processor.
pub(crate) fn layout_for(vectors: HostVectors) -> LayoutOf {
    match vectors {
        #[cfg(target_arch = "x86_64")]
        HostVectors::V4 => layout_v4,
        #[cfg(target_arch = "x86_64")]
        HostVectors::V3 => layout_v3,
        _ => Layout::of,
    }
}
