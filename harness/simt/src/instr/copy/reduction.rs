//! Reductions that report to an mbarrier: `red.async`.

use super::bulk::whole;
use super::report::lane_by_lane;
use crate::engine::traffic::request::Request;
use crate::engine::warp::program::{Op, Order};
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space};
use crate::instr::code::Role;
use crate::instr::context::{Context, Result};
use crate::instr::memory::{Combine, combination};
use crate::instr::operands::{Any, operands};
use ptx::ast::{self, Type};
use ptx::modifier::Modifier;

operands! {
    /// Operands of `red.async`.
    struct Reduction {
        /// The address of the changed values.
        to: read(u64) in a,
        /// The operands of the reduction.
        by: read(Any) in b,
        /// The mbarrier to which it reports.
        barrier: read(u64) in e,
        /// The number of the operation.
        combine: number(u32) in imm,
    }
}

/// Lowers `red.async`.
pub(super) fn reduction(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    use Modifier::{Add, And, Cas, Exch, Max, Min, Or, Xor};
    let [Modifier::Relaxed, Modifier::Cluster, rest @ ..] = inst.modifiers() else {
        return Err(cx.missing(inst));
    };
    let rest = rest.strip_prefix(&[Modifier::SharedCluster]).unwrap_or(rest);
    let [Modifier::CompleteTxBytes, operation, Modifier::Type(of)] = *rest else {
        return Err(cx.missing(inst));
    };
    let known = match of {
        Type::U32 => !matches!(operation, Exch | Cas),
        Type::S32 => matches!(operation, Min | Max | Add),
        Type::B32 => matches!(operation, And | Or | Xor),
        Type::U64 => operation == Add,
        _ => false,
    };
    let Some(combine) = combination(operation.word(), of.word()).filter(|_| known) else {
        return Err(cx.missing(inst));
    };
    let [to, by, barrier] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let reduction = Reduction { to: whole(cx, to)?, by: cx.source(by, of)?, barrier: whole(cx, barrier)?, combine };
    let order = Order { bulk: true, ..Order::default() };
    cx.emit(reduction.pack(run).role(Role::Access(AccessKind::Atomic, Space::Shared, of.size())).order(order))
}

/// Executes `red.async`.
unsafe fn run(warp: &mut Warp, op: &Op) -> Flow {
    let Reduction { to, by, barrier, combine } = Reduction::unpack(op);
    let Some(Combine { apply, size }) = Combine::from_number(combine) else {
        return Flow::Next;
    };
    let request = Request { space: Space::Shared, size, what: AccessKind::Atomic };
    // SAFETY: the registers were unpacked from this instruction; values have as many bytes as the operation.
    let (to, barrier, by) = unsafe {
        let by = match size {
            4 => (*by.holding::<u32>().lanes(warp)).map(u64::from),
            _ => *by.holding::<u64>().lanes(warp),
        };
        (*to.lanes(warp), *barrier.lanes(warp), by)
    };
    lane_by_lane(warp, op, request, (to, barrier), |_, lane, host| {
        // SAFETY: the bytes have been checked, and the address is aligned to them; the low bytes of the value are as
        // many.
        unsafe { apply(host, (&raw const by[lane]).cast(), false) };
    })
}
