//! Atomics, what lanes do together, asynchronous copies, and functions that the machine provides.

use super::function::{FnBuilder, both, width};
use super::ir::*;
use super::params::{Slot, type_of};
use super::{invalid, unsupported};
use crate::exec::warp_ops::{self, how};
use crate::exec::{async_copy, atomic, handler, heap, load_store, print};
use crate::finding::{Space, What};
use crate::ptx::ast::{self, Operand, Type};

impl<'m> FnBuilder<'_, 'm> {
    fn wrong(&self, inst: &ast::Inst) -> LoadError {
        invalid(
            format!("`{}` with {} operands", inst.op, inst.operands.len()),
            self.at(),
        )
    }

    fn missing(&self, inst: &ast::Inst) -> LoadError {
        unsupported(format!("`{}`", inst.op), self.at())
    }

    pub(super) fn atomic(&mut self, inst: &'m ast::Inst) -> Result<()> {
        let mut space = Space::Generic;
        let (mut operation, mut ty, mut hint) = ("", "", false);
        let (mut release, mut narrow, mut count) = (false, false, 1);
        for word in inst.op.split('.').skip(1) {
            match word {
                "global" => space = Space::Global,
                "shared" | "shared::cta" => space = Space::Shared,
                "add" | "exch" | "cas" | "min" | "max" | "and" | "or" | "xor" | "inc" | "dec" => {
                    operation = word;
                }
                "release" | "acq_rel" => release = true,
                "cta" => narrow = true,
                "relaxed" | "acquire" | "gpu" | "sys" | "cluster" | "noftz" => {}
                "L2::cache_hint" => hint = true,
                "v2" => count = 2,
                "v4" => count = 4,
                "v8" => count = 8,
                word if type_of(word).is_some() => ty = word,
                _ => return Err(self.missing(inst)),
            }
        }
        let Some((handler, bytes)) = atomic::atomic(self.b.isa, operation, ty) else {
            return Err(self.missing(inst));
        };
        let red = inst.op.starts_with("red");
        let mut rest = inst.operands.as_slice();
        if hint && rest.len() > 2 {
            rest = &rest[..rest.len() - 1];
        }
        let to = if red {
            None
        } else {
            let Some((to, more)) = rest.split_first() else {
                return Err(self.wrong(inst));
            };
            rest = more;
            Some(to)
        };
        let value_type = match (bytes, ty) {
            (2, _) => Type::B16,
            (4, "f32") => Type::F32,
            (4, _) => Type::B32,
            (_, "f64") => Type::F64,
            _ => Type::B64,
        };
        let values = if operation == "cas" { 2 } else { 1 };
        if rest.len() != 1 + values {
            return Err(self.wrong(inst));
        }
        let origin = self.origin(&rest[0]);
        let (base, offset) = self.address(&rest[0])?;
        let order = Order {
            strong: true,
            volatile: false,
            release,
            narrow,
            asynchronous: false,
        };
        if count > 1 {
            // Each element is changed atomically, the vector is not. A result may be an element that is still to be added.
            let Operand::Vec(from) = &rest[1] else {
                return Err(self.wrong(inst));
            };
            let mut results = Vec::new();
            if from.len() != count || values != 1 {
                return Err(self.wrong(inst));
            }
            for (k, value) in from.iter().enumerate() {
                let old = self.temp(bytes);
                let value = self.source(value, value_type)?;
                let out = Inst::new(both(handler), self.loc)
                    .imm(offset.wrapping_add(k as u64 * u64::from(bytes)))
                    .use_(A, base)
                    .use_(B, value)
                    .raw(E, load_store::shape(1, space))
                    .role(Role::Access(What::Atomic, space, bytes))
                    .order(order)
                    .from(origin);
                self.emit(match to {
                    None => out.raw(D, u32::MAX),
                    Some(_) => out.def(D, old),
                })?;
                results.push(old);
            }
            if let Some(Operand::Vec(to)) = to {
                for (to, old) in to.iter().zip(results) {
                    let to = self.dest(to, bytes)?;
                    self.copy(to, old, bytes)?;
                }
            }
            return Ok(());
        }
        let mut out = Inst::new(both(handler), self.loc)
            .imm(offset)
            .use_(A, base)
            .raw(E, load_store::shape(1, space))
            .role(Role::Access(What::Atomic, space, bytes))
            .order(order)
            .from(origin);
        for (value, at) in rest[1..].iter().zip([B, C]) {
            let value = self.source(value, value_type)?;
            out = out.use_(at, value);
        }
        out = match to {
            None | Some(Operand::Discard) => out.raw(D, u32::MAX),
            Some(to) => {
                let to = self.dest(to, bytes)?;
                out.def(D, to)
            }
        };
        self.emit(out)
    }

    pub(super) fn is_space(&mut self, inst: &'m ast::Inst) -> Result<()> {
        let word = inst.op.split('.').nth(1).unwrap_or_default();
        let Some(space) = atomic::space_number(word) else {
            return Err(self.missing(inst));
        };
        let [to, from] = inst.operands.as_slice() else {
            return Err(self.wrong(inst));
        };
        let from = self.source(from, Type::B64)?;
        let to = self.dest(to, 0)?;
        let out = Inst::new(both(atomic::is_space), self.loc)
            .imm(space)
            .def(D, to)
            .use_(A, from);
        self.emit(out)
    }

    /// Instructions that lanes of a warp execute together.
    pub(super) fn joint(&mut self, base: &str, inst: &'m ast::Inst) -> Result<()> {
        let words: Vec<&str> = inst.op.split('.').skip(1).collect();
        let has = |word: &str| words.contains(&word);
        let sync = has("sync");
        let old = if sync { 0 } else { how::OLD };
        let mut operands: Vec<&Operand> = inst.operands.iter().collect();
        let plain = |handler| Inst::new(both(handler), self.loc).role(Role::WarpSync);
        let first = |op: &Operand| match op {
            Operand::Pair(a, b) => (a.as_ref().clone(), Some(b.as_ref().clone())),
            one => (one.clone(), None),
        };
        if base == "activemask" {
            let [to] = operands.as_slice() else {
                return Err(self.wrong(inst));
            };
            let out = plain(warp_ops::active);
            let to = self.dest(to, 4)?;
            return self.emit(out.def(D, to));
        }
        if matches!(base, "bar" | "barrier") {
            let [mask] = operands.as_slice() else {
                return Err(self.wrong(inst));
            };
            let out = plain(warp_ops::barrier);
            let mask = self.source(mask, Type::B32)?;
            return self.emit(out.use_(E, mask));
        }
        let mut out = match base {
            "shfl" => Inst::new(both(handler::<warp_ops::Shuffle>(self.b.isa)), self.loc)
                .role(Role::WarpSync),
            "vote" => plain(warp_ops::vote),
            "match" => plain(warp_ops::matching),
            "redux" => plain(warp_ops::reduce),
            _ => plain(warp_ops::elect),
        };
        if sync {
            let Some(mask) = operands.pop() else {
                return Err(self.wrong(inst));
            };
            let mask = self.source(mask, Type::B32)?;
            out = out.use_(E, mask);
        }
        let expected = match base {
            "shfl" => 4,
            "elect" => 1,
            _ => 2,
        };
        if operands.len() != expected {
            return Err(self.wrong(inst));
        }
        let (to, second) = first(operands[0]);
        match base {
            "shfl" => {
                let kind = match (has("up"), has("down"), has("bfly"), has("idx")) {
                    (true, ..) => warp_ops::UP,
                    (_, true, ..) => warp_ops::DOWN,
                    (_, _, true, _) => warp_ops::BUTTERFLY,
                    (.., true) => warp_ops::INDEX,
                    _ => return Err(self.missing(inst)),
                };
                for (operand, at) in operands[1..].iter().zip([A, B, C]) {
                    let ty = match operand {
                        Operand::F32(_) => Type::F32,
                        _ => Type::B32,
                    };
                    let operand = self.source(operand, ty)?;
                    out = out.use_(at, operand);
                }
                let to = self.dest(&to, 4)?;
                out = out.def(D, to).imm(kind | old);
                if let Some(second) = second {
                    let second = self.dest(&second, 0)?;
                    out = out.def(D2, second);
                    out.imm |= how::SECOND;
                }
            }
            "vote" => {
                let kind = match (has("all"), has("any"), has("uni"), has("ballot")) {
                    (true, ..) => warp_ops::ALL_OF,
                    (_, true, ..) => warp_ops::ANY_OF,
                    (_, _, true, _) => warp_ops::UNIFORM,
                    (.., true) => warp_ops::BALLOT,
                    _ => return Err(self.missing(inst)),
                };
                let pred = self.source(operands[1], Type::Pred)?;
                let to = self.dest(&to, if kind == warp_ops::BALLOT { 4 } else { 0 })?;
                out = out.use_(A, pred).def(D, to).imm(kind | old);
            }
            "match" => {
                let wide = has("b64");
                let value = self.source(operands[1], if wide { Type::B64 } else { Type::B32 })?;
                let to = self.dest(&to, 4)?;
                let kind = u64::from(has("all"));
                out = out
                    .use_(A, value)
                    .def(D, to)
                    .imm(kind | if wide { how::WIDE } else { 0 });
                if let Some(second) = second {
                    let second = self.dest(&second, 0)?;
                    out = out.def(D2, second);
                    out.imm |= how::SECOND;
                }
            }
            "redux" => {
                let ty = words.last().copied().unwrap_or_default();
                let operation = words.get(1).copied().unwrap_or_default();
                let name = match operation {
                    "min" | "max" => format!("{operation}.{ty}"),
                    other => other.to_string(),
                };
                let kind = warp_ops::REDUCTIONS.iter().position(|n| *n == name);
                let (Some(kind), "s32" | "u32" | "b32") = (kind, ty) else {
                    return Err(self.missing(inst));
                };
                let value = self.source(operands[1], Type::B32)?;
                let to = self.dest(&to, 4)?;
                out = out.use_(A, value).def(D, to).imm(kind as u64);
            }
            _ => {
                let to = self.dest(&to, 4)?;
                let second = second.unwrap_or(Operand::Discard);
                let second = self.dest(&second, 0)?;
                out = out.def(D, to).def(D2, second);
            }
        }
        self.emit(out)
    }

    /// `cp.async`: a load and a store that are done at once, which is allowed; see [`async_copy`] for what is made of the rest.
    pub(super) fn copy_async(&mut self, inst: &'m ast::Inst) -> Result<()> {
        let words: Vec<&str> = inst.op.split('.').skip(1).collect();
        if words.first() != Some(&"async") {
            return Err(self.missing(inst));
        }
        match words.get(1) {
            Some(&"commit_group") => {
                return self.emit(Inst::new(both(async_copy::commit), self.loc));
            }
            Some(&"wait_all") => {
                return self.emit(Inst::new(both(async_copy::wait_all), self.loc));
            }
            Some(&"wait_group") => {
                let [Operand::Int(keep)] = inst.operands.as_slice() else {
                    return Err(self.wrong(inst));
                };
                let wait = Inst::new(both(async_copy::wait_group), self.loc);
                return self.emit(wait.imm(*keep as u64));
            }
            Some(&("ca" | "cg")) if !words.contains(&"bulk") => {}
            _ => return Err(self.missing(inst)),
        }
        let mut operands = inst.operands.as_slice();
        if words.contains(&"L2::cache_hint") {
            operands = &operands[..operands.len().saturating_sub(1)];
        }
        let (to, from, bytes, source) = match operands {
            [to, from, Operand::Int(bytes)] => (to, from, *bytes, None),
            [to, from, Operand::Int(bytes), Operand::Int(source)] if source == bytes => {
                (to, from, *bytes, None)
            }
            [to, from, Operand::Int(bytes), source] => (to, from, *bytes, Some(source)),
            _ => return Err(self.wrong(inst)),
        };
        let (size, count, ty) = match bytes {
            4 => (4, 1, Type::B32),
            8 => (8, 1, Type::B64),
            16 => (8, 2, Type::B64),
            _ => return Err(self.wrong(inst)),
        };
        let many = count > 1;
        let isa = self.b.isa;
        let (Some(load), Some(store)) = (
            load_store::load(isa, Space::Global, size, size, false, many),
            load_store::store(isa, Space::Shared, size, size, many),
        ) else {
            return Err(self.missing(inst));
        };
        let values: Vec<Opnd> = (0..count).map(|_| self.temp(width(ty))).collect();
        let (base, offset) = self.address(from)?;
        let access = |what, space| Role::Access(what, space, bytes as u32);
        let mut read = Inst::new(both(load), self.loc);
        if let Some(source) = source {
            let source = self.source(source, Type::B32)?;
            read = Inst::new(both(async_copy::read_some), self.loc)
                .use_(B, source)
                .raw(C, size);
        }
        read = read
            .imm(offset)
            .use_(A, base)
            .raw(E, load_store::shape(count, Space::Global))
            .role(access(What::Read, Space::Global));
        for (value, at) in values.iter().zip([D, D2]) {
            read = read.def(at, *value);
        }
        self.emit(read)?;
        let (base, offset) = self.address(to)?;
        let mut write = Inst::new(both(store), self.loc)
            .imm(offset)
            .use_(A, base)
            .raw(E, load_store::shape(count, Space::Shared))
            .role(access(What::Write, Space::Shared))
            .order(Order {
                asynchronous: true,
                ..Order::default()
            });
        for (value, at) in values.iter().zip([D, D2]) {
            write = write.use_(at, *value);
        }
        self.emit(write)
    }

    /// A call of a function that the machine provides.
    pub(super) fn system_call(&mut self, index: usize, at: u32) -> Result<()> {
        let function = &self.b.module.functions[index];
        let results = function.returns.len();
        let place = |this: &Self, i: usize| -> Option<Opnd> {
            this.b.slots.formal_of(index, i).and_then(Slot::whole)
        };
        let argument = |this: &Self, i: usize| {
            place(this, results + i).ok_or_else(|| {
                unsupported(
                    format!("a call to `{}` with arguments in parts", function.name),
                    this.at(),
                )
            })
        };
        let out = match (function.name.as_str(), function.params.len()) {
            ("vprintf", 2) => {
                // Which of the program's packings, counted from 1; 0 where it is not known.
                let packed = self.packed(at).map_or(0, |packed| {
                    self.b.packed.push(packed);
                    self.b.packed.len() as u32
                });
                let out = Inst::new(both(print::printf), self.loc)
                    .use_(A, argument(self, 0)?)
                    .use_(B, argument(self, 1)?)
                    .raw(C, packed);
                match place(self, 0) {
                    Some(to) if results == 1 => out.def(D, to),
                    _ => out.raw(D, u32::MAX),
                }
            }
            ("__assertfail", 5) => Inst::new(both(print::assert_failed), self.loc)
                .use_(A, argument(self, 0)?)
                .use_(B, argument(self, 1)?)
                .use_(C, argument(self, 2)?)
                .use_(E, argument(self, 3)?),
            ("malloc", 1) => {
                let out = Inst::new(both(heap::allocate), self.loc).use_(A, argument(self, 0)?);
                match place(self, 0) {
                    Some(to) if results == 1 => out.def(D, to),
                    _ => out.raw(D, u32::MAX),
                }
            }
            ("free", 1) => Inst::new(both(heap::free), self.loc).use_(A, argument(self, 0)?),
            (name, _) => {
                return Err(unsupported(
                    format!("a call to `{name}`, which has no body,"),
                    self.at(),
                ));
            }
        };
        self.emit(out)
    }
}
