//! Recursive functions, which may be active more than once in a thread.
//!
//! Every other function has one place for its registers, parameters and local variables. A recursive function has a
//! frame on the lane's stack: it holds the local variables, and has room for the registers that are needed after a call
//! which may enter the function again. Those registers are saved where no kernel can write. Parameters are exchanged as
//! for other functions, and moved to the function's own places at its beginning.

use super::compute_liveness::live_at_starts;
use super::ir::*;
use super::plan::Plan;
use crate::instr::control::stack::{self, Stack, saved_bytes};

/// The contents of a frame besides variables and registers: the return address, and the overhead of the hardware's
/// calling convention. With this value, a function whose frames on an H200 allow a depth of 8 but not of 11 overflows
/// between the two.
const CALL_BYTES: u32 = 16;

/// Completes the functions of a program: those with a frame enter it, and save what they need after a call.
pub fn save_registers(plan: &Plan<'_>, functions: &mut [Func]) {
    let Some(stack) = plan.frames.stack else { return };
    for (func, &index) in functions.iter_mut().zip(&plan.functions) {
        if let Some(&locals) = plan.frames.bytes.get(&index) {
            save_in(func, stack, locals.next_multiple_of(8), |callee| plan.enters_again(callee, index));
        }
    }
}

/// Completes a function whose frame begins with `locals` bytes of variables. `enters_again` says whether a call of a
/// function (by its index in the program) may enter this one again.
fn save_in(func: &mut Func, stack: Stack, locals: u32, enters_again: impl Fn(usize) -> bool) {
    let live = live_at_starts(func);
    // The blocks that end in calls, the blocks that follow the calls, and whether the call may enter this function
    // again.
    let calls = func.blocks.iter().enumerate().filter_map(|(at, block)| match block.term {
        Term::Call(callee, then) => Some((at, then, enters_again(callee))),
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
        (after.term, after.term_loc, after.resumes) = (Term::Goto(then), loc, Some(at as u32));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::translated;

    /// Returns the saved registers of `f`, by call, whose code is `code`, and how many of its blocks resume.
    fn saved(code: &str) -> (Vec<usize>, usize) {
        let functions = format!(
            ".func leaf() {{ ret; }}\n.func f()\n{{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
             mov.u32 %r8, %clock;\nsetp.eq.u32 %p1, %r8, 7;\n@%p1 bra DONE;\n{code}\nDONE: ret;\n}}"
        );
        translated(&functions, "call f;", |plan, _, mut functions| {
            save_registers(plan, &mut functions);
            let func = functions.iter().find(|func| func.name == "f").unwrap();
            let calls = func.blocks.iter().filter(|block| matches!(block.term, Term::Call(..)));
            let is_register = |listed: &&(OperandSlot, bool)| matches!(listed.0, OperandSlot::Reg(_));
            let lists = calls.map(|block| block.insts.iter().flat_map(|inst| &inst.list).filter(is_register).count());
            (lists.collect(), func.blocks.iter().filter(|block| block.resumes.is_some()).count())
        })
    }

    #[test]
    fn what_is_needed_after_a_call_of_the_function_itself_is_saved() {
        let computes = "mov.u32 %r1, %clock; mov.u32 %r2, %clock;";
        let uses = "st.global.u32 [%rd1], %r1;";
        let (without, _) = saved(&format!("{computes} call f;"));
        let (with, resumes) = saved(&format!("{computes} call f; {uses}"));
        // The value, and the address.
        assert_eq!((with[0], resumes), (without[0] + 2, 1));
    }

    #[test]
    fn nothing_is_saved_for_a_call_that_does_not_come_back_to_the_function() {
        let (lists, resumes) = saved("mov.u32 %r1, %clock; call leaf; st.global.u32 [%rd1], %r1; call f;");
        assert_eq!((lists[0], resumes), (0, 2));
    }

    #[test]
    fn a_program_without_recursion_is_left_as_it_is() {
        assert_eq!(saved("mov.u32 %r1, %clock; call leaf; st.global.u32 [%rd1], %r1;"), (vec![0], 0));
    }
}
