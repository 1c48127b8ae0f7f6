//! Accesses to parameters that are in registers.

use super::Translation;
use crate::finding::Space;
use crate::instr::context::Context;
use crate::instr::memory::Modifiers;
use crate::passes::error::{invalid, unsupported};
use crate::passes::ir::*;
use crate::passes::place_params::Piece;
use ptx::ast::{self, Base, Operand};

impl Translation<'_, '_> {
    /// Emits a copy of a register.
    pub(super) fn copy(&mut self, to: OperandSlot, from: OperandSlot, width: u32) -> Result<()> {
        let cx: &mut dyn Context = self;
        cx.copy(to, from, width)
    }

    /// Returns the pieces of a `.param` variable that is in registers, and the offset in it to which the operand
    /// points.
    fn param_pieces(&self, operand: &Operand) -> Option<(Vec<Piece>, i64)> {
        let Operand::Mem(Base::Sym(name), offset) = operand else {
            return None;
        };
        let slot = self.plan.slots.number_of(self.own.index, name)?;
        let is_in_memory = self.plan.slots.list[slot].memory.is_some();
        (!is_in_memory).then(|| (self.pieces(slot).to_vec(), *offset))
    }

    /// Lowers a load of a parameter that is in registers; returns false for any other load.
    pub(super) fn loads_parameter(&mut self, inst: &ast::Inst) -> Result<bool> {
        let how = Modifiers::parse(self, inst)?;
        if how.space != Space::Param {
            return Ok(false);
        }
        let (to, from) = (&inst.operands[0], &inst.operands[1]);
        if how.count == 1 && self.is_forwarded(to) {
            return Ok(true);
        }
        let list = how.elements(self, to)?;
        let size = how.ty.size();
        if let Operand::Mem(Base::Sym(name), offset) = from
            && self.own.function.entry
            && self.plan.params.contains_key(name)
        {
            for (k, to) in list.iter().enumerate() {
                let Operand::Reg(r) = to else { continue };
                let width = self.registers.width_of(*r);
                let at = offset + k as i64 * i64::from(size);
                let Some(source) = self.kernel_param(name, at, how.ty, width) else {
                    return Err(unsupported(format!("`{}`", inst.text()), self.place()));
                };
                let to = self.dest(to, width)?;
                self.copy(to, source, width)?;
            }
            return Ok(true);
        }
        let Some((pieces, offset)) = self.param_pieces(from) else {
            return Ok(false);
        };
        for (k, to) in list.iter().enumerate() {
            let at = offset + k as i64 * i64::from(size);
            let piece = pieces.iter().find(|p| i64::from(p.0) == at && p.1 == size);
            let Some(&(.., from)) = piece else {
                let what = "a read of a part of a parameter that was never written";
                return Err(invalid(what.into(), self.place()));
            };
            let to = self.dest(to, size)?;
            self.copy(to, from, size)?;
        }
        Ok(true)
    }

    /// Lowers a store to a parameter that is in registers; returns false for any other store.
    pub(super) fn stores_parameter(&mut self, inst: &ast::Inst) -> Result<bool> {
        let how = Modifiers::parse(self, inst)?;
        if how.space != Space::Param {
            return Ok(false);
        }
        let (to, from) = (&inst.operands[0], &inst.operands[1]);
        let Some((pieces, offset)) = self.param_pieces(to) else {
            return Ok(false);
        };
        let size = how.ty.size();
        for (k, from) in how.elements(self, from)?.iter().enumerate() {
            let at = offset + k as i64 * i64::from(size);
            let piece = pieces.iter().find(|p| i64::from(p.0) == at && p.1 == size);
            // A part that is never read has no place.
            if let Some(&(.., to)) = piece {
                let from = self.source(from, how.ty)?;
                self.copy(to, from, size)?;
            }
        }
        Ok(true)
    }
}
