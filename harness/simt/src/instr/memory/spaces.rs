//! Spaces of addresses: `isspacep` and `cvta`.

use crate::engine::traffic::request::{LOCAL_WINDOW, SHARED_WINDOW, home_of, space_of};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::Space;
use crate::instr::context::{Context, Result};
use crate::instr::operands::operands;
use crate::lane::lanes;
use crate::memory::MemoryKind;
use ptx::ast::{self, Type};
use ptx::modifier::Modifier;

operands! {
    /// Operands of `isspacep`.
    struct IsSpace {
        /// A generic address.
        address: read(u64) in a,
        /// The space in question.
        space: number(Space) in imm,
        /// Whether the question is about the block's own shared memory, not the cluster's.
        own: number(bool) in b,
        /// Whether the address lies in it.
        to: write(bool) in d,
    }
}

/// Lowers `isspacep`.
pub(super) fn isspacep(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let space = match inst.modifiers().first() {
        Some(Modifier::Global) => Space::Global,
        Some(Modifier::Shared | Modifier::SharedCta | Modifier::SharedCluster) => Space::Shared,
        Some(Modifier::Local) => Space::Local,
        Some(Modifier::Param | Modifier::ParamEntry) => Space::Param,
        Some(Modifier::Const) => Space::Const,
        _ => return Err(cx.missing(inst)),
    };
    let [to, from] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let own = !inst.has(Modifier::SharedCluster);
    let is_space = IsSpace { address: cx.source(from, Type::B64)?, space, own, to: cx.dest(to, 0)? };
    cx.emit(is_space.pack(look))
}

/// Whether a constant variable contains an address.
fn is_constant(warp: &Warp, address: u64) -> bool {
    warp.launch().view.find(address).is_some_and(|range| range.kind == MemoryKind::Global(true))
}

/// Executes `isspacep`.
unsafe fn look(warp: &mut Warp, op: &Op) -> Flow {
    let IsSpace { address, space: wanted, own, to } = IsSpace::unpack(op);
    let mask = warp.mask();
    let mut out = 0u32;
    for lane in lanes(mask) {
        // SAFETY: the register was unpacked from this instruction.
        let address = unsafe { (*address.lanes(warp))[lane] };
        let (mut space, offset) = space_of(address);
        // Constants have addresses in the range of global memory.
        if space == Space::Global && is_constant(warp, address) {
            space = Space::Const;
        }
        let elsewhere = own && space == Space::Shared && home_of(offset).0.is_some();
        let holds = space == wanted && !elsewhere;
        out |= u32::from(holds) << lane;
    }
    // SAFETY: as above.
    unsafe { to.set(warp, mask, out) };
    Flow::Next
}

/// Lowers `cvta`: adds the generic address at which a space begins, or subtracts it.
pub(super) fn cvta(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let [to, from] = inst.operands.as_slice() else {
        return Err(cx.invalid("cvta takes two operands".into()));
    };
    let modifiers = inst.modifiers();
    let window = modifiers.iter().find_map(|modifier| match modifier {
        Modifier::Shared | Modifier::SharedCta | Modifier::SharedCluster => Some(SHARED_WINDOW),
        Modifier::Local => Some(LOCAL_WINDOW),
        Modifier::Global | Modifier::Const | Modifier::Param | Modifier::ParamEntry => Some(0),
        _ => None,
    });
    let to_space = modifiers.first() == Some(&Modifier::To);
    let others = modifiers.iter().filter(|modifier| **modifier != Modifier::To).count();
    let known = others == 2 && inst.has_type(&[Type::U64]);
    let (Some(window), true) = (window, known && to_space == inst.has(Modifier::To)) else {
        return Err(cx.missing(inst));
    };
    let from = cx.source(from, Type::B64)?;
    let to = cx.dest(to, 8)?;
    if window == 0 {
        return cx.copy(to, from, 8);
    }
    let name = if to_space { "sub.s64" } else { "add.s64" };
    let window = cx.bits(window, 8);
    let sum = cx.compute(name, to, &[from, window])?;
    cx.emit(sum)
}
