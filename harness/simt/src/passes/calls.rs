//! The call graph.

use super::frames::Frames;
use super::ir::{Pools, Result};
use super::params::{Callee, callee, signature};
use crate::instr::control::array;
use crate::instr::control::stack::Stack;
use crate::ptx::ast;
use crate::ptx::opcode::Opcode;
use std::collections::{HashMap, HashSet};

/// Returns the functions that a function calls and that have a body.
pub fn callees(module: &ast::Module, at: usize, pointers: &HashSet<usize>) -> Result<Vec<usize>> {
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

/// Returns the functions that a kernel reaches, callees first unless they are recursive, and whether some are
/// recursive.
pub fn reachable(module: &ast::Module, kernel: usize, pointers: &HashSet<usize>) -> Result<(Vec<usize>, bool)> {
    let mut done = Vec::new();
    let (mut seen, mut circle) = (HashSet::from([kernel]), false);
    let mut path = vec![(kernel, callees(module, kernel, pointers)?, 0)];
    while let Some((at, to, next)) = path.last_mut() {
        let Some(&callee) = to.get(*next) else {
            done.push(*at);
            path.pop();
            continue;
        };
        *next += 1;
        if seen.insert(callee) {
            path.push((callee, callees(module, callee, pointers)?, 0));
        } else {
            circle |= path.iter().any(|step| step.0 == callee);
        }
    }
    Ok((done, circle))
}

/// Returns the frames of a program of these functions, some of which are recursive.
pub fn frames(
    module: &ast::Module,
    functions: &[usize],
    pointers: &HashSet<usize>,
    pools: &mut Pools,
) -> Result<Frames> {
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
