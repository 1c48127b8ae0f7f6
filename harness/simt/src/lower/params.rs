//! Parameters and return values of functions.
//!
//! No function is active twice in a thread, so each has one place for its parameters: the caller's `.param` variable and the
//! callee's parameter are the same place. It is a register for every piece that is only ever accessed whole, else local memory.
//! Functions that are called through pointers share places by signature, in local memory.

use super::ir::{Opnd, Pools, Result};
use super::{invalid, unsupported};
use crate::ptx::ast::{Base, Function, Inst, Module, Operand, Type, Var};
use std::collections::{HashMap, HashSet};

/// A place for a parameter.
#[derive(Debug, Default)]
pub struct Slot {
    /// Size in bytes.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
    /// Pieces that are registers: offset, size, register.
    pub pieces: Vec<(u32, u32, Opnd)>,
    /// It is memory, at this offset of the thread's local memory.
    pub memory: Option<u32>,
    accesses: HashSet<(u32, u32)>,
    spoiled: bool,
}

/// All places of a program.
#[derive(Default)]
pub struct Slots {
    /// The places.
    pub list: Vec<Slot>,
    /// By function (index in the module) and variable.
    names: HashMap<(usize, String), usize>,
    /// By the callee and the number of the parameter (returns first).
    formals: HashMap<(Callee, usize), usize>,
}

/// Who is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A function, by its index in the module.
    Direct(usize),
    /// Any of this signature.
    Signature(String),
}

/// Sizes and alignments, enough to tell which functions a call through a pointer may reach.
pub fn signature(returns: &[Var], params: &[Var]) -> String {
    let mut text = String::new();
    for var in returns.iter().chain(params) {
        text.push_str(&format!("{}:{},", var.size, var.align));
    }
    text.push_str(&format!("/{}", returns.len()));
    text
}

/// The vector's length and the type of a load's or store's opcode.
pub fn element(op: &str) -> Option<(u32, Type)> {
    let mut count = 1;
    let mut ty = None;
    for word in op.split('.').skip(1) {
        match word {
            "v2" => count = 2,
            "v4" => count = 4,
            "v8" => count = 8,
            _ => ty = type_of(word).or(ty),
        }
    }
    Some((count, ty?))
}

/// A type by its name.
pub fn type_of(word: &str) -> Option<Type> {
    Some(match word {
        "b8" => Type::B8,
        "b16" => Type::B16,
        "b32" => Type::B32,
        "b64" => Type::B64,
        "b128" => Type::B128,
        "u8" => Type::U8,
        "u16" => Type::U16,
        "u32" => Type::U32,
        "u64" => Type::U64,
        "s8" => Type::S8,
        "s16" => Type::S16,
        "s32" => Type::S32,
        "s64" => Type::S64,
        "f16" => Type::F16,
        "f16x2" => Type::F16x2,
        "bf16" => Type::Bf16,
        "bf16x2" => Type::Bf16x2,
        "f32" => Type::F32,
        "f64" => Type::F64,
        "pred" => Type::Pred,
        _ => return None,
    })
}

/// The callee of a call instruction, with its returns and parameters.
pub fn callee<'m>(
    module: &'m Module,
    function: &'m Function,
    inst: &Inst,
) -> Result<(Callee, &'m [Var], &'m [Var])> {
    let at = || (function.name.as_str(), inst.loc);
    match inst.operands.get(1) {
        Some(Operand::Sym(name, 0)) => {
            let index = module.functions.iter().position(|f| f.name == *name);
            let Some(index) = index else {
                return Err(invalid(format!("`{name}` is no function"), at()));
            };
            let f = &module.functions[index];
            Ok((Callee::Direct(index), &f.returns, &f.params))
        }
        Some(Operand::Reg(_)) => {
            let body = function.body.as_ref();
            let name = match inst.operands.get(3) {
                Some(Operand::Sym(name, _)) => Some(name),
                _ => None,
            };
            let prototype = body
                .zip(name)
                .and_then(|(b, n)| b.prototypes.iter().find(|(label, ..)| label == n));
            match prototype {
                Some((_, returns, params)) => Ok((
                    Callee::Signature(signature(returns, params)),
                    returns,
                    params,
                )),
                None => Err(unsupported(
                    "a call through a pointer without a prototype",
                    at(),
                )),
            }
        }
        _ => Err(invalid("a call without a function".into(), at())),
    }
}

fn is_call(inst: &Inst) -> bool {
    inst.op == "call" || inst.op.starts_with("call.")
}

impl Slots {
    /// Finds the places for the functions of a program (indices in the module), those of `pointers` by signature.
    pub fn find(
        module: &Module,
        functions: &[usize],
        pointers: &HashSet<usize>,
        pools: &mut Pools,
        local: &mut u32,
    ) -> Result<Slots> {
        let mut slots = Slots::default();
        for &index in functions {
            let function = &module.functions[index];
            if function.entry {
                continue;
            }
            let who = slots.who(Callee::Direct(index), module, pointers);
            for (i, var) in function.returns.iter().chain(&function.params).enumerate() {
                let slot = slots.formal(&who, i, var);
                slots.names.insert((index, var.name.clone()), slot);
            }
        }
        for &index in functions {
            slots.actuals(module, index, pointers)?;
        }
        for &index in functions {
            slots.scan(module, index);
        }
        for slot in &mut slots.list {
            slot.settle(pools, local);
        }
        Ok(slots)
    }

    #[expect(
        clippy::unused_self,
        reason = "a step of the same pass as its neighbours"
    )]
    fn who(&self, callee: Callee, module: &Module, pointers: &HashSet<usize>) -> Callee {
        match callee {
            Callee::Direct(index) if pointers.contains(&index) => {
                let f = &module.functions[index];
                Callee::Signature(signature(&f.returns, &f.params))
            }
            other => other,
        }
    }

    fn formal(&mut self, who: &Callee, i: usize, var: &Var) -> usize {
        let next = self.list.len();
        let slot = *self.formals.entry((who.clone(), i)).or_insert(next);
        if slot == next {
            self.list.push(Slot {
                size: var.size as u32,
                align: var.align,
                spoiled: matches!(who, Callee::Signature(_)),
                ..Slot::default()
            });
        }
        slot
    }

    /// Ties the variables that a function passes to what it calls.
    fn actuals(&mut self, module: &Module, index: usize, pointers: &HashSet<usize>) -> Result<()> {
        let function = &module.functions[index];
        let Some(body) = &function.body else {
            return Ok(());
        };
        for inst in body.code.iter().filter(|i| is_call(i)) {
            let at = (function.name.as_str(), inst.loc);
            let (target, returns, params) = callee(module, function, inst)?;
            let who = self.who(target, module, pointers);
            let list = |i: usize| match inst.operands.get(i) {
                Some(Operand::Vec(list)) => list.as_slice(),
                _ => &[],
            };
            let (got, given) = (list(0), list(2));
            if got.len() != returns.len() || given.len() != params.len() {
                return Err(invalid(
                    format!(
                        "a call with {} arguments and {} results of a function that has {} and {}",
                        given.len(),
                        got.len(),
                        params.len(),
                        returns.len()
                    ),
                    at,
                ));
            }
            for (i, (operand, var)) in got
                .iter()
                .chain(given)
                .zip(returns.iter().chain(params))
                .enumerate()
            {
                let slot = self.formal(&who, i, var);
                let Operand::Sym(name, 0) = operand else {
                    return Err(unsupported("a call with registers as arguments", at));
                };
                let key = (index, name.clone());
                match self.names.get(&key) {
                    Some(&before) if before != slot => {
                        return Err(unsupported(
                            "one `.param` variable passed to two functions",
                            at,
                        ));
                    }
                    _ => {
                        self.names.insert(key, slot);
                    }
                }
            }
        }
        Ok(())
    }

    /// Sees how a function accesses the places.
    fn scan(&mut self, module: &Module, index: usize) {
        let function = &module.functions[index];
        let Some(body) = &function.body else {
            return;
        };
        for inst in &body.code {
            if is_call(inst) {
                continue;
            }
            let direct = inst.op.starts_with("ld.param") || inst.op.starts_with("st.param");
            for operand in &inst.operands {
                match operand {
                    Operand::Mem(Base::Sym(name), offset) => {
                        let Some(&slot) = self.names.get(&(index, name.clone())) else {
                            continue;
                        };
                        let slot = &mut self.list[slot];
                        match element(&inst.op) {
                            Some((count, ty)) if direct && *offset >= 0 => {
                                let width = register_width(function, inst);
                                for k in 0..count {
                                    let at = *offset as u32 + k * ty.size();
                                    slot.accesses.insert((at, ty.size()));
                                }
                                // A register of another width extends or cuts the value: memory does that as it is.
                                slot.spoiled |=
                                    ty.size() < 2 || width.is_some_and(|w| w != ty.size());
                            }
                            _ => slot.spoiled = true,
                        }
                    }
                    Operand::Sym(name, _) => {
                        if let Some(&slot) = self.names.get(&(index, name.clone())) {
                            self.list[slot].spoiled = true;
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// The place that a function's variable is.
    pub fn of(&self, function: usize, name: &str) -> Option<&Slot> {
        let slot = *self.names.get(&(function, name.to_string()))?;
        Some(&self.list[slot])
    }

    /// The place of a callee's return value or parameter, returns first.
    pub fn formal_of(&self, callee: usize, i: usize) -> Option<&Slot> {
        let slot = *self.formals.get(&(Callee::Direct(callee), i))?;
        Some(&self.list[slot])
    }
}

/// The width of the registers that a load fills or a store takes, if it has registers.
fn register_width(function: &Function, inst: &Inst) -> Option<u32> {
    let body = function.body.as_ref()?;
    let width = |operand: &Operand| match operand {
        Operand::Reg(r) => body.regs.get(r.0 as usize).map(|r| r.ty.size()),
        _ => None,
    };
    inst.operands.iter().find_map(|operand| match operand {
        Operand::Vec(list) => list.iter().find_map(width),
        other => width(other),
    })
}

impl Slot {
    fn settle(&mut self, pools: &mut Pools, local: &mut u32) {
        let mut pieces: Vec<(u32, u32)> = self.accesses.iter().copied().collect();
        pieces.sort_unstable();
        let apart = pieces.windows(2).all(|w| w[0].0 + w[0].1 <= w[1].0);
        let inside = pieces.iter().all(|p| p.0 + p.1 <= self.size);
        if self.spoiled || !apart || !inside {
            let at = local.next_multiple_of(self.align.clamp(1, 16));
            self.memory = Some(at);
            *local = at + self.size.max(1);
            return;
        }
        self.pieces = pieces
            .into_iter()
            .map(|(offset, size)| (offset, size, pools.fix(size)))
            .collect();
    }

    /// The register for the whole of it, made if there is none: for functions that the machine itself provides.
    pub fn whole(&self) -> Option<Opnd> {
        match self.pieces.as_slice() {
            [(0, _, register)] => Some(*register),
            _ => None,
        }
    }
}
