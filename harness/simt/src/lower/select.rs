//! Instructions that touch memory or other threads: their forms are picked here, by their modifiers.

use super::function::{FnBuilder, both, width};
use super::ir::*;
use super::params::{element, type_of};
use super::{invalid, unsupported};
use crate::exec::sync::{self, mode};
use crate::exec::{control, load_store, print};
use crate::finding::{Space, What};
use crate::ptx::ast::{self, Base, Operand, Type};

/// What the modifiers of a load or store say.
struct Modifiers {
    space: Space,
    count: u32,
    ty: Type,
    /// Other threads' writes may be awaited with it.
    watched: bool,
    /// Everything before it is seen before it.
    release: bool,
    /// That word is `volatile`.
    volatile: bool,
    /// Both only inside the block.
    narrow: bool,
    /// It has a cache policy as its last operand.
    hint: bool,
}

impl Modifiers {
    fn order(&self) -> Order {
        Order {
            strong: self.watched,
            volatile: self.volatile,
            release: self.release,
            narrow: self.narrow,
            asynchronous: false,
        }
    }
}

impl<'m> FnBuilder<'_, 'm> {
    /// Lowers the instruction if it is one of these; false if the table has to have it.
    pub fn special_form(&mut self, at: u32, base: &str, inst: &'m ast::Inst) -> Result<bool> {
        match base {
            "ld" | "ldu" => self.load(inst)?,
            "st" => self.store(inst)?,
            "membar" | "fence" => {
                let narrow = inst.op.split('.').any(|word| word == "cta");
                let fence =
                    Inst::new(both(crate::exec::system::fence), self.loc).imm(u64::from(narrow));
                self.emit(fence)?;
            }
            "prefetch" | "prefetchu" | "pmevent" | "discard" | "applypriority" => {}
            "trap" | "brkpt" => {
                let trap = Inst::new(both(control::trap), self.loc);
                self.emit(trap)?;
            }
            "bar" | "barrier" if !inst.op.starts_with("bar.warp") => self.barrier(at, inst)?,
            "atom" | "red" => self.atomic(inst)?,
            "shfl" | "vote" | "match" | "redux" | "activemask" | "elect" | "bar" | "barrier" => {
                self.joint(base, inst)?;
            }
            "isspacep" => self.is_space(inst)?,
            "nanosleep" => {
                let sleep = Inst::new(both(print::sleep), self.loc);
                self.emit(sleep)?;
            }
            "cp" => self.copy_async(inst)?,
            "mma" => self.mma(inst)?,
            "wmma" => self.wmma(inst)?,
            "ldmatrix" | "stmatrix" => self.ldmatrix(inst)?,
            "movmatrix" => self.movmatrix(inst)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn modifiers(&self, inst: &ast::Inst) -> Result<Modifiers> {
        let mut space = Space::Generic;
        let (mut watched, mut release) = (false, false);
        let (mut volatile, mut narrow, mut hint) = (false, false, false);
        for word in inst.op.split('.').skip(1) {
            match word {
                "global" => space = Space::Global,
                "shared" | "shared::cta" => space = Space::Shared,
                "local" => space = Space::Local,
                "const" => space = Space::Const,
                "param" | "param::entry" | "param::func" => space = Space::Param,
                "volatile" => (watched, volatile) = (true, true),
                "relaxed" | "acquire" | "mmio" => watched = true,
                "release" => (watched, release) = (true, true),
                "cta" => narrow = true,
                "weak" | "gpu" | "sys" | "cluster" | "nc" | "ca" | "cg" | "cs" | "lu" | "cv"
                | "wb" | "wt" | "v2" | "v4" | "unified" => {}
                "L2::cache_hint" => hint = true,
                word if word.starts_with("L1::") || word.starts_with("L2::") => {}
                word if type_of(word).is_some() => {}
                _ => return Err(unsupported(format!("`{}`", inst.op), self.at())),
            }
        }
        match element(&inst.op) {
            Some((count, ty)) if ty != Type::B128 && ty != Type::Pred => Ok(Modifiers {
                space,
                count,
                ty,
                watched,
                release,
                volatile,
                narrow,
                hint,
            }),
            _ => Err(unsupported(format!("`{}`", inst.op), self.at())),
        }
    }

    /// The address operand: a 64-bit register and what to add to it.
    pub fn address(&mut self, operand: &Operand) -> Result<(Opnd, u64)> {
        match operand {
            Operand::Mem(Base::Reg(r), offset) => {
                let base = if self.width_of(*r) == 4 {
                    let narrow = self.reg(*r, 4)?;
                    let wide = self.temp(8);
                    let form = self.form("cvt.u64.u32")?;
                    let inst = Inst::new((form.handlers)(self.b.isa), self.loc)
                        .def(D, wide)
                        .use_(A, narrow);
                    self.prepare(inst);
                    wide
                } else {
                    self.reg(*r, 8)?
                };
                Ok((base, *offset as u64))
            }
            Operand::Mem(Base::Sym(name), offset) => match self.address_of(name, 0) {
                Some(base) => Ok((base, *offset as u64)),
                None => Err(unsupported(
                    format!("an access to `{name}` here"),
                    self.at(),
                )),
            },
            Operand::Mem(Base::None, offset) => Ok((self.b.pools.bits(0, 8), *offset as u64)),
            other => Err(invalid(
                format!("the operand {other:?} where an address must stand"),
                self.at(),
            )),
        }
    }

    fn elements<'o>(&self, operand: &'o Operand, count: u32) -> Result<&'o [Operand]> {
        let list = match operand {
            Operand::Vec(list) => list.as_slice(),
            one => std::slice::from_ref(one),
        };
        if list.len() != count as usize {
            return Err(invalid(
                format!("{} registers for {count} elements", list.len()),
                self.at(),
            ));
        }
        Ok(list)
    }

    /// The slot of a `.param` variable, for accesses to parameters of calls.
    #[expect(
        clippy::type_complexity,
        reason = "pieces as (offset, size, place), and where the operand points"
    )]
    fn param_pieces(&self, operand: &Operand) -> Option<(&[(u32, u32, Opnd)], i64)> {
        match operand {
            Operand::Mem(Base::Sym(name), offset) => {
                let slot = self.b.slots.of(self.index, name)?;
                slot.memory
                    .is_none()
                    .then_some((slot.pieces.as_slice(), *offset))
            }
            _ => None,
        }
    }

    pub(super) fn copy(&mut self, to: Opnd, from: Opnd, width: u32) -> Result<()> {
        let form = self.form(match width {
            0 => "mov.pred",
            2 => "mov.b16",
            4 => "mov.b32",
            _ => "mov.b64",
        })?;
        let inst = Inst::new((form.handlers)(self.b.isa), self.loc)
            .def(D, to)
            .use_(A, from);
        self.emit(inst)
    }

    fn load(&mut self, inst: &'m ast::Inst) -> Result<()> {
        let how = self.modifiers(inst)?;
        let expected = 2 + usize::from(how.hint);
        if inst.operands.len() != expected {
            return Err(invalid(
                format!("`{}` takes {expected} operands", inst.op),
                self.at(),
            ));
        }
        let (to, from) = (&inst.operands[0], &inst.operands[1]);
        if how.count == 1 && how.space == Space::Param && self.is_forwarded(to) {
            return Ok(());
        }
        let list = self.elements(to, how.count)?;
        let size = how.ty.size();
        if how.space == Space::Param {
            if let Operand::Mem(Base::Sym(name), offset) = from
                && self.f.entry
                && self.b.params.contains_key(name)
            {
                for (k, to) in list.iter().enumerate() {
                    let Operand::Reg(r) = to else { continue };
                    let width = self.width_of(*r);
                    let at = offset + k as i64 * i64::from(size);
                    let Some(source) = self.kernel_param(name, at, how.ty, width) else {
                        return Err(unsupported(format!("`{}`", inst.op), self.at()));
                    };
                    let to = self.dest(to, width)?;
                    self.copy(to, source, width)?;
                }
                return Ok(());
            }
            if let Some((pieces, offset)) = self.param_pieces(from) {
                let pieces = pieces.to_vec();
                for (k, to) in list.iter().enumerate() {
                    let at = offset + k as i64 * i64::from(size);
                    let piece = pieces.iter().find(|p| i64::from(p.0) == at && p.1 == size);
                    let Some((.., from)) = piece else {
                        return Err(invalid(
                            "a parameter's part that nobody wrote".into(),
                            self.at(),
                        ));
                    };
                    let from = *from;
                    let to = self.dest(to, size)?;
                    self.copy(to, from, size)?;
                }
                return Ok(());
            }
        }
        let signed = matches!(how.ty, Type::S8 | Type::S16 | Type::S32);
        let reg = match list.iter().find(|o| matches!(o, Operand::Reg(_))) {
            Some(Operand::Reg(r)) => self.width_of(*r),
            _ => width(how.ty),
        };
        let many = how.count > 1;
        let Some(handler) = load_store::load(self.b.isa, how.space, size, reg, signed, many) else {
            return Err(invalid(
                format!("`{}` into registers of {} bytes", inst.op, reg),
                self.at(),
            ));
        };
        let origin = self.origin(from);
        let (base, offset) = self.address(from)?;
        let mut out = Inst::new(both(handler), self.loc)
            .imm(offset)
            .use_(A, base)
            .raw(E, load_store::shape(how.count, how.space))
            .role(Role::Access(What::Read, how.space, size * how.count))
            .order(how.order())
            .from(origin);
        let mut first = Opnd::None;
        for (to, at) in list.iter().zip([D, D2, B, C]) {
            let to = self.dest(to, reg)?;
            if first == Opnd::None {
                first = to;
            }
            out = out.def(at, to);
        }
        self.emit(out)?;
        if how.watched && how.space != Space::Param {
            let look = Inst::new(both(crate::exec::system::look), self.loc)
                .use_(A, first)
                .raw(B, reg);
            self.emit(look)?;
        }
        Ok(())
    }

    fn store(&mut self, inst: &'m ast::Inst) -> Result<()> {
        let how = self.modifiers(inst)?;
        let expected = 2 + usize::from(how.hint);
        if inst.operands.len() != expected {
            return Err(invalid(
                format!("`{}` takes {expected} operands", inst.op),
                self.at(),
            ));
        }
        let (to, from) = (&inst.operands[0], &inst.operands[1]);
        let list = self.elements(from, how.count)?;
        let size = how.ty.size();
        if how.space == Space::Param
            && let Some((pieces, offset)) = self.param_pieces(to)
        {
            let pieces = pieces.to_vec();
            for (k, from) in list.iter().enumerate() {
                let at = offset + k as i64 * i64::from(size);
                let piece = pieces.iter().find(|p| i64::from(p.0) == at && p.1 == size);
                // A part that nobody reads has no place.
                if let Some((.., to)) = piece {
                    let to = *to;
                    let from = self.source(from, how.ty)?;
                    self.copy(to, from, size)?;
                }
            }
            return Ok(());
        }
        let reg = match list.iter().find(|o| matches!(o, Operand::Reg(_))) {
            Some(Operand::Reg(r)) => self.width_of(*r),
            _ => width(how.ty),
        };
        let many = how.count > 1;
        let Some(handler) = load_store::store(self.b.isa, how.space, size, reg, many) else {
            return Err(invalid(
                format!("`{}` from registers of {} bytes", inst.op, reg),
                self.at(),
            ));
        };
        let origin = self.origin(to);
        let (base, offset) = self.address(to)?;
        let mut out = Inst::new(both(handler), self.loc)
            .imm(offset)
            .use_(A, base)
            .raw(E, load_store::shape(how.count, how.space))
            .role(Role::Access(What::Write, how.space, size * how.count))
            .order(how.order())
            .from(origin);
        for (from, at) in list.iter().zip([D, D2, B, C]) {
            let from = match from {
                Operand::Reg(r) => self.reg(*r, reg)?,
                other => self.source(
                    other,
                    match reg {
                        2 => Type::B16,
                        4 if how.ty == Type::F32 => Type::F32,
                        4 => Type::B32,
                        _ if how.ty == Type::F64 => Type::F64,
                        _ => Type::B64,
                    },
                )?,
            };
            out = out.use_(at, from);
        }
        self.emit(out)
    }

    fn barrier(&mut self, at: u32, inst: &'m ast::Inst) -> Result<()> {
        let words: Vec<&str> = inst.op.split('.').skip(1).collect();
        let mut how = if words.contains(&"arrive") {
            mode::ARRIVE
        } else if words.contains(&"red") {
            match (words.contains(&"popc"), words.contains(&"and")) {
                (true, _) => mode::POPC,
                (_, true) => mode::AND,
                _ => mode::OR,
            }
        } else if words.contains(&"sync") {
            mode::SYNC
        } else {
            return Err(unsupported(format!("`{}`", inst.op), self.at()));
        };
        if words.contains(&"cluster") {
            return Err(unsupported(format!("`{}`", inst.op), self.at()));
        }
        if inst.op.starts_with("bar.") || words.contains(&"aligned") {
            how |= mode::ALIGNED;
        }
        let reduces = matches!(how & mode::MASK, mode::POPC | mode::AND | mode::OR);
        let mut rest = inst.operands.as_slice();
        let mut out = Inst::new(both(sync::barrier), self.loc);
        if reduces {
            let Some((to, more)) = rest.split_first() else {
                return Err(invalid("a barrier without operands".into(), self.at()));
            };
            let to = self.dest(to, if how & mode::MASK == mode::POPC { 4 } else { 0 })?;
            out = out.def(D, to);
            let Some((pred, more)) = more.split_last() else {
                return Err(invalid("a barrier without a predicate".into(), self.at()));
            };
            let pred = self.source(pred, Type::Pred)?;
            out = out.use_(D2, pred);
            rest = more;
        }
        let (id, count) = match rest {
            [] => (self.b.pools.bits(0, 4), None),
            [id] => (self.source(id, Type::U32)?, None),
            [id, count] => {
                let id = self.source(id, Type::U32)?;
                (id, Some(self.source(count, Type::U32)?))
            }
            _ => {
                return Err(invalid(
                    "a barrier with too many operands".into(),
                    self.at(),
                ));
            }
        };
        out = out.use_(A, id);
        if let Some(count) = count {
            how |= mode::COUNTED;
            out = out.use_(B, count);
        }
        let after = self.after(at);
        self.end(Term::Barrier(Box::new(out.imm(how)), after));
        Ok(())
    }
}
