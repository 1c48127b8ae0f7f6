//! Branches, calls, returns, exits: the instructions that end basic blocks.
//!
//! All of them count their block: `e` is its number, `c` its length in instructions.

use super::{Flow, Group, Reason, State, Warp};
use crate::finding::{Access, Kind, What};
use crate::machine::Fault;
use crate::program::Op;

/// The handler of an unconditional branch, or of falling into the next block: to `imm`.
pub(crate) unsafe fn goto(warp: &mut Warp, op: &Op) -> Flow {
    warp.count(op.e, op.c);
    warp.jump(op.imm as u32)
}

/// A conditional branch: on predicate `a` xor `b`, to the low half of `imm`, else to the high half; its number is `d`.
pub(crate) unsafe fn branch(warp: &mut Warp, op: &Op) -> Flow {
    warp.count(op.e, op.c);
    let mask = warp.mask();
    // SAFETY: `a` is a predicate register; the warp's bit sets are long enough for every branch of the program.
    let taken = unsafe {
        let word = warp.seen.add(op.d as usize / 64);
        *word |= 1 << (op.d % 64);
        (*warp.reg::<u32>(op.a) ^ op.b) & mask
    };
    let (target, next) = (op.imm as u32, (op.imm >> 32) as u32);
    if taken == mask {
        return warp.jump(target);
    }
    if taken == 0 {
        return warp.jump(next);
    }
    diverge(warp, op, taken, target, next)
}

#[cold]
fn diverge(warp: &mut Warp, op: &Op, taken: u32, target: u32, next: u32) -> Flow {
    let worker = warp.worker();
    worker.divergent[op.d as usize] += 1;
    let words = worker.seen_words;
    // SAFETY: the second half of the bit sets.
    unsafe { *warp.seen.add(words + op.d as usize / 64) |= 1 << (op.d % 64) };
    let mask = warp.mask();
    warp.groups.push(Group {
        pc: target,
        mask: taken,
        state: State::Ready,
    });
    warp.set_mask(mask & !taken);
    warp.pc = next;
    warp.reason = if warp.fuel < 0 {
        Reason::Share
    } else {
        Reason::Choose
    };
    Flow::Stop
}

/// `brx.idx`: the index in `a` picks a target from the list at `imm` (length in `b`).
pub(crate) unsafe fn branch_table(warp: &mut Warp, op: &Op) -> Flow {
    warp.count(op.e, op.c);
    // SAFETY: `a` is a 32-bit register.
    let index = unsafe { *warp.reg::<[u32; 32]>(op.a) };
    let list: Vec<u32> = {
        let start = op.imm as usize;
        warp.program().lists[start..start + op.b as usize].to_vec()
    };
    let mut target = [0u32; 32];
    for lane in lanes(warp.mask()) {
        match list.get(index[lane] as usize) {
            Some(&pc) => target[lane] = pc,
            None => return invalid(warp, op, u64::from(index[lane]), lane),
        }
    }
    split(warp, &target)
}

fn invalid(warp: &mut Warp, op: &Op, target: u64, lane: usize) -> Flow {
    let place = warp.program().place_of(op.site);
    let access = warp.located(Access::at(What::Execute, place), lane);
    warp.fault(
        Fault::InvalidPc,
        Kind::InvalidCall { target },
        vec![access],
        None,
    )
}

/// The lanes of a mask, ascending.
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let lane = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(lane)
    })
}

/// Sends every running lane to its own program counter.
fn split(warp: &mut Warp, target: &[u32; 32]) -> Flow {
    let mask = warp.mask();
    let first = target[mask.trailing_zeros() as usize & 31];
    let same = lanes(mask).fold(0u32, |m, lane| {
        m | (u32::from(target[lane] == first) << lane)
    });
    if same == mask {
        return warp.jump(first);
    }
    let mut rest = mask;
    while rest != 0 {
        let pc = target[rest.trailing_zeros() as usize];
        let here = lanes(rest).fold(0u32, |m, lane| m | (u32::from(target[lane] == pc) << lane));
        warp.groups.push(Group {
            pc,
            mask: here,
            state: State::Ready,
        });
        rest &= !here;
    }
    warp.reason = Reason::Gone;
    Flow::Stop
}

/// A call: stores the return address (high half of `imm`) in the callee's register `d`, goes to the low half.
pub(crate) unsafe fn call(warp: &mut Warp, op: &Op) -> Flow {
    warp.count(op.e, op.c);
    let back = (op.imm >> 32) as u32;
    // SAFETY: `d` is a 32-bit register.
    let to = unsafe { &mut *warp.reg::<[u32; 32]>(op.d) };
    for lane in lanes(warp.mask()) {
        to[lane] = back;
    }
    warp.jump(op.imm as u32)
}

/// A call through the pointer in `a`; the return address is `imm`, and goes to the register that the list at `b` gives for
/// each entry of the table of pointers.
pub(crate) unsafe fn call_pointer(warp: &mut Warp, op: &Op) -> Flow {
    warp.count(op.e, op.c);
    // SAFETY: `a` is a 64-bit register.
    let pointer = unsafe { *warp.reg::<[u64; 32]>(op.a) };
    let mut target = [0u32; 32];
    for lane in lanes(warp.mask()) {
        let program = warp.program();
        let found = program
            .pointers
            .binary_search_by_key(&pointer[lane], |p| p.0);
        let Ok(index) = found else {
            return invalid(warp, op, pointer[lane], lane);
        };
        let register = program.lists[op.b as usize + index];
        target[lane] = program.pointers[index].1;
        if register == u32::MAX {
            return invalid(warp, op, pointer[lane], lane);
        }
        // SAFETY: a 32-bit register.
        unsafe { (*warp.reg::<[u32; 32]>(register))[lane] = op.imm as u32 };
    }
    split(warp, &target)
}

/// A return to the addresses in `a`.
pub(crate) unsafe fn ret(warp: &mut Warp, op: &Op) -> Flow {
    warp.count(op.e, op.c);
    // SAFETY: `a` is a 32-bit register.
    let target = unsafe { *warp.reg::<[u32; 32]>(op.a) };
    split(warp, &target)
}

/// The lanes are done.
pub(crate) unsafe fn exit(warp: &mut Warp, op: &Op) -> Flow {
    warp.count(op.e, op.c);
    let mask = warp.mask();
    if warp.skipped.0 & mask != 0 {
        warp.passed_by();
    }
    warp.live &= !mask;
    warp.reason = Reason::Gone;
    if warp.live != 0 || !warp.groups.is_empty() {
        warp.lanes_left();
    }
    // SAFETY: the block outlives its warps; this is its only user now.
    unsafe { (*warp.block).left(warp, mask.count_ones()) };
    Flow::Stop
}

/// Runs the next instruction in the lanes where predicate `a` xor `b` holds.
pub(crate) unsafe fn guard(warp: &mut Warp, op: &Op) -> Flow {
    let mask = warp.mask();
    // SAFETY: `a` is a predicate register, and the lowering puts an instruction behind every guard.
    unsafe {
        let on = (*warp.reg::<u32>(op.a) ^ op.b) & mask;
        let site = &mut *warp.sites.add(op.site as usize);
        site.requests += 1;
        site.lanes += u64::from((mask & !on).count_ones());
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

/// `trap`: stops the kernel.
pub(crate) unsafe fn trap(warp: &mut Warp, op: &Op) -> Flow {
    let lane = warp.mask().trailing_zeros() as usize;
    let place = warp.program().place_of(op.site);
    let access = warp.located(Access::at(What::Execute, place), lane);
    warp.fault(Fault::Trap, Kind::Trap, vec![access], None)
}

/// Behind an instruction that never lets go on.
pub(crate) unsafe fn never(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: as for `trap`.
    unsafe { trap(warp, op) }
}
