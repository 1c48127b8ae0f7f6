//! Branches, calls, returns, exits, guards and traps.

use super::end::End;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Group, Reason, State, Warp};
use crate::finding::{Access, AccessKind, FindingKind};
use crate::instr::code::{Inst, OperandSlot, Role};
use crate::instr::context::{Context, Result};
use crate::instr::operands::{Register, operands};
use crate::kernel::Fault;
use crate::lane::lanes;
use ptx::ast;

operands! {
    /// An unconditional branch, or a fall-through into the next block.
    struct Goto {
        /// The target.
        to: number(u32) in imm,
    }
}

/// Continues at `to`.
pub(crate) fn goto(to: u32) -> Inst {
    Goto { to }.pack(run_goto)
}

unsafe fn run_goto(warp: &mut Warp, op: &Op) -> Flow {
    End::unpack(op).count(warp);
    warp.jump(Goto::unpack(op).to)
}

operands! {
    /// A conditional branch.
    struct Branch {
        /// The predicate that it depends on.
        predicate: read(bool) in a,
        /// The value combined with the predicate by exclusive or: all ones negate it.
        flip: number(u32) in b,
        /// Its number in the program.
        number: number(u32) in d,
        /// The targets of the lanes for which the predicate holds, and of the others.
        targets: number((u32, u32)) in imm,
    }
}

/// Branch number `number` of the program: on `predicate`, negated if `not`, to the first of `targets`, else to the
/// second.
pub(crate) fn branch(predicate: OperandSlot, not: bool, number: u32, targets: (u32, u32)) -> Inst {
    let branch = Branch { predicate, flip: flip(not), number, targets };
    branch.pack(run_branch)
}

/// Returns the value that negates a predicate by exclusive or, or leaves it unchanged.
fn flip(not: bool) -> u32 {
    if not { u32::MAX } else { 0 }
}

unsafe fn run_branch(warp: &mut Warp, op: &Op) -> Flow {
    End::unpack(op).count(warp);
    let branch = Branch::unpack(op);
    let mask = warp.mask();
    // SAFETY: the register was unpacked from this instruction; the warp's bit sets are long enough for every branch of
    // the program.
    let taken = unsafe {
        let word = warp.seen.add(branch.number as usize / 64);
        *word |= 1 << (branch.number % 64);
        (*branch.predicate.bits(warp) ^ branch.flip) & mask
    };
    let (target, next) = branch.targets;
    if taken == mask {
        return warp.jump(target);
    }
    if taken == 0 {
        return warp.jump(next);
    }
    diverge(warp, branch.number, taken, target, next)
}

#[cold]
fn diverge(warp: &mut Warp, branch: u32, taken: u32, target: u32, next: u32) -> Flow {
    let scratch = warp.scratch.get_mut();
    scratch.divergent[branch as usize] += 1;
    let words = scratch.seen_words;
    // SAFETY: the second half of the bit sets.
    unsafe { *warp.seen.add(words + branch as usize / 64) |= 1 << (branch % 64) };
    let mask = warp.mask();
    warp.groups.push(Group { pc: target, mask: taken, state: State::Ready });
    warp.set_mask(mask & !taken);
    warp.pc = next;
    warp.reason = if warp.slice_left < 0 { Reason::TimeSlice } else { Reason::Choose };
    Flow::Stop
}

operands! {
    /// A branch through a table, `brx.idx`.
    struct BranchTable {
        /// The index of the target.
        index: read(u32) in a,
        /// The number of targets.
        count: number(u32) in b,
        /// Their first index in the program's lists.
        list: number(u64) in imm,
    }
}

/// Jumps to the target that `index` selects from `count` of them, which begin at `list` in the program's lists.
pub(crate) fn table(index: OperandSlot, count: u32, list: u64) -> Inst {
    BranchTable { index, count, list }.pack(run_table)
}

unsafe fn run_table(warp: &mut Warp, op: &Op) -> Flow {
    End::unpack(op).count(warp);
    let table = BranchTable::unpack(op);
    // SAFETY: the register was unpacked from this instruction.
    let index = unsafe { *table.index.lanes(warp) };
    let start = table.list as usize;
    let list = &warp.program().lists[start..start + table.count as usize];
    let mut target = [0u32; 32];
    for lane in lanes(warp.mask()) {
        match list.get(index[lane] as usize) {
            Some(&pc) => target[lane] = pc,
            None => {
                let kind = FindingKind::InvalidBranch { index: index[lane], targets: table.count };
                return invalid(warp, op, kind, lane);
            }
        }
    }
    split(warp, &target)
}

fn invalid(warp: &mut Warp, op: &Op, kind: FindingKind, lane: usize) -> Flow {
    let place = warp.program().place_of(op.site);
    let access = warp.located(Access::at(AccessKind::Execute, place), lane);
    warp.fault(Fault::InvalidPc, kind, vec![access], None)
}

/// Sends every running lane to its own program counter.
fn split(warp: &mut Warp, target: &[u32; 32]) -> Flow {
    let mask = warp.mask();
    let first = target[mask.trailing_zeros() as usize & 31];
    let same = lanes(mask).fold(0u32, |m, lane| m | (u32::from(target[lane] == first) << lane));
    if same == mask {
        return warp.jump(first);
    }
    let mut rest = mask;
    while rest != 0 {
        let pc = target[rest.trailing_zeros() as usize];
        let here = lanes(rest).fold(0u32, |m, lane| m | (u32::from(target[lane] == pc) << lane));
        warp.groups.push(Group { pc, mask: here, state: State::Ready });
        rest &= !here;
    }
    warp.reason = Reason::Gone;
    Flow::Stop
}

operands! {
    /// A call of a function.
    struct Call {
        /// The callee's register for the return address.
        back: write(u32) in d,
        /// The callee's first instruction, and the address at which the caller continues.
        targets: number((u32, u32)) in imm,
    }
}

/// Calls the function at the first of `targets`, which returns to the second and keeps that address in `back`.
pub(crate) fn call(back: OperandSlot, targets: (u32, u32)) -> Inst {
    Call { back, targets }.pack(run_call)
}

unsafe fn run_call(warp: &mut Warp, op: &Op) -> Flow {
    End::unpack(op).count(warp);
    let call = Call::unpack(op);
    let (callee, next) = call.targets;
    // SAFETY: the register was unpacked from this instruction.
    let back = unsafe { &mut *call.back.lanes(warp) };
    for lane in lanes(warp.mask()) {
        back[lane] = next;
    }
    warp.jump(callee)
}

operands! {
    /// A call through a pointer.
    struct CallPointer {
        /// The value of the pointer.
        pointer: read(u64) in a,
        /// The position in the program's lists of the return address registers of all functions that can be called this
        /// way.
        list: number(u32) in b,
        /// The address at which the caller continues.
        next: number(u32) in imm,
    }
}

/// Calls the function that `pointer` points to, which returns to `next`. From `list` on, the program's lists have the
/// register for the return address of each function in the program's table of pointers.
pub(crate) fn call_pointer(pointer: OperandSlot, list: u32, next: u32) -> Inst {
    let call = CallPointer { pointer, list, next };
    call.pack(run_call_pointer)
}

unsafe fn run_call_pointer(warp: &mut Warp, op: &Op) -> Flow {
    End::unpack(op).count(warp);
    let call = CallPointer::unpack(op);
    // SAFETY: the register was unpacked from this instruction.
    let pointer = unsafe { *call.pointer.lanes(warp) };
    let mut target = [0u32; 32];
    for lane in lanes(warp.mask()) {
        let program = warp.program();
        let found = program.pointers.binary_search_by_key(&pointer[lane], |p| p.0);
        let Ok(index) = found else {
            return invalid(warp, op, FindingKind::InvalidCall { target: pointer[lane] }, lane);
        };
        let register = program.lists[call.list as usize + index];
        target[lane] = program.pointers[index].1;
        if register == u32::MAX {
            return invalid(warp, op, FindingKind::InvalidCall { target: pointer[lane] }, lane);
        }
        let back = Register::<u32>::at(register);
        // SAFETY: the lowering put a 32-bit register of the program into the list.
        unsafe { (*back.lanes(warp))[lane] = call.next };
    }
    split(warp, &target)
}

operands! {
    /// A return from a function.
    struct Return {
        /// Each lane's return address.
        back: read(u32) in a,
    }
}

/// Returns to the addresses in `back`.
pub(crate) fn ret(back: OperandSlot) -> Inst {
    Return { back }.pack(run_ret)
}

unsafe fn run_ret(warp: &mut Warp, op: &Op) -> Flow {
    End::unpack(op).count(warp);
    // SAFETY: the register was unpacked from this instruction.
    let target = unsafe { *Return::unpack(op).back.lanes(warp) };
    // The lowering ensures that these are addresses after calls. Any that it has missed still lies inside the program.
    let end = warp.program().ops.len() as u32;
    if let Some(lane) = lanes(warp.mask()).find(|lane| target[*lane] >= end) {
        return invalid(warp, op, FindingKind::InvalidCall { target: target[lane].into() }, lane);
    }
    split(warp, &target)
}

/// Ends the thread.
pub(crate) fn exit() -> Inst {
    Inst::plain(run_exit)
}

unsafe fn run_exit(warp: &mut Warp, op: &Op) -> Flow {
    End::unpack(op).count(warp);
    let mask = warp.mask();
    if warp.skipped.0 & mask != 0 {
        warp.passed_by();
    }
    warp.live &= !mask;
    warp.reason = Reason::Gone;
    if warp.live != 0 || !warp.groups.is_empty() {
        warp.lanes_left();
    }
    warp.with_block(|warp, block| block.left(warp, mask.count_ones()));
    Flow::Stop
}

operands! {
    /// The guard of the next instruction.
    struct Guard {
        /// The predicate under which it is executed.
        predicate: read(bool) in a,
        /// The value combined with the predicate by exclusive or: all ones negate it.
        flip: number(u32) in b,
    }
}

/// Makes only the lanes where the predicate, negated if `not`, holds execute the next instruction.
pub(crate) fn guard(predicate: OperandSlot, not: bool) -> Inst {
    let flip = flip(not);
    Guard { predicate, flip }.pack(run_guard).role(Role::Guard)
}

unsafe fn run_guard(warp: &mut Warp, op: &Op) -> Flow {
    let mask = warp.mask();
    let guard = Guard::unpack(op);
    // SAFETY: the register was unpacked from this instruction, and in the lowering's code an instruction follows every
    // guard.
    unsafe {
        let on = warp.guarded(op, *guard.predicate.bits(warp) ^ guard.flip);
        if on == 0 {
            return Flow::Skip;
        }
        let next = &*std::ptr::from_ref(op).add(1);
        if on == mask {
            return Flow::Next;
        }
        warp.set_mask(on);
        let flow = (next.part)(warp, next);
        if flow == Flow::Next {
            warp.set_mask(mask);
            return Flow::Skip;
        }
        flow
    }
}

/// Lowers `trap` and `brkpt`.
pub(super) fn trap(cx: &mut dyn Context, _: &ast::Inst) -> Result<()> {
    cx.emit(Inst::plain(run_trap))
}

/// Follows an instruction that never lets its lanes continue.
pub(crate) fn never() -> Inst {
    Inst::plain(run_trap)
}

unsafe fn run_trap(warp: &mut Warp, op: &Op) -> Flow {
    let lane = warp.mask().trailing_zeros() as usize;
    let place = warp.program().place_of(op.site);
    let access = warp.located(Access::at(AccessKind::Execute, place), lane);
    warp.fault(Fault::Trap, FindingKind::Trap, vec![access], None)
}
