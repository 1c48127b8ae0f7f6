//! Contracts products and sums: NVIDIA's assembler turns a product and the sums and differences that take it into fused
//! multiply-adds, which round once, unless an instruction names its rounding. CUDA's `a - b * c`, and `__hmul` followed
//! by `__hadd`, reach the assembler as two instructions. Without this pass their results would differ from a GPU's.
//!
//! The rules are those that ptxas 13.0 was seen to follow for sm_75, sm_90 and sm_120:
//! - a product is contracted into all of its uses, or into none: if it is stored or multiplied, it is rounded;
//! - the product and its uses are in one block, and agree on `.ftz`; only the sum may have `.sat`;
//! - of two products in one sum, the one without other uses is contracted, or else the first.

use super::facts::count_writers::{Writers, count_writers};
use ptx::ast::{Body, Inst, Module, Operand, RegId, Type};
use ptx::modifier::Modifier;
use ptx::opcode::{Opcode, OpcodeKind};
use std::collections::{HashMap, HashSet};

/// Contracts products and sums in all functions of a module that the assembler optimizes.
pub fn contract_products(mut module: Module) -> Module {
    if !module.debug {
        module.functions.iter_mut().filter_map(|f| f.body.as_mut()).for_each(contract_in);
    }
    module
}

/// The types of which products are contracted.
const TYPES: [Type; 6] = [Type::F32, Type::F64, Type::F16, Type::F16x2, Type::Bf16, Type::Bf16x2];

/// What a product and a sum have in common, to be contracted: the type, and whether subnormal numbers are flushed.
type Arithmetic = (Type, bool);

/// Returns the arithmetic of an instruction on floating-point numbers that names no rounding, and whether it saturates.
fn unrounded(inst: &Inst) -> Option<(Arithmetic, bool)> {
    let (mut ty, mut flushes, mut saturates) = (None, false, false);
    for modifier in inst.modifiers() {
        match modifier {
            Modifier::Ftz => flushes = true,
            Modifier::Sat => saturates = true,
            other => ty = Some(other.ty().filter(|ty| TYPES.contains(ty))?),
        }
    }
    Some(((ty?, flushes), saturates))
}

struct Contraction<'b> {
    body: &'b Body,
    writers: Writers,
    /// For each register, the instructions that read it, one entry for each operand.
    readers: HashMap<RegId, Vec<u32>>,
    /// For each instruction, the number of its block.
    blocks: Vec<u32>,
}

fn contract_in(body: &mut Body) {
    // Most bodies have no such product: CUDA's compiler fuses what it can.
    if !body.code.iter().any(|inst| inst.opcode == Opcode::Mul && unrounded(inst).is_some()) {
        return;
    }
    let plan = Contraction::of(body).contracted();
    let products: HashSet<u32> = plan.iter().map(|(_, product, _)| *product).collect();
    for (sum, product, is_second) in plan {
        let factors = body.code[product as usize].operands[1..].to_vec();
        fuse(&mut body.code[sum as usize], factors, is_second);
    }
    if !products.is_empty() {
        remove(body, &products);
    }
}

/// Turns a sum or difference into a multiply-add; `is_second` says whether the product is its second operand.
fn fuse(sum: &mut Inst, factors: Vec<Operand>, is_second: bool) {
    let sign = match (sum.opcode, is_second) {
        (Opcode::Sub, true) => Some(Modifier::NegatedProduct),
        (Opcode::Sub, false) => Some(Modifier::NegatedAddend),
        _ => None,
    };
    let mut modifiers = sum.modifiers().to_vec();
    // As the table of forms spells them; PTX also takes `.sat.ftz`.
    modifiers.sort_by_key(|modifier| match modifier {
        Modifier::Ftz => 0,
        Modifier::Sat => 1,
        _ => 2,
    });
    let modifiers = sign.into_iter().chain([Modifier::Rn]).chain(modifiers);
    let text = modifiers.fold("fma".into(), |text, modifier| format!("{text}.{}", modifier.word()));
    sum.rename(Opcode::Fma, text);
    let addend = sum.operands[if is_second { 1 } else { 2 }].clone();
    sum.operands.truncate(1);
    sum.operands.extend(factors);
    sum.operands.push(addend);
}

/// Removes instructions from a body.
fn remove(body: &mut Body, removed: &HashSet<u32>) {
    let mut before = 0;
    let moved: Vec<u32> = (0..=body.code.len() as u32)
        .map(|at| {
            let now = at - before;
            before += u32::from(removed.contains(&at));
            now
        })
        .collect();
    let mut at = 0..;
    body.code.retain(|_| at.next().is_some_and(|at| !removed.contains(&at)));
    let labels = body.labels.iter_mut().map(|(_, at)| at);
    let tables = body.branch_targets.iter_mut().flat_map(|(_, targets)| targets);
    let loads = body.used_bytes.iter_mut().map(|(at, _)| at);
    let branches = body.code.iter_mut().flat_map(|inst| &mut inst.operands).filter_map(|operand| match operand {
        Operand::Label(at) => Some(at),
        _ => None,
    });
    for at in labels.chain(tables).chain(loads).chain(branches) {
        *at = moved[*at as usize];
    }
}

impl<'b> Contraction<'b> {
    fn of(body: &'b Body) -> Contraction<'b> {
        let mut readers: HashMap<RegId, Vec<u32>> = HashMap::new();
        let starts: HashSet<u32> = body.labels.iter().map(|(_, at)| *at).collect();
        let (mut blocks, mut block) = (Vec::new(), 0);
        for (at, inst) in (0u32..).zip(&body.code) {
            inst.each_read(|register| readers.entry(register).or_default().push(at));
            block += u32::from(starts.contains(&at));
            blocks.push(block);
            block += u32::from(inst.opcode.kind() == OpcodeKind::Branch);
        }
        Contraction { body, writers: count_writers(body), readers, blocks }
    }

    /// Returns each sum that becomes a multiply-add, with the product, and whether that is its second operand.
    fn contracted(&self) -> Vec<(u32, u32, bool)> {
        let mut products: HashSet<u32> = (0..self.body.code.len() as u32).filter(|at| self.is_product(*at)).collect();
        let mut plan = Vec::new();
        for (at, inst) in (0u32..).zip(&self.body.code) {
            let product = |operand: &Operand| match operand {
                Operand::Reg(register) => self.writers.only(*register).filter(|by| products.contains(by)),
                _ => None,
            };
            let [_, first, second] = &inst.operands[..] else { continue };
            if !matches!(inst.opcode, Opcode::Add | Opcode::Sub) {
                continue;
            }
            match (product(first), product(second)) {
                (Some(a), Some(b)) => {
                    let prefers_second = self.uses(a) > 1 && self.uses(b) == 1;
                    plan.push((at, if prefers_second { b } else { a }, prefers_second));
                    products.remove(if prefers_second { &a } else { &b });
                }
                (Some(a), None) => plan.push((at, a, false)),
                (None, Some(b)) => plan.push((at, b, true)),
                (None, None) => {}
            }
        }
        plan.retain(|(_, product, _)| products.contains(product));
        plan
    }

    /// Returns the number of operands that read what an instruction writes.
    fn uses(&self, at: u32) -> usize {
        match self.body.code[at as usize].operands.first() {
            Some(Operand::Reg(register)) => self.readers.get(register).map_or(0, Vec::len),
            _ => 0,
        }
    }

    /// Whether an instruction is a product that only sums use, which could take its factors instead.
    fn is_product(&self, at: u32) -> bool {
        let inst = &self.body.code[at as usize];
        let (Opcode::Mul, None, [Operand::Reg(result), factors @ ..]) = (inst.opcode, inst.guard, &inst.operands[..])
        else {
            return false;
        };
        let Some((arithmetic, false)) = unrounded(inst) else { return false };
        let Some(users) = self.readers.get(result) else { return false };
        self.writers.only(*result) == Some(at)
            && users.windows(2).all(|pair| pair[0] != pair[1])
            && users.iter().all(|&user| {
                let sum = &self.body.code[user as usize];
                matches!(sum.opcode, Opcode::Add | Opcode::Sub)
                    && unrounded(sum).is_some_and(|(of_sum, _)| of_sum == arithmetic)
                    && user > at
                    && self.blocks[user as usize] == self.blocks[at as usize]
                    && !self.changes(factors, at + 1..user)
            })
    }

    /// Whether instructions of a range write registers among these operands.
    fn changes(&self, operands: &[Operand], range: std::ops::Range<u32>) -> bool {
        self.body.code[range.start as usize..range.end as usize].iter().any(|inst| {
            let mut changes = false;
            inst.each_written(|register| changes |= operands.contains(&Operand::Reg(register)));
            changes
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::module;

    /// Returns the texts of the arithmetic of a kernel after the pass.
    fn contracted(code: &str) -> String {
        let module = module("", &format!(".reg .f64 %d<16>;\n{code}"));
        let body = contract_products(module).functions.pop().and_then(|kernel| kernel.body).unwrap();
        let is_arithmetic =
            |inst: &&Inst| inst.has_type(&[Type::F64, Type::F32]) && inst.opcode.kind() == OpcodeKind::Computes;
        let texts: Vec<_> = body.code.iter().filter(is_arithmetic).map(Inst::text).collect();
        texts.join(" ")
    }

    /// What ptxas 13.0 made of these for sm_90: `DFMA` is an fma here, `DMUL` a mul, and `DADD` an add or a sub.
    #[test]
    fn products_are_contracted_as_ptxas_contracts_them() {
        let mul = "mul.f64 %d8, %d1, %d2;";
        let two = "mul.f64 %d8, %d1, %d2; mul.f64 %d7, %d3, %d4;";
        let other = "st.global.f64 [%rd1+8], %d10;";
        for (code, expected) in [
            ("sub.f64 %d9, %d3, %d8;", "fma.-ab.rn.f64"),
            ("sub.f64 %d9, %d8, %d3;", "fma.-c.rn.f64"),
            ("add.f64 %d9, %d8, %d3;", "fma.rn.f64"),
            ("add.f64 %d9, %d3, %d8;", "fma.rn.f64"),
            ("@%p1 add.f64 %d9, %d3, %d8;", "fma.rn.f64"),
            ("bar.sync 0; add.f64 %d9, %d3, %d8;", "fma.rn.f64"),
            ("add.f64 %d9, %d3, %d8; add.f64 %d10, %d4, %d8;", "fma.rn.f64 fma.rn.f64"),
            // An instruction that names its rounding is not contracted.
            ("add.rn.f64 %d9, %d3, %d8;", "mul.f64 add.rn.f64"),
            // The product itself is needed.
            ("add.f64 %d9, %d3, %d8; st.global.f64 [%rd1+16], %d8;", "mul.f64 add.f64"),
            ("add.f64 %d9, %d3, %d8; mul.f64 %d10, %d8, %d4;", "mul.f64 add.f64 mul.f64"),
            ("add.f64 %d9, %d8, %d8;", "mul.f64 add.f64"),
            ("abs.f64 %d7, %d8; add.f64 %d9, %d7, %d3;", "mul.f64 abs.f64 add.f64"),
            // Another block.
            ("mov.f64 %d9, %d3; @%p1 bra L; add.f64 %d9, %d8, %d3; L:", "mul.f64 mov.f64 add.f64"),
        ] {
            assert_eq!(contracted(&format!("{mul} {code} {other}")), expected, "{code}");
        }
        for (code, expected) in [
            ("add.f64 %d9, %d8, %d7;", "mul.f64 fma.rn.f64"),
            ("sub.f64 %d9, %d8, %d7;", "mul.f64 fma.-c.rn.f64"),
            ("add.f64 %d9, %d8, %d7; st.global.f64 [%rd1+16], %d8;", "mul.f64 fma.rn.f64"),
            ("add.f64 %d9, %d8, %d7; add.f64 %d10, %d8, %d5;", "mul.f64 fma.rn.f64 add.f64"),
            ("add.f64 %d9, %d8, %d7; add.f64 %d10, %d7, %d5;", "mul.f64 fma.rn.f64 add.f64"),
        ] {
            assert_eq!(contracted(&format!("{two} {code} {other}")), expected, "{code}");
        }
        assert_eq!(contracted("mul.rn.f64 %d8, %d1, %d2; add.f64 %d9, %d8, %d3;"), "mul.rn.f64 add.f64");
        assert_eq!(contracted("@%p1 mul.f64 %d8, %d1, %d2; add.f64 %d9, %d8, %d3;"), "mul.f64 add.f64");
        assert_eq!(contracted("mul.f32 %f4, %f1, %f2; sub.ftz.f32 %f5, %f3, %f4;"), "mul.f32 sub.ftz.f32");
        assert_eq!(contracted("mul.ftz.f32 %f4, %f1, %f2; sub.ftz.f32 %f5, %f3, %f4;"), "fma.-ab.rn.ftz.f32");
        assert_eq!(contracted("mul.f32 %f4, %f1, %f2; add.sat.f32 %f5, %f3, %f4;"), "fma.rn.sat.f32");
        assert_eq!(contracted("mul.sat.f32 %f4, %f1, %f2; add.f32 %f5, %f3, %f4;"), "mul.sat.f32 add.f32");
        let other_order = "mul.ftz.f32 %f4, %f1, %f2; sub.sat.ftz.f32 %f5, %f3, %f4;";
        assert_eq!(contracted(other_order), "fma.-ab.rn.ftz.sat.f32");
    }

    #[test]
    fn each_result_is_a_form_of_the_table() {
        for ty in ["f32", "f64", "f16", "f16x2", "bf16", "bf16x2"] {
            let modifiers: &[&str] =
                if matches!(ty, "f32" | "f16" | "f16x2") { &["", ".ftz", ".sat", ".ftz.sat"] } else { &[""] };
            for modifiers in modifiers {
                for sign in ["", ".-ab", ".-c"] {
                    let name = format!("fma{sign}.rn{modifiers}.{ty}");
                    assert!(crate::instr::alu::find(&name).is_some(), "{name}");
                }
            }
        }
    }

    #[test]
    fn a_factor_that_changes_in_between_keeps_the_product() {
        let code = "mul.f64 %d8, %d1, %d2; mov.f64 %d1, %d5; add.f64 %d9, %d8, %d3;";
        assert_eq!(contracted(code), "mul.f64 mov.f64 add.f64");
    }

    /// The product before the loop is removed, and so is the one in it.
    #[test]
    fn labels_and_branches_follow_their_instructions() {
        let code = "mul.f64 %d8, %d1, %d2; add.f64 %d9, %d8, %d3;
            L: st.global.f64 [%rd1], %d9; mul.f64 %d7, %d1, %d4; add.f64 %d9, %d9, %d7; @%p1 bra L;";
        let module = module("", &format!(".reg .f64 %d<16>;\n{code}"));
        let body = contract_products(module).functions.pop().and_then(|kernel| kernel.body).unwrap();
        let (_, at) = body.labels[0];
        assert_eq!(body.code[at as usize].text(), "st.global.f64");
        let branch = body.code.iter().find(|inst| inst.opcode == Opcode::Bra).unwrap();
        assert_eq!(branch.operands, [Operand::Label(at)]);
    }

    #[test]
    fn a_module_for_a_debugger_is_not_optimized() {
        let mut module = module("", "mul.f32 %f4, %f1, %f2; add.f32 %f5, %f3, %f4;");
        module.debug = true;
        assert_eq!(contract_products(module.clone()), module);
    }
}
