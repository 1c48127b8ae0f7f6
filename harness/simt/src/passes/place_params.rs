//! Parameters and return values of functions.
//!
//! A non-recursive function has one place for its parameters: the caller's `.param` variable and the callee's parameter
//! share it. A recursive function exchanges its parameters there and keeps them in its own places. A part that is only
//! ever accessed as a whole is a register; otherwise the place is in local memory. Functions that are called through
//! pointers share places by signature, in local memory.

use super::error::{invalid, unsupported};
use super::frames::{Frames, take};
use super::ir::{OperandSlot, Pools, Result};
use crate::kernel::Param;
use ptx::ast::{Base, Function, Inst, Loc, Module, Operand, Var};
use ptx::modifier::Modifier;
use ptx::opcode::Opcode;
use std::collections::{HashMap, HashSet};

/// A part of a parameter that is in a register: its offset, its size and the register.
pub type Piece = (u32, u32, OperandSlot);

/// A place for a parameter.
#[derive(Debug, Default)]
pub struct Slot {
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// The parts that are in registers. A function with frames moves those of its own to other registers.
    pub pieces: Vec<Piece>,
    /// The offset in the thread's local memory, if the parameter is in memory.
    pub memory: Option<u32>,
    /// Whether it belongs to a function with frames: `memory` is then an offset in the frame.
    pub framed: bool,
    /// Its accesses: offset and size.
    accesses: HashSet<(u32, u32)>,
    spoiled: bool,
}

/// All places of a program.
#[derive(Default)]
pub struct Slots {
    /// The places.
    pub list: Vec<Slot>,
    /// Indices by function (index in the module) and variable.
    names: HashMap<(usize, String), usize>,
    /// Indices by the callee and the parameter's number (returns first).
    formals: HashMap<(Callee, usize), usize>,
    /// For functions with frames, each parameter's own place and its exchange place, returns first.
    own: HashMap<usize, Vec<(usize, usize)>>,
}

/// The callee of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A function, by its index in the module.
    Direct(usize),
    /// Any function of this signature.
    Signature(String),
}

/// Returns sizes and alignments, which suffice to determine which functions a call through a pointer may reach.
pub fn signature(returns: &[Var], params: &[Var]) -> String {
    let mut text = String::new();
    for var in returns.iter().chain(params) {
        text.push_str(&format!("{}:{},", var.size, var.align));
    }
    text.push_str(&format!("/{}", returns.len()));
    text
}

/// Returns the callee of a call instruction, with its returns and parameters.
pub fn callee<'m>(module: &'m Module, function: &'m Function, inst: &Inst) -> Result<(Callee, &'m [Var], &'m [Var])> {
    let at = || (function.name.as_str(), inst.loc);
    match inst.operands.get(1) {
        Some(Operand::Sym(name, 0)) => {
            let index = module.functions.iter().position(|f| f.name == *name);
            let Some(index) = index else {
                return Err(invalid(format!("`{name}` is not a function"), at()));
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
            let prototype = body.zip(name).and_then(|(b, n)| b.prototypes.iter().find(|(label, ..)| label == n));
            match prototype {
                Some((_, returns, params)) => Ok((Callee::Signature(signature(returns, params)), returns, params)),
                None => Err(unsupported("a call through a pointer without a prototype", at())),
            }
        }
        _ => Err(invalid("a call without a function".into(), at())),
    }
}

/// Returns the offsets of parameters in the parameter block, and the size of the block in bytes.
pub fn lay_out_params(vars: &[Var]) -> (Vec<Param>, u32) {
    let mut end = 0;
    let place = |var: &Var| {
        let align = var.align.max(1);
        let offset = u32::next_multiple_of(end, align);
        let size = var.size as u32;
        end = offset + size;
        Param { offset, size, align }
    };
    let params = vars.iter().map(place).collect();
    (params, end)
}

/// Returns the offsets of a kernel's parameters in the parameter block, by name.
pub fn place_kernel_params(kernel: &Function) -> HashMap<String, u32> {
    let (params, _) = lay_out_params(&kernel.params);
    kernel.params.iter().map(|var| var.name.clone()).zip(params.iter().map(|param| param.offset)).collect()
}

/// Finds the places of the parameters of a program's functions (indices in the module), those of `pointers` by
/// signature. Returns them, and the bytes of local memory that they take.
pub fn place_params(
    module: &Module,
    functions: &[usize],
    pointers: &HashSet<usize>,
    pools: &mut Pools,
    frames: &mut Frames,
) -> Result<(Slots, u32)> {
    let mut slots = Slots::default();
    let mut local = 0;
    for &index in functions {
        let function = &module.functions[index];
        if function.entry {
            continue;
        }
        let who = Slots::who(Callee::Direct(index), module, pointers);
        for (i, var) in function.returns.iter().chain(&function.params).enumerate() {
            let mut slot = slots.formal(&who, i, var);
            if frames.has(index) {
                let exchanged = std::mem::replace(&mut slot, slots.list.len());
                slots.list.push(Slot::new(var, true));
                slots.own.entry(index).or_default().push((slot, exchanged));
            }
            slots.names.insert((index, var.name.clone()), slot);
        }
    }
    for &index in functions {
        slots.actuals(module, index, pointers)?;
    }
    for &index in functions {
        slots.scan(module, index);
    }
    slots.match_own();
    let too_large = || {
        let kernel = functions.last().map_or("", |&index| &module.functions[index].name);
        invalid("parameters of functions that take more than 1 GiB a thread".into(), (kernel, Loc::default()))
    };
    for slot in slots.list.iter_mut().filter(|slot| !slot.framed) {
        slot.settle(pools, &mut local).ok_or_else(too_large)?;
    }
    for (&function, pairs) in &slots.own {
        for &(own, exchanged) in pairs {
            let pieces = slots.list[exchanged].pieces.clone();
            let in_memory = slots.list[exchanged].memory.is_some();
            let slot = &mut slots.list[own];
            slot.pieces = pieces;
            if in_memory {
                let at = frames.take(function, slot.size.max(1), slot.align);
                slot.memory = Some(at.ok_or_else(too_large)?);
            }
        }
    }
    Ok((slots, local))
}

impl Slots {
    /// Gives a parameter's own place and its exchange place the same pieces.
    fn match_own(&mut self) {
        // An exchange place may belong to several functions, so a change by one of them affects the others.
        for _ in 0..2 {
            for &(own, exchanged) in self.own.values().flatten() {
                let spoiled = self.list[own].spoiled | self.list[exchanged].spoiled;
                let both = &self.list[own].accesses | &self.list[exchanged].accesses;
                for slot in [own, exchanged] {
                    self.list[slot].spoiled = spoiled;
                    self.list[slot].accesses.clone_from(&both);
                }
            }
        }
    }

    /// Returns, for a function with frames, each parameter's own place and its exchange place, returns first: both as
    /// indices of `list`.
    pub fn own_of(&self, function: usize) -> Vec<(usize, usize)> {
        self.own.get(&function).cloned().unwrap_or_default()
    }

    fn who(callee: Callee, module: &Module, pointers: &HashSet<usize>) -> Callee {
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
            let spoiled = matches!(who, Callee::Signature(_));
            self.list.push(Slot { spoiled, ..Slot::new(var, false) });
        }
        slot
    }

    /// Links the variables that a function passes to the parameters of its callees.
    fn actuals(&mut self, module: &Module, index: usize, pointers: &HashSet<usize>) -> Result<()> {
        let function = &module.functions[index];
        let Some(body) = &function.body else {
            return Ok(());
        };
        for inst in body.code.iter().filter(|i| i.opcode == Opcode::Call) {
            let at = (function.name.as_str(), inst.loc);
            let (target, returns, params) = callee(module, function, inst)?;
            let who = Slots::who(target, module, pointers);
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
            for (i, (operand, var)) in got.iter().chain(given).zip(returns.iter().chain(params)).enumerate() {
                let slot = self.formal(&who, i, var);
                let Operand::Sym(name, 0) = operand else {
                    return Err(unsupported("a call with registers as arguments", at));
                };
                let key = (index, name.clone());
                match self.names.get(&key) {
                    Some(&before) if before != slot => {
                        return Err(unsupported("one `.param` variable passed to two functions", at));
                    }
                    _ => {
                        self.names.insert(key, slot);
                    }
                }
            }
        }
        Ok(())
    }

    /// Records how a function accesses the places.
    fn scan(&mut self, module: &Module, index: usize) {
        let function = &module.functions[index];
        let Some(body) = &function.body else {
            return;
        };
        for inst in &body.code {
            if inst.opcode == Opcode::Call {
                continue;
            }
            let direct =
                matches!(inst.opcode, Opcode::Ld | Opcode::St) && inst.has_any(&[Modifier::Param, Modifier::ParamFunc]);
            for operand in &inst.operands {
                match operand {
                    Operand::Mem(Base::Sym(name), offset) => {
                        let Some(&slot) = self.names.get(&(index, name.clone())) else {
                            continue;
                        };
                        let slot = &mut self.list[slot];
                        match inst.element() {
                            // Offsets beyond any register are left to memory.
                            Some((count, ty)) if direct && (0..1 << 30).contains(offset) => {
                                let width = register_width(function, inst);
                                for k in 0..count {
                                    let at = *offset as u32 + k * ty.size();
                                    slot.accesses.insert((at, ty.size()));
                                }
                                // A register of another width would extend or truncate the value; memory does so
                                // without further code.
                                slot.spoiled |= ty.size() < 2 || width.is_some_and(|w| w != ty.size());
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

    /// Returns the place of a function's variable, as an index of `list`.
    pub fn number_of(&self, function: usize, name: &str) -> Option<usize> {
        self.names.get(&(function, name.to_string())).copied()
    }

    /// Returns the place of a function's variable.
    pub fn slot(&self, function: usize, name: &str) -> Option<&Slot> {
        Some(&self.list[self.number_of(function, name)?])
    }

    /// Returns the place of a callee's return value or parameter, returns first.
    pub fn formal_of(&self, callee: usize, i: usize) -> Option<&Slot> {
        let slot = *self.formals.get(&(Callee::Direct(callee), i))?;
        Some(&self.list[slot])
    }
}

/// Returns the width of the registers that a load writes or a store reads, if its operands are registers.
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
    fn new(var: &Var, framed: bool) -> Slot {
        Slot { size: var.size, align: var.align, framed, ..Slot::default() }
    }

    /// Assigns registers to its pieces, or space in the local memory that is used up to `local`, if there is room.
    fn settle(&mut self, pools: &mut Pools, local: &mut u32) -> Option<()> {
        let mut pieces: Vec<(u32, u32)> = self.accesses.iter().copied().collect();
        pieces.sort_unstable();
        let apart = pieces.windows(2).all(|w| w[0].0 + w[0].1 <= w[1].0);
        let inside = pieces.iter().all(|p| u64::from(p.0 + p.1) <= self.size);
        if self.spoiled || !apart || !inside {
            self.memory = Some(take(local, self.size.max(1), self.align.clamp(1, 16))?);
            return Some(());
        }
        self.pieces = pieces.into_iter().map(|(offset, size)| (offset, size, pools.fix(size))).collect();
        Some(())
    }

    /// Returns the register for the whole parameter, created if it does not exist; for functions that the machine
    /// itself provides.
    pub fn whole(&self) -> Option<OperandSlot> {
        match self.pieces.as_slice() {
            [(0, _, register)] => Some(*register),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::module;

    /// Returns the place of the parameter of `f`, whose code is `code`, and the bytes of local memory of all places.
    fn place(code: &str) -> (Slot, u32) {
        let function = format!(".func f(.param .b64 a)\n{{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n{code}\nret;\n}}");
        let call = "{ .param .b64 x; st.param.b64 [x], %rd1; call f, (x); }";
        let module = module(&function, call);
        let (mut pools, mut frames) = (Pools::default(), Frames::default());
        let found = place_params(&module, &[0, 1], &HashSet::new(), &mut pools, &mut frames);
        let (mut slots, local) = found.unwrap();
        // The caller passes the argument in the same place.
        let (parameter, argument) = (slots.number_of(0, "a").unwrap(), slots.number_of(1, "x"));
        assert_eq!(argument, Some(parameter));
        (slots.list.swap_remove(parameter), local)
    }

    #[test]
    fn a_parameter_that_is_accessed_as_a_whole_is_a_register() {
        let (slot, local) = place("ld.param.u64 %rd1, [a];");
        assert!(matches!(slot.pieces.as_slice(), [(0, 8, OperandSlot::Fixed(0))]), "{slot:?}");
        assert_eq!((slot.memory, local), (None, 0));
    }

    #[test]
    fn a_parameter_that_is_accessed_in_parts_or_by_its_address_is_in_memory() {
        for code in ["ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [a+4];", "mov.u64 %rd1, a;"] {
            let (slot, local) = place(code);
            assert_eq!((slot.pieces.len(), slot.memory, local), (0, Some(0), 8), "{code}");
        }
    }

    #[test]
    fn parameters_of_a_kernel_follow_each_other() {
        let mut module = module("", "");
        module.functions[0].params[0].size = 4;
        let wanted = HashMap::from([("p".to_string(), 0), ("q".to_string(), 8)]);
        assert_eq!(place_kernel_params(&module.functions[0]), wanted);
    }
}
