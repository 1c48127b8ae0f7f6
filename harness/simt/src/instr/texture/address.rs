//! The operand that names a texture or surface and the coordinates in it.

use crate::instr::code::OperandSlot;
use crate::instr::context::{Context, Result, parts};
use crate::instr::operands::codes;
use ptx::ast::{self, Base, Operand, Type};

codes! {
    /// The meaning of the coordinates.
    pub(super) enum Geometry {
        /// A texel in a row.
        D1 = "1d",
        /// A texel in a plane.
        D2 = "2d",
        /// A texel in a volume.
        D3 = "3d",
        /// A layer, and a texel in its row.
        A1 = "a1d",
        /// A layer, and a texel in its plane.
        A2 = "a2d",
        /// A direction from the middle of a cube.
        Cube = "cube",
        /// A cube, and a direction from its middle.
        ACube = "acube",
    }
}

impl Geometry {
    /// Coordinates besides the layer.
    pub fn dimensions(self) -> usize {
        match self {
            Geometry::D1 | Geometry::A1 => 1,
            Geometry::D2 | Geometry::A2 => 2,
            Geometry::D3 | Geometry::Cube | Geometry::ACube => 3,
        }
    }

    /// Whether a layer precedes the coordinates.
    pub fn is_layered(self) -> bool {
        matches!(self, Geometry::A1 | Geometry::A2 | Geometry::ACube)
    }
}

/// Returns a handle: the operand in brackets, without its coordinates.
pub(super) fn handle(cx: &mut dyn Context, operand: &Operand) -> Result<OperandSlot> {
    match operand {
        Operand::Mem(Base::Reg(register), 0) => cx.reg(*register, 8),
        Operand::Mem(Base::Sym(name), _) | Operand::Sym(name, _) => {
            Err(cx.unsupported(format!("the texture, sampler or surface reference `{name}`")))
        }
        Operand::Reg(register) => cx.reg(*register, 8),
        other => Err(cx.invalid(format!("the operand `{}` in place of a texture or surface", cx.spelled(other)))),
    }
}

/// Returns the handle, and the layer and three coordinates, with zeros where the geometry has none. Coordinates have
/// this type.
pub(super) fn address(
    cx: &mut dyn Context,
    inst: &ast::Inst,
    operand: &Operand,
    geometry: Geometry,
    ty: Type,
) -> Result<(OperandSlot, [OperandSlot; 4])> {
    let Operand::Vec(list) = operand else {
        return Err(cx.invalid(format!("`{}`: an address without coordinates", inst.text())));
    };
    let [object, coordinates] = list.as_slice() else {
        return Err(cx.unsupported(format!("`{}` with a separate sampler", inst.text())));
    };
    let object = handle(cx, object)?;
    let coordinates = parts(coordinates);
    let (layers, dimensions) = (usize::from(geometry.is_layered()), geometry.dimensions());
    let count = layers + dimensions;
    // Three coordinates are written as a vector of four, whose last part is ignored.
    let written = if count == 3 { 4 } else { count };
    if coordinates.len() != written && coordinates.len() != count {
        return Err(cx.invalid(format!("`{}` with {} coordinates", inst.text(), coordinates.len())));
    }
    let zero = cx.bits(0, 4);
    let mut at = [zero; 4];
    if layers > 0 {
        at[0] = cx.source(&coordinates[0], Type::B32)?;
    }
    for (at, coordinate) in at[1..].iter_mut().zip(&coordinates[layers..count]) {
        *at = cx.source(coordinate, ty)?;
    }
    Ok((object, at))
}

/// Returns the first geometry among an opcode's words.
pub(super) fn geometry(inst: &ast::Inst) -> Option<Geometry> {
    inst.modifiers().iter().find_map(|modifier| Geometry::named(modifier.word()))
}
