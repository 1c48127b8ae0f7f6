//! The beginning and the end of a function: what it keeps of its own while it is called again.

use super::Translation;
use crate::instr::context::Context;
use crate::instr::control::{array, stack};
use crate::passes::find_functions::makes_arrays;
use crate::passes::ir::*;
use crate::passes::place_params::Piece;
use std::collections::HashMap;

/// What a function moves to registers of its own when it is called.
#[derive(Default)]
pub(super) struct CallFrame {
    /// In a function with frames, where the return address is kept, and where the caller left it.
    home: Option<(OperandSlot, OperandSlot)>,
    /// In a function with dynamic arrays, the start of the latest one when it was called.
    before: Option<OperandSlot>,
    /// In a function with frames, the registers of its own parameters, by their places.
    pieces: HashMap<usize, Vec<Piece>>,
}

impl Translation<'_, '_> {
    /// Returns the offset of a local variable or parameter in the frame, if this function has frames and contains it;
    /// and whether its address is generic.
    pub(super) fn framed(&self, name: &str) -> Option<(u32, bool)> {
        if !self.plan.frames.has(self.own.index) {
            return None;
        }
        match self.plan.slots.slot(self.own.index, name) {
            Some(slot) => slot.memory.filter(|_| slot.framed).map(|at| (at, true)),
            None => Some((self.plan.variables.local_offset(self.own.index, name)?, false)),
        }
    }

    /// Returns the address of a location in the frame: the stack pointer and an offset.
    pub(super) fn in_frame(&mut self, offset: u64) -> Option<OperandSlot> {
        let pointer = self.plan.frames.stack?.pointer;
        let offset = self.tables.pools.bits(offset, 8);
        let to = self.registers.temp(8);
        let cx: &mut dyn Context = self;
        let sum = cx.compute("add.s64", to, &[pointer, offset]).ok()?;
        self.prepare(sum);
        Some(to)
    }

    /// Emits the code before a function's first instruction: a kernel begins the stack, and a function with frames
    /// moves its parameters to its own places.
    pub(super) fn prologue(&mut self, back: Option<OperandSlot>) -> Result<()> {
        let framed = self.plan.frames.has(self.own.index);
        let (stack, arrays) = (self.plan.frames.stack, self.plan.frames.arrays);
        let begins = self.own.function.entry && (stack.is_some() || arrays.is_some());
        let makes = !self.own.function.entry && makes_arrays(self.own.function);
        if !begins && !makes && !framed {
            return Ok(());
        }
        let first = self.blocks.add();
        self.blocks.enter(first);
        let loc = self.own.body.code.first().map(|inst| inst.loc).unwrap_or_default();
        self.cursor.loc = self.tables.loc(loc, self.own.number);
        if self.own.function.entry {
            let offset = self.plan.variables.stack_start();
            self.plan.frames.stack.into_iter().for_each(|stack| self.prepare(stack::begin(stack, offset)));
            if let Some(last) = arrays {
                self.prepare(array::begin(last));
            }
            return Ok(());
        }
        if let Some(last) = arrays.filter(|_| makes) {
            let before = self.registers.temp(8);
            self.copy(before, last, 8)?;
            self.frame.before = Some(before);
        }
        if !framed {
            return Ok(());
        }
        if let Some(back) = back {
            let home = self.registers.temp(4);
            self.copy(home, back, 4)?;
            self.frame.home = Some((home, back));
        }
        for (own, exchanged) in self.plan.slots.own_of(self.own.index) {
            let mut pieces = Vec::new();
            for &(offset, size, from) in &self.plan.slots.list[exchanged].pieces {
                let to = self.registers.temp(size);
                pieces.push((offset, size, to));
                self.copy(to, from, size)?;
            }
            self.frame.pieces.insert(own, pieces);
            self.exchange(own, exchanged, false);
        }
        Ok(())
    }

    /// Copies a parameter that is in memory into the frame, or `out` of it.
    fn exchange(&mut self, own: usize, exchanged: usize, out: bool) {
        let (own, exchanged) = (&self.plan.slots.list[own], &self.plan.slots.list[exchanged]);
        if let (Some(framed), Some(fixed), Some(stack)) = (own.memory, exchanged.memory, self.plan.frames.stack) {
            // A parameter with a place in memory fits into it.
            let bytes = own.size as u32;
            self.prepare(stack::parameter(stack, bytes, fixed, framed, out));
        }
    }

    /// Returns from the function.
    pub(super) fn leave(&mut self) -> Result<()> {
        if let (Some(before), Some(last)) = (self.frame.before, self.plan.frames.arrays) {
            self.copy(last, before, 8)?;
        }
        if let Some((home, back)) = self.frame.home {
            let results = self.own.function.returns.len();
            for (own, exchanged) in self.plan.slots.own_of(self.own.index).into_iter().take(results) {
                let from = self.pieces(own).to_vec();
                for ((_, size, from), &(.., to)) in from.into_iter().zip(&self.plan.slots.list[exchanged].pieces) {
                    self.copy(to, from, size)?;
                }
                self.exchange(own, exchanged, true);
            }
            self.copy(back, home, 4)?;
        }
        self.end(Term::Ret);
        Ok(())
    }

    /// Returns the registers in which the parts of a parameter are, by its place.
    pub(super) fn pieces(&self, slot: usize) -> &[Piece] {
        self.frame.pieces.get(&slot).unwrap_or(&self.plan.slots.list[slot].pieces)
    }
}
