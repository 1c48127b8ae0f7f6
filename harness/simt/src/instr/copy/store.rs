//! Stores that report to an mbarrier: `st.async`.

use super::bulk::whole;
use super::report::lane_by_lane;
use crate::engine::traffic::request::Request;
use crate::engine::warp::program::{Op, Order};
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space};
use crate::instr::code::Role;
use crate::instr::context::{Context, Result, parts};
use crate::instr::operands::operands;
use ptx::ast;
use ptx::modifier::Modifier;

operands! {
    /// Operands of `st.async`.
    struct Store {
        /// The destination address.
        to: read(u64) in a,
        /// The mbarrier to which it reports.
        barrier: read(u64) in e,
        /// Bytes of an element, and the number of elements.
        shape: number((u32, u32)) in imm,
        /// The elements.
        from: read_list in d | d2 | b | c,
    }
}

/// Lowers `st.async`.
pub(super) fn store(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    use Modifier::{CompleteTxBytes, SharedCluster, V2, V4, Weak};
    let known =
        |modifier: &Modifier| matches!(modifier, Weak | SharedCluster | CompleteTxBytes | V2 | V4 | Modifier::Type(_));
    let Some((count, ty)) = inst.element().filter(|(count, ty)| matches!(ty.size() * count, 4 | 8 | 16)) else {
        return Err(cx.missing(inst));
    };
    let reports = inst.has(CompleteTxBytes) && inst.has(SharedCluster);
    if !reports || !matches!(ty.size(), 4 | 8) || !inst.modifiers().iter().all(known) {
        return Err(cx.missing(inst));
    }
    let [to, from, barrier] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let list = parts(from);
    if list.len() != count as usize {
        return Err(cx.wrong(inst));
    }
    let from = list.iter().map(|from| cx.source(from, ty)).collect::<Result<_>>()?;
    let store = Store { to: whole(cx, to)?, barrier: whole(cx, barrier)?, shape: (ty.size(), count), from };
    let order = Order { bulk: true, ..Order::default() };
    cx.emit(store.pack(run).role(Role::Access(AccessKind::Write, Space::Shared, ty.size() * count)).order(order))
}

/// Executes `st.async`.
unsafe fn run(warp: &mut Warp, op: &Op) -> Flow {
    let Store { to, barrier, shape: (size, count), from } = Store::unpack(op);
    let request = Request { space: Space::Shared, size: size * count, what: AccessKind::Write };
    // SAFETY: the registers were unpacked from this instruction.
    let (to, barrier) = unsafe { (*to.lanes(warp), *barrier.lanes(warp)) };
    lane_by_lane(warp, op, request, (to, barrier), |warp, lane, host| {
        for (k, from) in from[..count as usize & 7].iter().enumerate() {
            // SAFETY: as above; this many bytes have been checked.
            unsafe {
                let at = host.add(k * size as usize);
                match size {
                    4 => at.cast::<u32>().write((*from.holding::<u32>().lanes(warp))[lane]),
                    _ => at.cast::<u64>().write((*from.holding::<u64>().lanes(warp))[lane]),
                }
            }
        }
    })
}
