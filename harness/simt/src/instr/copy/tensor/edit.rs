//! Changes to tensor maps by kernels: `tensormap.replace`, and `tensormap.cp_fenceproxy`, which publishes a change. The
//! field `swizzle_atomicity` is left out, as no device before compute capability 10 has it.

use super::super::bulk::whole;
use super::reach::{BYTES, map_at};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space, TensorMapMisuse};
use crate::instr::code::Role;
use crate::instr::context::{Context, Result};
use crate::instr::operands::{codes, operands};
use crate::lane::lanes;
use crate::tensor::limits::{ALIGNMENT, MOST_ELEMENTS, MOST_STEP, MOST_SWIZZLE, STRIDES};
use crate::tensor::{Element, Interleave, MOST_DIMENSIONS, Shape, TensorMap};
use ptx::ast::{self, Operand, Type};
use ptx::modifier::Modifier;

codes! {
    /// A field of a tensor map, with PTX's name for it.
    enum Field {
        /// The start of the tensor.
        Address = "global_address",
        /// The number of dimensions less one.
        Rank = "rank",
        /// The extent of the box in a dimension.
        Box = "box_dim",
        /// The number of elements in a dimension.
        Size = "global_dim",
        /// Bytes from one element to the next in a dimension other than the innermost.
        Stride = "global_stride",
        /// The step, in elements, between copied elements.
        Step = "element_stride",
        /// The type of the elements.
        Element = "elemtype",
        /// The interleaving of channels.
        Interleave = "interleave_layout",
        /// The swizzle.
        Swizzle = "swizzle_mode",
        /// The value of elements outside the tensor.
        Fill = "fill_mode",
    }
}

impl Field {
    /// Whether it exists for each dimension.
    fn is_of_dimension(self) -> bool {
        matches!(self, Field::Box | Field::Size | Field::Stride | Field::Step)
    }

    /// Sets it, if the value is valid.
    fn set(self, map: &mut TensorMap, dimension: usize, value: u64) -> Option<()> {
        let number = value as u32;
        match self {
            Field::Address => map.address = Some(value).filter(|at| at.is_multiple_of(ALIGNMENT))?,
            Field::Rank => map.rank = number.checked_add(1).filter(|rank| *rank <= MOST_DIMENSIONS as u32)?,
            Field::Box => match &mut map.shape {
                Shape::Tiled(sizes) => {
                    *sizes.get_mut(dimension)? = Some(number).filter(|size| (1..=MOST_ELEMENTS).contains(size))?;
                }
                Shape::Im2col { .. } => return None,
            },
            Field::Size => *map.dims.get_mut(dimension)? = if number == 0 { 1 << 32 } else { number.into() },
            Field::Stride => {
                let stride = Some(value).filter(|bytes| bytes.is_multiple_of(ALIGNMENT) && *bytes < STRIDES)?;
                *map.strides.get_mut(dimension)? = stride;
            }
            Field::Step => {
                *map.steps.get_mut(dimension)? = Some(number).filter(|step| (1..=MOST_STEP).contains(step))?;
            }
            Field::Element => map.element = Element::from_ptx(number)?,
            Field::Interleave => map.interleave = Interleave::from_number(number)?,
            Field::Swizzle => map.swizzle = Some(number).filter(|swizzle| *swizzle <= MOST_SWIZZLE)?,
            Field::Fill => map.fill_nan = Some(number).filter(|fill| *fill <= 1)? != 0,
        }
        Some(())
    }
}

operands! {
    /// Operands of `tensormap.replace`.
    struct Replace {
        /// The address of the map.
        address: read(u64) in a,
        /// The new value.
        value: read(u64) in b,
        /// The space that the instruction names.
        space: number(Space) in e,
        /// The field.
        field: number(Field) in c,
        /// The dimension.
        dimension: number(u64) in imm,
    }
}

/// Lowers `tensormap.replace`.
pub(in crate::instr::copy) fn replace(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    use Modifier::{B1024, Global, SharedCta, Tile};
    let (field, space, ty) = match inst.modifiers() {
        [Tile, field, B1024, ty] => (field, Space::Generic, ty),
        [Tile, field, Global, B1024, ty] => (field, Space::Global, ty),
        [Tile, field, SharedCta, B1024, ty] => (field, Space::Shared, ty),
        _ => return Err(cx.missing(inst)),
    };
    let Some(field) = Field::named(field.word()) else {
        return Err(cx.missing(inst));
    };
    let long = matches!(field, Field::Address | Field::Stride);
    if *ty != Modifier::Type(if long { Type::B64 } else { Type::B32 }) {
        return Err(cx.invalid(format!("`{}`: a value of another width", inst.text())));
    }
    let (address, dimension, value) = match (inst.operands.as_slice(), field.is_of_dimension()) {
        ([address, Operand::Int(dimension), value], true) => (address, *dimension as u64, value),
        ([address, value], false) => (address, 0, value),
        _ => return Err(cx.wrong(inst)),
    };
    if dimension >= MOST_DIMENSIONS as u64 {
        return Err(cx.invalid(format!("`{}`: a tensor has no dimension {dimension}", inst.text())));
    }
    let value = if long {
        cx.source(value, Type::B64)?
    } else {
        let (narrow, wide) = (cx.source(value, Type::B32)?, cx.temp(8));
        let widen = cx.compute("cvt.u64.u32", wide, &[narrow])?;
        cx.prepare(widen);
        wide
    };
    let replace = Replace { address: whole(cx, address)?, value, space, field, dimension };
    cx.emit(replace.pack(run_replace).role(Role::Access(AccessKind::Write, space, 16)))
}

/// Executes `tensormap.replace`.
unsafe fn run_replace(warp: &mut Warp, op: &Op) -> Flow {
    let Replace { address, value, space, field, dimension } = Replace::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    let (address, value) = unsafe { (*address.lanes(warp), *value.lanes(warp)) };
    for lane in lanes(warp.mask()) {
        let words = match warp.map_words(op, lane, (space, address[lane]), AccessKind::Write) {
            Ok(words) => words,
            Err(flow) => return flow,
        };
        // SAFETY: as many bytes as a map has were checked there.
        let map = unsafe { map_at(words) };
        let Some(mut map) = map else {
            return warp.wrong_map(op, lane, address[lane], TensorMapMisuse::NotAMap);
        };
        if field.set(&mut map, dimension as usize, value[lane]).is_none() {
            return warp.wrong_map(op, lane, address[lane], TensorMapMisuse::Field);
        }
        warp.check_span(op, lane, (space, address[lane]), BYTES, AccessKind::Write);
        // SAFETY: as above.
        unsafe { words.write_unaligned(map.words()) };
    }
    Flow::Next
}

operands! {
    /// Operands of `tensormap.cp_fenceproxy`.
    struct Publish {
        /// The destination of the map in global memory.
        to: read(u64) in a,
        /// Its address in shared memory.
        from: read(u64) in b,
        /// Whether it is published inside the block only.
        narrow: number(bool) in imm,
    }
}

/// Lowers `tensormap.cp_fenceproxy`.
pub(in crate::instr::copy) fn publish(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    use Modifier::{Aligned, Cluster, Cta, Global, Gpu, Release, SharedCta, Sync, Sys, TensormapGeneric};
    let [Global, SharedCta, TensormapGeneric, Release, scope, Sync, Aligned] = inst.modifiers() else {
        return Err(cx.missing(inst));
    };
    let narrow = match scope {
        Cta => true,
        Cluster | Gpu | Sys => false,
        _ => return Err(cx.missing(inst)),
    };
    let [to, from, Operand::Int(128)] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let publish = Publish { to: whole(cx, to)?, from: whole(cx, from)?, narrow };
    cx.emit(publish.pack(run_publish).role(Role::Access(AccessKind::Write, Space::Global, 16)))
}

/// Executes `tensormap.cp_fenceproxy`: the warp copies one map.
unsafe fn run_publish(warp: &mut Warp, op: &Op) -> Flow {
    if let Err(flow) = warp.gather_all(op) {
        return flow;
    }
    let Publish { to, from, narrow } = Publish::unpack(op);
    // SAFETY: the registers were unpacked from this instruction.
    let (to, from) = unsafe { (*to.lanes(warp), *from.lanes(warp)) };
    let lane = warp.mask().trailing_zeros() as usize & 31;
    let both = warp.map_words(op, lane, (Space::Shared, from[lane]), AccessKind::Read).and_then(|from| {
        let to = warp.map_words(op, lane, (Space::Global, to[lane]), AccessKind::Write)?;
        Ok((from, to))
    });
    let (source, target) = match both {
        Ok(both) => both,
        Err(flow) => return flow,
    };
    warp.check_span(op, lane, (Space::Shared, from[lane]), BYTES, AccessKind::Read);
    warp.check_span(op, lane, (Space::Global, to[lane]), BYTES, AccessKind::Write);
    // SAFETY: as many bytes as a map has were checked at both.
    unsafe { target.write_unaligned(source.read_unaligned()) };
    if warp.checking {
        warp.fenced(narrow);
    }
    warp.switch_point();
    Flow::Next
}
