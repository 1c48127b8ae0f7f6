//! Loads whose value is only a first guess, which a compare-and-swap of the same address verifies.
//!
//! In CUDA's programming guide, the loop that implements missing atomics begins with such a load: `old = *address`. If
//! another thread writes at the same time, the swap fails and the loop retries with the value that the swap found,
//! whatever was loaded. The value may be loaded as a vector, or in parts that are combined later.

use crate::instr::context::parts;
use ptx::ast::{Base, Body, Inst, Operand, RegId, Type};
use ptx::modifier::Modifier;
use ptx::opcode::Opcode;
use std::collections::{HashMap, HashSet};

/// Returns the indices of these loads in the body.
pub fn mark_cas_retries(body: &Body) -> HashSet<u32> {
    let swaps = || body.code.iter().filter(|inst| inst.opcode == Opcode::Atom && inst.has(Modifier::Cas));
    if swaps().next().is_none() {
        return HashSet::new();
    }
    let mut defs: HashMap<RegId, Vec<u32>> = HashMap::new();
    for (at, inst) in (0u32..).zip(&body.code) {
        for to in inst.operands.first().into_iter().flat_map(registers) {
            defs.entry(to).or_default().push(at);
        }
    }
    let function = Function { code: &body.code, defs };
    swaps().flat_map(|swap| function.guesses(swap)).collect()
}

/// Returns the registers of an operand that is a register or a vector.
fn registers(operand: &Operand) -> impl Iterator<Item = RegId> + '_ {
    parts(operand).iter().filter_map(|part| match part {
        Operand::Reg(register) => Some(*register),
        _ => None,
    })
}

/// Contiguous bytes: their first offset and their end, relative to the register or the variable from which their
/// address was computed.
struct Bytes {
    base: Base,
    from: i64,
    to: i64,
}

impl Bytes {
    fn lies_in(&self, other: &Bytes) -> bool {
        self.base == other.base && other.from <= self.from && self.to <= other.to
    }
}

struct Function<'b> {
    code: &'b [Inst],
    /// The instructions that write each register.
    defs: HashMap<RegId, Vec<u32>>,
}

impl Function<'_> {
    /// Returns the loads that provide the value with which a swap compares.
    fn guesses(&self, swap: &Inst) -> Vec<u32> {
        let [_, address, compared, ..] = &swap.operands[..] else {
            return Vec::new();
        };
        let Some(swapped) = self.bytes(swap, address) else {
            return Vec::new();
        };
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        let mut work: Vec<RegId> = registers(compared).collect();
        while let Some(reg) = work.pop() {
            if !seen.insert(reg) {
                continue;
            }
            for &at in self.defs.get(&reg).into_iter().flatten() {
                let inst = &self.code[at as usize];
                match (inst.opcode, inst.operands.get(1)) {
                    (Opcode::Mov, Some(from)) => work.extend(registers(from)),
                    (Opcode::Ld, Some(from)) if self.bytes(inst, from).is_some_and(|load| load.lies_in(&swapped)) => {
                        found.push(at);
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// Returns the bytes that an instruction accesses at an address.
    fn bytes(&self, inst: &Inst, address: &Operand) -> Option<Bytes> {
        let (base, from) = self.place(address)?;
        let ty = inst.types().last()?;
        // A 128-bit register is a pair of registers here.
        let count = if ty == Type::B128 { 1 } else { parts(&inst.operands[0]).len() };
        Some(Bytes { base, from, to: from + i64::from(ty.size()) * count as i64 })
    }

    /// Returns the base of an address, a register or a variable, and the offset. `None` if the operand is not such an
    /// address.
    fn place(&self, operand: &Operand) -> Option<(Base, i64)> {
        let (mut reg, offset) = match operand {
            Operand::Mem(Base::Reg(reg), offset) => (*reg, *offset),
            Operand::Mem(base @ Base::Sym(_), offset) => return Some((base.clone(), *offset)),
            _ => return None,
        };
        // An address may be copied, or converted from one space to another. The bound ends cycles of copies.
        for _ in 0..self.defs.len() {
            let Some([at]) = self.defs.get(&reg).map(Vec::as_slice) else {
                break;
            };
            let inst = &self.code[*at as usize];
            match inst.operands.get(1) {
                // A register unpacked from a vector is not a copy of it.
                _ if matches!(inst.operands[0], Operand::Vec(_)) => break,
                Some(Operand::Reg(from)) if matches!(inst.opcode, Opcode::Cvta | Opcode::Mov) => reg = *from,
                Some(Operand::Sym(name, at)) => return Some((Base::Sym(name.clone()), at + offset)),
                _ => break,
            }
        }
        Some((Base::Reg(reg), offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::body;

    /// Returns the marked loads of a kernel.
    fn marked(code: &str) -> Vec<u32> {
        let mut marked: Vec<u32> = mark_cas_retries(&body(code)).into_iter().collect();
        marked.sort_unstable();
        marked
    }

    const SWAP: &str = "atom.global.cas.b32 %r2, [%rd1+4], %r1, %r3;";

    #[test]
    fn the_first_guess_of_a_swap_is_marked() {
        assert_eq!(marked(&format!("ld.global.u32 %r1, [%rd1+4]; {SWAP}")), [0]);
        assert_eq!(marked(&format!("ld.global.u32 %r5, [%rd1+4]; mov.u32 %r1, %r5; {SWAP}")), [0]);
        let converted = "cvta.to.global.u64 %rd1, %rd2; ld.u32 %r1, [%rd2+4];";
        assert_eq!(marked(&format!("{converted} {SWAP}")), [1]);
    }

    #[test]
    fn another_load_is_not() {
        for other in [
            "ld.global.u32 %r1, [%rd1];",
            "ld.global.u32 %r1, [%rd2+4];",
            "ld.global.u64 %rd3, [%rd1+4];",
            "ld.global.u32 %r5, [%rd1+4]; add.u32 %r1, %r5, 1;",
            "ld.global.u32 %r3, [%rd1+4];",
        ] {
            assert_eq!(marked(&format!("{other} {SWAP}")), [0; 0], "{other}");
        }
        assert_eq!(marked("ld.global.u32 %r1, [%rd1+4]; atom.global.exch.b32 %r2, [%rd1+4], %r1;"), [0; 0]);
    }
}
