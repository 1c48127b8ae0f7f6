//! Control flow: branches, calls and guards, and the dispatch of instructions to the code that lowers them.

use super::Translation;
use crate::instr::row::FamilyRow;
use crate::instr::system::{Call, lacking, provided};
use crate::instr::{self, alu};
use crate::passes::error::{invalid, unsupported};
use crate::passes::find_functions::fitting;
use crate::passes::ir::*;
use crate::passes::place_params::{self, Callee, Slot};
use ptx::ast::{self, Operand, Type};
use ptx::opcode::{Opcode, OpcodeKind};

impl Translation<'_, '_> {
    /// Lowers an instruction.
    pub(super) fn instruction(&mut self, inst: &ast::Inst) -> Result<()> {
        self.blocks.count(self.cursor.at, self.cursor.loc);
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
        let Some((reg, not)) = self.cursor.guard.take() else {
            return self.unguarded(inst, row);
        };
        let (do_it, after) = (self.blocks.add(), self.after());
        let pred = self.reg(reg, 0)?;
        self.end(Term::Branch { pred, not, yes: do_it, no: after });
        self.blocks.enter(do_it);
        self.unguarded(inst, row)?;
        self.fall(after);
        Ok(())
    }

    fn label(&self, operand: Option<&Operand>) -> Result<u32> {
        match operand {
            Some(Operand::Label(at)) => {
                self.blocks.start(*at).ok_or_else(|| invalid("a jump to a non-label".into(), self.place()))
            }
            _ => Err(invalid("a branch without a label".into(), self.place())),
        }
    }

    fn bra(&mut self, inst: &ast::Inst) -> Result<()> {
        let target = self.label(inst.operands.first())?;
        match self.cursor.guard.take() {
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
            Opcode::Ret if !self.own.function.entry => return self.leave(),
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
            return Err(invalid("brx.idx takes an index and a table".into(), self.place()));
        };
        let index = self.source(index, Type::U32)?;
        let Operand::Sym(name, _) = table else {
            return Err(invalid("brx.idx without a table".into(), self.place()));
        };
        let list = self.own.body.branch_targets.iter().find(|(n, _)| n == name);
        let Some((_, list)) = list else {
            return Err(invalid(format!("no table `{name}`"), self.place()));
        };
        let mut targets = Vec::new();
        for &at in list {
            let block = self.blocks.start(at);
            let wrong = || invalid("a jump to a non-label".into(), self.place());
            targets.push(block.ok_or_else(wrong)?);
        }
        self.end(Term::Table { index, targets });
        Ok(())
    }

    fn call(&mut self, inst: &ast::Inst) -> Result<()> {
        let (callee, ..) = place_params::callee(self.plan.module, self.own.function, inst)?;
        match callee {
            Callee::Direct(index) => {
                let function = &self.plan.module.functions[index];
                if function.body.is_none() {
                    return self.call_of_machine(index);
                }
                let Some(at_program) = self.plan.number_of(index) else {
                    return Err(invalid(
                        format!("a call to `{}`, which cannot be reached", function.name),
                        self.place(),
                    ));
                };
                let after = self.after();
                self.end(Term::Call(at_program, after));
            }
            Callee::Signature(wanted) => {
                let Some(pointer) = inst.operands.get(1) else {
                    return Err(invalid("a call without a function".into(), self.place()));
                };
                let pointer = self.source(pointer, Type::U64)?;
                let fitting = fitting(self.plan.module, &wanted, &self.plan.env.pointers);
                let numbers = fitting.into_iter().filter_map(|f| self.plan.number_of(f));
                let targets = numbers.collect();
                let after = self.after();
                self.end(Term::CallPointer(pointer, after, targets));
            }
        }
        Ok(())
    }

    /// Lowers a call of a function that the machine provides.
    fn call_of_machine(&mut self, index: usize) -> Result<()> {
        let function = &self.plan.module.functions[index];
        let name = function.name.as_str();
        let Some(provided) = provided(name, function.params.len()) else {
            let what = lacking(name).map_or_else(|| format!("a call to `{name}`, which has no body,"), str::to_owned);
            return Err(unsupported(what, self.place()));
        };
        let results = function.returns.len();
        let place = |this: &Self, i: usize| this.plan.slots.formal_of(index, i).and_then(Slot::whole);
        let arguments = (0..provided.arguments).map(|i| {
            place(self, results + i).ok_or_else(|| {
                let what = format!("a call to `{name}` with arguments in parts");
                unsupported(what, self.place())
            })
        });
        let call = Call {
            arguments: arguments.collect::<Result<_>>()?,
            result: place(self, 0).filter(|_| results == 1),
            packing: 0,
        };
        let packing = match self.facts.printed.get(&self.cursor.at).filter(|_| provided.prints) {
            Some(packed) => {
                self.tables.packed.push(packed.clone());
                self.tables.packed.len() as u32
            }
            None => 0,
        };
        self.emit((provided.lower)(&Call { packing, ..call }))
    }
}
