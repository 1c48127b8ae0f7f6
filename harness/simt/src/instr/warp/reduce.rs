//! `redux`: one result from the values of several lanes.

use super::members::{destinations, members};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::AccessKind;
use crate::instr::code::Role;
use crate::instr::context::{Context, Result};
use crate::instr::operands::{codes, operands};
use crate::lane::lanes;
use ptx::ast::{self, Type};
use ptx::modifier::Modifier;

codes! {
    /// The operation on the values; the words are PTX's, with the type where it matters.
    enum ReduceOperation {
        /// Sum.
        Add = "add",
        /// Least, signed.
        MinSigned = "min.s32",
        /// Greatest, signed.
        MaxSigned = "max.s32",
        /// Least, unsigned.
        MinUnsigned = "min.u32",
        /// Greatest, unsigned.
        MaxUnsigned = "max.u32",
        /// Bitwise and.
        And = "and",
        /// Bitwise or.
        Or = "or",
        /// Bitwise exclusive or.
        Xor = "xor",
    }
}

operands! {
    /// Operands of `redux`.
    struct Reduction {
        /// The lanes' values.
        value: read(u32) in a,
        /// The lanes that take part.
        members: maybe_read(u32) in e,
        /// The result, the same in all lanes that take part.
        to: write(u32) in d,
        /// The operation on the values.
        kind: number(ReduceOperation) in imm,
    }
}

/// Lowers `redux`.
pub(super) fn redux(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let (operands, members) = members(cx, inst, 2)?;
    let modifiers = inst.modifiers().iter().filter(|modifier| **modifier != Modifier::Sync);
    let operations: Vec<Modifier> = modifiers.copied().filter(|modifier| modifier.ty().is_none()).collect();
    let types: Vec<Type> = inst.types().collect();
    if types == [Type::F32] {
        let parts = "only parts with sm_100a, sm_100f or sm_103a have it, of which the machine has none";
        return Err(cx.unsupported(format!("`{}`: {parts}", inst.text())));
    }
    let ([ty @ (Type::S32 | Type::U32 | Type::B32)], [operation]) = (&types[..], &operations[..]) else {
        return Err(cx.missing(inst));
    };
    let kind = match operation {
        Modifier::Min | Modifier::Max => ReduceOperation::named(&format!("{}.{}", operation.word(), ty.word())),
        other => ReduceOperation::named(other.word()),
    };
    let Some(kind) = kind else {
        return Err(cx.missing(inst));
    };
    let (to, _) = destinations(&operands[0]);
    let reduction = Reduction { value: cx.source(&operands[1], Type::B32)?, members, to: cx.dest(to, 4)?, kind };
    cx.emit(reduction.pack(reduce).role(Role::WarpSync))
}

/// Executes `redux`.
unsafe fn reduce(warp: &mut Warp, op: &Op) -> Flow {
    let reduction = Reduction::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    unsafe {
        let named = match warp.gather(op, reduction.members, AccessKind::Vote) {
            Ok(named) => named,
            Err(flow) => return flow,
        };
        let mask = warp.mask();
        let values = *reduction.value.lanes(warp);
        let mut last: Option<(u32, u32)> = None;
        for lane in lanes(mask) {
            let among = named[lane] & mask;
            let result = match last {
                Some((m, result)) if m == among => result,
                _ => lanes(among)
                    .map(|other| values[other])
                    .reduce(|x, y| match reduction.kind {
                        ReduceOperation::Add => x.wrapping_add(y),
                        ReduceOperation::MinSigned => (x as i32).min(y as i32) as u32,
                        ReduceOperation::MaxSigned => (x as i32).max(y as i32) as u32,
                        ReduceOperation::MinUnsigned => x.min(y),
                        ReduceOperation::MaxUnsigned => x.max(y),
                        ReduceOperation::And => x & y,
                        ReduceOperation::Or => x | y,
                        ReduceOperation::Xor => x ^ y,
                    })
                    .unwrap_or(0),
            };
            last = Some((among, result));
            (*reduction.to.lanes(warp))[lane] = result;
        }
    }
    Flow::Next
}
