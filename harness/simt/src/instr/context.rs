//! What a family asks of the function that is being lowered.

use super::code::{Inst, Opnd};
use crate::engine::warp::program::Origin;
use crate::kernel::LoadError;
use crate::lane::HostVectors;
use crate::ptx::ast::{self, Base, Operand, RegId, Type};

/// A result of lowering.
pub type Result<T> = std::result::Result<T, LoadError>;

/// The function that is being lowered. Families read operands and emit instructions through it.
pub trait Context {
    /// The host's vectors, for which handlers are picked.
    fn vectors(&self) -> HostVectors;
    /// The declared width of a register: bytes a lane, 0 for a predicate.
    fn width_of(&self, reg: RegId) -> u32;
    /// A register as a source; it must have this width.
    fn reg(&mut self, reg: RegId, width: u32) -> Result<Opnd>;
    /// An operand as a source of a type.
    fn source(&mut self, operand: &Operand, ty: Type) -> Result<Opnd>;
    /// An operand as a destination of a width.
    fn dest(&mut self, operand: &Operand, width: u32) -> Result<Opnd>;
    /// A new register.
    fn temp(&mut self, width: u32) -> Opnd;
    /// The hidden register of the carry flag.
    fn carry(&mut self) -> Opnd;
    /// The register that says where the last array of a thread begins whose length only the thread knows, if the
    /// program has such.
    fn arrays(&self) -> Option<Opnd>;
    /// A register that holds the same bits in all lanes.
    fn bits(&mut self, value: u64, width: u32) -> Opnd;
    /// A register that holds the address of a variable in its own space, if there is such a variable here.
    fn symbol(&mut self, name: &str, offset: i64) -> Option<Opnd>;
    /// A 64-bit register with the sum of a 32-bit register and an offset, added in 32 bits.
    fn widened(&mut self, narrow: Opnd, offset: i64) -> Opnd;
    /// Where the address in an operand begins, as far as the program tells.
    fn origin(&self, operand: &Operand) -> Origin;
    /// Whether a register is only chosen from (`selp`), or not read at all: its value may be one that nobody wants.
    fn only_chosen(&self, reg: RegId) -> bool;
    /// Emits an instruction under the guard of the present one.
    fn emit(&mut self, inst: Inst) -> Result<()>;
    /// Emits an instruction that only prepares an operand, whether the guard holds or not.
    fn prepare(&mut self, inst: Inst);
    /// Ends the basic block with a barrier, behind which the code goes on.
    fn end_with_barrier(&mut self, inst: Inst);
    /// An error: PTX, but not supported here.
    fn unsupported(&self, what: String) -> LoadError;
    /// An error: against the rules of PTX.
    fn invalid(&self, what: String) -> LoadError;
}

impl dyn Context + '_ {
    /// The error for an instruction that is not supported. PTX may have it, unless it names a type that there is not.
    pub fn missing(&self, inst: &ast::Inst) -> LoadError {
        match inst.op.split('.').skip(1).find(|word| is_no_type(word)) {
            Some(word) => self.invalid(format!("`{}`: there is no type `.{word}`", inst.op)),
            None => self.unsupported(format!("`{}`", inst.op)),
        }
    }

    /// The error for an instruction with a wrong number of operands.
    pub fn wrong(&self, inst: &ast::Inst) -> LoadError {
        self.invalid(format!("`{}` with {} operands", inst.op, inst.operands.len()))
    }

    /// An address operand: a 64-bit register and what to add to it.
    pub fn address(&mut self, operand: &Operand) -> Result<(Opnd, u64)> {
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
            other => Err(self.invalid(format!("the operand {other:?} in place of an address"))),
        }
    }
}

/// The parts of a vector operand; any other operand is its own only part.
pub fn parts(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Vec(list) => list,
        one => std::slice::from_ref(one),
    }
}

/// The width of a register of this type: bytes a lane, 0 for a predicate.
pub fn width(ty: Type) -> u32 {
    match ty {
        Type::Pred => 0,
        Type::B8 | Type::U8 | Type::S8 => 2,
        other => other.size(),
    }
}

/// Whether a modifier looks like a type, a letter with a number of bits, that no version of PTX has.
fn is_no_type(word: &str) -> bool {
    let bits = word.strip_prefix(['b', 's', 'u', 'f']).and_then(|bits| bits.parse::<u32>().ok());
    bits.is_some_and(|bits| !(bits.is_power_of_two() && bits <= 1024))
}
