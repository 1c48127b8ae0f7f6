//! The check of divisors: an integer division by zero does not trap, but its result is undefined.
//!
//! The PTX of CUDA C++ divides only where the source does. Other compilers divide in all threads and select afterwards;
//! so a quotient that is only an input of a selection, or unused, is not checked.

use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{Access, AccessKind, Finding, FindingKind};
use crate::instr::context::{Context, Result};
use crate::instr::operands::{Any, operands};
use crate::lane::lanes;
use ptx::ast::{self, Operand, Type};
use ptx::opcode::Opcode;

operands! {
    /// Operands of the check.
    struct Divisor {
        /// The divisor.
        value: read(Any) in a,
        /// Its width in bytes.
        width: number(u32) in b,
        /// Whether the instruction computes a remainder.
        remainder: number(bool) in c,
    }
}

/// Whether an instruction divides integers.
pub(super) fn is_division(inst: &ast::Inst) -> bool {
    use Type::{S16, S32, S64, U16, U32, U64};
    matches!(inst.opcode, Opcode::Div | Opcode::Rem) && inst.has_type(&[S16, S32, S64, U16, U32, U64])
}

/// Lowers the check of the divisor of a division of this type, which follows.
pub(super) fn look(cx: &mut dyn Context, inst: &ast::Inst, ty: Type) -> Result<()> {
    let [to, _, divisor] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    if matches!(divisor, Operand::Int(value) if *value != 0) || matches!(to, Operand::Reg(r) if cx.only_chosen(*r)) {
        return Ok(());
    }
    let value = cx.source(divisor, ty)?;
    let divisor = Divisor { value, width: ty.size(), remainder: inst.opcode == Opcode::Rem };
    cx.emit(divisor.pack(examine))
}

/// Executes the check before a division.
unsafe fn examine(warp: &mut Warp, op: &Op) -> Flow {
    if warp.launch().init {
        let Divisor { value, width, remainder } = Divisor::unpack(op);
        // SAFETY: the register was unpacked from this instruction.
        let zeros = unsafe {
            match width {
                8 => zeros(&*value.holding::<u64>().lanes(warp)),
                4 => zeros(&*value.holding::<u32>().lanes(warp)),
                _ => zeros(&*value.holding::<u16>().lanes(warp)),
            }
        };
        if zeros & warp.mask() != 0 {
            warp.divides_by_zero(op, zeros & warp.mask(), remainder);
        }
    }
    Flow::Next
}

/// Returns the lanes in which a value is zero.
#[inline(always)]
fn zeros<T: PartialEq + Default>(values: &[T; crate::lane::LANES]) -> u32 {
    lanes(u32::MAX).fold(0, |zeros, lane| zeros | (u32::from(values[lane] == T::default()) << lane))
}

impl Warp<'_> {
    #[cold]
    fn divides_by_zero(&mut self, op: &Op, zeros: u32, remainder: bool) {
        let mut access = Access::at(AccessKind::Execute, self.program().place_of(op.site));
        access.threads = zeros.count_ones();
        let access = self.located(access, zeros.trailing_zeros() as usize & 31);
        let kind = FindingKind::DivisionByZero { remainder };
        self.record(Finding::new(kind, self.program().name.clone()).with(access));
    }
}
