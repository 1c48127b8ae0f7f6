//! Translates a function's body to basic blocks, instruction by instruction.

mod blocks;
mod call_frame;
mod context;
mod describe;
mod flow;
mod parameters;
mod registers;
mod values;

use self::blocks::BlockBuilder;
use self::call_frame::CallFrame;
use self::registers::Registers;
use super::facts::Facts;
use super::ir::*;
use super::plan::{Member, Plan};
use crate::instr::control::branch;
use crate::instr::wgmma;
use ptx::ast::{self, RegId};
use std::collections::BTreeSet;

/// A function while it is translated.
struct Translation<'t, 'm> {
    /// Where the data of the program lie.
    plan: &'t Plan<'m>,
    /// The function.
    own: Member<'m>,
    /// What is known about its body.
    facts: &'t Facts<'m>,
    /// What it shares with the other functions.
    tables: &'t mut Tables,
    registers: Registers,
    blocks: BlockBuilder,
    /// What it keeps while others call it again.
    frame: CallFrame,
    cursor: Cursor,
}

/// The current instruction.
#[derive(Default)]
struct Cursor {
    /// Its index in the body.
    at: u32,
    /// The index of its place in the source.
    loc: u32,
    /// Its guard, until code is generated for that.
    guard: Option<(RegId, bool)>,
}

/// Translates a function, to which its callers leave the return address in `back`.
pub fn translate<'m>(
    plan: &Plan<'m>,
    own: Member<'m>,
    facts: &Facts<'m>,
    tables: &mut Tables,
    back: Option<OperandSlot>,
) -> Result<Func> {
    let mut this = Translation {
        plan,
        own,
        facts,
        tables,
        registers: Registers::of(own.body),
        blocks: BlockBuilder::new(),
        frame: CallFrame::default(),
        cursor: Cursor::default(),
    };
    this.prologue(back)?;
    this.code()?;
    Ok(Func {
        name: own.function.name.clone(),
        aliases: this.registers.aliases(&facts.sources),
        regs: this.registers.finish(),
        declared: own.body.regs.len() as u32,
        blocks: this.blocks.finish(),
        back,
        idle: Vec::new(),
    })
}

impl<'m> Translation<'_, 'm> {
    /// Returns the current instruction's function and place, for errors.
    fn place(&self) -> (&'m str, ast::Loc) {
        let loc = self.tables.locs.get(self.cursor.loc as usize).map(|l| l.0).unwrap_or_default();
        (self.own.function.name.as_str(), loc)
    }

    /// Translates the body.
    fn code(&mut self) -> Result<()> {
        let body = self.own.body;
        let labels: BTreeSet<u32> = body.labels.iter().map(|(_, at)| *at).chain([0]).collect();
        self.blocks.add_starts(&labels);
        for (at, inst) in (0u32..).zip(&body.code) {
            self.cursor.loc = self.tables.loc(inst.loc, self.own.number);
            if let Some(block) = self.blocks.start(at) {
                self.fall(block);
            }
            if !self.blocks.is_open() {
                // Code that no label leads to is never executed, but it is checked like any other code.
                let block = self.blocks.add();
                self.blocks.enter(block);
            }
            (self.cursor.at, self.cursor.guard) = (at, inst.guard);
            self.instruction(inst)?;
            let used = describe::pending(inst, &self.facts.accumulators);
            if !used.is_empty() && self.blocks.is_open() {
                self.prepare(wgmma::look(&used));
            }
        }
        if let Some(block) = self.blocks.start(body.code.len() as u32) {
            self.fall(block);
        }
        // Falling off the end returns.
        if self.blocks.is_open() {
            if self.own.function.entry {
                self.end(Term::Exit);
            } else {
                self.leave()?;
            }
        }
        Ok(())
    }

    /// Continues in a block into which the open block falls through.
    fn fall(&mut self, to: u32) {
        self.blocks.fall(to, self.cursor.loc);
    }

    /// Ends the open block.
    fn end(&mut self, term: Term) {
        self.blocks.end(term, self.cursor.loc);
    }

    /// Returns the block of the code after the current instruction.
    fn after(&mut self) -> u32 {
        self.blocks.starting_at(self.cursor.at + 1)
    }

    /// Emits an instruction under the guard of the current one.
    fn emit(&mut self, inst: Inst) -> Result<()> {
        if let Some((reg, not)) = self.cursor.guard {
            let pred = self.reg(reg, 0)?;
            self.prepare(branch::guard(pred, not));
        }
        self.prepare(inst);
        Ok(())
    }

    /// Emits an unguarded instruction that only prepares an operand.
    fn prepare(&mut self, inst: Inst) {
        let described = describe::describe(inst, self.cursor.at, self.own.body, &self.facts.guesses);
        self.blocks.push(Inst { loc: self.cursor.loc, ..described });
    }
}
