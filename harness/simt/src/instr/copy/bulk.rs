//! Bulk copies: `cp.async.bulk` and `cp.reduce.async.bulk`, which one thread begins and a copy engine of the device
//! performs.

use super::report::{Completion, reported};
use crate::engine::memory::span::PIECE;
use crate::engine::traffic::request::{Request, Wrong, offset_in};
use crate::engine::warp::program::{Op, Order};
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, FindingKind, Space};
use crate::instr::code::{OperandSlot, Role};
use crate::instr::context::{Context, Result};
use crate::instr::memory::{Combine, combination};
use crate::instr::operands::{Number, operands};
use crate::lane::lanes;
use ptx::ast::{self, Operand, Type};
use ptx::modifier::Modifier;

/// The kind of a bulk copy.
#[derive(Clone, Copy)]
struct BulkCopyForm {
    /// The destination: shared or global memory.
    to: Space,
    /// The source.
    from: Space,
    /// Whether it copies to the same offset in several blocks of the cluster.
    multicast: bool,
    /// For a reduction, the number of its operation plus one.
    combine: u32,
}

impl Number for BulkCopyForm {
    fn code(self) -> u64 {
        self.to.code() | (self.from.code() << 3) | (self.multicast.code() << 6) | (u64::from(self.combine) << 8)
    }
    fn from_code(code: u64) -> BulkCopyForm {
        BulkCopyForm {
            to: Space::from_code(code & 7),
            from: Space::from_code((code >> 3) & 7),
            multicast: bool::from_code(code & (1 << 6)),
            combine: (code >> 8) as u32,
        }
    }
}

operands! {
    /// Operands of a bulk copy.
    struct Bulk {
        /// The destination address.
        to: read(u64) in a,
        /// The source address.
        from: read(u64) in b,
        /// The number of bytes.
        bytes: read(u32) in c,
        /// The mbarrier to which it reports; without one, it belongs to the thread's next group.
        barrier: maybe_read(u64) in e,
        /// The blocks of the cluster to which it copies.
        blocks: maybe_read(u16) in d2,
        /// The kind of the copy.
        how: number(BulkCopyForm) in imm,
    }
}

/// Returns the spaces of `[to, from]`, if the modifiers name a supported pair.
fn spaces(to: Modifier, from: Modifier) -> Option<(Space, Space)> {
    use Modifier::{Global, SharedCluster, SharedCta};
    match (to, from) {
        (SharedCluster | SharedCta, Global) => Some((Space::Shared, Space::Global)),
        (SharedCluster, SharedCta) => Some((Space::Shared, Space::Shared)),
        (Global, SharedCta) => Some((Space::Global, Space::Shared)),
        _ => None,
    }
}

/// Lowers `cp.async.bulk`.
pub(super) fn copy(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    lower(cx, inst, inst.modifiers(), None)
}

/// Lowers `cp.reduce.async.bulk`.
pub(super) fn reduce(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let modifiers = inst.modifiers().iter().copied().filter(|modifier| *modifier != Modifier::Noftz);
    let modifiers: Vec<Modifier> = modifiers.collect();
    let [rest @ .., operation, ty] = modifiers.as_slice() else {
        return Err(cx.missing(inst));
    };
    let Some(combine) = combination(operation.word(), ty.word()) else {
        return Err(cx.missing(inst));
    };
    lower(cx, inst, rest, Some(combine))
}

/// Lowers a bulk copy with these modifiers after its name.
fn lower(cx: &mut dyn Context, inst: &ast::Inst, modifiers: &[Modifier], combine: Option<u32>) -> Result<()> {
    let [to, from, rest @ ..] = modifiers else {
        return Err(cx.missing(inst));
    };
    let Some((to, from)) = spaces(*to, *from) else {
        return Err(cx.missing(inst));
    };
    let (mut reports, mut grouped, mut hint, mut multicast) = (false, false, false, false);
    for modifier in rest {
        match modifier {
            Modifier::CompleteTxBytes => reports = true,
            Modifier::BulkGroup => grouped = true,
            Modifier::L2CacheHint => hint = true,
            Modifier::MulticastCluster => multicast = true,
            _ => return Err(cx.missing(inst)),
        }
    }
    let shared = to == Space::Shared;
    if (reports, grouped) != (shared, !shared) || (multicast && from != Space::Global) {
        return Err(cx.missing(inst));
    }
    let mut operands = inst.operands.as_slice();
    if hint {
        operands = &operands[..operands.len().saturating_sub(1)];
    }
    let (there, here, bytes, barrier, blocks) = match (operands, reports, multicast) {
        ([to, from, bytes], false, _) => (to, from, bytes, None, None),
        ([to, from, bytes, barrier], true, false) => (to, from, bytes, Some(barrier), None),
        ([to, from, bytes, barrier, blocks], true, true) => (to, from, bytes, Some(barrier), Some(blocks)),
        _ => return Err(cx.wrong(inst)),
    };
    let bulk = Bulk {
        to: whole(cx, there)?,
        from: whole(cx, here)?,
        bytes: cx.source(bytes, Type::U32)?,
        barrier: barrier.map(|barrier| whole(cx, barrier)).transpose()?,
        blocks: blocks.map(|blocks| cx.source(blocks, Type::B16)).transpose()?,
        how: BulkCopyForm { to, from, multicast, combine: combine.map_or(0, |combine| combine + 1) },
    };
    let order = Order { bulk: true, ..Order::default() };
    cx.emit(bulk.pack(run).role(Role::Access(AccessKind::Write, to, PIECE)).order(order))
}

/// Returns an address with its offset, in one register.
pub(super) fn whole(cx: &mut dyn Context, operand: &Operand) -> Result<OperandSlot> {
    let (base, offset) = cx.address(operand)?;
    if offset == 0 {
        return Ok(base);
    }
    let sum = cx.temp(8);
    let offset = cx.bits(offset, 8);
    let add = cx.compute("add.s64", sum, &[base, offset])?;
    cx.prepare(add);
    Ok(sum)
}

/// Executes a bulk copy. The machine copies immediately, as a device may.
unsafe fn run(warp: &mut Warp, op: &Op) -> Flow {
    let Bulk { to, from, bytes, barrier, blocks, how } = Bulk::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    let (to, from, bytes, barrier, blocks) = unsafe {
        (
            *to.lanes(warp),
            *from.lanes(warp),
            *bytes.lanes(warp),
            barrier.map(|barrier| *barrier.lanes(warp)),
            blocks.map(|blocks| *blocks.lanes(warp)),
        )
    };
    for lane in lanes(warp.mask()) {
        let blocks = blocks.map(|blocks| blocks[lane]).filter(|_| how.multicast);
        let mut rest = blocks.unwrap_or(1);
        while rest != 0 {
            // The offsets are the same in every named block.
            let rank = rest.trailing_zeros();
            rest &= rest - 1;
            let place = |offset: u64| if blocks.is_some() { offset_in(rank, offset) } else { offset };
            let one = One {
                lane,
                to: (how.to, if how.to == Space::Shared { place(to[lane]) } else { to[lane] }),
                from: (how.from, from[lane]),
                bytes: bytes[lane],
                combine: how.combine.checked_sub(1),
            };
            let done = match barrier {
                Some(barrier) => {
                    let what = if how.combine > 0 { AccessKind::Atomic } else { AccessKind::Write };
                    Completion::Mbarrier(place(barrier[lane]), what)
                }
                None => Completion::Group,
            };
            if let Err(flow) = one.run(warp, op, done) {
                return flow;
            }
        }
    }
    warp.switch_point();
    Flow::Next
}

/// One copy by one lane.
struct One {
    lane: usize,
    to: (Space, u64),
    from: (Space, u64),
    bytes: u32,
    combine: Option<u32>,
}

impl One {
    fn run(&self, warp: &mut Warp, op: &Op, done: Completion) -> std::result::Result<(), Flow> {
        let &One { lane, to, from, bytes, combine } = self;
        if !bytes.is_multiple_of(PIECE) {
            // A device reports a number of bytes that is not a multiple of 16 as a misaligned address.
            let request = Request { space: from.0, size: PIECE, what: AccessKind::Read };
            let kind = FindingKind::Misaligned { space: from.0, required: PIECE };
            let end = from.1.wrapping_add(bytes.into());
            return Err(warp.access_fault(op, lane, request, Wrong { kind, space: from.0, address: end }));
        }
        let source = warp.span(op, lane, from, bytes, AccessKind::Read)?;
        let target = warp.span(op, lane, to, bytes, AccessKind::Write)?;
        warp.check_span(op, lane, from, bytes, AccessKind::Read);
        warp.check_span(op, lane, to, bytes, if combine.is_some() { AccessKind::Atomic } else { AccessKind::Write });
        // SAFETY: this many bytes have been checked at both.
        unsafe {
            match combine.and_then(Combine::from_number) {
                Some(Combine { apply, size }) => {
                    for at in (0..bytes as usize).step_by(size as usize) {
                        apply(target.add(at), source.add(at), to.0 == Space::Global);
                    }
                }
                None => source.copy_to(target, bytes as usize),
            }
        }
        reported(warp, op, (lane, bytes), (to, from), done)
    }
}
