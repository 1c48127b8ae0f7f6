//! Reductions to surfaces: `sured`.

use super::address::{address, geometry};
use super::count::lanes_of;
use super::surface::{Outside, value};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::AccessKind;
use crate::instr::context::{Context, Result, parts};
use crate::instr::operands::{Number, codes, operands};
use crate::lane::lanes;
use crate::texture::Image;
use ptx::ast::{self, Type};
use ptx::modifier::Modifier;
use ptx::opcode::Opcode;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

codes! {
    /// The operation that combines an element and a value.
    enum Operation {
        /// Their sum.
        Add = "add",
        /// The minimum.
        Min = "min",
        /// The maximum.
        Max = "max",
        /// Bitwise and.
        And = "and",
        /// Bitwise or.
        Or = "or",
    }
}

/// The form of a reduction.
#[derive(Clone, Copy)]
struct ReductionForm {
    operation: Operation,
    /// Whether values are compared as signed integers.
    signed: bool,
    /// Bytes of an element.
    size: u32,
    /// Whether the x coordinate counts texels.
    scaled: bool,
    outside: Outside,
    /// Whether four lanes make a request, instead of eight.
    narrow: bool,
}

impl Number for ReductionForm {
    fn code(self) -> u64 {
        self.operation.code()
            | (self.signed.code() << 3)
            | (u64::from(self.size) << 4)
            | (self.scaled.code() << 8)
            | (self.outside.code() << 9)
            | (self.narrow.code() << 11)
    }

    fn from_code(code: u64) -> ReductionForm {
        ReductionForm {
            operation: Operation::from_code(code & 7),
            signed: bool::from_code(code & 8),
            size: (code >> 4) as u32 & 15,
            scaled: bool::from_code(code & (1 << 8)),
            outside: Outside::from_code((code >> 9) & 3),
            narrow: bool::from_code(code & (1 << 11)),
        }
    }
}

impl ReductionForm {
    /// Returns the new element, in 64 bits of which only the element's own are used.
    fn combine(self, element: u64, value: u64) -> u64 {
        let signed = |word: u64| if self.size == 4 { i64::from(word as u32 as i32) } else { word as i64 };
        let is_less = if self.signed { signed(value) < signed(element) } else { value < element };
        match self.operation {
            Operation::Add => element.wrapping_add(value),
            Operation::And => element & value,
            Operation::Or => element | value,
            Operation::Min => {
                if is_less {
                    value
                } else {
                    element
                }
            }
            Operation::Max => {
                if is_less {
                    element
                } else {
                    value
                }
            }
        }
    }
}

operands! {
    /// Operands of a reduction.
    struct Reduction {
        /// The surface.
        surface: read(u64) in a,
        /// Its form.
        form: number(ReductionForm) in b,
        /// The value, then the layer and three coordinates.
        registers: pool in imm,
    }
}

/// Lowers `sured.b` and `sured.p`.
pub(super) fn reduce(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let modifiers = inst.modifiers();
    let operation = modifiers.iter().find_map(|modifier| Operation::named(modifier.word()));
    let outside = modifiers.iter().find_map(|modifier| Outside::named(modifier.word()));
    let (&[ty], Some(shape), Some(operation), Some(outside)) =
        (&inst.types().collect::<Vec<_>>()[..], geometry(inst), operation, outside)
    else {
        return Err(cx.missing(inst));
    };
    let is_bits = matches!(operation, Operation::And | Operation::Or);
    let fine = match ty {
        Type::U32 | Type::S32 | Type::U64 | Type::S64 => !is_bits,
        Type::B32 | Type::B64 => is_bits || inst.opcode == Opcode::SuredP,
        _ => false,
    };
    let ([at, value], true) =
        (inst.operands.as_slice(), fine && shape.dimensions() + usize::from(shape.is_layered()) < 4)
    else {
        return Err(cx.missing(inst));
    };
    let [value] = parts(value) else {
        return Err(cx.wrong(inst));
    };
    let mut registers = vec![(cx.source(value, ty)?, false)];
    let (surface, at) = address(cx, inst, at, shape, Type::B32)?;
    registers.extend(at.map(|at| (at, false)));
    let signed = matches!(ty, Type::S32 | Type::S64);
    let narrow = lanes_of(shape) == 4;
    let form =
        ReductionForm { operation, signed, size: ty.size(), scaled: modifiers[0] == Modifier::P, outside, narrow };
    cx.emit(Reduction { surface, form, registers }.pack(execute).texels(AccessKind::Atomic, true))
}

/// Executes a reduction: lane by lane, the lowest first.
unsafe fn execute(warp: &mut Warp, op: &Op) -> Flow {
    let Reduction { surface, form, registers } = Reduction::unpack(op);
    let size = |_: &Image| form.size;
    // SAFETY: the registers were unpacked from this instruction; the lowering has put this many into the list.
    // Addresses have been checked, and are aligned.
    unsafe {
        let handles = *surface.lanes(warp);
        let at = [1, 2, 3, 4].map(|number| warp.listed(registers, number));
        let places = match warp.places(op, &handles, &at, (form.outside, AccessKind::Atomic), (size, form.scaled)) {
            Ok(places) => places,
            Err(flow) => return flow,
        };
        let pointers = match warp.reach_texels(op, &places, (size, AccessKind::Atomic)) {
            Ok(pointers) => pointers,
            Err(flow) => return flow,
        };
        if warp.counting {
            let request = if form.narrow { 4 } else { 8 };
            warp.count_surface(op, &places.changes(request), request, AccessKind::Atomic);
        }
        for lane in lanes(warp.mask()) {
            let Some(to) = pointers[lane] else {
                continue;
            };
            let value = value(warp, registers, 0, form.size, lane);
            let order = Ordering::Relaxed;
            // Neither of these fails, as both always return a new value.
            if form.size == 8 {
                let change = |element| Some(form.combine(element, value));
                let _ = AtomicU64::from_ptr(to.cast()).fetch_update(order, order, change);
            } else {
                let change = |element: u32| Some(form.combine(element.into(), value) as u32);
                let _ = AtomicU32::from_ptr(to.cast()).fetch_update(order, order, change);
            }
        }
    }
    Flow::Next
}
