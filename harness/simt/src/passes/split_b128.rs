//! Splits 128-bit registers into pairs of 64-bit registers.

use ptx::ast::{Body, Inst, Module, Operand, Reg, RegId, Type};
use ptx::modifier::Modifier;
use ptx::opcode::Opcode;
use std::collections::HashMap;

/// Modifiers of loads and stores that are indivisible, not performed half by half.
const STRONG: [Modifier; 5] =
    [Modifier::Relaxed, Modifier::Acquire, Modifier::Release, Modifier::Volatile, Modifier::Mmio];

/// Replaces every 128-bit register by a pair of registers, the low half first. Loads and stores of them become those of
/// two elements, unless they are indivisible.
pub fn split_b128(mut module: Module) -> Module {
    for body in module.functions.iter_mut().filter_map(|f| f.body.as_mut()) {
        let wide: Vec<u32> = (0..).zip(&body.regs).filter(|(_, reg)| reg.ty == Type::B128).map(|(at, _)| at).collect();
        if !wide.is_empty() {
            split_in(body, &wide);
        }
    }
    module
}

fn split_in(body: &mut Body, wide: &[u32]) {
    let mut pairs = HashMap::new();
    for &at in wide {
        let low = &mut body.regs[at as usize];
        low.ty = Type::B64;
        let high = Reg { name: format!("{}.high", low.name), ty: Type::B64 };
        pairs.insert(RegId(at), [RegId(at), RegId(body.regs.len() as u32)]);
        body.regs.push(high);
    }
    for inst in &mut body.code {
        let mut found = false;
        for operand in &mut inst.operands {
            if let Operand::Reg(reg) = operand
                && let Some(pair) = pairs.get(reg)
            {
                *operand = Operand::Vec(pair.map(Operand::Reg).to_vec());
                found = true;
            }
        }
        if found {
            by_elements(inst);
        }
    }
}

/// Names the two elements of a load or store that need not be indivisible.
fn by_elements(inst: &mut Inst) {
    if matches!(inst.opcode, Opcode::Ld | Opcode::Ldu | Opcode::St) && !inst.has_any(&STRONG) {
        let words = inst.text().split('.').map(|word| if word == "b128" { "v2.b64" } else { word });
        let text = words.collect::<Vec<_>>().join(".");
        inst.rename(inst.opcode, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::module;

    /// Returns the texts and the operands of the instructions of a kernel after the pass.
    fn split(code: &str) -> Vec<(String, Vec<Operand>)> {
        let module = module("", &format!(".reg .b128 %q<2>;\n{code}"));
        let body = split_b128(module).functions.pop().and_then(|kernel| kernel.body).unwrap();
        assert!(body.regs.iter().all(|register| register.ty != Type::B128));
        body.code.into_iter().map(|inst| (inst.text().to_owned(), inst.operands)).collect()
    }

    #[test]
    fn a_register_becomes_a_pair_and_a_load_one_of_two_elements() {
        let code = split("ld.global.b128 %q0, [%rd1]; st.global.b128 [%rd1], %q0;");
        assert_eq!((code[0].0.as_str(), code[1].0.as_str()), ("ld.global.v2.b64", "st.global.v2.b64"));
        let Operand::Vec(pair) = &code[0].1[0] else { panic!("{:?}", code[0]) };
        assert!(pair.len() == 2 && pair[0] != pair[1]);
        assert_eq!(code[1].1[1], code[0].1[0]);
    }

    #[test]
    fn an_indivisible_access_keeps_its_width() {
        let code = split("ld.relaxed.gpu.global.b128 %q0, [%rd1];");
        assert_eq!(code[0].0, "ld.relaxed.gpu.global.b128");
        assert!(matches!(&code[0].1[0], Operand::Vec(pair) if pair.len() == 2));
    }
}
