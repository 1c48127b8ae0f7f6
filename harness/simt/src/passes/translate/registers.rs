//! The registers of a function: those that it declares, and those that the translation adds.

use crate::instr::context::width;
use crate::passes::ir::OperandSlot;
use ptx::ast::{Body, RegId};
use std::collections::HashMap;

/// The registers of a function.
pub struct Registers {
    /// Widths: bytes a lane, 0 for a predicate.
    widths: Vec<u32>,
    /// The hidden register of the carry flag, once it is used.
    carry: Option<OperandSlot>,
    /// The constants and parameters that are read in place of registers, as far as they have been read, by the
    /// instruction that names them; `None` where that is not possible.
    pub known: HashMap<u32, Option<OperandSlot>>,
}

impl Registers {
    /// Creates the registers that a body declares.
    pub fn of(body: &Body) -> Registers {
        Registers { widths: body.regs.iter().map(|r| width(r.ty)).collect(), carry: None, known: HashMap::new() }
    }

    /// Creates a new register.
    pub fn temp(&mut self, width: u32) -> OperandSlot {
        self.widths.push(width);
        OperandSlot::Reg(self.widths.len() as u32 - 1)
    }

    /// Returns the hidden register of the carry flag.
    pub fn carry(&mut self) -> OperandSlot {
        match self.carry {
            Some(carry) => carry,
            None => {
                let carry = self.temp(0);
                self.carry = Some(carry);
                carry
            }
        }
    }

    /// Returns the width of a register.
    pub fn width_of(&self, reg: RegId) -> u32 {
        self.widths.get(reg.0 as usize).copied().unwrap_or(0)
    }

    /// Returns the registers in whose place a constant or a parameter is read. `sources` has the instruction that names
    /// a register's value, if it is always the same.
    pub fn aliases(&self, sources: &[Option<u32>]) -> Vec<(u32, OperandSlot)> {
        let found = |source: &Option<u32>| self.known.get(&(*source)?).copied().flatten();
        (0..).zip(sources).filter_map(|(register, source)| Some((register, found(source)?))).collect()
    }

    /// Returns the widths of all registers.
    pub fn finish(self) -> Vec<u32> {
        self.widths
    }
}
