//! Copies of boxes of tensors (`cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`), and changes of tensor maps by
//! kernels (`tensormap.replace`). What the documentation leaves open about them is described at [`crate::tensor`].
//!
//! Not modelled, as no profile has a device with them: gathers and scatters of rows, wide `im2col` modes and pairs of
//! blocks (`tile::gather4`, `im2col::w`, `cta_group`), which compute capability 10 introduced.

mod edit;
mod reach;
mod run;

pub(super) use edit::{publish, replace};

use super::bulk::whole;
use crate::engine::memory::span::PIECE;
use crate::engine::warp::program::Order;
use crate::finding::{AccessKind, Space};
use crate::instr::code::{OperandSlot, Role};
use crate::instr::context::{Context, Result};
use crate::instr::operands::{Number, operands};
use ptx::ast::{self, Base, Operand, Type};
use ptx::modifier::Modifier;

/// The reductions, in the order of their numbers.
const REDUCTIONS: [&str; 8] = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];

/// The kind of a tensor copy.
#[derive(Clone, Copy)]
struct TensorCopyForm {
    /// The number of its dimensions.
    dimensions: u32,
    /// Whether it copies to shared memory, not to global memory.
    loads: bool,
    /// Whether it copies to the same offset in several blocks of the cluster.
    multicast: bool,
    /// Whether it copies columns of pixels.
    im2col: bool,
    /// Whether it has offsets of pixels.
    offsets: bool,
    /// For a reduction, its number in [`REDUCTIONS`] plus one.
    combine: u32,
}

impl Number for TensorCopyForm {
    fn code(self) -> u64 {
        u64::from(self.dimensions)
            | (self.loads.code() << 4)
            | (self.multicast.code() << 5)
            | (self.im2col.code() << 6)
            | (self.offsets.code() << 7)
            | (u64::from(self.combine) << 8)
    }
    fn from_code(code: u64) -> TensorCopyForm {
        let flag = |at: u32| bool::from_code(code & (1 << at));
        TensorCopyForm {
            dimensions: (code & 15) as u32,
            loads: flag(4),
            multicast: flag(5),
            im2col: flag(6),
            offsets: flag(7),
            combine: (code >> 8) as u32,
        }
    }
}

operands! {
    /// Operands of a tensor copy.
    struct Copy {
        /// The address in shared memory.
        shared: read(u64) in a,
        /// The address of the tensor map.
        map: read(u64) in b,
        /// The kind of the copy.
        how: number(TensorCopyForm) in c,
        /// The mbarrier to which a load reports.
        barrier: maybe_read(u64) in e,
        /// The blocks of the cluster to which it copies.
        blocks: maybe_read(u16) in d2,
        /// The coordinates, then the offsets.
        coordinates: pool in imm,
    }
}

/// The modifiers after `cp.async.bulk.tensor` that specify the operation, without the two spaces and the reduction.
struct Words {
    reports: bool,
    grouped: bool,
    multicast: bool,
    hint: bool,
    mode: Mode,
}

/// The part of its tensor that a copy takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Tile,
    Im2col,
    Im2colWithoutOffsets,
}

impl Words {
    fn parse(cx: &dyn Context, inst: &ast::Inst, modifiers: &[Modifier]) -> Result<Words> {
        let mut found = Words { reports: false, grouped: false, multicast: false, hint: false, mode: Mode::Tile };
        for modifier in modifiers {
            match modifier {
                Modifier::Tile => {}
                Modifier::Im2col => found.mode = Mode::Im2col,
                Modifier::Im2colNoOffsets => found.mode = Mode::Im2colWithoutOffsets,
                Modifier::CompleteTxBytes => found.reports = true,
                Modifier::BulkGroup => found.grouped = true,
                Modifier::MulticastCluster => found.multicast = true,
                Modifier::L2CacheHint => found.hint = true,
                _ => return Err(cx.missing(inst)),
            }
        }
        Ok(found)
    }
}

/// Returns the number of dimensions that the first modifier, such as `2d`, names.
fn dimensions(modifiers: &[Modifier]) -> Option<u32> {
    match modifiers.first()? {
        Modifier::Dim1 => Some(1),
        Modifier::Dim2 => Some(2),
        Modifier::Dim3 => Some(3),
        Modifier::Dim4 => Some(4),
        Modifier::Dim5 => Some(5),
        _ => None,
    }
}

/// Lowers `cp.async.bulk.tensor`.
pub(super) fn copy(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    lower(cx, inst, inst.modifiers(), 0)
}

/// Lowers `cp.reduce.async.bulk.tensor`.
pub(super) fn reduce(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let mut modifiers = inst.modifiers().to_vec();
    let number = |modifier: &Modifier| REDUCTIONS.iter().position(|known| *known == modifier.word());
    let Some(at) = modifiers.iter().position(|modifier| number(modifier).is_some()) else {
        return Err(cx.missing(inst));
    };
    let combine = number(&modifiers.remove(at)).map_or(0, |number| number as u32 + 1);
    lower(cx, inst, &modifiers, combine)
}

/// Lowers a tensor copy with these modifiers after its name.
fn lower(cx: &mut dyn Context, inst: &ast::Inst, modifiers: &[Modifier], combine: u32) -> Result<()> {
    let (Some(dimensions), [_, to, from, rest @ ..]) = (dimensions(modifiers), modifiers) else {
        return Err(cx.missing(inst));
    };
    let loads = match (*to, *from) {
        (Modifier::SharedCluster | Modifier::SharedCta, Modifier::Global) if combine == 0 => true,
        (Modifier::Global, Modifier::SharedCta) => false,
        _ => return Err(cx.missing(inst)),
    };
    let words = Words::parse(cx, inst, rest)?;
    let offsets = loads && words.mode == Mode::Im2col;
    if (words.reports, words.grouped) != (loads, !loads)
        || words.mode == if loads { Mode::Im2colWithoutOffsets } else { Mode::Im2col }
        || (words.multicast && (!loads || *to == Modifier::SharedCta))
    {
        return Err(cx.missing(inst));
    }
    let mut operands = inst.operands.as_slice();
    if words.hint {
        operands = &operands[..operands.len().saturating_sub(1)];
    }
    let (shared, tensor, barrier, operands) = match (loads, operands) {
        (true, [shared, tensor, barrier, rest @ ..]) => (shared, tensor, Some(barrier), rest),
        (false, [tensor, shared, rest @ ..]) => (shared, tensor, None, rest),
        _ => return Err(cx.wrong(inst)),
    };
    let (pixels, blocks) = match (offsets, words.multicast, operands) {
        (false, false, []) => (None, None),
        (true, false, [pixels]) => (Some(pixels), None),
        (false, true, [blocks]) => (None, Some(blocks)),
        (true, true, [pixels, blocks]) => (Some(pixels), Some(blocks)),
        _ => return Err(cx.wrong(inst)),
    };
    let im2col = words.mode != Mode::Tile;
    if im2col && dimensions < 3 {
        return Err(cx.invalid(format!("`{}`: pixels have 3 to 5 dimensions", inst.text())));
    }
    let (map, mut coordinates) = address(cx, inst, tensor, dimensions)?;
    if let Some(pixels) = pixels {
        coordinates.extend(pixel_offsets(cx, inst, pixels, dimensions - 2)?);
    }
    let copy = Copy {
        shared: whole(cx, shared)?,
        map,
        how: TensorCopyForm { dimensions, loads, multicast: words.multicast, im2col, offsets, combine },
        barrier: barrier.map(|barrier| whole(cx, barrier)).transpose()?,
        blocks: blocks.map(|blocks| cx.source(blocks, Type::B16)).transpose()?,
        coordinates: coordinates.into_iter().map(|at| (at, false)).collect(),
    };
    let order = Order { bulk: true, ..Order::default() };
    let to = if loads { Space::Shared } else { Space::Global };
    cx.emit(copy.pack(run::run).role(Role::Access(AccessKind::Write, to, PIECE)).order(order))
}

/// Returns the tensor map and the coordinates in `[map, {x, y}]`.
fn address(
    cx: &mut dyn Context,
    inst: &ast::Inst,
    tensor: &Operand,
    dimensions: u32,
) -> Result<(OperandSlot, Vec<OperandSlot>)> {
    let Operand::Vec(parts) = tensor else {
        return Err(cx.invalid(format!("`{}` without coordinates: it takes [map, {{x, ...}}]", inst.text())));
    };
    let [map @ Operand::Mem(base, _), Operand::Vec(coordinates)] = parts.as_slice() else {
        return Err(cx.invalid(format!("`{}` without coordinates: it takes [map, {{x, ...}}]", inst.text())));
    };
    if matches!(base, Base::None) {
        return Err(cx.wrong(inst));
    }
    if coordinates.len() != dimensions as usize {
        let count = coordinates.len();
        return Err(cx.invalid(format!("`{}` with {count} coordinates: it takes {dimensions}", inst.text())));
    }
    let map = whole(cx, map)?;
    Ok((map, coordinates.iter().map(|at| cx.source(at, Type::S32)).collect::<Result<_>>()?))
}

/// Returns the offsets of pixels, which are 16-bit numbers, as 32-bit numbers.
fn pixel_offsets(cx: &mut dyn Context, inst: &ast::Inst, pixels: &Operand, count: u32) -> Result<Vec<OperandSlot>> {
    let Operand::Vec(list) = pixels else {
        return Err(cx.wrong(inst));
    };
    if list.len() != count as usize {
        return Err(cx.invalid(format!("`{}` with {} offsets: it takes {count}", inst.text(), list.len())));
    }
    let mut offsets = Vec::new();
    for offset in list {
        let narrow = cx.source(offset, Type::B16)?;
        let wide = cx.temp(4);
        let widen = cx.compute("cvt.s32.s16", wide, &[narrow])?;
        cx.prepare(widen);
        offsets.push(wide);
    }
    Ok(offsets)
}

/// Lowers `cp.async.bulk.prefetch.tensor`, a hint to a cache that the machine does not have.
pub(super) fn prefetch(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let modifiers = inst.modifiers();
    let (Some(dimensions), [_, Modifier::L2, Modifier::Global, rest @ ..]) = (dimensions(modifiers), modifiers) else {
        return Err(cx.missing(inst));
    };
    let words = Words::parse(cx, inst, rest)?;
    if words.reports || words.grouped || words.multicast || words.mode == Mode::Im2colWithoutOffsets {
        return Err(cx.missing(inst));
    }
    let Some(tensor) = inst.operands.first() else {
        return Err(cx.wrong(inst));
    };
    let offsets = usize::from(words.mode == Mode::Im2col);
    if inst.operands.len() != 1 + offsets + usize::from(words.hint) {
        return Err(cx.wrong(inst));
    }
    address(cx, inst, tensor, dimensions)?;
    Ok(())
}
