//! The interface through which the families of instructions use the function that is being lowered.

use super::Translation;
use crate::engine::warp::program::Origin;
use crate::instr::context::Context;
use crate::kernel::LoadError;
use crate::lane::HostVectors;
use crate::passes::error::{invalid, unsupported};
use crate::passes::ir::*;
use ptx::ast::{Operand, RegId, Type};
use ptx::opcode::Opcode;

impl Context for Translation<'_, '_> {
    fn vectors(&self) -> HostVectors {
        self.plan.vectors
    }
    fn width_of(&self, reg: RegId) -> u32 {
        self.registers.width_of(reg)
    }
    fn reg(&mut self, reg: RegId, width: u32) -> Result<OperandSlot> {
        Translation::reg(self, reg, width)
    }
    fn source(&mut self, operand: &Operand, ty: Type) -> Result<OperandSlot> {
        Translation::source(self, operand, ty)
    }
    fn dest(&mut self, operand: &Operand, width: u32) -> Result<OperandSlot> {
        Translation::dest(self, operand, width)
    }
    fn temp(&mut self, width: u32) -> OperandSlot {
        self.registers.temp(width)
    }
    fn carry(&mut self) -> OperandSlot {
        self.registers.carry()
    }
    fn arrays(&self) -> Option<OperandSlot> {
        self.plan.frames.arrays
    }
    fn bits(&mut self, value: u64, width: u32) -> OperandSlot {
        self.tables.pools.bits(value, width)
    }
    fn symbol(&mut self, name: &str, offset: i64) -> Option<OperandSlot> {
        self.address_of(name, offset)
    }
    fn widened(&mut self, narrow: OperandSlot, offset: i64) -> OperandSlot {
        // The sum has 32 bits.
        let low = offset as u32;
        if let Some(known) = self.blocks.sum(narrow, low) {
            return known;
        }
        let wide = self.registers.temp(8);
        let cx: &dyn Context = self;
        let inst = cx.widen(wide, narrow, offset);
        Translation::prepare(self, inst);
        self.blocks.remember_sum(narrow, low, wide);
        wide
    }
    fn origin(&self, operand: &Operand) -> Origin {
        Translation::origin(self, operand)
    }
    fn only_chosen(&self, reg: RegId) -> bool {
        self.own.body.code.iter().all(|inst| inst.opcode == Opcode::Selp || !inst.reads(reg))
    }
    fn emit(&mut self, inst: Inst) -> Result<()> {
        Translation::emit(self, inst)
    }
    fn prepare(&mut self, inst: Inst) {
        Translation::prepare(self, inst);
    }
    fn end_with_barrier(&mut self, inst: Inst) {
        let after = self.after();
        self.end(Term::Barrier(Box::new(inst), after));
    }
    fn spelled(&self, operand: &Operand) -> String {
        operand.display(self.own.body).to_string()
    }
    fn unsupported(&self, what: String) -> LoadError {
        unsupported(what, self.place())
    }
    fn invalid(&self, what: String) -> LoadError {
        invalid(what, self.place())
    }
}
