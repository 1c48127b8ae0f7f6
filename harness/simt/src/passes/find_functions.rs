//! Finds the functions of a program: the call graph of a kernel.

use super::frames::Frames;
use super::ir::{Pools, Result};
use super::place_params::{Callee, callee, signature};
use crate::instr::control::array;
use crate::instr::control::stack::Stack;
use ptx::ast;
use ptx::opcode::Opcode;
use std::collections::{HashMap, HashSet};

/// Returns the functions that a function calls and that have a body.
fn callees(module: &ast::Module, at: usize, pointers: &HashSet<usize>) -> Result<Vec<usize>> {
    let function = &module.functions[at];
    let mut found = Vec::new();
    let is_call = |inst: &&ast::Inst| inst.opcode == Opcode::Call;
    for inst in function.body.iter().flat_map(|b| &b.code).filter(is_call) {
        match callee(module, function, inst)?.0 {
            Callee::Direct(to) => found.extend(Some(to).filter(|to| module.functions[*to].body.is_some())),
            Callee::Signature(wanted) => found.extend(fitting(module, &wanted, pointers)),
        }
    }
    Ok(found)
}

/// Returns the functions that a call through a pointer may reach, judged by its signature, among those whose address is
/// taken.
pub fn fitting(module: &ast::Module, wanted: &str, pointers: &HashSet<usize>) -> Vec<usize> {
    let fits = |to: &usize| {
        let f = &module.functions[*to];
        f.body.is_some() && signature(&f.returns, &f.params) == wanted
    };
    let mut targets: Vec<usize> = pointers.iter().copied().filter(fits).collect();
    targets.sort_unstable();
    targets
}

/// Whether a function allocates arrays of dynamic length (`alloca`).
pub fn makes_arrays(function: &ast::Function) -> bool {
    function.body.iter().flat_map(|body| &body.code).any(array::makes_array)
}

/// The functions that a kernel reaches.
pub struct Reached {
    /// Their indices in the module, callees first unless they are recursive; the kernel is the last.
    pub functions: Vec<usize>,
    /// Whether some are recursive.
    pub is_recursive: bool,
}

/// Finds the functions that a kernel reaches. `pointers` are those whose address is taken.
pub fn find_functions(module: &ast::Module, kernel: usize, pointers: &HashSet<usize>) -> Result<Reached> {
    let mut functions = Vec::new();
    let (mut seen, mut is_recursive) = (HashSet::from([kernel]), false);
    let mut path = vec![(kernel, callees(module, kernel, pointers)?, 0)];
    while let Some((at, to, next)) = path.last_mut() {
        let Some(&callee) = to.get(*next) else {
            functions.push(*at);
            path.pop();
            continue;
        };
        *next += 1;
        if seen.insert(callee) {
            path.push((callee, callees(module, callee, pointers)?, 0));
        } else {
            is_recursive |= path.iter().any(|step| step.0 == callee);
        }
    }
    Ok(Reached { functions, is_recursive })
}

/// Finds which functions of a program have frames, because they may be active more than once in a thread, and gives it
/// the registers for a stack, and for dynamic arrays, if it needs them.
pub fn find_frames(
    module: &ast::Module,
    reached: &Reached,
    pointers: &HashSet<usize>,
    pools: &mut Pools,
) -> Result<Frames> {
    let mut frames =
        if reached.is_recursive { stack(module, &reached.functions, pointers, pools)? } else { Frames::default() };
    if reached.functions.iter().any(|&f| makes_arrays(&module.functions[f])) {
        frames.arrays = Some(pools.fix(8));
    }
    Ok(frames)
}

/// Returns the frames of a program of these functions, some of which are recursive.
fn stack(module: &ast::Module, functions: &[usize], pointers: &HashSet<usize>, pools: &mut Pools) -> Result<Frames> {
    let mut calls = HashMap::new();
    for &f in functions {
        calls.insert(f, callees(module, f, pointers)?);
    }
    let mut frames = Frames { stack: Some(Stack { pointer: pools.fix(8), depth: pools.fix(4) }), ..Frames::default() };
    for &f in functions {
        let mut reached = HashSet::new();
        let mut rest = calls[&f].clone();
        while let Some(to) = rest.pop() {
            if reached.insert(to) {
                rest.extend(&calls[&to]);
            }
        }
        if reached.contains(&f) {
            frames.bytes.insert(f, 0);
        }
        frames.reaches.insert(f, reached);
    }
    Ok(frames)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::module;

    /// Returns the names of the functions that `k` reaches, and of those with frames.
    fn found(functions: &str, code: &str) -> (Vec<String>, Vec<String>) {
        let module = module(functions, code);
        let kernel = module.functions.iter().position(|f| f.entry).unwrap();
        let reached = find_functions(&module, kernel, &HashSet::new()).unwrap();
        let frames = find_frames(&module, &reached, &HashSet::new(), &mut Pools::default()).unwrap();
        let name = |f: &usize| module.functions[*f].name.clone();
        let framed = reached.functions.iter().filter(|f| frames.has(**f)).map(name).collect();
        (reached.functions.iter().map(name).collect(), framed)
    }

    #[test]
    fn callees_come_first_and_only_recursive_functions_have_frames() {
        let functions = ".func unused() { ret; }\n.func leaf() { ret; }\n.func again();\n\
                         .func middle() { call leaf; call again; ret; }\n.func again() { call middle; ret; }";
        let (reached, framed) = found(functions, "call middle; call leaf;");
        assert_eq!(reached, ["leaf", "again", "middle", "k"]);
        assert_eq!(framed, ["again", "middle"]);
        assert_eq!(found(functions, "call leaf;"), (vec!["leaf".into(), "k".into()], vec![]));
    }
}
