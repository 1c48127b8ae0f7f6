//! The modifiers of loads and stores.

use super::element::Elements;
use crate::engine::warp::program::Order;
use crate::finding::{AccessKind, Space};
use crate::instr::code::{Inst, Role};
use crate::instr::context::{Context, Result, parts};
use ptx::ast::{self, Operand, Type};

/// The decoded modifiers of a load or store.
pub(crate) struct Modifiers {
    /// The space.
    pub space: Space,
    /// The number of elements.
    pub count: u32,
    /// Their type.
    pub ty: Type,
    /// Whether it may poll for writes of other threads.
    pub watched: bool,
    /// Whether it becomes visible only after everything before it.
    release: bool,
    /// Whether it is `volatile`.
    volatile: bool,
    /// Whether it is ordered only inside the block.
    narrow: bool,
}

impl Modifiers {
    /// Decodes the modifiers of a load or store, and checks the number of its operands.
    pub fn parse(cx: &dyn Context, inst: &ast::Inst) -> Result<Modifiers> {
        let mut how = Modifiers {
            space: Space::Generic,
            count: 1,
            ty: Type::Pred,
            watched: false,
            release: false,
            volatile: false,
            narrow: false,
        };
        let mut operands = 2;
        // A memory order and a scope must occur together, and a cache operation excludes them.
        let (mut ordered, mut scoped, mut cached) = (false, false, false);
        for word in inst.modifiers() {
            match word {
                "global" => how.space = Space::Global,
                "shared" | "shared::cta" | "shared::cluster" => how.space = Space::Shared,
                "local" => how.space = Space::Local,
                "const" => how.space = Space::Const,
                "param" | "param::entry" | "param::func" => how.space = Space::Param,
                "volatile" => (how.watched, how.volatile) = (true, true),
                "relaxed" | "acquire" => (how.watched, ordered) = (true, true),
                "mmio" => how.watched = true,
                "release" => (how.watched, how.release, ordered) = (true, true, true),
                "cta" => (how.narrow, scoped) = (true, true),
                "gpu" | "sys" | "cluster" => scoped = true,
                "ca" | "cg" | "cs" | "lu" | "cv" | "wb" | "wt" => cached = true,
                "weak" | "nc" | "v2" | "v4" | "unified" => {}
                // The cache policy is the last operand.
                "L2::cache_hint" => operands = 3,
                word if word.starts_with("L1::") || word.starts_with("L2::") => {}
                word if Type::named(word).is_some() => {}
                _ => return Err(cx.missing(inst)),
            }
        }
        if ordered != scoped {
            return Err(cx.invalid(format!("`{}`: an order of memory needs a scope, and a scope an order", inst.text)));
        }
        if cached && how.watched && !ordered {
            return Err(cx.invalid(format!("`{}`: `.volatile` with a cache operation", inst.text)));
        }
        match inst.element() {
            // The lowering splits 128-bit registers into pairs.
            Some((1, Type::B128)) if inst.operands.iter().any(|o| matches!(o, Operand::Vec(_))) => {
                (how.count, how.ty) = (2, Type::B64);
            }
            Some((count, ty)) if ty != Type::B128 && ty != Type::Pred => {
                (how.count, how.ty) = (count, ty);
            }
            _ => return Err(cx.missing(inst)),
        }
        if inst.operands.len() != operands {
            return Err(cx.invalid(format!("`{}` takes {operands} operands", inst.text)));
        }
        Ok(how)
    }

    /// Returns the registers, or literals, of a vector operand.
    pub fn elements<'o>(&self, cx: &dyn Context, operand: &'o Operand) -> Result<&'o [Operand]> {
        let list = parts(operand);
        if list.len() != self.count as usize {
            return Err(cx.invalid(format!("{} registers for {} elements", list.len(), self.count)));
        }
        Ok(list)
    }

    /// Returns the elements in the form that the handlers use: parameters are read through generic addresses.
    pub fn moved(&self) -> Elements {
        Elements {
            count: self.count,
            space: match self.space {
                Space::Param => Space::Generic,
                space => space,
            },
        }
    }

    /// Adds to the instruction what the counters and checks need to know about it.
    pub fn describe(&self, inst: Inst, what: AccessKind) -> Inst {
        let bytes = self.ty.size() * self.count;
        let element = if what == AccessKind::Read { self.ty.size() } else { 1 };
        inst.element(element).role(Role::Access(what, self.space, bytes)).order(Order {
            strong: self.watched,
            volatile: self.volatile,
            release: self.release,
            narrow: self.narrow,
            ..Order::default()
        })
    }
}
