//! Writes instructions and operands as PTX spells them.
//!
//! Registers have the names that the body declares, and labels those of the text: a message shows an instruction as
//! its author knows it. What is written is PTX again: `tests/print.rs` parses it.

use crate::ast::{Base, Body, Inst, Operand, RegId, RegisterPart};
use crate::opcode::Opcode;
use std::fmt::{self, Display, Formatter};

/// Something of a function that is written with the names of its body.
struct Named<'a, T>(&'a T, &'a Body);

impl Inst {
    /// Returns it as text, without the semicolon, with the names that its body declares.
    pub fn display<'a>(&'a self, body: &'a Body) -> impl Display + 'a {
        Named(self, body)
    }
}

impl Operand {
    /// Returns it as text, with the names that the body declares.
    pub fn display<'a>(&'a self, body: &'a Body) -> impl Display + 'a {
        Named(self, body)
    }
}

impl Display for Named<'_, Inst> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Named(inst, body) = self;
        if let Some((register, not)) = inst.guard {
            write!(f, "@{}{} ", if not { "!" } else { "" }, Named(&register, body))?;
        }
        f.write_str(inst.text())?;
        let operands = match inst.operands.as_slice() {
            // A call has its lists in parentheses.
            [Operand::Vec(returns), function, Operand::Vec(arguments), rest @ ..] if inst.opcode == Opcode::Call => {
                if !returns.is_empty() {
                    write!(f, " ({}),", List(returns, body))?;
                }
                write!(f, " {}", Named(function, body))?;
                // A prototype follows a list, even an empty one.
                if !arguments.is_empty() || !rest.is_empty() {
                    write!(f, ", ({})", List(arguments, body))?;
                }
                for operand in rest {
                    write!(f, ", {}", Named(operand, body))?;
                }
                return Ok(());
            }
            operands => operands,
        };
        let space = if operands.is_empty() { "" } else { " " };
        write!(f, "{space}{}", List(operands, body))
    }
}

/// Operands with commas between them.
struct List<'a>(&'a [Operand], &'a Body);

impl Display for List<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, operand) in self.0.iter().enumerate() {
            write!(f, "{}{}", if at == 0 { "" } else { ", " }, Named(operand, self.1))?;
        }
        Ok(())
    }
}

impl Display for Named<'_, RegId> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.1.regs.get(self.0.0 as usize) {
            Some(register) => f.write_str(&register.name),
            None => write!(f, "%{}", self.0.0),
        }
    }
}

impl Display for Named<'_, Operand> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Named(operand, body) = self;
        match operand {
            Operand::Reg(register) => Named(register, body).fmt(f),
            Operand::NotReg(register) => write!(f, "!{}", Named(register, body)),
            Operand::Part(register, RegisterPart { negative, bytes, picks }) => {
                write!(f, "{}{}", if *negative { "-" } else { "" }, Named(register, body))?;
                if !picks.is_empty() {
                    f.write_str(if *bytes { ".b" } else { ".h" })?;
                }
                picks.iter().try_for_each(|pick| write!(f, "{pick}"))
            }
            Operand::Int(value) => write!(f, "{value}"),
            Operand::F32(bits) => write!(f, "0f{bits:08X}"),
            Operand::F64(bits) => write!(f, "0d{bits:016X}"),
            Operand::Special(special) => special.fmt(f),
            Operand::Sym(name, 0) => f.write_str(name),
            Operand::Sym(name, offset) => write!(f, "{name}{offset:+}"),
            Operand::Label(at) => match body.labels.iter().find(|(_, place)| place == at) {
                Some((name, _)) => f.write_str(name),
                None => write!(f, "{at}"),
            },
            Operand::Mem(base, offset) => write!(f, "[{}]", Address(base, *offset, body)),
            // The parts of the address of a tensor or a texel.
            Operand::Vec(parts) => match parts.split_first() {
                Some((Operand::Mem(base, offset), [])) => write!(f, "[{}]", Address(base, *offset, body)),
                Some((Operand::Mem(base, offset), rest)) => {
                    write!(f, "[{}, {}]", Address(base, *offset, body), List(rest, body))
                }
                _ => write!(f, "{{{}}}", List(parts, body)),
            },
            Operand::Pair(first, second) => write!(f, "{}|{}", Named(&**first, body), Named(&**second, body)),
            Operand::Discard => f.write_str("_"),
        }
    }
}

/// A base and an offset.
struct Address<'a>(&'a Base, i64, &'a Body);

impl Display for Address<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Address(base, offset, body) = self;
        match base {
            Base::Reg(register) => Named(register, body).fmt(f)?,
            Base::Sym(name) => f.write_str(name)?,
            Base::None => return write!(f, "{offset}"),
        }
        if *offset == 0 { Ok(()) } else { write!(f, "{offset:+}") }
    }
}
