//! Control flow: branches, calls and guards, and the dispatch of instructions to the code that lowers them.

use super::calls::fitting;
use super::error::{invalid, unsupported};
use super::function::FnBuilder;
use super::ir::*;
use super::params::{self, Callee, Slot};
use crate::instr::row::FamilyRow;
use crate::instr::system::{Call, lacking, provided};
use crate::instr::{self, alu};
use crate::ptx::ast::{self, Operand, Type};
use crate::ptx::opcode::{Opcode, OpcodeKind};

impl FnBuilder<'_, '_> {
    /// Lowers an instruction.
    pub fn instruction(&mut self, inst: &ast::Inst) -> Result<()> {
        self.tick();
        if inst.opcode == Opcode::Bra {
            return self.bra(inst);
        }
        let row = instr::find(inst.opcode);
        let leaves = matches!(inst.opcode.kind(), OpcodeKind::Branch | OpcodeKind::Call);
        if leaves || row.is_some_and(|row| row.waits) {
            return self.around(inst, row);
        }
        self.unguarded(inst, row)
    }

    /// Lowers an instruction in which lanes may wait or exit. If it has a guard, lanes for which the guard does not
    /// hold jump over it.
    fn around(&mut self, inst: &ast::Inst, row: Option<&FamilyRow>) -> Result<()> {
        let Some((reg, not)) = self.guard.take() else {
            return self.unguarded(inst, row);
        };
        let (do_it, after) = (self.new_block(), self.after());
        let pred = self.reg(reg, 0)?;
        self.end(Term::Branch { pred, not, yes: do_it, no: after });
        self.enter(do_it);
        self.unguarded(inst, row)?;
        self.fall(after);
        Ok(())
    }

    fn label(&self, operand: Option<&Operand>) -> Result<u32> {
        match operand {
            Some(Operand::Label(at)) => {
                self.starts.get(at).copied().ok_or_else(|| invalid("a jump to a non-label".into(), self.at()))
            }
            _ => Err(invalid("a branch without a label".into(), self.at())),
        }
    }

    fn bra(&mut self, inst: &ast::Inst) -> Result<()> {
        let target = self.label(inst.operands.first())?;
        match self.guard.take() {
            None => self.end(Term::Goto(target)),
            Some((reg, not)) => {
                let pred = self.reg(reg, 0)?;
                let no = self.after();
                self.end(Term::Branch { pred, not, yes: target, no });
            }
        }
        Ok(())
    }

    fn unguarded(&mut self, inst: &ast::Inst, row: Option<&FamilyRow>) -> Result<()> {
        match inst.opcode {
            Opcode::Brx => return self.brx(inst),
            Opcode::Call => return self.call(inst),
            Opcode::Ret if !self.f.entry => return self.leave(),
            Opcode::Ret | Opcode::Exit => {
                self.end(Term::Exit);
                return Ok(());
            }
            // The operand that this register stands for is read in its place.
            Opcode::Mov | Opcode::Cvta if inst.operands.first().is_some_and(|to| self.is_forwarded(to)) => {
                return Ok(());
            }
            Opcode::Ld | Opcode::Ldu if self.loads_parameter(inst)? => return Ok(()),
            Opcode::St if self.stores_parameter(inst)? => return Ok(()),
            _ => {}
        }
        match row {
            Some(row) => (row.lower)(self, inst),
            None => alu::lower::lower(self, inst),
        }
    }

    fn brx(&mut self, inst: &ast::Inst) -> Result<()> {
        let [index, table] = inst.operands.as_slice() else {
            return Err(invalid("brx.idx takes an index and a table".into(), self.at()));
        };
        let index = self.source(index, Type::U32)?;
        let Operand::Sym(name, _) = table else {
            return Err(invalid("brx.idx without a table".into(), self.at()));
        };
        let list = self.body.branch_targets.iter().find(|(n, _)| n == name);
        let Some((_, list)) = list else {
            return Err(invalid(format!("no table `{name}`"), self.at()));
        };
        let mut targets = Vec::new();
        for &at in list {
            let block = self.starts.get(&at).copied();
            let wrong = || invalid("a jump to a non-label".into(), self.at());
            targets.push(block.ok_or_else(wrong)?);
        }
        self.end(Term::Table { index, targets });
        Ok(())
    }

    fn call(&mut self, inst: &ast::Inst) -> Result<()> {
        let (callee, ..) = params::callee(self.b.module, self.f, inst)?;
        match callee {
            Callee::Direct(index) => {
                let function = &self.b.module.functions[index];
                if function.body.is_none() {
                    return self.call_of_machine(index);
                }
                let Some(at_program) = self.b.functions.iter().position(|&f| f == index) else {
                    return Err(invalid(format!("a call to `{}`, which cannot be reached", function.name), self.at()));
                };
                let after = self.after();
                self.end(Term::Call(at_program, after));
            }
            Callee::Signature(wanted) => {
                let Some(pointer) = inst.operands.get(1) else {
                    return Err(invalid("a call without a function".into(), self.at()));
                };
                let pointer = self.source(pointer, Type::U64)?;
                let fitting = fitting(self.b.module, &wanted, &self.b.env.pointers);
                let numbers = fitting.iter().filter_map(|f| self.b.functions.iter().position(|own| own == f));
                let targets = numbers.collect();
                let after = self.after();
                self.end(Term::CallPointer(pointer, after, targets));
            }
        }
        Ok(())
    }

    /// Lowers a call of a function that the machine provides.
    fn call_of_machine(&mut self, index: usize) -> Result<()> {
        let function = &self.b.module.functions[index];
        let name = function.name.as_str();
        let Some(provided) = provided(name, function.params.len()) else {
            let what = lacking(name).map_or_else(|| format!("a call to `{name}`, which has no body,"), str::to_owned);
            return Err(unsupported(what, self.at()));
        };
        let results = function.returns.len();
        let place = |this: &Self, i: usize| this.b.slots.formal_of(index, i).and_then(Slot::whole);
        let arguments = (0..provided.arguments).map(|i| {
            place(self, results + i).ok_or_else(|| {
                let what = format!("a call to `{name}` with arguments in parts");
                unsupported(what, self.at())
            })
        });
        let call = Call {
            arguments: arguments.collect::<Result<_>>()?,
            result: place(self, 0).filter(|_| results == 1),
            packing: 0,
        };
        let packing = match provided.prints.then(|| self.packed(self.now)).flatten() {
            Some(packed) => {
                self.b.packed.push(packed);
                self.b.packed.len() as u32
            }
            None => 0,
        };
        self.emit((provided.lower)(&Call { packing, ..call }))
    }
}
