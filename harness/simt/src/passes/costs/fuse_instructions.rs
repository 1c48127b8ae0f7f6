//! Instruction fusion by the assembler: several PTX instructions that become one in SASS. A product or a shift and a
//! sum of addresses are one instruction; addresses of shared memory have 32 bits in hardware, and their constant part
//! is part of the access; sums and logic take three operands; a comparison includes the predicate with which it is
//! combined.

use ptx::ast::{Base, Body, Inst, Operand, RegId, Type};
use ptx::cost::is_wide;
use ptx::modifier::Modifier;
use ptx::opcode::{Opcode, OpcodeKind};

/// Returns how many hardware instructions each instruction of a body becomes, where that differs from the number
/// without fusion.
pub fn fuse_instructions(body: &Body) -> Vec<Option<u64>> {
    Fusion::from_body(body).counts
}

/// Returns how many hardware instructions this one becomes; `joined` is that number if it is fused with others.
pub fn becomes(inst: &Inst, joined: Option<u64>) -> u64 {
    joined.unwrap_or_else(|| inst.cost().instructions)
}

/// The role of an instruction in fusion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FusionRole {
    /// A 64-bit sum.
    WideSum,
    /// A 32 x 32 -> 64-bit product.
    WideProduct,
    /// A 64-bit left shift by a constant.
    WideShift,
    /// A 32-bit sum, or a shift that is a part of one.
    Sum,
    Shift,
    /// 32-bit logic.
    Logic,
    /// Logic of predicates, and comparisons.
    Predicates,
    Comparison,
    Other,
}

struct Fusion<'b> {
    body: &'b Body,
    kinds: Vec<FusionRole>,
    /// For each register, the instructions that read it.
    users: Vec<Vec<u32>>,
    /// For each register, the one instruction that writes it.
    writer: Vec<Option<u32>>,
    counts: Vec<Option<u64>>,
}

impl<'b> Fusion<'b> {
    fn from_body(body: &'b Body) -> Fusion<'b> {
        let none = body.regs.len();
        let kinds = body.code.iter().map(kind).collect();
        let counts = vec![None; body.code.len()];
        let mut this = Fusion { body, kinds, users: vec![Vec::new(); none], writer: vec![None; none], counts };
        let mut written = vec![0u32; none];
        for (at, inst) in (0u32..).zip(&body.code) {
            let (writes, reads) = inst.registers();
            for read in &reads {
                this.users[read.0 as usize].push(at);
            }
            for register in writes {
                written[register.0 as usize] += 1;
                this.writer[register.0 as usize] = Some(at).filter(|_| written[register.0 as usize] == 1);
            }
        }
        this.addresses();
        this.three_operands();
        this
    }

    /// Returns the register that an instruction writes, if that is its only effect, in all lanes.
    fn result(&self, at: u32) -> Option<RegId> {
        let inst = &self.body.code[at as usize];
        match inst.operands.first() {
            Some(Operand::Reg(register)) if inst.guard.is_none() => Some(*register),
            _ => None,
        }
    }

    /// Handles addresses: products and shifts are fused into the sums that use them, and values that only lead to
    /// shared memory have 32 bits.
    fn addresses(&mut self) {
        let narrow = self.narrow();
        for at in 0..self.body.code.len() as u32 {
            let Some(result) = self.result(at) else { continue };
            let (is_narrow, kind) = (narrow[result.0 as usize], self.kinds[at as usize]);
            let part_of = |of: &Self| -> bool {
                let users = &of.users[result.0 as usize];
                !users.is_empty() && users.iter().all(|&user| of.kinds[user as usize] == FusionRole::WideSum)
            };
            let count = match kind {
                FusionRole::WideProduct | FusionRole::WideShift if part_of(self) => Some(0),
                FusionRole::WideSum => self.sum(at, is_narrow),
                _ if is_narrow && computes_wide(&self.body.code[at as usize]) => Some(1),
                _ => None,
            };
            self.counts[at as usize] = count;
        }
    }

    /// Returns what a 64-bit sum becomes.
    fn sum(&self, at: u32, is_narrow: bool) -> Option<u64> {
        let inst = &self.body.code[at as usize];
        let from = inst.operands[1..].iter().filter_map(|operand| match operand {
            Operand::Reg(r) => self.writer[r.0 as usize],
            _ => None,
        });
        let (mut product, mut shift, mut symbol) = (false, false, false);
        for writer in from {
            let is_part = self.counts[writer as usize] == Some(0);
            product |= is_part && self.kinds[writer as usize] == FusionRole::WideProduct;
            shift |= is_part && self.kinds[writer as usize] == FusionRole::WideShift;
            let writer = &self.body.code[writer as usize];
            symbol |= matches!(writer.operands.get(1), Some(Operand::Sym(..)));
        }
        match (is_narrow, product, shift, symbol) {
            // The start of an array in shared memory is part of the access.
            (true, false, false, true) => Some(0),
            (true, ..) | (false, true, ..) => Some(1),
            _ => None,
        }
    }

    /// Returns which 64-bit registers lead only to addresses of shared memory, and to nothing wider than 32 bits.
    fn narrow(&self) -> Vec<bool> {
        let is_wide = |ty: Type| matches!(ty, Type::B64 | Type::U64 | Type::S64);
        let mut narrow: Vec<bool> =
            self.body.regs.iter().zip(&self.users).map(|(reg, users)| is_wide(reg.ty) && !users.is_empty()).collect();
        loop {
            let mut has_changed = false;
            for at in (0..self.body.code.len() as u32).rev() {
                let inst = &self.body.code[at as usize];
                let keeps = self.result(at).is_some_and(|result| narrow[result.0 as usize]) && keeps_low_bits(inst);
                let is_copy = inst.opcode.kind() == OpcodeKind::Copy;
                let shared = |index: usize| inst.is_of_shared() && (index == 0 || !is_copy);
                for (index, operand) in inst.operands.iter().enumerate() {
                    let mut drop = |register: &RegId| {
                        has_changed |= std::mem::take(&mut narrow[register.0 as usize]);
                    };
                    match operand {
                        Operand::Mem(Base::Reg(r), _) if !shared(index) => drop(r),
                        Operand::Reg(r) if !(keeps || index == 0 && self.result(at).is_some()) => drop(r),
                        Operand::Vec(_) | Operand::Pair(..) => {
                            operand.each_register(&mut |register| drop(&register));
                        }
                        _ => {}
                    }
                }
            }
            if !has_changed {
                return narrow;
            }
        }
    }

    /// Handles sums and logic of three operands: an instruction whose result is used only by another one of its kind is
    /// fused into that one, which can absorb a single instruction.
    fn three_operands(&mut self) {
        let mut has_taken = vec![false; self.body.code.len()];
        for at in 0..self.body.code.len() {
            let Some(result) = self.result(at as u32) else { continue };
            let &[user] = self.users[result.0 as usize].as_slice() else { continue };
            let (own, other) = (self.kinds[at], self.kinds[user as usize]);
            let fits = match own {
                FusionRole::Sum | FusionRole::Shift => other == FusionRole::Sum,
                FusionRole::Logic => other == FusionRole::Logic,
                FusionRole::Predicates | FusionRole::Comparison => other == FusionRole::Predicates,
                _ => false,
            };
            let is_single = self.writer[result.0 as usize].is_some() && user as usize > at;
            if fits && is_single && !has_taken[at] && !has_taken[user as usize] {
                has_taken[user as usize] = true;
                self.counts[at] = Some(0);
            }
        }
    }
}

/// Whether the low 32 bits of the result come from the low 32 bits of the operands.
fn keeps_low_bits(inst: &Inst) -> bool {
    use Opcode::{Add, And, Mad, Mov, Mul, Or, Shl, Sub, Xor};
    match inst.opcode {
        Add | Sub | Shl | And | Or | Xor | Mov => true,
        Mul | Mad => inst.has(Modifier::Lo),
        _ => false,
    }
}

/// Whether it computes an integer of 64 bits of which an address may need only 32.
fn computes_wide(inst: &Inst) -> bool {
    use Opcode::{Add, And, Mad, Mul, Or, Shl, Sub, Xor};
    matches!(inst.opcode, Add | Sub | Shl | And | Or | Xor | Mul | Mad) && is_wide(inst)
}

fn kind(inst: &Inst) -> FusionRole {
    use Opcode::{Add, And, Mul, Not, Or, Setp, Shl, Sub, Xor};
    let (wide, plain) = (is_wide(inst), inst.has_type(&[Type::S32, Type::U32, Type::B32]));
    let is_constant = matches!(inst.operands.get(2), Some(Operand::Int(_)));
    match inst.opcode {
        _ if inst.guard.is_some() => FusionRole::Other,
        Add if wide => FusionRole::WideSum,
        Mul if inst.has(Modifier::Wide) => FusionRole::WideProduct,
        Shl if wide && is_constant => FusionRole::WideShift,
        Shl if plain && is_constant => FusionRole::Shift,
        Add | Sub if plain && !inst.has(Modifier::Cc) => FusionRole::Sum,
        And | Or | Xor | Not if plain => FusionRole::Logic,
        And | Or | Xor | Not if inst.has_type(&[Type::Pred]) => FusionRole::Predicates,
        Setp => FusionRole::Comparison,
        _ => FusionRole::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx::parse;

    /// Returns the counts of the instructions of a body.
    fn counts(code: &str) -> Vec<Option<u64>> {
        let text = format!(
            ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<9>;\n\
             .reg .f32 %f<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.shared .align 4 .b8 tile[4096];\n{code}\nret;\n}}\n"
        );
        let module = parse(&text).unwrap();
        let mut counts = fuse_instructions(module.functions[0].body.as_ref().unwrap());
        counts.pop();
        counts
    }

    #[test]
    fn a_product_is_a_part_of_each_sum_that_uses_it_and_counts_where_something_else_does() {
        let two = "mul.wide.u32 %rd1, %r1, 4; add.s64 %rd2, %rd3, %rd1; add.s64 %rd4, %rd5, %rd1;
            ld.global.f32 %f1, [%rd2]; st.global.f32 [%rd4], %f1;";
        assert_eq!(counts(two), [Some(0), Some(1), Some(1), None, None]);
        let other = "mul.wide.u32 %rd1, %r1, 4; add.s64 %rd2, %rd3, %rd1; st.global.u64 [%rd2], %rd1;";
        assert_eq!(counts(other), [None, None, None]);
        // A 64-bit shift and a sum are two.
        let shift = "shl.b64 %rd1, %rd2, 2; add.s64 %rd3, %rd4, %rd1; ld.global.f32 %f1, [%rd3];";
        assert_eq!(counts(shift), [Some(0), None, None]);
    }

    #[test]
    fn an_address_of_shared_memory_has_32_bits() {
        let code = "mov.u64 %rd1, tile; add.s64 %rd2, %rd3, %rd4; shl.b64 %rd5, %rd2, 2; add.s64 %rd6, %rd1, %rd5;
            ld.shared.f32 %f1, [%rd6]; add.s64 %rd7, %rd1, %rd6; ld.shared.f32 %f2, [%rd7+4];";
        assert_eq!(counts(code), [None, Some(1), Some(0), Some(1), None, Some(0), None]);
        // A value that also leads elsewhere keeps its 64 bits.
        let both = code.replace("[%rd7+4];", "[%rd7+4]; st.global.u64 [%rd8], %rd2;");
        assert_eq!(counts(&both)[1], None);
        let copy = "add.s64 %rd1, %rd2, %rd3; add.s64 %rd4, %rd5, %rd6;
            cp.async.ca.shared.global [%rd1], [%rd4], 4;";
        assert_eq!(counts(copy), [Some(1), None, None]);
    }

    #[test]
    fn sums_logic_and_predicates_take_three_operands_and_no_more() {
        let sums = "add.s32 %r1, %r2, %r3; add.s32 %r4, %r1, %r5; sub.s32 %r6, %r4, %r7; st.shared.u32 [%rd1], %r6;";
        assert_eq!(counts(sums)[..3], [Some(0), None, None]);
        let twice = "add.s32 %r1, %r2, %r3; add.s32 %r4, %r1, %r1; st.shared.u32 [%rd1], %r4;";
        assert_eq!(counts(twice)[..2], [None, None]);
        let logic = "and.b32 %r1, %r2, %r3; or.b32 %r4, %r1, %r5; add.s32 %r6, %r4, 1; st.shared.u32 [%rd1], %r6;";
        assert_eq!(counts(logic)[..3], [Some(0), None, None]);
        let index = "shl.b32 %r1, %r2, 4; add.s32 %r3, %r1, %r4; st.shared.u32 [%rd1], %r3;";
        assert_eq!(counts(index)[..2], [Some(0), None]);
        let either =
            "setp.lt.s32 %p1, %r1, %r2; setp.lt.s32 %p2, %r3, %r4; or.pred %p3, %p1, %p2; @%p3 bra DONE; DONE:";
        assert_eq!(counts(either)[..3], [Some(0), None, None]);
    }

    #[test]
    fn what_has_64_bits_elsewhere_keeps_them() {
        // A difference is one instruction, if it leads only to shared memory.
        assert_eq!(counts("sub.s64 %rd1, %rd2, 8; ld.shared.f32 %f1, [%rd1];"), [Some(1), None]);
        for code in [
            // The high half of a product needs all bits of its factors.
            "add.s64 %rd1, %rd2, %rd3; mul.hi.s64 %rd4, %rd1, %rd5; ld.shared.f32 %f1, [%rd4];",
            // The value is stored as a part of a vector.
            "add.s64 %rd1, %rd2, %rd3; ld.shared.f32 %f1, [%rd1]; st.global.v2.u64 [%rd4], {%rd1, %rd5};",
            // The value is not used.
            "add.s64 %rd1, %rd2, %rd3;",
        ] {
            assert_eq!(counts(code)[0], None, "{code}");
        }
    }

    #[test]
    fn what_may_not_happen_or_has_another_value_is_no_part_of_a_sum() {
        for (code, at) in [
            // The sum is guarded.
            ("mul.wide.u32 %rd1, %r1, 4; @%p1 add.s64 %rd2, %rd3, %rd1; ld.global.f32 %f1, [%rd2];", 0),
            // The shift amount is a register.
            ("shl.b32 %r1, %r2, %r5; add.s32 %r3, %r1, %r4; st.shared.u32 [%rd1], %r3;", 0),
            // The sum sets the carry.
            ("add.cc.u32 %r1, %r2, %r3; add.s32 %r4, %r1, %r5; st.shared.u32 [%rd1], %r4;", 0),
            // The register has two writers.
            ("add.s32 %r1, %r2, %r3; add.s32 %r1, %r4, %r5; add.s32 %r6, %r1, %r7; st.shared.u32 [%rd1], %r6;", 0),
            // The value is used in the next iteration.
            ("AGAIN: add.s32 %r4, %r1, %r5; st.shared.u32 [%rd1], %r4; add.s32 %r1, %r2, %r3; @%p1 bra AGAIN;", 2),
        ] {
            assert_eq!(counts(code)[at], None, "{code}");
        }
    }
}
