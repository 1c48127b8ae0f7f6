//! Small pieces of PTX for the tests of single passes.

use super::facts::Facts;
use super::facts::count_writers::count_writers;
use super::facts::find_accumulators::find_accumulators;
use super::facts::find_printf_args::find_printf_args;
use super::facts::follow_copies::follow_copies;
use super::facts::mark_cas_retries::mark_cas_retries;
use super::facts::trace_origins::trace_origins;
use super::find_functions::{find_frames, find_functions};
use super::ir::{Block, Func, Inst, OperandSlot, Pools, Tables, Term};
use super::place_globals::Env;
use super::place_params::{place_kernel_params, place_params};
use super::place_variables::place_variables;
use super::plan::{Member, Plan};
use super::translate::translate;
use crate::instr::code::Field;
use crate::instr::control::branch;
use crate::lane::HostVectors;
use crate::ptx::ast::{Body, Module, RegId};

/// Returns a module with a kernel `k(u64 p, u64 q)` of this code, and with `more` in front of it.
pub fn module(more: &str, code: &str) -> Module {
    let text = format!(
        ".version 8.1\n.target sm_90\n.address_size 64\n{more}\n.visible .entry k(.param .u64 p, .param .u64 q)\n{{\n\
         .reg .pred %p<9>;\n.reg .f32 %f<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
         .shared .align 16 .b8 tile[4096];\n{code}\nret;\n}}\n"
    );
    crate::ptx::parse(&text).unwrap()
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
    let (module, env, mut pools) = (module(more, code), Env::default(), Pools::default());
    let kernel = module.functions.iter().position(|f| f.entry).unwrap();
    let reached = find_functions(&module, kernel, &env.pointers).unwrap();
    let mut frames = find_frames(&module, &reached, &env.pointers, &mut pools).unwrap();
    let (slots, local) = place_params(&module, &reached.functions, &env.pointers, &mut pools, &mut frames).unwrap();
    let variables = place_variables(&module, &reached.functions, &mut frames, local, 0).unwrap();
    let params = place_kernel_params(&module.functions[kernel]);
    let (functions, vectors) = (reached.functions, HostVectors::detect());
    let plan = Plan { module: &module, env: &env, functions, frames, params, slots, variables, vectors };
    let members = plan.members().unwrap();
    let mut tables = Tables::with(pools);
    let one = |own: &Member<'_>| {
        let writers = count_writers(own.body);
        let facts = Facts {
            sources: follow_copies(own.body, &writers),
            origins: trace_origins(own.function, own.body),
            guesses: mark_cas_retries(own.body),
            accumulators: find_accumulators(own.body),
            printed: find_printf_args(own.body, &writers),
        };
        let back = (!own.function.entry).then(|| tables.pools.fix(4));
        translate(&plan, *own, &facts, &mut tables, back).unwrap()
    };
    let functions = members.iter().map(one).collect();
    see(&plan, &members, functions)
}

/// Returns a function of empty blocks that end in these ways, with `registers` registers of 32 bits.
pub fn graph(terms: impl IntoIterator<Item = Term>, registers: usize) -> Func {
    let block = |term| Block { term, ..Block::new() };
    Func {
        name: "k".into(),
        regs: vec![4; registers],
        declared: registers as u32,
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
