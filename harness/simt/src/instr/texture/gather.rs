//! Gathers of four texels: `tld4`.

use super::address::{Geometry, address, geometry};
use super::count::fetched;
use super::fetch::{give, results, tell_resident};
use super::reader::Reader;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::AccessKind;
use crate::instr::context::{Context, Result};
use crate::instr::operands::operands;
use crate::lane::{LANES, lanes};
use ptx::ast::{self, Type};
use ptx::modifier::Modifier;

operands! {
    /// Operands of `tld4`.
    struct Gather {
        /// The texture.
        texture: read(u64) in a,
        /// The channel.
        channel: number(u32) in b,
        /// Four results, the layer and three coordinates.
        registers: pool in imm,
    }
}

/// Lowers `tld4`.
pub(super) fn tld4(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let channels = [Modifier::R, Modifier::G, Modifier::B, Modifier::A];
    let channel = channels.iter().position(|channel| inst.modifiers().first() == Some(channel));
    let shape = geometry(inst).filter(|shape| !matches!(shape, Geometry::D1 | Geometry::A1 | Geometry::D3));
    let ([Type::F32 | Type::S32 | Type::U32, Type::F32], Some(shape), Some(channel)) =
        (&inst.types().collect::<Vec<_>>()[..], shape, channel)
    else {
        return Err(cx.missing(inst));
    };
    if inst.operands.len() != 2 {
        return Err(cx.unsupported(format!("`{}` with {} operands", inst.text(), inst.operands.len())));
    }
    let mut registers = Vec::new();
    let resident = results(cx, inst, 4, &mut registers)?;
    let (texture, at) = address(cx, inst, &inst.operands[1], shape, Type::F32)?;
    registers.extend(at.map(|at| (at, false)));
    let gather = Gather { texture, channel: channel as u32, registers };
    cx.emit(gather.pack(execute).texels(AccessKind::Read, false))?;
    tell_resident(cx, resident)
}

/// Executes `tld4`.
unsafe fn execute(warp: &mut Warp, op: &Op) -> Flow {
    let Gather { texture, channel, registers } = Gather::unpack(op);
    let mask = warp.mask();
    // SAFETY: the registers were unpacked from this instruction; the lowering has put this many into the list.
    unsafe {
        let handles = *texture.lanes(warp);
        let layer = warp.listed(registers, 4);
        let at = [5, 6, 7].map(|number| warp.listed(registers, number));
        let mut textures = [None; LANES];
        for lane in lanes(mask) {
            match warp.texture(op, lane, handles[lane]) {
                Ok(texture) => textures[lane] = Some(texture),
                Err(flow) => return flow,
            }
        }
        let mut words = [[0u32; 4]; LANES];
        let first = textures[mask.trailing_zeros() as usize & 31];
        let parts = first.map(|texture| fetched(texture, false));
        let mut reader = Reader::new(warp);
        for lane in lanes(mask) {
            let Some(texture) = textures[lane] else {
                continue;
            };
            let at = at.map(|at| f32::from_bits(at[lane]));
            match texture.gather(at, layer[lane], channel as usize, reader.lane(lane)) {
                Some(gathered) => words[lane] = gathered,
                None => break,
            }
        }
        if let Err(flow) = reader.end().tell(warp, op, parts) {
            return flow;
        }
        give(warp, registers, false, &words);
    }
    Flow::Next
}
