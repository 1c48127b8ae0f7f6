//! Recursive functions, which may be active more than once in a thread.
//!
//! Every other function has one place for its registers, parameters and local variables. A recursive function has a
//! frame on the lane's stack: it holds the local variables, and has room for the registers that are needed after a call
//! which may enter the function again. Those registers are saved where no kernel can write. Parameters are exchanged as
//! for other functions, and moved to the function's own places at its beginning.

use super::alloc::live_at_starts;
use super::calls::makes_arrays;
use super::frames::Frames;
use super::function::FnBuilder;
use super::ir::*;
use crate::instr::context::Context;
use crate::instr::control::array;
use crate::instr::control::stack::{self, Stack, saved_bytes};

/// The contents of a frame besides variables and registers: the return address, and the overhead of the hardware's
/// calling convention. With this value, a function whose frames on an H200 allow a depth of 8 but not of 11 overflows
/// between the two.
const CALL_BYTES: u32 = 16;

impl Frames {
    /// Completes the lowered functions of a program, whose indices in the module are in `functions`: those with a frame
    /// enter it, and save what they need after a call.
    pub fn complete(&self, functions: &[usize], lowered: &mut [Func]) {
        let Some(stack) = self.stack else { return };
        for (func, &index) in lowered.iter_mut().zip(functions) {
            if let Some(&locals) = self.bytes.get(&index) {
                self.complete_one((func, index), functions, stack, locals.next_multiple_of(8));
            }
        }
    }

    fn complete_one(&self, (func, index): (&mut Func, usize), functions: &[usize], stack: Stack, locals: u32) {
        let live = live_at_starts(func);
        // The blocks that end in calls, the blocks that follow the calls, and whether the call may enter this function
        // again.
        let calls = func.blocks.iter().enumerate().filter_map(|(at, block)| match block.term {
            Term::Call(callee, then) => {
                let callee = functions[callee];
                Some((at, then, callee == index || self.reaches[&callee].contains(&index)))
            }
            Term::CallPointer(_, then, _) => Some((at, then, true)),
            _ => None,
        });
        let calls: Vec<(usize, u32, bool)> = calls.collect();
        let saved = |then: u32, again: bool| -> Vec<(OperandSlot, u32)> {
            let needed = live[then as usize].iter().filter(|_| again);
            needed.map(|&r| (OperandSlot::Reg(r), func.regs[r as usize])).collect()
        };
        let sites: Vec<_> = calls.iter().map(|&(at, then, again)| (at, then, saved(then, again))).collect();
        let most = sites.iter().map(|(.., saved)| saved.iter().map(|s| saved_bytes(s.1)).sum()).max();
        let frame = (locals + most.unwrap_or(0u32) + CALL_BYTES).next_multiple_of(16);
        for (at, then, saved) in sites {
            let block = &mut func.blocks[at];
            let loc = block.term_loc;
            let add = |insts: &mut Vec<Inst>, inst: Inst| insts.push(Inst { loc, ..inst });
            let mut after = Block::new();
            (after.term, after.term_loc) = (Term::Goto(then), loc);
            if !saved.is_empty() {
                add(&mut block.insts, stack::save(&saved));
            }
            add(&mut block.insts, stack::push(stack, frame));
            add(&mut after.insts, stack::pop(stack, frame));
            if !saved.is_empty() {
                add(&mut after.insts, stack::restore(&saved));
            }
            let next = func.blocks.len() as u32;
            match &mut func.blocks[at].term {
                Term::Call(_, then) | Term::CallPointer(_, then, _) => *then = next,
                _ => {}
            }
            func.blocks.push(after);
        }
        let first = &mut func.blocks[0];
        let loc = first.insts.first().map_or(first.term_loc, |inst| inst.loc);
        first.insts.insert(0, Inst { loc, ..stack::enter(stack, frame) });
    }
}

impl FnBuilder<'_, '_> {
    /// Returns the offset of a local variable or parameter in the frame, if this function has frames and contains it;
    /// and whether its address is generic.
    pub fn framed(&self, name: &str) -> Option<(u32, bool)> {
        if !self.b.frames.has(self.index) {
            return None;
        }
        match self.b.slots.slot(self.index, name) {
            Some(slot) => slot.memory.filter(|_| slot.framed).map(|at| (at, true)),
            None => Some((self.b.frame_offset(self.index, name)?, false)),
        }
    }

    /// Returns the address of a location in the frame: the stack pointer and an offset.
    pub fn in_frame(&mut self, offset: u64) -> Option<OperandSlot> {
        let pointer = self.b.frames.stack?.pointer;
        let offset = self.b.pools.bits(offset, 8);
        let to = self.temp(8);
        let cx: &mut dyn Context = self;
        let sum = cx.compute("add.s64", to, &[pointer, offset]).ok()?;
        self.prepare(sum);
        Some(to)
    }

    /// Emits the code before a function's first instruction: a kernel begins the stack, and a function with frames
    /// moves its parameters to its own places.
    pub fn prologue(&mut self, back: Option<OperandSlot>) -> Result<()> {
        let framed = self.b.frames.has(self.index);
        let (stack, arrays) = (self.b.frames.stack, self.b.frames.arrays);
        let begins = self.f.entry && (stack.is_some() || arrays.is_some());
        let makes = !self.f.entry && makes_arrays(self.f);
        if !begins && !makes && !framed {
            return Ok(());
        }
        let first = self.new_block();
        self.enter(first);
        self.loc = self.b.loc(self.body.code.first().map(|inst| inst.loc).unwrap_or_default(), self.index);
        if self.f.entry {
            let offset = self.b.stack_start();
            self.b.frames.stack.into_iter().for_each(|stack| self.prepare(stack::begin(stack, offset)));
            if let Some(last) = arrays {
                self.prepare(array::begin(last));
            }
            return Ok(());
        }
        if let Some(last) = arrays.filter(|_| makes) {
            let before = self.temp(8);
            self.copy(before, last, 8)?;
            self.before = Some(before);
        }
        if !framed {
            return Ok(());
        }
        if let Some(back) = back {
            let home = self.temp(4);
            self.copy(home, back, 4)?;
            self.home = Some((home, back));
        }
        for (own, exchanged) in self.b.slots.own_of(self.index) {
            for at in 0..self.b.slots.list[own].pieces.len() {
                let (_, size, from) = self.b.slots.list[exchanged].pieces[at];
                let to = self.temp(size);
                self.b.slots.list[own].pieces[at].2 = to;
                self.copy(to, from, size)?;
            }
            self.exchange(own, exchanged, false);
        }
        Ok(())
    }

    /// Copies a parameter that is in memory into the frame, or `out` of it.
    fn exchange(&mut self, own: usize, exchanged: usize, out: bool) {
        let (own, exchanged) = (&self.b.slots.list[own], &self.b.slots.list[exchanged]);
        if let (Some(framed), Some(fixed), Some(stack)) = (own.memory, exchanged.memory, self.b.frames.stack) {
            // A parameter with a place in memory fits into it.
            let bytes = own.size as u32;
            self.prepare(stack::parameter(stack, bytes, fixed, framed, out));
        }
    }

    /// Returns from the function.
    pub fn leave(&mut self) -> Result<()> {
        if let (Some(before), Some(last)) = (self.before, self.b.frames.arrays) {
            self.copy(last, before, 8)?;
        }
        if let Some((home, back)) = self.home {
            for (own, exchanged) in self.b.slots.own_of(self.index).into_iter().take(self.f.returns.len()) {
                for at in 0..self.b.slots.list[own].pieces.len() {
                    let (_, size, from) = self.b.slots.list[own].pieces[at];
                    let to = self.b.slots.list[exchanged].pieces[at].2;
                    self.copy(to, from, size)?;
                }
                self.exchange(own, exchanged, true);
            }
            self.copy(back, home, 4)?;
        }
        self.end(Term::Ret);
        Ok(())
    }
}
