//! Lowers PTX to instructions of the table.

use super::dispatch::{self, SECOND, SOURCES, TO, op};
use super::divide;
use super::index::{find, find_cvt, find_pair};
use super::select::parts as names;
use super::table::{AluForm, Imm};
use crate::instr::code::{Inst, OperandSlot};
use crate::instr::context::{Context, Result, width};
use ptx::ast::{self, Operand, Type};
use ptx::opcode::Opcode;
use smallvec::SmallVec;

/// Returns the row for an instruction as written, given its register sizes.
fn form(cx: &dyn Context, inst: &ast::Inst, to: &Operand, from: &[Operand]) -> Option<&'static AluForm> {
    let name = inst.text();
    if let Operand::Pair(..) = to {
        return find_pair(name);
    }
    let plain = find(name)?;
    if inst.opcode != Opcode::Cvt {
        return Some(plain);
    }
    let bits = |operand: Option<&Operand>, ty: Type| match operand {
        Some(Operand::Reg(r)) => cx.width_of(*r) * 8,
        _ => width(ty) * 8,
    };
    let source = plain.src.first().copied().unwrap_or(Type::B32);
    find_cvt(name, bits(Some(to), plain.dst), bits(from.first(), source))
}

/// Lowers an instruction of the table.
pub(crate) fn lower(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let name = inst.text();
    let Some((to, from)) = inst.operands.split_first() else {
        return Err(cx.missing(inst));
    };
    let form = form(cx, inst, to, from).ok_or_else(|| cx.missing(inst))?;
    let mut out = Inst::new((form.handlers)(cx.vectors()));
    let sources = form.src.len() - usize::from(form.carry_in);
    let expected = sources + usize::from(form.imm == Imm::Operand);
    if from.len() != expected {
        return Err(cx.invalid(format!("`{name}` with {} sources, where it takes {expected}", from.len())));
    }
    if divide::is_division(inst) {
        divide::look(cx, inst, form.src[1])?;
    }
    let mut from: SmallVec<[&Operand; 5]> = from.iter().collect();
    match form.imm {
        Imm::None => {}
        Imm::Preset(value) => out.imm = value,
        // The literal follows the three words, before the predicate if there is one.
        Imm::Operand => match from.remove(sources.min(3)) {
            Operand::Int(value) => out.imm = *value as u64,
            _ => return Err(cx.invalid(format!("`{name}` without its literal"))),
        },
    }
    for ((operand, ty), at) in from.into_iter().zip(&form.src[..sources]).zip(SOURCES) {
        out = out.read(at, cx.source(operand, *ty)?);
    }
    if form.carry_in {
        out = out.read(SOURCES[sources], cx.carry());
    }
    match (to, form.dst2) {
        (Operand::Pair(p, q), Some(second)) => {
            out = out.write(TO, cx.dest(p, width(form.dst))?);
            out = out.write(SECOND, cx.dest(q, width(second))?);
        }
        (to, second) => {
            out = out.write(TO, cx.dest(to, width(form.dst))?);
            if form.carry_out {
                out = out.write(SECOND, cx.carry());
            } else if let Some(second) = second {
                // The second result is not used.
                out = out.write(SECOND, cx.temp(width(second)));
            }
        }
    }
    cx.emit(out)
}

impl dyn Context + '_ {
    /// Returns an instruction of the table by its full name.
    pub fn compute(&self, name: &str, to: OperandSlot, from: &[OperandSlot]) -> Result<Inst> {
        let form = find(name).ok_or_else(|| self.unsupported(format!("`{name}`")))?;
        let inst = Inst::new((form.handlers)(self.vectors())).write(TO, to);
        let sources = from.iter().zip(SOURCES);
        Ok(sources.fold(inst, |inst, (&from, at)| inst.read(at, from)))
    }

    /// Emits a copy of a register.
    pub fn copy(&mut self, to: OperandSlot, from: OperandSlot, width: u32) -> Result<()> {
        let name = match width {
            0 => "mov.pred",
            2 => "mov.b16",
            4 => "mov.b32",
            _ => "mov.b64",
        };
        let inst = self.compute(name, to, &[from])?;
        self.emit(inst)
    }
}

op! {
    /// The sum with the immediate in 32 bits, as a 64-bit address.
    Widened(a: u32) [imm] -> u64 { u64::from(a.wrapping_add(imm as u32)) }
}

impl dyn Context + '_ {
    /// Returns an instruction that adds an offset to a 32-bit address, in 32 bits, and writes the sum to a 64-bit
    /// register.
    pub fn widen(&self, to: OperandSlot, narrow: OperandSlot, offset: i64) -> Inst {
        let inst = Inst::new(dispatch::hot::<Widened>(self.vectors()));
        Inst { imm: offset as u64, ..inst }.write(TO, to).read(SOURCES[0], narrow)
    }
}

/// Lowers `mov`, including packing and unpacking of vectors.
pub(super) fn mov(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    match inst.operands.as_slice() {
        [Operand::Vec(to), Operand::Vec(from)] => mov_parts(cx, to, from),
        [Operand::Vec(parts), whole] => unpack(cx, parts, whole),
        [whole, Operand::Vec(parts)] => pack(cx, whole, parts),
        [_, _] => lower(cx, inst),
        _ => Err(cx.invalid("mov takes two operands".into())),
    }
}

/// Lowers a `mov` from parts to parts: of vectors, or between a pair of halves of 128 bits and their parts.
fn mov_parts(cx: &mut dyn Context, to: &[Operand], from: &[Operand]) -> Result<()> {
    match (to, from) {
        ([low, high], [a, b, c, d]) => {
            pack(cx, low, &[a.clone(), b.clone()])?;
            pack(cx, high, &[c.clone(), d.clone()])
        }
        ([a, b, c, d], [low, high]) => {
            unpack(cx, &[a.clone(), b.clone()], low)?;
            unpack(cx, &[c.clone(), d.clone()], high)
        }
        _ if to.len() == from.len() => mov_each(cx, to, from),
        _ => Err(cx.unsupported("a mov to such a vector".into())),
    }
}

/// Copies the parts of a vector. A destination may be a source of a later copy.
fn mov_each(cx: &mut dyn Context, to: &[Operand], from: &[Operand]) -> Result<()> {
    let mut copies: SmallVec<[(OperandSlot, OperandSlot, u32); 4]> = SmallVec::new();
    for (to, from) in to.iter().zip(from) {
        let Operand::Reg(register) = to else { continue };
        let width = cx.width_of(*register);
        let ty = match width {
            2 => Type::B16,
            4 => Type::B32,
            _ => Type::B64,
        };
        let (from, held) = (cx.source(from, ty)?, cx.temp(width));
        cx.copy(held, from, width)?;
        copies.push((cx.dest(to, width)?, held, width));
    }
    copies.into_iter().try_for_each(|(to, held, width)| cx.copy(to, held, width))
}

fn pack(cx: &mut dyn Context, whole: &Operand, parts: &[Operand]) -> Result<()> {
    let width = match whole {
        Operand::Reg(r) => cx.width_of(*r),
        _ => 0,
    };
    let (name, ty) = match (width, parts.len()) {
        (2, 2) => (names::PACK_2X8, Type::U8),
        (4, 4) => (names::PACK_4X8, Type::U8),
        (4, 2) => (names::PACK_2X16, Type::U16),
        (8, 2) => (names::PACK_2X32, Type::U32),
        (8, 4) => (names::PACK_4X16, Type::U16),
        _ => return Err(cx.unsupported("a mov from such a vector".into())),
    };
    let parts = parts.iter().map(|part| cx.source(part, ty));
    let parts: SmallVec<[OperandSlot; 4]> = parts.collect::<Result<_>>()?;
    let to = cx.dest(whole, width)?;
    let inst = cx.compute(name, to, &parts)?;
    cx.emit(inst)
}

fn unpack(cx: &mut dyn Context, parts: &[Operand], whole: &Operand) -> Result<()> {
    let width = match whole {
        Operand::Reg(r) => cx.width_of(*r),
        _ if parts.len() == 4 => 8,
        _ => match parts.first() {
            Some(Operand::Reg(r)) => cx.width_of(*r) * 2,
            _ => 8,
        },
    };
    // A register of 8 bits takes the place of one of 16.
    let (steps, part): (&[&str], u32) = match (width, parts.len()) {
        (2, 2) => (&[names::UNPACK_2X8], 2),
        (4, 4) => (&[names::UNPACK_4X8_LOW, names::UNPACK_4X8_HIGH], 2),
        (4, 2) => (&[names::UNPACK_2X16], 2),
        (8, 2) => (&[names::UNPACK_2X32], 4),
        (8, 4) => (&[names::UNPACK_4X16_LOW, names::UNPACK_4X16_HIGH], 2),
        _ => return Err(cx.unsupported("a mov to such a vector".into())),
    };
    let (ty, copies) = match width {
        2 => (Type::B16, "mov.b16"),
        4 => (Type::B32, "mov.b32"),
        _ => (Type::B64, "mov.b64"),
    };
    let mut from = cx.source(whole, ty)?;
    if steps.len() > 1 {
        // The first step may overwrite the source of the second.
        let copy = cx.temp(width);
        let inst = cx.compute(copies, copy, &[from])?;
        cx.prepare(inst);
        from = copy;
    }
    for (step, pair) in steps.iter().zip(parts.chunks(2)) {
        let first = cx.dest(&pair[0], part)?;
        let second = cx.dest(&pair[1], part)?;
        let inst = cx.compute(step, first, &[from])?;
        cx.emit(inst.write(SECOND, second))?;
    }
    Ok(())
}
