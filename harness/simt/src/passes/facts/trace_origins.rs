//! The origin of an address: the array or argument from which it was computed, if there is only one. An access that
//! hits another array is an error even if that array may be accessed.
//!
//! The analysis ignores the order of instructions: a register has an origin if all values written to it have that
//! origin. An address that it cannot trace has no origin and is not checked.

use ptx::ast::{Base, Body, Function, Operand};
use ptx::opcode::Opcode;
use std::collections::HashSet;

/// The origin of the addresses in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressOrigin<'m> {
    /// No address: a number, or not yet known.
    Number,
    /// This variable.
    Variable(&'m str),
    /// The memory to which the pointer at this offset of this kernel parameter points.
    Param(&'m str, i64),
    /// Several origins, or one that cannot be determined.
    Unknown,
}

impl AddressOrigin<'_> {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (AddressOrigin::Number, x) | (x, AddressOrigin::Number) => x,
            (a, b) if a == b => a,
            _ => AddressOrigin::Unknown,
        }
    }
}

/// Returns the origin of every register of a function.
pub fn trace_origins<'m>(function: &'m Function, body: &'m Body) -> Vec<AddressOrigin<'m>> {
    use Opcode::{Add, And, Bfe, Clz, Cvt, Cvta, Div, Ld, Mad, Max, Min, Mov, Mul, Or, Popc, Rem, Selp, Shl, Shr, Sub};
    let mut all = vec![AddressOrigin::Number; body.regs.len()];
    let params: HashSet<&str> =
        if function.entry { function.params.iter().map(|p| p.name.as_str()).collect() } else { HashSet::new() };
    let mut changed = true;
    while changed {
        changed = false;
        for inst in &body.code {
            let Some((_, rest)) = inst.operands.split_first() else {
                continue;
            };
            let value = |o: &'m Operand| match o {
                Operand::Reg(r) => all[r.0 as usize],
                Operand::Sym(name, _) => AddressOrigin::Variable(name),
                Operand::Vec(_) | Operand::Pair(..) => AddressOrigin::Unknown,
                _ => AddressOrigin::Number,
            };
            let join = |from: &'m [Operand]| from.iter().map(value).fold(AddressOrigin::Number, AddressOrigin::join);
            let from = match (inst.opcode, rest) {
                (Mov | Cvta | Cvt | Add | Sub | And | Or | Min | Max, from) => join(from),
                (Selp, [a, b, _]) => value(a).join(value(b)),
                (Mad, [_, _, c]) => value(c),
                (Mul | Shl | Shr | Div | Rem | Bfe | Popc | Clz, _) => AddressOrigin::Number,
                (Ld, [Operand::Mem(Base::Sym(name), offset)])
                    if inst.is_of_params() && params.contains(name.as_str()) =>
                {
                    if inst.element().is_some_and(|(_, ty)| ty.size() == 8) {
                        AddressOrigin::Param(name, *offset)
                    } else {
                        AddressOrigin::Number
                    }
                }
                _ => AddressOrigin::Unknown,
            };
            inst.each_written(|r| {
                // A value that is loaded or computed in another way is a number, unless it is as wide as a pointer.
                let narrow = body.regs[r.0 as usize].ty.size() < 8;
                let from = if narrow && from == AddressOrigin::Unknown && !matches!(inst.opcode, Mov | Cvt) {
                    AddressOrigin::Number
                } else {
                    from
                };
                let joined = all[r.0 as usize].join(from);
                changed |= joined != all[r.0 as usize];
                all[r.0 as usize] = joined;
            });
        }
    }
    all
}

/// Returns the origin of an address operand.
pub fn of_address<'m>(operand: &'m Operand, registers: &[AddressOrigin<'m>]) -> AddressOrigin<'m> {
    match operand {
        Operand::Mem(Base::Reg(r), _) => registers[r.0 as usize],
        Operand::Mem(Base::Sym(name), _) => AddressOrigin::Variable(name),
        _ => AddressOrigin::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::{module, register};

    /// Returns the origin of register `%rd9` of a kernel, in words.
    fn origin(code: &str) -> String {
        let module = module("", &format!(".reg .b64 %rd9;\n{code}"));
        let (function, body) = (&module.functions[0], module.functions[0].body.as_ref().unwrap());
        format!("{:?}", trace_origins(function, body)[register(body, "%rd9").0 as usize])
    }

    #[test]
    fn an_address_comes_from_the_argument_or_the_variable_that_it_was_computed_from() {
        let argument = "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1; mul.wide.u32 %rd3, %r1, 4;";
        assert_eq!(origin(&format!("{argument} add.s64 %rd9, %rd2, %rd3;")), "Param(\"p\", 0)");
        assert_eq!(origin("mov.u64 %rd1, tile; mad.lo.s64 %rd9, %rd2, 4, %rd1;"), "Variable(\"tile\")");
    }

    #[test]
    fn an_address_of_two_or_of_unknown_origin_is_not_traced() {
        let both = "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q];";
        assert_eq!(origin(&format!("{both} selp.b64 %rd9, %rd1, %rd2, %p1;")), "Unknown");
        assert_eq!(origin(&format!("{both} mov.u64 %rd9, %rd1; mov.u64 %rd9, %rd2;")), "Unknown");
        assert_eq!(origin("ld.global.u64 %rd9, [%rd1];"), "Unknown");
        assert_eq!(origin("ld.param.u64 %rd1, [p]; mul.lo.s64 %rd9, %rd1, 2;"), "Number");
    }
}
