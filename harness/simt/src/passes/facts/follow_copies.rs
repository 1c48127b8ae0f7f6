//! Follows copies of registers back to a constant or a parameter, so that the translation can read that instead.

use super::count_writers::Writers;
use crate::instr::context::width;
use ptx::ast::{Body, Inst, Operand, RegId};
use ptx::modifier::Modifier;
use ptx::opcode::Opcode;

/// Returns, for each register that always has the same value, the instruction that names this value: a load of a
/// parameter, or a move of a constant, a special register or an address.
pub fn follow_copies(body: &Body, writers: &Writers) -> Vec<Option<u32>> {
    let mut sources = vec![Copies::Unknown; body.regs.len()];
    (0..body.regs.len() as u32).map(|reg| follow(RegId(reg), body, writers, &mut sources)).collect()
}

/// What is known about a register.
#[derive(Clone, Copy)]
enum Copies {
    Unknown,
    Source(Option<u32>),
}

fn follow(reg: RegId, body: &Body, writers: &Writers, sources: &mut [Copies]) -> Option<u32> {
    let at = reg.0 as usize;
    if let Copies::Source(source) = sources[at] {
        return source;
    }
    // Registers that are copies of each other have no source: this ends the recursion.
    sources[at] = Copies::Source(None);
    let writer = writers.only(reg)?;
    let source = match &body.code[writer as usize] {
        inst if !is_copy(inst, reg) => None,
        Inst { operands, .. } => match operands[1] {
            Operand::Reg(from) if width_of(body, from) == width_of(body, reg) => follow(from, body, writers, sources),
            Operand::Reg(_) => None,
            _ => Some(writer),
        },
    };
    sources[at] = Copies::Source(source);
    source
}

/// Whether an instruction only copies a value to this register, in all lanes.
fn is_copy(inst: &Inst, to: RegId) -> bool {
    let copies = match inst.opcode {
        Opcode::Ld => inst.is_of_params(),
        Opcode::Mov => true,
        Opcode::Cvta => inst.has_any(&[Modifier::Global, Modifier::Const, Modifier::Param]),
        _ => false,
    };
    copies && inst.guard.is_none() && inst.operands.len() == 2 && inst.operands[0] == Operand::Reg(to)
}

fn width_of(body: &Body, reg: RegId) -> u32 {
    width(body.regs[reg.0 as usize].ty)
}

#[cfg(test)]
mod tests {
    use super::super::count_writers::count_writers;
    use super::*;
    use crate::passes::testing::{body, register};

    /// Returns the text of the instruction that names the value of a register of the code.
    fn source(code: &str, name: &str) -> Option<String> {
        let body = body(code);
        let at = follow_copies(&body, &count_writers(&body))[register(&body, name).0 as usize]?;
        Some(body.code[at as usize].text().to_owned())
    }

    #[test]
    fn copies_lead_to_a_parameter_or_a_constant() {
        let parameter = "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mov.u64 %rd3, %rd2;";
        assert_eq!(source(parameter, "%rd3").as_deref(), Some("ld.param.u64"));
        assert_eq!(source("mov.u32 %r1, 7; mov.b32 %r2, %r1;", "%r2").as_deref(), Some("mov.u32"));
    }

    #[test]
    fn values_that_may_change_have_no_source() {
        for (code, name) in [
            ("mov.u32 %r1, 7; mov.u32 %r1, 8;", "%r1"),
            ("@%p1 mov.u32 %r1, 7;", "%r1"),
            ("add.u32 %r1, %r2, 7; mov.u32 %r3, %r1;", "%r3"),
            ("mov.u32 %r1, %r2; mov.u32 %r2, %r1;", "%r1"),
            ("cvta.shared.u64 %rd1, 8;", "%rd1"),
            ("mov.b64 {%r1, %r2}, 7;", "%r1"),
        ] {
            assert_eq!(source(code, name), None, "{code}");
        }
    }
}
