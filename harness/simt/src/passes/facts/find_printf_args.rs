//! The arguments of a call of `printf`.
//!
//! The compiler packs the arguments into local memory and passes their address, but not their number. It writes them
//! just before the call, so the stores that may reach the call reveal the number. This is read from the PTX without
//! running it. If the stores do not look like the compiler's own packing (for instance because a program calls
//! `vprintf` with a structure, perhaps one used before), no result is given.

use super::count_writers::Writers;
use crate::engine::warp::program::{Packed, Piece, Value};
use ptx::ast::{Base, Body, Inst, Loc, Operand, RegId, Type};
use ptx::opcode::{Opcode, OpcodeKind};
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A location in one of the function's local variables.
type LocalSlot<'m> = (&'m str, i64);

/// The maximum number of copies through which an address is traced back; longer chains do not occur.
const DEPTH: u32 = 16;

/// Returns the arguments of each call of `vprintf`, which takes a format and packed arguments, by the call's index;
/// nothing for calls whose arguments cannot be determined.
pub fn find_printf_args(body: &Body, writers: &Writers) -> HashMap<u32, Packed> {
    let search = Search { body, writers, comes_from: OnceCell::new() };
    let calls = (0u32..).zip(&body.code).filter(|(_, inst)| prints(inst));
    calls.filter_map(|(at, _)| Some((at, search.packed(at)?))).collect()
}

/// A body in which arguments are looked for.
struct Search<'m> {
    body: &'m Body,
    writers: &'m Writers,
    /// For each instruction, the instructions that may be executed directly before it; computed on first use.
    comes_from: OnceCell<HashMap<u32, Vec<u32>>>,
}

impl<'m> Search<'m> {
    /// Returns the arguments of the call at `at`; `None` if they cannot be determined.
    fn packed(&self, at: u32) -> Option<Packed> {
        let buffer = self.passed(at, 1)?;
        if *buffer == Operand::Int(0) {
            return Some(Packed::default());
        }
        let (variable, start) = self.place_in(buffer)?;
        let call = &self.body.code[at as usize];
        // By offset in the buffer: size and value. A constant stands for any value where two paths store different
        // values of the same size.
        let mut found: BTreeMap<i64, (u32, Value)> = BTreeMap::new();
        let stores = match call.loc.line {
            // Without line information, the packing of one call cannot be distinguished from that of another, so all
            // stores count.
            0 => self.body.code.iter().filter(|i| is_store(i)).collect(),
            _ => self.stores_before(at),
        };
        for store in stores {
            let Some((there, offset)) = self.stored_at(store) else {
                continue;
            };
            if there != variable || offset < start {
                continue;
            }
            if !same_line(store.loc, call.loc) {
                return None;
            }
            let (count, ty) = store.element()?;
            for k in 0..count {
                let value = match store.operands.get(1)? {
                    Operand::Vec(values) => values.get(k as usize)?,
                    one => one,
                };
                let value = match value {
                    Operand::Reg(r) if !self.is_constant(*r) => match ty {
                        Type::F64 => Value::Double,
                        _ => Value::Whole,
                    },
                    _ => Value::Constant,
                };
                let at = offset.checked_sub(start)? + i64::from(k * ty.size());
                let known = found.entry(at).or_insert((ty.size(), value));
                if known.0 != ty.size() {
                    return None;
                }
                if known.1 != value {
                    known.1 = Value::Constant;
                }
            }
        }
        let mut packed = Packed::default();
        let mut end = 0i64;
        for (offset, (size, value)) in found {
            // Each argument follows the previous one, aligned to its size. Anything else is not a packing.
            if !matches!(size, 4 | 8) || offset != next_multiple(end, size) {
                return None;
            }
            end = offset + i64::from(size);
            packed.pieces.push(Piece { offset: offset as u32, size, value });
        }
        (!packed.pieces.is_empty()).then_some(packed)
    }

    /// Returns the operand that a call passes for a parameter.
    fn passed(&self, at: u32, parameter: usize) -> Option<&'m Operand> {
        let code = &self.body.code;
        let Some(Operand::Vec(arguments)) = code[at as usize].operands.get(2) else {
            return None;
        };
        let Some(Operand::Sym(wanted, 0)) = arguments.get(parameter) else {
            return None;
        };
        let before = code[..at as usize].iter().rev();
        let store = before.take_while(|inst| inst.opcode != Opcode::Call).find(|inst| {
            let to = inst.operands.first();
            matches!(to, Some(Operand::Mem(Base::Sym(name), 0)) if name == wanted)
        })?;
        (store.guard.is_none()).then_some(store.operands.get(1)?)
    }

    /// Returns the stores on all paths to a call, back to the previous call of `vprintf` or to the start.
    fn stores_before(&self, at: u32) -> Vec<&'m Inst> {
        let code = &self.body.code;
        let comes_from = self.comes_from.get_or_init(|| self.ways());
        let mut stores = Vec::new();
        let mut seen = HashSet::new();
        let mut rest = comes_from.get(&at).cloned().unwrap_or_default();
        while let Some(i) = rest.pop() {
            let inst = &code[i as usize];
            if !seen.insert(i) || prints(inst) {
                continue;
            }
            if is_store(inst) {
                stores.push(inst);
            }
            rest.extend(comes_from.get(&i).into_iter().flatten());
        }
        stores
    }

    /// Returns, for each instruction, the instructions that may be executed directly before it.
    fn ways(&self) -> HashMap<u32, Vec<u32>> {
        let code = &self.body.code;
        let mut comes_from: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut edge = |from: usize, to: u32| comes_from.entry(to).or_default().push(from as u32);
        for (from, inst) in code.iter().enumerate() {
            if inst.opcode == Opcode::Brx {
                let mut tables = self.body.branch_targets.iter();
                let own = |(name, _): &&(String, Vec<u32>)| match inst.operands.get(1) {
                    Some(Operand::Sym(table, _)) => table == name,
                    _ => false,
                };
                for to in tables.find(own).into_iter().flat_map(|(_, to)| to) {
                    edge(from, *to);
                }
            } else if let (Opcode::Bra, Some(Operand::Label(to))) = (inst.opcode, inst.operands.first()) {
                edge(from, *to);
            }
            let leaves = matches!(inst.opcode.kind(), OpcodeKind::Branch | OpcodeKind::Trap);
            if !leaves || inst.guard.is_some() {
                edge(from, from as u32 + 1);
            }
        }
        comes_from
    }

    /// Returns the instruction that writes a register, if there is exactly one.
    fn only_def(&self, register: RegId) -> Option<&'m Inst> {
        Some(&self.body.code[self.writers.only(register)? as usize])
    }

    /// Whether a register holds a constant of the program.
    fn is_constant(&self, register: RegId) -> bool {
        self.only_def(register).is_some_and(|inst| {
            use Operand::{F32, F64, Int};
            inst.opcode == Opcode::Mov && matches!(inst.operands.get(1), Some(Int(_) | F32(_) | F64(_)))
        })
    }

    /// Returns where a store writes, if that is in a local variable of the function.
    fn stored_at(&self, store: &'m Inst) -> Option<LocalSlot<'m>> {
        match store.operands.first()? {
            Operand::Mem(Base::Reg(r), offset) => {
                let (variable, start) = self.register_place(*r, DEPTH)?;
                Some((variable, start.checked_add(*offset)?))
            }
            Operand::Mem(Base::Sym(name), offset) => self.local(name).then_some((name, *offset)),
            _ => None,
        }
    }

    fn place_in(&self, operand: &'m Operand) -> Option<LocalSlot<'m>> {
        match operand {
            Operand::Reg(r) => self.register_place(*r, DEPTH),
            Operand::Sym(name, offset) => self.local(name).then_some((name, *offset)),
            _ => None,
        }
    }

    fn register_place(&self, register: RegId, depth: u32) -> Option<LocalSlot<'m>> {
        let inst = self.only_def(register)?;
        if depth == 0 || inst.guard.is_some() {
            return None;
        }
        let (from, more) = match (inst.opcode, inst.operands.as_slice()) {
            (Opcode::Mov | Opcode::Cvta, [_, from]) => (from, 0),
            (Opcode::Add, [_, from, Operand::Int(more)]) => (from, *more),
            _ => return None,
        };
        let (variable, offset) = match from {
            Operand::Reg(r) => self.register_place(*r, depth - 1)?,
            Operand::Sym(name, offset) if self.local(name) => (name.as_str(), *offset),
            _ => return None,
        };
        Some((variable, offset.checked_add(more)?))
    }

    fn local(&self, name: &str) -> bool {
        let space = crate::finding::Space::Local;
        let mut vars = self.body.vars.iter();
        vars.any(|v| v.name == name && v.space == space)
    }
}

/// Whether the instruction calls `vprintf`.
fn prints(inst: &Inst) -> bool {
    inst.opcode == Opcode::Call && matches!(inst.operands.get(1), Some(Operand::Sym(name, _)) if name == "vprintf")
}

fn is_store(inst: &Inst) -> bool {
    inst.opcode == Opcode::St && !inst.is_of_params()
}

/// Whether two instructions come from the same line, inlined at the same place, as those of the compiler's packing do.
fn same_line(a: Loc, b: Loc) -> bool {
    (a.file, a.line, a.inlined) == (b.file, b.line, b.inlined)
}

fn next_multiple(end: i64, size: u32) -> i64 {
    let size = i64::from(size);
    (end + size - 1) / size * size
}

#[cfg(test)]
mod tests {
    use super::super::count_writers::count_writers;
    use super::*;
    use crate::passes::testing::module;

    /// Returns the arguments (offset, size, type) of the only call of a kernel that packs them by these stores.
    fn arguments(stores: &str) -> Option<Vec<(u32, u32, Value)>> {
        let vprintf = ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);";
        let call = "{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd1; st.param.b64 [b], %rd2;\n\
                    call (r), vprintf, (a, b); }";
        let code = format!(
            ".local .align 8 .b8 buffer[24];\nmov.f64 %fd1, 0d3FF0000000000000; mov.u32 %r7, 5;\n\
             cvta.local.u64 %rd2, buffer; add.u64 %rd3, %rd2, 8;\n{stores}\n{call}"
        );
        let module = module(vprintf, &format!(".reg .f64 %fd<3>;\n{code}"));
        let body = module.functions[1].body.as_ref().unwrap();
        let mut found = find_printf_args(body, &count_writers(body)).into_values();
        let pieces = found.next()?.pieces;
        assert!(found.next().is_none());
        Some(pieces.iter().map(|piece| (piece.offset, piece.size, piece.value)).collect())
    }

    #[test]
    fn the_stores_say_how_many_arguments_there_are_and_of_which_types() {
        let stores = "st.u32 [%rd2], %r1; st.f64 [%rd3], %fd2; st.u32 [%rd3+8], %r7;";
        let wanted = [(0, 4, Value::Whole), (8, 8, Value::Double), (16, 4, Value::Constant)];
        assert_eq!(arguments(stores).as_deref(), Some(&wanted[..]));
    }

    #[test]
    fn stores_that_leave_a_gap_or_disagree_are_no_packing() {
        for stores in ["", "st.u32 [%rd2+4], %r1;", "st.u32 [%rd2], %r1; st.u64 [%rd2], %rd4;", "st.u16 [%rd2], %h1;"] {
            assert_eq!(arguments(stores), None, "{stores}");
        }
    }
}
