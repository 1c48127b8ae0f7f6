//! Video instructions, whose operands may be bytes or half words of registers: `vadd` and its variants, which compute
//! one value (see [`scalar`]), and `vadd2`, `vadd4` and their variants, which compute two or four (see [`lanes`]).
//!
//! The modifiers and the selectors of the operands are encoded as a number, which becomes the instruction's immediate.

mod lanes;
mod scalar;

pub(super) use lanes::rows;

use super::dispatch::{self, Alu, SOURCES, TO};
use crate::instr::code::Inst;
use crate::instr::context::{Context, Result};
use crate::instr::operands::{Number, codes};
use ptx::ast::{self, Operand, RegId, RegisterPart, Type};

codes! {
    /// The comparison of `vset`.
    enum Comparison {
        Equal = "eq",
        Different = "ne",
        Less = "lt",
        LessOrEqual = "le",
        Greater = "gt",
        GreaterOrEqual = "ge",
    }
}

impl Comparison {
    fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Comparison::Equal => a == b,
            Comparison::Different => a != b,
            Comparison::Less => a < b,
            Comparison::LessOrEqual => a <= b,
            Comparison::Greater => a > b,
            Comparison::GreaterOrEqual => a >= b,
        }
    }
}

/// Lowers an instruction that computes one value.
pub(super) fn scalar(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let Some(how) = scalar::ScalarModifiers::parse(inst) else {
        return Err(cx.missing(inst));
    };
    lower::<scalar::Video>(cx, inst, how.code(), how.needs_third())
}

/// Lowers an instruction that computes two or four values.
pub(super) fn lanes(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let Some(code) = lanes::code(inst.text()).and_then(|code| lanes::select(code, &inst.operands)) else {
        return Err(cx.missing(inst));
    };
    lower::<lanes::Video>(cx, inst, code, true)
}

fn lower<O: Alu>(cx: &mut dyn Context, inst: &ast::Inst, code: u64, third: bool) -> Result<()> {
    if inst.operands.len() != 3 + usize::from(third) {
        return Err(cx.wrong(inst));
    }
    let mut out = Inst::new(dispatch::cold::<O>(cx.vectors()));
    out.imm = code;
    for (operand, at) in inst.operands[1..].iter().zip(SOURCES) {
        out = out.read(at, cx.source(&whole(operand), Type::B32)?);
    }
    if !third {
        let zero = cx.bits(0, 4);
        out = out.read(SOURCES[2], zero);
    }
    let to = cx.dest(&whole(&inst.operands[0]), 4)?;
    cx.emit(out.write(TO, to))
}

/// Returns the register of an operand that is a part of a register.
fn whole(operand: &Operand) -> Operand {
    match operand {
        Operand::Part(register, _) => Operand::Reg(*register),
        other => other.clone(),
    }
}

/// Returns the register and the part that an operand selects.
fn part_of(operand: Option<&Operand>) -> Option<(RegId, &RegisterPart)> {
    match operand {
        Some(Operand::Part(register, part)) => Some((*register, part)),
        _ => None,
    }
}

/// Whether a type is signed.
fn is_signed(word: &str) -> Option<bool> {
    match word {
        "s32" => Some(true),
        "u32" => Some(false),
        _ => None,
    }
}
