//! Where a warp's addresses lead: the one place that every memory instruction goes through, except the fastest paths, which
//! repeat its first lines. Checks bounds, alignment and liveness, counts sectors and bank conflicts.

use super::banks::bank_conflicts;
use super::control::lanes;
use super::{Flow, Reason, Warp};
use crate::finding::{Access, Allocation, Finding, Kind, Relation, Space, What};
use crate::lane::{ALL, LANES};
use crate::machine::Fault;
use crate::memory::Range;
use crate::program::Op;

/// Generic addresses from here on are shared memory: offset above the base.
pub(crate) const SHARED_WINDOW: u64 = 1 << 56;
/// Generic addresses from here on are the lane's own local memory.
pub(crate) const LOCAL_WINDOW: u64 = 2 << 56;
/// Generic addresses from here on are the kernel's parameters.
pub(crate) const PARAM_WINDOW: u64 = 3 << 56;

/// The space that a generic address belongs to, and its address there.
pub(crate) fn space_of(address: u64) -> (Space, u64) {
    let offset = address & ((1 << 56) - 1);
    match address >> 56 {
        1 => (Space::Shared, offset),
        2 => (Space::Local, offset),
        3 => (Space::Param, offset),
        _ => (Space::Global, address),
    }
}

/// What an instruction is about to do with its addresses.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    /// The declared space.
    pub space: Space,
    /// Bytes a lane.
    pub size: u32,
    /// What for.
    pub what: What,
}

/// Host addresses of the lanes.
pub(crate) type Pointers = [u64; LANES];

impl Warp {
    /// Resolves the addresses in register `a` plus `imm` for the running lanes into `at`. Records a fault and returns false if one
    /// of them may not be accessed.
    ///
    /// # Safety
    /// `op.a` is a 64-bit register of this warp.
    #[inline(always)]
    pub(crate) unsafe fn resolve(&mut self, op: &Op, request: Request, at: &mut Pointers) -> bool {
        let mask = self.mask();
        // SAFETY: the caller's contract.
        let addr = unsafe { &*self.reg::<[u64; LANES]>(op.a) };
        let (mut low, mut high, mut bits) = (u64::MAX, 0u64, 0u64);
        let mut address = [0u64; LANES];
        for i in 0..LANES {
            let on = 0u64.wrapping_sub(u64::from((mask >> i) & 1));
            let a = addr[i].wrapping_add(op.imm);
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
        // Generic accesses to one window behave as accesses to its space.
        let base = match (request.space, space) {
            (Space::Generic, Space::Shared) => SHARED_WINDOW,
            (Space::Generic, Space::Local) => LOCAL_WINDOW,
            _ => 0,
        };
        let fine = match space {
            Space::Global if aligned => {
                // SAFETY: there is a site for every instruction.
                let site = unsafe { &mut *self.sites.add(op.site as usize) };
                let inside = |start: u64, len: u64| {
                    low >= start && high.wrapping_sub(start) < len && len - (high - start) >= size
                };
                if !inside(site.start, site.len) {
                    let view = &self.worker().launch().view;
                    match view.find(low) {
                        Some(range)
                            if (range.writable || request.what == What::Read)
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
                if request.what == What::Atomic {
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
                // SAFETY: as above.
                let site = unsafe { &mut *self.sites.add(op.site as usize) };
                site.requests += 1;
                site.lanes += u64::from(mask.count_ones());
                if self.counting && request.what != What::Atomic {
                    let (waves, ideal, ways) = bank_conflicts(&address, mask, request.size);
                    site.sectors += u64::from(waves);
                    site.ideal += u64::from(ideal);
                    site.extra = site.extra.max(u64::from(ways));
                }
                true
            }
            Space::Local
                if aligned
                    && low >= base
                    && high - base < self.local_len
                    && self.local_len - (high - base) >= size =>
            {
                let delta = (self.local as u64).wrapping_sub(base);
                for i in 0..LANES {
                    at[i] = address[i]
                        .wrapping_add(delta)
                        .wrapping_add(i as u64 * self.local_len);
                }
                if self.counting {
                    // The hardware interleaves local memory by words: lanes at one offset share sectors.
                    let mut interleaved = address;
                    for (i, a) in interleaved.iter_mut().enumerate() {
                        let offset = a.wrapping_sub(base);
                        // A lane that does not take part has any address.
                        *a = (offset & !3)
                            .wrapping_mul(LANES as u64)
                            .wrapping_add(i as u64 * 4 + (offset & 3));
                    }
                    let words = size.div_ceil(4);
                    let (mut first, mut last) = (u64::MAX, 0);
                    for lane in lanes(mask) {
                        first = first.min(interleaved[lane]);
                        last = last.max(interleaved[lane]);
                    }
                    let sectors = sectors(&interleaved, mask, first, last + 1) * words as u32;
                    // SAFETY: as above.
                    let site = unsafe { &mut *self.sites.add(op.site as usize) };
                    count_sectors(site, mask, sectors, size);
                }
                true
            }
            _ => self.resolve_each(op, request, &address, at),
        };
        if fine && self.checking {
            for a in &mut address {
                *a = a.wrapping_sub(base);
            }
            self.check(op, request, space, &address);
        }
        fine
    }

    /// The same lane by lane: several allocations or spaces at once, or a fault.
    #[cold]
    fn resolve_each(
        &mut self,
        op: &Op,
        request: Request,
        address: &[u64; LANES],
        at: &mut Pointers,
    ) -> bool {
        for lane in lanes(self.mask()) {
            match self.resolve_lane(lane, address[lane], request) {
                Ok(pointer) => at[lane] = pointer as u64,
                Err(wrong) => {
                    self.access_fault(op, lane, request, wrong);
                    return false;
                }
            }
        }
        if self.counting {
            let mask = self.mask();
            let (mut low, mut high) = (u64::MAX, 0);
            for lane in lanes(mask) {
                low = low.min(address[lane]);
                high = high.max(address[lane]);
            }
            let size = u64::from(request.size);
            let sectors = sectors(address, mask, low, high.saturating_add(size));
            // SAFETY: there is a site for every instruction.
            let site = unsafe { &mut *self.sites.add(op.site as usize) };
            count_sectors(site, mask, sectors, size);
        }
        true
    }

    /// The host's address of one lane's access.
    pub(crate) fn resolve_lane(
        &self,
        lane: usize,
        address: u64,
        request: Request,
    ) -> Result<*mut u8, Wrong> {
        let size = u64::from(request.size);
        let (space, offset) = match request.space {
            Space::Generic => space_of(address),
            Space::Const => (Space::Global, address),
            other => (other, address),
        };
        let wrong = |kind| Wrong {
            kind,
            space,
            address: offset,
        };
        if size.is_power_of_two() && offset & (size - 1) != 0 {
            return Err(wrong(Kind::Misaligned {
                space,
                required: request.size,
            }));
        }
        let fits = |len: u64| offset < len && len - offset >= size;
        let write = request.what != What::Read;
        match space {
            Space::Shared if fits(self.shared_len) => {
                // SAFETY: inside the block's shared memory.
                Ok(unsafe { self.shared.add(offset as usize) })
            }
            Space::Local if fits(self.local_len) => {
                // SAFETY: inside the lane's part of the warp's local memory.
                Ok(unsafe {
                    self.local
                        .add(lane * self.local_len as usize + offset as usize)
                })
            }
            Space::Param => {
                let params = &self.worker().launch().params;
                if write {
                    Err(wrong(Kind::ReadOnly { space }))
                } else if fits(params.len() as u64) {
                    // SAFETY: inside the parameter block, which is only read.
                    Ok(unsafe { params.as_ptr().add(offset as usize).cast_mut() })
                } else {
                    Err(wrong(Kind::OutOfBounds { space }))
                }
            }
            Space::Shared | Space::Local => Err(wrong(Kind::OutOfBounds { space })),
            _ => {
                let view = &self.worker().launch().view;
                match view.find(offset) {
                    Some(range) if range.contains(offset, size) => {
                        if write && !range.writable {
                            return Err(wrong(Kind::ReadOnly {
                                space: Space::Const,
                            }));
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
                            Kind::NullPointer
                        } else if diagnosis.freed.is_some() {
                            Kind::UseAfterFree
                        } else if diagnosis.host_pointer {
                            Kind::HostPointer
                        } else {
                            Kind::OutOfBounds {
                                space: Space::Global,
                            }
                        };
                        Err(wrong(kind))
                    }
                }
            }
        }
    }

    /// Records what is wrong with a lane's access.
    #[cold]
    pub(crate) fn access_fault(
        &mut self,
        op: &Op,
        lane: usize,
        request: Request,
        wrong: Wrong,
    ) -> Flow {
        if let Some(flow) = self.heap_access_fault(op, lane, request, &wrong) {
            return flow;
        }
        let fault = match wrong.kind {
            Kind::Misaligned { .. } => Fault::MisalignedAddress,
            _ => Fault::IllegalAddress,
        };
        let place = self.program().place_of(op.site);
        let wrong = wrong.signed();
        let mut access = Access::memory(
            request.what,
            wrong.space,
            request.size,
            wrong.address,
            place,
        );
        let allocation = match wrong.space {
            Space::Global | Space::Const | Space::Generic => {
                self.nearest_global(wrong.address, request.size)
            }
            Space::Shared => self.nearest_shared(wrong.address, &mut access),
            Space::Local => Some(Allocation {
                address: 0,
                size: self.local_len,
                name: String::new(),
                freed: false,
                relation: Relation::below(wrong.address, 0, self.local_len),
            }),
            Space::Param => None,
        };
        let access = self.located(access, lane);
        let flow = self.fault(fault, wrong.kind, vec![access], allocation);
        if matches!(wrong.space, Space::Global | Space::Generic) {
            self.name_argument(wrong.address);
        }
        flow
    }

    /// Whether accesses to a range have to be looked at one by one: the kernels' own heap has many blocks.
    fn by_blocks(&self, range: &Range) -> bool {
        range.kind == crate::memory::Kind::Heap && self.worker().launch().memory_check
    }

    pub(crate) fn nearest_global(&self, address: u64, size: u32) -> Option<Allocation> {
        if let Some(block) = self.heap_block(address) {
            return Some(block);
        }
        let diagnosis = self
            .worker()
            .launch()
            .view
            .diagnose(address, u64::from(size));
        if let Some(freed) = diagnosis.freed {
            return Some(Allocation {
                address: freed.start,
                size: freed.end - freed.start,
                name: freed.label.to_string(),
                freed: true,
                relation: Relation::of(address, freed.start, freed.end - freed.start),
            });
        }
        let near = match (diagnosis.before, diagnosis.after) {
            (Some(b), Some(a)) => Some(if a.distance < b.distance { a } else { b }),
            (b, a) => b.or(a),
        }?;
        Some(Allocation {
            address: near.start,
            size: near.bytes,
            name: near.label.to_string(),
            freed: false,
            relation: Relation::of(address, near.start, near.bytes),
        })
    }

    pub(crate) fn nearest_shared(&self, address: u64, access: &mut Access) -> Option<Allocation> {
        let variables = &self.program().shared_vars;
        let end = |v: &crate::program::SharedVar| {
            if v.size == 0 {
                self.shared_len
            } else {
                u64::from(v.offset) + u64::from(v.size)
            }
        };
        let distance = |v: &crate::program::SharedVar| {
            let start = u64::from(v.offset);
            if (address as i64) < start as i64 {
                start.wrapping_sub(address)
            } else {
                // The first offset behind it is 1 away: another may begin there.
                (address + 1).saturating_sub(end(v))
            }
        };
        let var = variables.iter().min_by_key(|v| distance(v))?;
        let start = u64::from(var.offset);
        if address >= start && address < end(var) {
            access.variable = Some((var.name.clone(), address - start));
        }
        Some(Allocation {
            address: start,
            size: end(var) - start,
            name: var.name.clone(),
            freed: false,
            relation: Relation::below(address, start, end(var) - start),
        })
    }

    /// The same access, by a lane of this warp.
    pub(crate) fn located(&self, access: Access, lane: usize) -> Access {
        let worker = self.worker();
        let [x, y, _] = worker.launch().block;
        let linear = self.index * LANES as u32 + lane as u32;
        let thread = [linear % x, linear / x % y, linear / x / y];
        // SAFETY: the block outlives its warps.
        let block = unsafe { (*self.block).ctaid };
        access.by(block, thread)
    }

    /// Stops the kernel.
    #[cold]
    pub(crate) fn fault(
        &mut self,
        fault: Fault,
        kind: Kind,
        accesses: Vec<Access>,
        allocation: Option<Allocation>,
    ) -> Flow {
        let worker = self.worker();
        let mut finding = Finding::new(kind, worker.program().name.clone());
        finding.accesses = accesses;
        finding.allocation = allocation;
        worker.fail(fault, finding);
        self.reason = Reason::Fault;
        Flow::Stop
    }
}

/// What is wrong with an address.
pub(crate) struct Wrong {
    pub kind: Kind,
    /// The space it lies in,
    pub space: Space,
    /// and where there.
    pub address: u64,
}

impl Wrong {
    /// The same with an offset below the start of shared or local memory as a negative number, whether it was computed in 32
    /// bits or in 64.
    fn signed(mut self) -> Wrong {
        if matches!(self.space, Space::Shared | Space::Local)
            && (1 << 31..1 << 32).contains(&self.address)
        {
            self.address = i64::from(self.address as u32 as i32) as u64;
        }
        self
    }
}

/// Counts a request that touched `sectors`.
#[inline(always)]
pub(crate) fn count_sectors(site: &mut super::Site, mask: u32, sectors: u32, size: u64) {
    let lanes = u64::from(mask.count_ones());
    site.requests += 1;
    site.lanes += lanes;
    site.sectors += u64::from(sectors);
    site.ideal += u64::from(sectors).min((lanes * size).div_ceil(32));
}

/// 32-byte sectors that the lanes' addresses, all between `low` and `end`, fall into. None straddles two.
#[inline(always)]
pub(crate) fn sectors(address: &[u64; LANES], mask: u32, low: u64, end: u64) -> u32 {
    let first = low >> 5;
    if (end.wrapping_sub(1) >> 5).wrapping_sub(first) < 64 {
        let mut bits = 0u64;
        for i in 0..LANES {
            let on = u64::from((mask >> i) & 1);
            bits |= on << ((address[i] >> 5).wrapping_sub(first) & 63);
        }
        return bits.count_ones();
    }
    if mask == ALL {
        // Most often the lanes go upwards.
        let (mut changes, mut downwards) = (0, false);
        for i in 1..LANES {
            let (before, here) = (address[i - 1] >> 5, address[i] >> 5);
            changes += u32::from(before != here);
            downwards |= before > here;
        }
        if !downwards {
            return 1 + changes;
        }
    }
    let mut all = [0u64; LANES];
    let mut count = 0;
    let mut sorted = true;
    for lane in lanes(mask) {
        all[count] = address[lane] >> 5;
        sorted &= count == 0 || all[count - 1] <= all[count];
        count += 1;
    }
    if !sorted {
        all[..count].sort_unstable();
    }
    let changes = all[..count].windows(2).filter(|w| w[0] != w[1]).count();
    1 + changes as u32
}
