//! The shapes and types of an `mma` or of a tile's load or store, and the registers of its fragments.

use super::fragment::{Dims, Element, MatrixRole};
use super::sparse_selection::SparseSelection;
use crate::engine::warp::Warp;
use crate::instr::code::OperandSlot;
use crate::instr::context::{Context, Result, parts};
use crate::instr::operands::{Any, Number, Register};
use crate::lane::LANES;
use ptx::ast::{self, Operand, Type};

/// The shape and types of an `mma` or of a tile's load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MatrixForm {
    /// Code of the dimensions.
    pub dims: u32,
    /// Types of A, B, C and D; of a load or store, the first is the fragment's.
    pub types: [Element; 4],
    /// Whether fragments are laid out as for `wmma`, not as for `mma`.
    pub whole_tile: bool,
    /// Whether sums of integers saturate.
    pub saturates: bool,
    /// Whether differing bits count (`xor`), instead of common ones (`and`).
    pub differing: bool,
    /// The selection of the kept half, if the first factor is sparse.
    pub kept: Option<SparseSelection>,
}

impl Number for MatrixForm {
    fn code(self) -> u64 {
        let types = self.types.iter().rev();
        let types = types.fold(0, |code, element| (code << 4) | element.code());
        let flags = self.whole_tile.code() | (self.saturates.code() << 1) | (self.differing.code() << 2);
        let kept = self.kept.map_or(0, |kept| 1 | (u64::from(kept.selector) << 1));
        u64::from(self.dims) | (types << 4) | (flags << 20) | (kept << 23)
    }

    fn from_code(code: u64) -> MatrixForm {
        MatrixForm {
            dims: code as u32 & 15,
            types: [4, 8, 12, 16].map(|at| Element::from_code((code >> at) & 15)),
            whole_tile: bool::from_code(code & (1 << 20)),
            saturates: bool::from_code(code & (1 << 21)),
            differing: bool::from_code(code & (1 << 22)),
            kept: (code & (1 << 23) != 0).then_some(SparseSelection { selector: (code >> 24) as u32 & 3 }),
        }
    }
}

impl MatrixForm {
    /// The dimensions.
    pub fn dims(self) -> Dims {
        Dims::from_code(self.dims)
    }

    /// The dimensions of the numbers that the first factor's fragment holds.
    pub fn first(self) -> Dims {
        let dims = self.dims();
        if self.kept.is_some() { Dims { k: dims.k / 2, ..dims } } else { dims }
    }

    /// The registers of the D, A, B and C fragments, in this order.
    pub fn registers(self) -> [usize; 4] {
        let [a, b, c, d] = self.types;
        let count = |part, element| self.dims().registers(part, element, self.whole_tile);
        let first = self.first().registers(MatrixRole::A, a, self.whole_tile);
        [count(MatrixRole::C, d), first, count(MatrixRole::B, b), count(MatrixRole::C, c)]
    }
}

/// Adds a fragment's registers to a list: `count` of them, written if `def` and read otherwise.
pub(super) fn fragment(
    cx: &mut dyn Context,
    inst: &ast::Inst,
    operand: &Operand,
    (element, count): (Element, usize),
    def: bool,
    list: &mut Vec<(OperandSlot, bool)>,
) -> Result<()> {
    let parts = parts(operand);
    if parts.len() != count {
        return Err(cx.invalid(format!("`{}` with a fragment of {} registers", inst.text(), parts.len())));
    }
    let wide = element.register() == 8;
    for part in parts {
        let part = if def {
            cx.dest(part, element.register())?
        } else {
            let number = matches!(part, Operand::F32(_) | Operand::F64(_));
            let ty = match (wide, number) {
                (false, true) => Type::F32,
                (false, false) => Type::B32,
                (true, true) => Type::F64,
                (true, false) => Type::B64,
            };
            cx.source(part, ty)?
        };
        list.push((part, def));
    }
    Ok(())
}

impl Warp<'_> {
    /// Returns a register of a fragment.
    ///
    /// # Safety
    /// The lowering put a register of the element's register size into the program's lists.
    pub(super) unsafe fn fragment(&mut self, at: u32, element: Element) -> [u64; LANES] {
        let register = Register::<Any>::at(at);
        // SAFETY: the caller's contract.
        unsafe {
            if element.register() == 8 {
                *register.holding::<u64>().lanes(self)
            } else {
                (*register.holding::<u32>().lanes(self)).map(u64::from)
            }
        }
    }

    /// Writes a lane of a register of a fragment.
    ///
    /// # Safety
    /// As for [`Warp::fragment`].
    pub(super) unsafe fn set_fragment(&mut self, at: u32, element: Element, lane: usize, value: u64) {
        let register = Register::<Any>::at(at);
        // SAFETY: the caller's contract.
        unsafe {
            if element.register() == 8 {
                (*register.holding::<u64>().lanes(self))[lane] = value;
            } else {
                (*register.holding::<u32>().lanes(self))[lane] = value as u32;
            }
        }
    }
}
