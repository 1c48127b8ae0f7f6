//! The modifiers of loads and stores.

use super::element::Elements;
use crate::engine::warp::program::Order;
use crate::finding::{AccessKind, Space};
use crate::instr::code::{Inst, Role};
use crate::instr::context::{Context, Result, parts};
use ptx::ast::{self, Operand, Type};
use ptx::modifier::Modifier;

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
        use Modifier::{
            Acquire, Ca, Cg, Cluster, Const, Cs, Cta, Cv, Global, Gpu, L1EvictFirst, L1EvictLast, L1EvictNormal,
            L1EvictUnchanged, L1NoAllocate, L2CacheHint, L2EvictFirst, L2EvictLast, L2EvictNormal, L2EvictUnchanged,
            L2Fetch64, L2Fetch128, L2Fetch256, Local, Lu, Mmio, Nc, Param, ParamEntry, ParamFunc, Relaxed, Release,
            Shared, SharedCluster, SharedCta, Sys, Unified, V2, V4, Volatile, Wb, Weak, Wt,
        };
        for modifier in inst.modifiers() {
            match modifier {
                Global => how.space = Space::Global,
                Shared | SharedCta | SharedCluster => how.space = Space::Shared,
                Local => how.space = Space::Local,
                Const => how.space = Space::Const,
                Param | ParamEntry | ParamFunc => how.space = Space::Param,
                Volatile => (how.watched, how.volatile) = (true, true),
                Relaxed | Acquire => (how.watched, ordered) = (true, true),
                Mmio => how.watched = true,
                Release => (how.watched, how.release, ordered) = (true, true, true),
                Cta => (how.narrow, scoped) = (true, true),
                Gpu | Sys | Cluster => scoped = true,
                Ca | Cg | Cs | Lu | Cv | Wb | Wt => cached = true,
                Weak | Nc | V2 | V4 | Unified => {}
                // The cache policy is the last operand.
                L2CacheHint => operands = 3,
                L1EvictFirst | L1EvictLast | L1EvictNormal | L1EvictUnchanged | L1NoAllocate => {}
                L2Fetch64 | L2Fetch128 | L2Fetch256 => {}
                L2EvictFirst | L2EvictLast | L2EvictNormal | L2EvictUnchanged => {}
                Modifier::Type(_) => {}
                _ => return Err(cx.missing(inst)),
            }
        }
        if ordered != scoped {
            return Err(
                cx.invalid(format!("`{}`: an order of memory needs a scope, and a scope an order", inst.text()))
            );
        }
        if cached && how.watched && !ordered {
            return Err(cx.invalid(format!("`{}`: `.volatile` with a cache operation", inst.text())));
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
            return Err(cx.invalid(format!("`{}` takes {operands} operands", inst.text())));
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
