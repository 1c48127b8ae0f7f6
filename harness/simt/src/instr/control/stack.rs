//! The stack of recursive functions.
//!
//! Each lane has a stack pointer: the offset of the running function's frame in its local memory. A frame holds the
//! function's local variables, and has room for the registers that the function still needs during a call. The caller
//! moves the stack pointer past its own frame and back.
//!
//! The registers themselves, among them the return address, are not stored there: a kernel can write all of its local
//! memory, and could choose where the interpreter continues. They are in the warp's slot (`WarpSlot::saved`).

use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{Access, AccessKind, FindingKind};
use crate::instr::code::{Inst, Opnd};
use crate::instr::operands::{Any, Register, operands};
use crate::kernel::Fault;
use crate::lane::lanes;

/// The stack pointer, and the number of frames below it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stack {
    /// A 64-bit register.
    pub pointer: Opnd,
    /// A 32-bit register.
    pub depth: Opnd,
}

operands! {
    /// Sets the stack pointer, or moves it.
    struct Move {
        /// The previous stack pointer.
        from: maybe_read(u64) in a,
        /// The previous depth.
        above: maybe_read(u32) in b,
        /// The new stack pointer.
        pointer: write(u64) in d,
        /// The new depth.
        depth: write(u32) in d2,
        /// The bytes to add, in 64 bits, and the number to add to the depth.
        by: number((u32, u32)) in imm,
    }
}

/// Begins the stack at this offset in local memory.
pub(crate) fn begin(stack: Stack, offset: u32) -> Inst {
    let Stack { pointer, depth } = stack;
    Move { from: None, above: None, pointer, depth, by: (offset, 0) }.pack(run_move)
}

/// Moves the stack pointer past a frame of `bytes` bytes, before a call.
pub(crate) fn push(stack: Stack, bytes: u32) -> Inst {
    moved(stack, (bytes, 1))
}

/// Moves it back after the call.
pub(crate) fn pop(stack: Stack, bytes: u32) -> Inst {
    moved(stack, (bytes.wrapping_neg(), 1u32.wrapping_neg()))
}

fn moved(stack: Stack, by: (u32, u32)) -> Inst {
    let Stack { pointer, depth } = stack;
    Move { from: Some(pointer), above: Some(depth), pointer, depth, by }.pack(run_move)
}

unsafe fn run_move(warp: &mut Warp, op: &Op) -> Flow {
    let Move { from, above, pointer, depth, by } = Move::unpack(op);
    let bytes = i64::from(by.0 as i32) as u64;
    for lane in lanes(warp.mask()) {
        // SAFETY: the registers were unpacked from this instruction.
        unsafe {
            let before = from.map_or(0, |from| (*from.lanes(warp))[lane]);
            (*pointer.lanes(warp))[lane] = before.wrapping_add(bytes);
            let above = above.map_or(0, |above| (*above.lanes(warp))[lane]);
            (*depth.lanes(warp))[lane] = above.wrapping_add(by.1);
        }
    }
    Flow::Next
}

operands! {
    /// Enters a function that has a frame.
    struct Enter {
        /// The stack pointer.
        pointer: read(u64) in a,
        /// The depth.
        depth: read(u32) in b,
        /// Bytes of the frame.
        bytes: number(u32) in imm,
    }
}

/// Enters a function with a frame of `bytes` bytes, for which the stack must have room.
pub(crate) fn enter(stack: Stack, bytes: u32) -> Inst {
    Enter { pointer: stack.pointer, depth: stack.depth, bytes }.pack(run_enter)
}

unsafe fn run_enter(warp: &mut Warp, op: &Op) -> Flow {
    let Enter { pointer, depth, bytes } = Enter::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    let (pointer, depth) = unsafe { (*pointer.lanes(warp), *depth.lanes(warp)) };
    let full = |lane: &usize| pointer[*lane].saturating_add(u64::from(bytes)) > warp.local_len;
    let Some(lane) = lanes(warp.mask()).find(full) else {
        return Flow::Next;
    };
    let count = lanes(warp.mask()).filter(full).count();
    let mut access = Access::at(AccessKind::Execute, warp.program().place_of(op.site));
    access.threads = count as u32;
    let access = warp.located(access, lane);
    let kind = FindingKind::StackOverflow { depth: depth[lane] + 1, stack_bytes: warp.launch().stack_bytes };
    warp.fault(Fault::IllegalAddress, kind, vec![access], None)
}

operands! {
    /// Saves registers, or restores them.
    struct Registers {
        /// The number of registers.
        count: number(u32) in b,
        /// The registers, each followed by its width in bytes; 0 for a predicate.
        registers: pool in imm,
    }
}

/// Returns the bytes that a register of this width occupies in a frame.
pub(crate) fn saved_bytes(width: u32) -> u32 {
    if width == 8 { 8 } else { 4 }
}

/// Saves these registers, given with their widths, until [`restore`].
pub(crate) fn save(registers: &[(Opnd, u32)]) -> Inst {
    transfer(registers, false).pack(run_save)
}

/// Restores these registers, which must be the ones saved last.
pub(crate) fn restore(registers: &[(Opnd, u32)]) -> Inst {
    transfer(registers, true).pack(run_restore)
}

fn transfer(registers: &[(Opnd, u32)], restores: bool) -> Registers<crate::instr::operands::Named> {
    let both = registers.iter().flat_map(|&(register, width)| [(register, restores), (Opnd::Raw(width), false)]);
    Registers { count: registers.len() as u32, registers: both.collect() }
}

/// Returns the registers that an instruction names, each with its width.
fn named<'l>(warp: &Warp<'l>, op: &Op) -> &'l [u32] {
    let Registers { count, registers } = Registers::unpack(op);
    let start = registers as usize;
    &warp.program().lists[start..start + 2 * count as usize]
}

unsafe fn run_save(warp: &mut Warp, op: &Op) -> Flow {
    let list = named(warp, op);
    let Some(mut slot) = warp.slot.take() else { return Flow::Next };
    for lane in lanes(warp.mask()) {
        for pair in list.chunks_exact(2) {
            let register = Register::<Any>::at(pair[0]);
            // SAFETY: the registers were unpacked from this instruction, each with its width.
            let value = unsafe {
                match pair[1] {
                    0 => u64::from(*Register::<bool>::at(pair[0]).bits(warp) >> lane & 1),
                    8 => (*register.holding::<u64>().lanes(warp))[lane],
                    4 => (*register.holding::<u32>().lanes(warp))[lane].into(),
                    _ => (*register.holding::<u16>().lanes(warp))[lane].into(),
                }
            };
            slot.saved[lane].push(value);
        }
    }
    warp.slot = Some(slot);
    Flow::Next
}

unsafe fn run_restore(warp: &mut Warp, op: &Op) -> Flow {
    let list = named(warp, op);
    let Some(mut slot) = warp.slot.take() else { return Flow::Next };
    for lane in lanes(warp.mask()) {
        for pair in list.chunks_exact(2).rev() {
            let register = Register::<Any>::at(pair[0]);
            // What a call has saved, only its return restores.
            let value = slot.saved[lane].pop().unwrap_or_default();
            // SAFETY: the registers were unpacked from this instruction, each with its width.
            unsafe {
                match pair[1] {
                    0 => Register::<bool>::at(pair[0]).set(warp, 1 << lane, (value as u32 & 1) << lane),
                    8 => (*register.holding::<u64>().lanes(warp))[lane] = value,
                    4 => (*register.holding::<u32>().lanes(warp))[lane] = value as u32,
                    _ => (*register.holding::<u16>().lanes(warp))[lane] = value as u16,
                }
            }
        }
    }
    warp.slot = Some(slot);
    Flow::Next
}

operands! {
    /// Copies a parameter that is passed in memory.
    struct Parameter {
        /// The stack pointer.
        pointer: read(u64) in a,
        /// Bytes.
        bytes: number(u32) in b,
        /// Its offset in the frame.
        framed: number(u32) in c,
        /// The offset at which caller and callee exchange it.
        fixed: number(u32) in e,
        /// Whether it is copied out of the frame, instead of into it.
        out: number(bool) in imm,
    }
}

/// Copies a parameter of `bytes` bytes between the exchange area and its place in the frame: out of the frame, or into
/// it.
pub(crate) fn parameter(stack: Stack, bytes: u32, fixed: u32, framed: u32, out: bool) -> Inst {
    Parameter { pointer: stack.pointer, bytes, framed, fixed, out }.pack(run_parameter)
}

unsafe fn run_parameter(warp: &mut Warp, op: &Op) -> Flow {
    let Parameter { pointer, bytes, framed, fixed, out } = Parameter::unpack(op);
    // SAFETY: the register was unpacked from this instruction.
    let pointer = unsafe { *pointer.lanes(warp) };
    for lane in lanes(warp.mask()) {
        let place = pointer[lane].wrapping_add(framed.into());
        let places = (warp.local_rows(place, bytes.into()), warp.local_rows(fixed.into(), bytes.into()));
        // Both are in bounds: the function has entered its frame.
        let (Some(frame), Some(exchange)) = places else { continue };
        let (from, to) = if out { (frame, exchange) } else { (exchange, frame) };
        // SAFETY: both have this many bytes in bounds.
        unsafe { to.lane(lane).copy_from(from.lane(lane), bytes as usize) };
        if warp.checking && warp.launch().init {
            let start = lane as u64 * warp.local_len;
            let at = if out { u64::from(fixed) } else { place };
            warp.written.write(start + at, u64::from(bytes));
        }
    }
    Flow::Next
}
