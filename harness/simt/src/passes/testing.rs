//! Small pieces of PTX for the tests of single passes.

use super::ir::{Block, Func, Inst, OperandSlot, Term};
use super::list::{self, translate_members};
use super::place_globals::Env;
use super::plan::{Member, Plan};
use crate::instr::code::Field;
use crate::instr::control::branch;
use ptx::ast::{Body, Module, RegId};

/// Returns a module with a kernel `k(u64 p, u64 q)` of this code, and with `more` in front of it.
pub fn module(more: &str, code: &str) -> Module {
    let text = format!(
        ".version 8.4\n.target sm_90\n.address_size 64\n{more}\n.visible .entry k(.param .u64 p, .param .u64 q)\n{{\n\
         .reg .pred %p<9>;\n.reg .f32 %f<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
         .shared .align 16 .b8 tile[4096];\n{code}\nret;\n}}\n"
    );
    ptx::parse(&text).unwrap()
}

/// Returns the body of a kernel of this code.
pub fn body(code: &str) -> Body {
    module("", code).functions.pop().and_then(|kernel| kernel.body).unwrap()
}

/// Returns the register of this name.
pub fn register(body: &Body, name: &str) -> RegId {
    RegId(body.regs.iter().position(|register| register.name == name).unwrap() as u32)
}

/// Translates the kernel of this code, with `more` in front of it, and everything that it calls. `see` gets the plan,
/// and the functions with what they were translated to: the kernel is the last.
pub fn translated<R>(more: &str, code: &str, see: impl FnOnce(&Plan<'_>, &[Member<'_>], Vec<Func>) -> R) -> R {
    let (module, env) = (module(more, code), Env::default());
    let kernel = module.functions.iter().position(|f| f.entry).unwrap();
    let (plan, mut tables) = list::plan(&module, &env, kernel, 0).unwrap();
    let members = plan.members().unwrap();
    let functions = translate_members(&plan, &members, &mut tables).unwrap();
    see(&plan, &members, functions)
}

/// Returns a function of empty blocks that end in these ways, with `registers` registers of 32 bits.
pub fn graph(terms: impl IntoIterator<Item = Term>, registers: usize) -> Func {
    let block = |term| Block { term, ..Block::new() };
    Func {
        name: "k".into(),
        regs: vec![4; registers],
        declared: registers as u32,
        aliases: Vec::new(),
        blocks: terms.into_iter().map(block).collect(),
        back: None,
        idle: Vec::new(),
    }
}

/// A branch on register 0.
pub fn either(yes: u32, no: u32) -> Term {
    Term::Branch { pred: OperandSlot::Reg(0), not: false, yes, no }
}

/// An instruction that computes one register from others.
pub fn computes(to: u32, from: &[u32]) -> Inst {
    let fields = [Field::A, Field::B, Field::C];
    let inst = Inst::new(branch::exit().handlers).write(Field::D, OperandSlot::Reg(to));
    from.iter().zip(fields).fold(inst, |inst, (&reg, field)| inst.read(field, OperandSlot::Reg(reg)))
}
