//! Arrays of dynamic length on a thread's stack: `alloca`, `stacksave` and `stackrestore`.
//!
//! They occupy a part of a lane's local memory as large as the stack, at its end, and grow downwards, like the
//! hardware's stack. A register holds the start of the latest one. A function that allocates arrays frees them when it
//! returns.

use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{Access, AccessKind, FindingKind};
use crate::instr::code::{Inst, OperandSlot};
use crate::instr::context::{Context, Result};
use crate::instr::operands::operands;
use crate::kernel::Fault;
use crate::lane::{LANES, lanes};
use ptx::ast::{self, Operand, Type};
use ptx::modifier::Modifier;
use ptx::opcode::Opcode;

/// The alignment of an array that specifies none, in bytes.
const ALIGN: i64 = 8;
/// The maximum alignment of an array.
const MOST: i64 = 1 << 23;

/// Whether an instruction allocates an array, or reads the start of the latest one.
pub(crate) fn makes_array(inst: &ast::Inst) -> bool {
    matches!(inst.opcode, Opcode::Alloca | Opcode::Stacksave | Opcode::Stackrestore)
}

operands! {
    /// Begins a thread's arrays.
    struct Begin {
        /// The start of the latest array.
        last: write(u64) in d,
    }
}

/// Begins the threads' arrays at the end of their local memory.
pub(crate) fn begin(last: OperandSlot) -> Inst {
    Begin { last }.pack(run_begin)
}

unsafe fn run_begin(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: the register was unpacked from this instruction.
    unsafe { *Begin::unpack(op).last.lanes(warp) = [warp.local_len; LANES] };
    Flow::Next
}

operands! {
    /// Allocates an array.
    struct Make {
        /// Bytes of each lane's array.
        bytes: read(u64) in a,
        /// The start of the previous array.
        before: read(u64) in b,
        /// The start of this array.
        last: write(u64) in d,
        /// Its alignment in bytes.
        align: number(u32) in imm,
    }
}

/// Returns the type of a pointer, and its width, by an opcode's modifier.
fn pointer(cx: &dyn Context, inst: &ast::Inst) -> Result<(Type, u32)> {
    match inst.modifiers() {
        [Modifier::Type(Type::U64)] => Ok((Type::U64, 8)),
        [Modifier::Type(Type::U32)] => Ok((Type::U32, 4)),
        _ => Err(cx.missing(inst)),
    }
}

/// Returns the register that holds the start of the latest array.
fn last(cx: &dyn Context, inst: &ast::Inst) -> Result<OperandSlot> {
    cx.arrays().ok_or_else(|| cx.missing(inst))
}

/// Copies the address of an array to or from a register as wide as a pointer.
fn transfer(cx: &mut dyn Context, to: (OperandSlot, u32), from: (OperandSlot, u32)) -> Result<()> {
    let name = match (to.1, from.1) {
        (4, 8) => "cvt.u32.u64",
        (8, 4) => "cvt.u64.u32",
        _ => "mov.b64",
    };
    let inst = cx.compute(name, to.0, &[from.0])?;
    cx.emit(inst)
}

/// Lowers `alloca`.
pub(super) fn alloca(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let (ty, width) = pointer(cx, inst)?;
    let (to, bytes, align) = match inst.operands.as_slice() {
        [to, bytes] => (to, bytes, ALIGN),
        [to, bytes, Operand::Int(align)] => (to, bytes, *align),
        _ => return Err(cx.wrong(inst)),
    };
    if align.count_ones() != 1 || !(1..=MOST).contains(&align) {
        return Err(cx.invalid(format!("`{}` with an alignment of {align}", inst.text())));
    }
    let (last, mut bytes) = (last(cx, inst)?, cx.source(bytes, ty)?);
    if width == 4 {
        let wide = cx.temp(8);
        transfer(cx, (wide, 8), (bytes, 4))?;
        bytes = wide;
    }
    cx.emit(Make { bytes, before: last, last, align: align as u32 }.pack(run_make))?;
    let to = cx.dest(to, width)?;
    transfer(cx, (to, width), (last, 8))
}

/// Lowers `stacksave`.
pub(super) fn save(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let (_, width) = pointer(cx, inst)?;
    let [to] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let (last, to) = (last(cx, inst)?, cx.dest(to, width)?);
    transfer(cx, (to, width), (last, 8))
}

/// Lowers `stackrestore`.
pub(super) fn restore(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let (ty, width) = pointer(cx, inst)?;
    let [from] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let (last, mut from) = (last(cx, inst)?, cx.source(from, ty)?);
    if width == 4 {
        let wide = cx.temp(8);
        transfer(cx, (wide, 8), (from, 4))?;
        from = wide;
    }
    cx.emit(Restore { from, last }.pack(run_restore))
}

operands! {
    /// Frees arrays.
    struct Restore {
        /// The start of the latest array that remains.
        from: read(u64) in a,
        /// The start of the latest array.
        last: write(u64) in d,
    }
}

/// Returns the first byte of a lane's local memory that arrays may use.
fn floor(warp: &Warp) -> u64 {
    warp.local_len.saturating_sub(u64::from(warp.launch().stack_bytes).next_multiple_of(16))
}

unsafe fn run_restore(warp: &mut Warp, op: &Op) -> Flow {
    let Restore { from, last } = Restore::unpack(op);
    let places = floor(warp)..=warp.local_len;
    // SAFETY: the registers were unpacked from this instruction.
    let (from, last) = unsafe { (*from.lanes(warp), &mut *last.lanes(warp)) };
    for lane in lanes(warp.mask()) {
        if !places.contains(&from[lane]) {
            let flow = full(warp, op, 1 << lane);
            let at = from[lane];
            warp.add_note(format!("stackrestore takes {at:#x}, which no stacksave of this thread has given"));
            return flow;
        }
        last[lane] = from[lane];
    }
    Flow::Next
}

unsafe fn run_make(warp: &mut Warp, op: &Op) -> Flow {
    let Make { bytes, before, last, align } = Make::unpack(op);
    let least = floor(warp);
    // SAFETY: the registers were unpacked from this instruction.
    let (bytes, before) = unsafe { (*bytes.lanes(warp), *before.lanes(warp)) };
    let mut missing = 0u32;
    for lane in lanes(warp.mask()) {
        let at = before[lane].checked_sub(bytes[lane]).map(|at| at & !(u64::from(align) - 1));
        match at.filter(|at| *at >= least) {
            // SAFETY: as above.
            Some(at) => unsafe {
                (*last.lanes(warp))[lane] = at;
                warp.written.clear(lane as u64 * warp.local_len + at, before[lane] - at);
            },
            None => missing |= 1 << lane,
        }
    }
    if missing == 0 { Flow::Next } else { full(warp, op, missing) }
}

/// Stops the kernel because the stacks of these lanes are full.
#[cold]
fn full(warp: &mut Warp, op: &Op, missing: u32) -> Flow {
    let mut access = Access::at(AccessKind::Execute, warp.program().place_of(op.site));
    access.threads = missing.count_ones();
    let access = warp.located(access, missing.trailing_zeros() as usize & 31);
    let kind = FindingKind::StackOverflow { depth: 0, stack_bytes: warp.launch().stack_bytes };
    warp.fault(Fault::IllegalAddress, kind, vec![access], None)
}
