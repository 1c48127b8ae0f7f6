//! What lanes of a warp do together: synchronise, shuffle, vote, match, reduce.
//!
//! The `.sync` forms wait until every lane that a mask names, and that has not exited, has come to the same instruction
//! (`bar.warp.sync`: to any of its kind). The mask is the 32-bit register `e`; `imm` has the bits of [`how`].

use super::control::lanes;
use super::pattern::permute;
use super::{Flow, Group, State, Warp};
use crate::finding::{Access, Finding, Kind, What};
use crate::lane::{ALL, LANES};
use crate::program::Op;

/// Bits of `imm`.
pub(crate) mod how {
    /// The form without `.sync`: of the lanes that happen to be here.
    pub const OLD: u64 = 1 << 8;
    /// The predicate is negated.
    pub const NOT: u64 = 1 << 9;
    /// The operands have 64 bits.
    pub const WIDE: u64 = 1 << 10;
    /// The second destination is wanted.
    pub const SECOND: u64 = 1 << 11;
    /// Which of a family.
    pub const KIND: u64 = 0xff;
}

impl Warp {
    /// Whether all 32 lanes are here and each names all of them.
    ///
    /// # Safety
    /// `op.e` is a 32-bit register, unless the instruction names none.
    #[inline(always)]
    unsafe fn whole(&mut self, op: &Op) -> bool {
        if self.mask() != ALL {
            return false;
        }
        if op.imm & how::OLD == 0 {
            // SAFETY: the caller's contract.
            let named = unsafe { &*self.reg::<[u32; LANES]>(op.e) };
            if named.iter().fold(ALL, |all, mask| all & mask) != ALL {
                return false;
            }
            if self.checking {
                self.clock.sync(ALL, self.live);
            }
        }
        true
    }

    /// Waits for the lanes that the running ones name. `Ok` with each lane's mask when they are here.
    #[inline(always)]
    unsafe fn gather(&mut self, op: &Op, what: What) -> Result<[u32; LANES], Flow> {
        let mask = self.mask();
        if op.imm & how::OLD != 0 {
            return Ok([mask; LANES]);
        }
        // SAFETY: `e` is a 32-bit register.
        let named = unsafe { *self.reg::<[u32; LANES]>(op.e) };
        let (mut absent, mut outside) = (0u32, 0u32);
        for i in 0..LANES {
            let on = 0u32.wrapping_sub((mask >> i) & 1);
            absent |= named[i] & self.live & !mask & on;
            outside |= (!named[i] & (1 << i)) & on;
        }
        if outside != 0 {
            self.undeclared(op, what, named[outside.trailing_zeros() as usize], outside);
        }
        if absent == 0 {
            if self.checking {
                self.met(&named);
            }
            return Ok(named);
        }
        Err(self.wait_for(op, &named))
    }

    /// Some named lanes are elsewhere: those whose lanes are all here go on alone, the others wait.
    #[cold]
    fn wait_for(&mut self, op: &Op, named: &[u32; LANES]) -> Flow {
        let mut here = self.mask();
        // Who waits at this instruction already comes along.
        self.groups.retain(|g| {
            let same = g.pc == op.site && matches!(g.state, State::Lanes(_));
            if same {
                here |= g.mask;
            }
            !same
        });
        let mut named_here = *named;
        // SAFETY: as in `gather`.
        let register = unsafe { *self.reg::<[u32; LANES]>(op.e) };
        for lane in lanes(here) {
            named_here[lane] = register[lane];
        }
        let ready = lanes(here)
            .filter(|&lane| named_here[lane] & self.live & !here == 0)
            .fold(0u32, |m, lane| m | (1 << lane));
        if ready != 0 {
            self.groups.push(Group {
                pc: op.site,
                mask: ready,
                state: State::Ready,
            });
        }
        let waiting = here & !ready;
        if waiting != 0 {
            let wanted = lanes(waiting).fold(0, |m, lane| m | named_here[lane]);
            self.groups.push(Group {
                pc: op.site,
                mask: waiting,
                state: State::Lanes(wanted),
            });
        }
        self.reason = super::Reason::Gone;
        Flow::Stop
    }

    #[cold]
    fn undeclared(&mut self, op: &Op, what: What, mask: u32, outside: u32) {
        if !self.worker().launch().sync_check {
            return;
        }
        let lane = outside.trailing_zeros();
        let place = self.program().place_of(op.site);
        let mut access = Access::at(what, place);
        access.threads = outside.count_ones();
        let access = self.located(access, lane as usize);
        let finding = Finding::new(
            Kind::UndeclaredLane { mask, lane },
            self.program().name.clone(),
        );
        self.worker().findings.add(finding.with(access));
    }

    #[cold]
    fn inactive(&mut self, op: &Op, reader: usize, lane: u32) {
        if !self.worker().launch().sync_check {
            return;
        }
        let place = self.program().place_of(op.site);
        let access = self.located(Access::at(What::Shuffle, place), reader);
        let finding = Finding::new(Kind::InactiveLane { lane }, self.program().name.clone());
        self.worker().findings.add(finding.with(access));
    }
}

/// `bar.warp.sync`.
pub(crate) unsafe fn barrier(warp: &mut Warp, op: &Op) -> Flow {
    let mask = warp.mask();
    // SAFETY: `e` is a 32-bit register.
    let named = unsafe { *warp.reg::<[u32; LANES]>(op.e) };
    let wanted = lanes(mask).fold(0, |m, lane| m | named[lane]);
    if wanted & warp.live & !mask == 0 {
        if warp.checking {
            warp.met(&named);
        }
        return Flow::Next;
    }
    let arrived = warp
        .groups
        .iter()
        .filter(|g| matches!(g.state, State::Warp(w) if w & mask != 0 || wanted & g.mask != 0))
        .fold(mask, |m, g| m | g.mask);
    let all = warp
        .groups
        .iter()
        .filter_map(|g| match g.state {
            State::Warp(w) if g.mask & arrived != 0 => Some(w),
            _ => None,
        })
        .fold(wanted, |m, w| m | w);
    if all & warp.live & !arrived != 0 {
        return warp.park(op.site, State::Warp(wanted));
    }
    if warp.checking {
        warp.clock.sync(arrived, warp.live);
    }
    for group in &mut warp.groups {
        if matches!(group.state, State::Warp(_)) && group.mask & arrived != 0 {
            group.state = State::Ready;
            group.pc += 1;
        }
    }
    warp.groups.push(Group {
        pc: op.site + 1,
        mask,
        state: State::Ready,
    });
    warp.reason = super::Reason::Gone;
    Flow::Stop
}

/// Kinds of shuffle.
pub(crate) const UP: u64 = 0;
/// From the lane above.
pub(crate) const DOWN: u64 = 1;
/// From the lane whose number differs in some bits.
pub(crate) const BUTTERFLY: u64 = 2;
/// From the lane of a number.
pub(crate) const INDEX: u64 = 3;

/// `shfl`: value in `a`, distance or lane in `b`, clamp and segments in `c`; result in `d`, whether it is from inside the segment
/// in the predicate `d2`.
pub(crate) struct Shuffle;
impl super::Exec for Shuffle {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        // SAFETY: registers of 32 bits, and a predicate.
        unsafe {
            let b = &*warp.reg::<[u32; LANES]>(op.b);
            let c = &*warp.reg::<[u32; LANES]>(op.c);
            let (source, predicate) = match op.imm & how::KIND {
                UP => sources(b, c, |lane, distance, last, _| {
                    let from = lane.wrapping_sub(distance);
                    (from, (from as i32) >= last as i32)
                }),
                DOWN => sources(b, c, |lane, distance, last, _| {
                    (lane + distance, lane + distance <= last)
                }),
                BUTTERFLY => sources(b, c, |lane, distance, last, _| {
                    (lane ^ distance, lane ^ distance <= last)
                }),
                _ => sources(b, c, |lane, distance, last, segments| {
                    let from = (lane & segments) | (distance & !segments);
                    (from, from <= last)
                }),
            };
            if warp.whole(op) {
                // All lanes are here, and all have named all: nobody can be missing.
                let value = *warp.reg::<[u32; LANES]>(op.a);
                let at = source.map(|lane| lane * 4);
                permute::<W>(value.as_ptr(), &at, warp.reg(op.d));
                if op.imm & how::SECOND != 0 {
                    *warp.reg::<u32>(op.d2) = predicate;
                }
                return Flow::Next;
            }
            let named = match warp.gather(op, What::Shuffle) {
                Ok(named) => named,
                Err(flow) => return flow,
            };
            let mask = warp.mask();
            let value = *warp.reg::<[u32; LANES]>(op.a);
            let mut missing = 0u32;
            let mut out = [0u32; LANES];
            for i in 0..LANES {
                let from = source[i];
                out[i] = value[from as usize & 31];
                // A lane that its own mask leaves out has been reported.
                let declared = named[i] & (1 << i) != 0;
                missing |= (u32::from(declared && mask & named[i] & (1 << from) == 0)) << i;
            }
            missing &= mask;
            if missing != 0 {
                for lane in lanes(missing) {
                    // A lane outside its own mask has been reported; its own value is not another's.
                    if mask & (1 << source[lane]) == 0 {
                        out[lane] = 0;
                    }
                }
                let lane = missing.trailing_zeros() as usize;
                if source[lane] as usize != lane {
                    warp.inactive(op, lane, source[lane]);
                }
            }
            let to = &mut *warp.reg::<[u32; LANES]>(op.d);
            for i in 0..LANES {
                let keep = ((mask >> i) & 1).wrapping_sub(1);
                to[i] = (to[i] & keep) | (out[i] & !keep);
            }
            if op.imm & how::SECOND != 0 {
                let to = warp.reg::<u32>(op.d2);
                *to = (*to & !mask) | (predicate & mask);
            }
            Flow::Next
        }
    }
}

/// For each lane the one it reads, itself if that lies outside its segment, and a bit where it does not. `from` tells lane and
/// verdict by lane, distance, the segment's end, and the bits that name the segment.
#[inline(always)]
fn sources(
    b: &[u32; LANES],
    c: &[u32; LANES],
    from: impl Fn(u32, u32, u32, u32) -> (u32, bool),
) -> ([u32; LANES], u32) {
    let mut source = [0u32; LANES];
    let mut inside = [0u32; LANES];
    for i in 0..LANES {
        let lane = i as u32;
        let (distance, clamp, segments) = (b[i] & 31, c[i] & 31, (c[i] >> 8) & 31);
        let last = (lane & segments) | (clamp & !segments);
        let (other, ok) = from(lane, distance, last, segments);
        source[i] = if ok { other & 31 } else { lane };
        inside[i] = u32::from(ok) << i;
    }
    (source, inside.iter().fold(0, |bits, bit| bits | bit))
}

/// Whether all predicates hold.
pub(crate) const ALL_OF: u64 = 0;
/// Whether any holds.
pub(crate) const ANY_OF: u64 = 1;
/// Whether all are the same.
pub(crate) const UNIFORM: u64 = 2;
/// The lanes where it holds.
pub(crate) const BALLOT: u64 = 3;

/// `vote`: predicate in `a`; result in `d`, a predicate or (ballot) 32 bits.
pub(crate) unsafe fn vote(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: registers as above.
    unsafe {
        let named = match warp.gather(op, What::Vote) {
            Ok(named) => named,
            Err(flow) => return flow,
        };
        let mask = warp.mask();
        let not = if op.imm & how::NOT != 0 { u32::MAX } else { 0 };
        let holds = *warp.reg::<u32>(op.a) ^ not;
        let mut predicate = 0u32;
        for lane in lanes(mask) {
            let among = named[lane] & mask;
            let yes = holds & among;
            let result = match op.imm & how::KIND {
                ALL_OF => yes == among,
                ANY_OF => yes != 0,
                UNIFORM => yes == among || yes == 0,
                _ => {
                    (*warp.reg::<[u32; LANES]>(op.d))[lane] = yes;
                    continue;
                }
            };
            predicate |= u32::from(result) << lane;
        }
        if op.imm & how::KIND != BALLOT {
            let to = warp.reg::<u32>(op.d);
            *to = (*to & !mask) | predicate;
        }
    }
    Flow::Next
}

/// `activemask`.
pub(crate) unsafe fn active(warp: &mut Warp, op: &Op) -> Flow {
    let mask = warp.mask();
    for lane in lanes(mask) {
        // SAFETY: `d` is a 32-bit register.
        unsafe { (*warp.reg::<[u32; LANES]>(op.d))[lane] = mask };
    }
    Flow::Next
}

/// `match`: value in `a` (64 bits with `WIDE`); lanes with the same value in `d`, with kind 1 (`.all`) whether all have it in `d2`.
pub(crate) unsafe fn matching(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: registers as above.
    unsafe {
        let named = match warp.gather(op, What::Vote) {
            Ok(named) => named,
            Err(flow) => return flow,
        };
        let mask = warp.mask();
        let mut values = [0u64; LANES];
        for (i, value) in values.iter_mut().enumerate() {
            *value = if op.imm & how::WIDE != 0 {
                (*warp.reg::<[u64; LANES]>(op.a))[i]
            } else {
                u64::from((*warp.reg::<[u32; LANES]>(op.a))[i])
            };
        }
        let mut predicate = 0u32;
        for lane in lanes(mask) {
            let among = named[lane] & mask;
            let same = lanes(among)
                .filter(|&other| values[other] == values[lane])
                .fold(0u32, |m, other| m | (1 << other));
            let to = &mut (*warp.reg::<[u32; LANES]>(op.d))[lane];
            if op.imm & how::KIND == 0 {
                *to = same;
            } else {
                *to = if same == among { among } else { 0 };
                predicate |= u32::from(same == among) << lane;
            }
        }
        if op.imm & how::SECOND != 0 {
            let to = warp.reg::<u32>(op.d2);
            *to = (*to & !mask) | predicate;
        }
    }
    Flow::Next
}

/// Reductions of a warp.
pub(crate) const REDUCTIONS: [&str; 8] = [
    "add", "min.s32", "max.s32", "min.u32", "max.u32", "and", "or", "xor",
];

/// `redux`: value in `a`, result in `d`; the kind is an index into [`REDUCTIONS`].
pub(crate) unsafe fn reduce(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: registers as above.
    unsafe {
        let named = match warp.gather(op, What::Vote) {
            Ok(named) => named,
            Err(flow) => return flow,
        };
        let mask = warp.mask();
        let values = *warp.reg::<[u32; LANES]>(op.a);
        let mut last: Option<(u32, u32)> = None;
        for lane in lanes(mask) {
            let among = named[lane] & mask;
            let result = match last {
                Some((m, result)) if m == among => result,
                _ => lanes(among)
                    .map(|other| values[other])
                    .reduce(|x, y| match op.imm & how::KIND {
                        0 => x.wrapping_add(y),
                        1 => (x as i32).min(y as i32) as u32,
                        2 => (x as i32).max(y as i32) as u32,
                        3 => x.min(y),
                        4 => x.max(y),
                        5 => x & y,
                        6 => x | y,
                        _ => x ^ y,
                    })
                    .unwrap_or(0),
            };
            last = Some((among, result));
            (*warp.reg::<[u32; LANES]>(op.d))[lane] = result;
        }
    }
    Flow::Next
}

/// `elect`: the lowest lane in `d`, whether this is it in `d2`.
pub(crate) unsafe fn elect(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: registers as above.
    unsafe {
        let named = match warp.gather(op, What::Vote) {
            Ok(named) => named,
            Err(flow) => return flow,
        };
        let mask = warp.mask();
        let mut predicate = 0u32;
        for lane in lanes(mask) {
            let leader = (named[lane] & mask).trailing_zeros() & 31;
            (*warp.reg::<[u32; LANES]>(op.d))[lane] = leader;
            predicate |= u32::from(leader as usize == lane) << lane;
        }
        let to = warp.reg::<u32>(op.d2);
        *to = (*to & !mask) | predicate;
    }
    Flow::Next
}
