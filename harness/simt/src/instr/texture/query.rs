//! Queries about textures and surfaces: `txq`, `suq` and `istypep`.

use super::address::handle;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::instr::context::{Context, Result};
use crate::instr::operands::{codes, operands};
use crate::lane::lanes;
use crate::texture::{Image, Object, Shape};
use ptx::ast::{self, Type};
use ptx::modifier::Modifier;

codes! {
    /// The queried property.
    enum Question {
        /// Texels of a row.
        Width = "width",
        /// Rows of a slice.
        Height = "height",
        /// Slices of a volume.
        Depth = "depth",
        /// Layers.
        ArraySize = "array_size",
        /// Levels.
        Levels = "num_mipmap_levels",
        /// Samples of a texel.
        Samples = "num_samples",
        /// Whether coordinates range from 0 to 1.
        Normalized = "normalized_coords",
    }
}

operands! {
    /// Operands of a query.
    struct Query {
        /// The texture or surface.
        object: read(u64) in a,
        /// The queried property.
        question: number(Question) in b,
        /// The level in question.
        level: maybe_read(u32) in c,
        /// Whether it is a surface.
        surface: number(bool) in imm,
        /// The result.
        to: write(u32) in d,
    }
}

operands! {
    /// Operands of `istypep`.
    struct IsType {
        /// A handle.
        object: read(u64) in a,
        /// Whether the type in question is a surface.
        surface: number(bool) in imm,
        /// Whether it is of that type.
        to: write(bool) in d,
    }
}

/// Lowers `txq`.
pub(super) fn txq(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    query(cx, inst, false)
}

/// Lowers `suq`.
pub(super) fn suq(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    query(cx, inst, true)
}

fn query(cx: &mut dyn Context, inst: &ast::Inst, surface: bool) -> Result<()> {
    const B32: Modifier = Modifier::Type(Type::B32);
    let modifiers = inst.modifiers();
    let question = match modifiers {
        [question, B32] | [Modifier::Level, question, B32] => Question::named(question.word()),
        _ => None,
    };
    let Some(question) = question else {
        return Err(cx.missing(inst));
    };
    let (to, object, level) = match inst.operands.as_slice() {
        [to, object] if modifiers.len() == 2 => (to, object, None),
        [to, object, level] if modifiers.len() == 3 && !surface => (to, object, Some(cx.source(level, Type::B32)?)),
        _ => return Err(cx.wrong(inst)),
    };
    let query = Query { object: handle(cx, object)?, question, level, surface, to: cx.dest(to, 4)? };
    cx.emit(query.pack(answer))
}

/// Lowers `istypep`.
pub(super) fn istypep(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let surface = match inst.modifiers() {
        [Modifier::Texref] => false,
        [Modifier::Surfref] => true,
        _ => return Err(cx.missing(inst)),
    };
    let [to, object] = inst.operands.as_slice() else {
        return Err(cx.wrong(inst));
    };
    let is_type = IsType { object: cx.source(object, Type::B64)?, surface, to: cx.dest(to, 0)? };
    cx.emit(is_type.pack(compare))
}

/// Returns the answer for an image.
fn answer_for(image: &Image, question: Question, level: u32) -> u32 {
    let Some(at) = image.levels.get(level as usize) else {
        return 0;
    };
    let dimensions = image.shape.dimensions();
    match question {
        Question::Width => at.width,
        Question::Height => {
            if dimensions > 1 {
                at.height
            } else {
                0
            }
        }
        Question::Depth => {
            if dimensions > 2 {
                at.depth
            } else {
                0
            }
        }
        Question::ArraySize => match image.shape {
            Shape::D1 { layered: true } | Shape::D2 { layered: true } => at.depth,
            Shape::Cube { layered: true } => at.depth / 6,
            _ => 0,
        },
        Question::Levels => image.levels.len() as u32,
        Question::Samples => 1,
        Question::Normalized => 0,
    }
}

/// Executes `txq` and `suq`.
unsafe fn answer(warp: &mut Warp, op: &Op) -> Flow {
    let Query { object, question, level, surface, to } = Query::unpack(op);
    let mask = warp.mask();
    // SAFETY: the registers were unpacked from this instruction.
    unsafe {
        let handles = *object.lanes(warp);
        let levels = level.map(|level| *level.lanes(warp));
        for lane in lanes(mask) {
            let level = levels.map_or(0, |levels| levels[lane]);
            let found = if surface {
                warp.surface(op, lane, handles[lane]).map(|image| answer_for(image, question, level))
            } else {
                warp.texture(op, lane, handles[lane]).map(|texture| match question {
                    Question::Normalized => u32::from(texture.sampler.normalized),
                    _ => answer_for(&texture.image, question, level),
                })
            };
            match found {
                Ok(found) => (*to.lanes(warp))[lane] = found,
                Err(flow) => return flow,
            }
        }
    }
    Flow::Next
}

/// Executes `istypep`.
unsafe fn compare(warp: &mut Warp, op: &Op) -> Flow {
    let IsType { object, surface, to } = IsType::unpack(op);
    let mask = warp.mask();
    let mut bits = 0u32;
    for lane in lanes(mask) {
        // SAFETY: the register was unpacked from this instruction.
        let handle = unsafe { (*object.lanes(warp))[lane] };
        let is = match warp.launch().objects.get(handle) {
            Some(Object::Texture(_)) => !surface,
            Some(Object::Surface(_)) => surface,
            None => false,
        };
        bits |= u32::from(is) << lane;
    }
    // SAFETY: as above.
    unsafe { to.set(warp, mask, bits) };
    Flow::Next
}
