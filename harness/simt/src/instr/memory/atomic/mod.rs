//! Atomics: `atom` and `red`.

mod b128;
mod change;
pub(crate) mod combine;
pub(crate) mod fetch;
mod general;
mod operations;
mod sums;

use general::Atomic;
use operations::{handler_for, is_operation};

use crate::engine::warp::program::Order;
use crate::finding::{AccessKind, Space};
use crate::instr::code::{Field, Inst, OperandSlot, Role};
use crate::instr::context::{Context, Result, parts};
use b128::BYTES;
use ptx::ast::{self, Operand, Type};
use ptx::modifier::Modifier;

/// The decoded modifiers of an atomic.
#[derive(Default)]
struct Modifiers {
    space: Option<Space>,
    operation: &'static str,
    ty: &'static str,
    /// Whether it becomes visible only after everything before it.
    release: bool,
    /// Whether it is ordered only inside the block.
    narrow: bool,
    /// Whether its last operand is a cache policy.
    hint: bool,
    /// The number of elements of a vector.
    count: usize,
}

impl Modifiers {
    fn parse(cx: &dyn Context, inst: &ast::Inst) -> Result<Modifiers> {
        let mut how = Modifiers { count: 1, ..Modifiers::default() };
        for modifier in inst.modifiers() {
            match modifier {
                Modifier::Global => how.space = Some(Space::Global),
                Modifier::Shared | Modifier::SharedCta | Modifier::SharedCluster => how.space = Some(Space::Shared),
                Modifier::Release | Modifier::AcqRel => how.release = true,
                Modifier::Cta => how.narrow = true,
                Modifier::Relaxed | Modifier::Acquire | Modifier::Noftz => {}
                Modifier::Gpu | Modifier::Sys | Modifier::Cluster => {}
                Modifier::L2CacheHint => how.hint = true,
                Modifier::V2 => how.count = 2,
                Modifier::V4 => how.count = 4,
                Modifier::V8 => how.count = 8,
                Modifier::Type(ty) => how.ty = ty.word(),
                other if is_operation(other.word()) => how.operation = other.word(),
                _ => return Err(cx.missing(inst)),
            }
        }
        Ok(how)
    }

    /// Returns how it orders memory.
    fn order(&self) -> Order {
        Order { strong: true, release: self.release, narrow: self.narrow, ..Order::default() }
    }
}

/// Lowers `atom`.
pub(super) fn atom(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let Some((to, rest)) = inst.operands.split_first() else {
        return Err(cx.wrong(inst));
    };
    lower(cx, inst, Some(to), rest)
}

/// Lowers `red`: an atomic whose old value is not used.
pub(super) fn red(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    lower(cx, inst, None, &inst.operands)
}

/// Lowers an atomic with these operands, excluding the destination for the old value.
fn lower(cx: &mut dyn Context, inst: &ast::Inst, to: Option<&Operand>, mut rest: &[Operand]) -> Result<()> {
    let how = Modifiers::parse(cx, inst)?;
    // The minimum and maximum of 16-bit numbers exist only for vectors.
    let single = how.count == 1 && matches!(how.operation, "min" | "max") && how.ty.contains("f16");
    if single {
        return Err(cx.missing(inst));
    }
    if how.hint {
        rest = &rest[..rest.len().saturating_sub(1)];
    }
    if how.ty == "b128" {
        return of_16_bytes(cx, inst, &how, to, rest);
    }
    let Some((run, bytes)) = handler_for(cx.vectors(), how.operation, how.ty) else {
        return Err(cx.missing(inst));
    };
    let ty = match (bytes, how.ty) {
        (2, _) => Type::B16,
        (4, "f32") => Type::F32,
        (4, _) => Type::B32,
        (_, "f64") => Type::F64,
        _ => Type::B64,
    };
    let (address, value, second) = match (how.operation, rest) {
        ("cas", [address, value, second]) if how.count == 1 => (address, value, Some(second)),
        ("cas", _) => return Err(cx.wrong(inst)),
        (_, [address, value]) => (address, value, None),
        _ => return Err(cx.wrong(inst)),
    };
    let origin = cx.origin(address);
    let (base, offset) = cx.address(address)?;
    let space = how.space.unwrap_or(Space::Generic);
    let order = how.order();
    let emit = |cx: &mut dyn Context, offset: u64, [value, second]: [OperandSlot; 2], old| {
        let atomic = Atomic { address: (base, offset), space, value, second, old, deferred: false };
        let inst = atomic.pack(run).order(order).from(origin);
        cx.emit(inst.role(Role::Access(AccessKind::Atomic, space, bytes)))
    };
    if how.count == 1 {
        let value = cx.source(value, ty)?;
        let second = second.map(|second| cx.source(second, ty)).transpose()?;
        let old = match to {
            None | Some(Operand::Discard) => None,
            Some(to) => Some(cx.dest(to, bytes)?),
        };
        return emit(cx, offset, [value, second.unwrap_or(value)], old);
    }
    // Each element is changed atomically, the vector as a whole is not. A result register may be the operand of a later
    // element.
    let Operand::Vec(values) = value else {
        return Err(cx.wrong(inst));
    };
    if values.len() != how.count {
        return Err(cx.wrong(inst));
    }
    let mut results = Vec::new();
    for (k, value) in values.iter().enumerate() {
        let value = cx.source(value, ty)?;
        let old = to.map(|_| cx.temp(bytes));
        let offset = offset.wrapping_add(k as u64 * u64::from(bytes));
        emit(cx, offset, [value; 2], old)?;
        results.extend(old);
    }
    if let Some(Operand::Vec(to)) = to {
        for (to, old) in to.iter().zip(results) {
            let to = cx.dest(to, bytes)?;
            cx.copy(to, old, bytes)?;
        }
    }
    Ok(())
}

/// Lowers an atomic on 16 bytes, whose operands are pairs of halves.
fn of_16_bytes(
    cx: &mut dyn Context,
    inst: &ast::Inst,
    how: &Modifiers,
    to: Option<&Operand>,
    rest: &[Operand],
) -> Result<()> {
    let (address, compared, new) = match (how.operation, rest) {
        ("cas", [address, compared, new]) => (address, Some(compared), new),
        ("exch", [address, new]) => (address, None, new),
        _ => return Err(cx.missing(inst)),
    };
    let origin = cx.origin(address);
    let place = cx.address(address)?;
    let space = how.space.unwrap_or(Space::Generic);
    let mut pair = |operand: &Operand| match parts(operand) {
        [low, high] => Ok([cx.source(low, Type::B64)?, cx.source(high, Type::B64)?]),
        _ => Err(cx.wrong(inst)),
    };
    let (new, compared) = (pair(new)?, compared.map(pair).transpose()?);
    // The compared value may be needed later.
    let old = [cx.temp(8), cx.temp(8)];
    for (old, compared) in old.into_iter().zip(compared.into_iter().flatten()) {
        let copy = cx.compute("mov.b64", old, &[compared])?;
        cx.prepare(copy);
    }
    let atomic = b128::atomic(compared.is_some(), place, space, new, old).order(how.order()).from(origin);
    cx.emit(atomic.role(Role::Access(AccessKind::Atomic, space, BYTES)))?;
    if let Some(Operand::Vec(to)) = to {
        for (to, old) in to.iter().zip(old) {
            let to = cx.dest(to, 8)?;
            cx.copy(to, old, 8)?;
        }
    }
    Ok(())
}

/// Lets a sum wait until its worker adds several together, see [`crate::engine::warp::sums`].
pub(crate) fn defer(inst: &mut Inst) {
    inst.o[Field::D2 as usize] = OperandSlot::Raw(1);
}

/// Whether [`defer`] was called for an atomic.
#[cfg(test)]
pub(crate) fn is_deferred(op: &crate::engine::warp::program::Op) -> bool {
    Atomic::unpack(op).deferred
}
