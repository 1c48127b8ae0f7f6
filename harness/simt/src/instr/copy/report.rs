//! How bulk copies report their completion: by an mbarrier, or by the groups of the thread that began them.

use super::bulk::whole;
use crate::checks::copies::{Bulk, Until};
use crate::engine::traffic::request::{Request, home_of};
use crate::engine::warp::block::Block;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space};
use crate::instr::code::{Inst, Role};
use crate::instr::context::{Context, Result};
use crate::instr::operands::operands;
use crate::lane::{LANES, lanes};
use ptx::ast::{self, Operand, Type};
use ptx::modifier::Modifier;

/// The object that is notified when a copy has completed.
#[derive(Clone, Copy)]
pub(super) enum Completion {
    /// The mbarrier at this address in shared memory, for a copy that accesses shared memory in this way.
    Mbarrier(u64, AccessKind),
    /// The group that the thread commits next, for a copy that reads shared memory.
    Group,
}

/// Reports that a lane's copy of `bytes` bytes has completed. A program must not rely on it before having waited for
/// it, so the checks remember it as pending.
pub(super) fn reported(
    warp: &mut Warp,
    op: &Op,
    (lane, bytes): (usize, u32),
    (to, from): ((Space, u64), (Space, u64)),
    done: Completion,
) -> std::result::Result<(), Flow> {
    let shared = if to.0 == Space::Shared { to.1 } else { from.1 };
    let (home, start) = home_of(shared);
    match done {
        Completion::Group => {
            if warp.checking && home.is_none() {
                let group = warp.block.get_mut().copies.closed_bulk(warp.index)[lane];
                let copy = begun(warp, op, (lane, bytes), (start, AccessKind::Read), Until::Group(group));
                warp.block.get_mut().copies.begin_bulk(copy);
            }
            Ok(())
        }
        Completion::Mbarrier(address, what) => {
            let at = warp.reach(op, lane, (Space::Shared, address), AccessKind::Atomic)?;
            let outside = at.home.rank.is_some();
            warp.arrives(op, lane, at.home, outside);
            if warp.checking {
                let offset = at.home.offset;
                let copy = begun(warp, op, (lane, bytes), (start, what), Until::Phase(offset, 0));
                warp.with_block(|_, block| {
                    let begin = |block: &mut Block<'_>| {
                        let until = Until::Phase(offset, block.clock.phases(offset));
                        block.copies.begin_bulk(Bulk { until, ..copy.clone() });
                    };
                    match at.home.rank {
                        None => begin(block),
                        Some(rank) => {
                            block.with_peer(rank, |_, peer| begin(peer));
                        }
                    }
                });
            }
            warp.change_mbarrier(op, lane, at, |barrier| barrier.expect(-i64::from(bytes)))?;
            Ok(())
        }
    }
}

/// Executes an instruction whose lanes change shared memory, one after the other, and report to mbarriers: each lane at
/// its address in `to`, which `change` gets as a host address, and to its mbarrier in `barriers`.
pub(super) fn lane_by_lane(
    warp: &mut Warp,
    op: &Op,
    request: Request,
    (to, barriers): ([u64; LANES], [u64; LANES]),
    change: impl Fn(&mut Warp, usize, *mut u8),
) -> Flow {
    let mask = warp.mask();
    for lane in lanes(mask) {
        let host = match warp.resolve_lane(lane, to[lane], request) {
            Ok(host) => host,
            Err(wrong) => return warp.access_fault(op, lane, request, wrong),
        };
        warp.set_mask(1 << lane);
        warp.check_tile(op, request, &[to[lane]; LANES]);
        warp.set_mask(mask);
        change(warp, lane, host);
        let there = (request.space, to[lane]);
        let done = Completion::Mbarrier(barriers[lane], request.what);
        if let Err(flow) = reported(warp, op, (lane, request.size), (there, there), done) {
            return flow;
        }
    }
    warp.switch_point();
    Flow::Next
}

/// Returns a copy that a lane has begun, at an offset in shared memory, and the kind of access there.
fn begun(warp: &Warp, op: &Op, (lane, bytes): (usize, u32), (start, what): (u64, AccessKind), until: Until) -> Bulk {
    Bulk { pc: op.site, warp: warp.clock.warp, lane: lane as u32, start, bytes: bytes.into(), what, until }
}

/// Lowers `cp.async.bulk.commit_group`.
pub(super) fn commit(cx: &mut dyn Context, _: &ast::Inst) -> Result<()> {
    cx.emit(Inst::plain(run_commit))
}

/// Executes `cp.async.bulk.commit_group`.
unsafe fn run_commit(warp: &mut Warp, _: &Op) -> Flow {
    if warp.checking {
        let mask = warp.mask();
        let closed = warp.block.get_mut().copies.closed_bulk(warp.index);
        for lane in lanes(mask) {
            closed[lane] += 1;
        }
    }
    Flow::Next
}

operands! {
    /// Operands of `cp.async.bulk.wait_group`.
    struct Wait {
        /// The number of groups that may still be pending.
        keep: number(u64) in imm,
    }
}

/// Lowers `cp.async.bulk.wait_group`.
pub(super) fn wait_group(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let [Operand::Int(keep)] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let keep = *keep as u64;
    cx.emit(Wait { keep }.pack(run_wait))
}

/// Executes `cp.async.bulk.wait_group`.
unsafe fn run_wait(warp: &mut Warp, op: &Op) -> Flow {
    if warp.checking {
        let keep = Wait::unpack(op).keep.min(u32::MAX.into()) as u32;
        let (mask, index, number) = (warp.mask(), warp.index, warp.clock.warp);
        let copies = &mut warp.block.get_mut().copies;
        for lane in lanes(mask) {
            let closed = copies.closed_bulk(index)[lane];
            copies.end_groups((number, lane as u32), closed, keep);
        }
    }
    Flow::Next
}

operands! {
    /// Operands of `cp.async.mbarrier.arrive`.
    struct Arrive {
        /// The address of the mbarrier.
        address: read(u64) in a,
        /// The space that the instruction names.
        space: number(Space) in e,
        /// Whether the mbarrier was initialised for this arrival.
        counted: number(bool) in c,
    }
}

/// Lowers `cp.async.mbarrier.arrive`.
pub(super) fn arrive(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let known = [Modifier::NoInc, Modifier::Shared, Modifier::SharedCta, Modifier::Type(Type::B64)];
    let [address] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    if !inst.modifiers().iter().all(|modifier| known.contains(modifier)) || !inst.has_type(&[Type::B64]) {
        return Err(cx.missing(inst));
    }
    let named = inst.is_of_shared();
    let space = if named { Space::Shared } else { Space::Generic };
    let arrive = Arrive { address: whole(cx, address)?, space, counted: inst.has(Modifier::NoInc) };
    cx.emit(arrive.pack(run_arrive).role(Role::Access(AccessKind::Atomic, space, 8)))
}

/// Executes `cp.async.mbarrier.arrive`: the lanes' copies (`cp.async`) have been performed, so they arrive now.
unsafe fn run_arrive(warp: &mut Warp, op: &Op) -> Flow {
    let Arrive { address, space, counted } = Arrive::unpack(op);
    // SAFETY: the register was unpacked from this instruction.
    let address = unsafe { *address.lanes(warp) };
    if warp.checking {
        warp.waited(None);
    }
    for lane in lanes(warp.mask()) {
        let at = match warp.reach(op, lane, (space, address[lane]), AccessKind::Atomic) {
            Ok(at) => at,
            Err(flow) => return flow,
        };
        warp.arrives(op, lane, at.home, true);
        let changed = warp.change_mbarrier(op, lane, at, |barrier| {
            // An arrival that was not counted at initialisation is added to those that the phase waits for.
            barrier.pending += u32::from(!counted);
            barrier.arrive(1, false)
        });
        if let Err(flow) = changed {
            return flow;
        }
    }
    warp.switch_point();
    Flow::Next
}

/// Lowers `cp.async.bulk.prefetch`, a hint to a cache that the machine does not have.
pub(super) fn prefetch(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let ([Modifier::L2, Modifier::Global] | [Modifier::L2, Modifier::Global, Modifier::L2CacheHint]) = inst.modifiers()
    else {
        return Err(cx.missing(inst));
    };
    match inst.operands.as_slice() {
        [address, bytes, ..] => {
            cx.address(address)?;
            cx.source(bytes, Type::U32)?;
            Ok(())
        }
        _ => Err(cx.wrong(inst)),
    }
}
