//! The interface through which a family uses the function that is being lowered.

use super::code::{Inst, OperandSlot};
use crate::engine::warp::program::Origin;
use crate::kernel::LoadError;
use crate::lane::HostVectors;
use ptx::ast::{self, Base, Operand, RegId, Type};

/// A result of lowering.
pub type Result<T> = std::result::Result<T, LoadError>;

/// The function that is being lowered. Families read operands and emit instructions through it.
pub trait Context {
    /// The host's vectors, for which handlers are chosen.
    fn vectors(&self) -> HostVectors;
    /// Returns the declared width of a register: bytes a lane, 0 for a predicate.
    fn width_of(&self, reg: RegId) -> u32;
    /// Returns a register as a source; it must have this width.
    fn reg(&mut self, reg: RegId, width: u32) -> Result<OperandSlot>;
    /// Returns an operand as a source of a type.
    fn source(&mut self, operand: &Operand, ty: Type) -> Result<OperandSlot>;
    /// Returns an operand as a destination of a width.
    fn dest(&mut self, operand: &Operand, width: u32) -> Result<OperandSlot>;
    /// Creates a new register.
    fn temp(&mut self, width: u32) -> OperandSlot;
    /// Returns the hidden register of the carry flag.
    fn carry(&mut self) -> OperandSlot;
    /// Returns the register that holds the start of the thread's latest dynamic array (`alloca`), if the program has
    /// such arrays.
    fn arrays(&self) -> Option<OperandSlot>;
    /// Returns a register that holds the same bits in all lanes.
    fn bits(&mut self, value: u64, width: u32) -> OperandSlot;
    /// Returns a register that holds the address of a variable in its own space, if such a variable is visible here.
    fn symbol(&mut self, name: &str, offset: i64) -> Option<OperandSlot>;
    /// Returns a 64-bit register with the sum of a 32-bit register and an offset, added in 32 bits.
    fn widened(&mut self, narrow: OperandSlot, offset: i64) -> OperandSlot;
    /// Returns the array from which the address in an operand was computed, as far as the program shows it.
    fn origin(&self, operand: &Operand) -> Origin;
    /// Whether a register is only the input of a selection (`selp`), or not read at all: its value may be unused.
    fn only_chosen(&self, reg: RegId) -> bool;
    /// Emits an instruction under the guard of the current one.
    fn emit(&mut self, inst: Inst) -> Result<()>;
    /// Emits an instruction that only prepares an operand, independent of the guard.
    fn prepare(&mut self, inst: Inst);
    /// Ends the basic block with a barrier; the code continues in a new block.
    fn end_with_barrier(&mut self, inst: Inst);
    /// Returns an operand as the program spells it.
    fn spelled(&self, operand: &Operand) -> String;
    /// Creates an error: valid PTX that is not supported here.
    fn unsupported(&self, what: String) -> LoadError;
    /// Creates an error: a violation of the rules of PTX.
    fn invalid(&self, what: String) -> LoadError;
}

impl dyn Context + '_ {
    /// Returns the error for an instruction that is not supported. It counts as valid PTX, unless it names a type that
    /// does not exist.
    pub fn missing(&self, inst: &ast::Inst) -> LoadError {
        match inst.words().find(|word| is_no_type(word)) {
            Some(word) => self.invalid(format!("`{}`: there is no type `.{word}`", inst.text())),
            None => self.unsupported(format!("`{}`", inst.text())),
        }
    }

    /// Returns the error for an instruction with a wrong number of operands.
    pub fn wrong(&self, inst: &ast::Inst) -> LoadError {
        self.invalid(format!("`{}` with {} operands", inst.text(), inst.operands.len()))
    }

    /// Returns an address operand: a 64-bit register and the offset to add to it.
    pub fn address(&mut self, operand: &Operand) -> Result<(OperandSlot, u64)> {
        match operand {
            Operand::Mem(Base::Reg(r), offset) => {
                if self.width_of(*r) == 4 {
                    // The sum has as many bits as the register: it wraps around.
                    let narrow = self.reg(*r, 4)?;
                    return Ok((self.widened(narrow, *offset), 0));
                }
                Ok((self.reg(*r, 8)?, *offset as u64))
            }
            Operand::Mem(Base::Sym(name), offset) => match self.symbol(name, 0) {
                Some(base) => Ok((base, *offset as u64)),
                None => Err(self.unsupported(format!("an access to `{name}` here"))),
            },
            Operand::Mem(Base::None, offset) => Ok((self.bits(0, 8), *offset as u64)),
            other => Err(self.invalid(format!("the operand `{}` in place of an address", self.spelled(other)))),
        }
    }
}

/// Returns the parts of a vector operand; any other operand is its only part.
pub fn parts(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Vec(list) => list,
        one => std::slice::from_ref(one),
    }
}

/// Returns the width of a register of this type: bytes a lane, 0 for a predicate.
pub fn width(ty: Type) -> u32 {
    match ty {
        Type::Pred => 0,
        Type::B8 | Type::U8 | Type::S8 => 2,
        other => other.size(),
    }
}

/// Whether a modifier looks like a type (a letter and a number of bits) that exists in no version of PTX.
fn is_no_type(word: &str) -> bool {
    let bits = word.strip_prefix(['b', 's', 'u', 'f']).and_then(|bits| bits.parse::<u32>().ok());
    bits.is_some_and(|bits| !(bits.is_power_of_two() && bits <= 1024))
}
