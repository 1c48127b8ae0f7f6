//! The interface through which the families of instructions use the function that is being lowered.

use super::error::{invalid, unsupported};
use super::function::FnBuilder;
use super::ir::*;
use crate::engine::warp::program::Origin;
use crate::instr::context::Context;
use crate::kernel::LoadError;
use crate::lane::HostVectors;
use crate::ptx::ast::{Operand, RegId, Type};
use crate::ptx::opcode::Opcode;

impl Context for FnBuilder<'_, '_> {
    fn vectors(&self) -> HostVectors {
        self.b.vectors
    }
    fn width_of(&self, reg: RegId) -> u32 {
        FnBuilder::width_of(self, reg)
    }
    fn reg(&mut self, reg: RegId, width: u32) -> Result<OperandSlot> {
        FnBuilder::reg(self, reg, width)
    }
    fn source(&mut self, operand: &Operand, ty: Type) -> Result<OperandSlot> {
        FnBuilder::source(self, operand, ty)
    }
    fn dest(&mut self, operand: &Operand, width: u32) -> Result<OperandSlot> {
        FnBuilder::dest(self, operand, width)
    }
    fn temp(&mut self, width: u32) -> OperandSlot {
        FnBuilder::temp(self, width)
    }
    fn carry(&mut self) -> OperandSlot {
        FnBuilder::carry(self)
    }
    fn arrays(&self) -> Option<OperandSlot> {
        self.b.frames.arrays
    }
    fn bits(&mut self, value: u64, width: u32) -> OperandSlot {
        self.b.pools.bits(value, width)
    }
    fn symbol(&mut self, name: &str, offset: i64) -> Option<OperandSlot> {
        self.address_of(name, offset)
    }
    fn widened(&mut self, narrow: OperandSlot, offset: i64) -> OperandSlot {
        if let Some(known) = self.widened.get(&(narrow, offset as u32)) {
            return *known;
        }
        let wide = FnBuilder::temp(self, 8);
        let cx: &dyn Context = self;
        let inst = cx.widen(wide, narrow, offset);
        FnBuilder::prepare(self, inst);
        self.widened.insert((narrow, offset as u32), wide);
        wide
    }
    fn origin(&self, operand: &Operand) -> Origin {
        FnBuilder::origin(self, operand)
    }
    fn only_chosen(&self, reg: RegId) -> bool {
        self.body.code.iter().all(|inst| inst.opcode == Opcode::Selp || !inst.reads(reg))
    }
    fn emit(&mut self, inst: Inst) -> Result<()> {
        FnBuilder::emit(self, inst)
    }
    fn prepare(&mut self, inst: Inst) {
        FnBuilder::prepare(self, inst);
    }
    fn end_with_barrier(&mut self, inst: Inst) {
        let after = self.after();
        self.end(Term::Barrier(Box::new(inst), after));
    }
    fn unsupported(&self, what: String) -> LoadError {
        unsupported(what, self.at())
    }
    fn invalid(&self, what: String) -> LoadError {
        invalid(what, self.at())
    }
}
