//! Fetches: `tex`.

use super::address::{Geometry, address, geometry};
use super::count::fetched;
use super::reader::Reader;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::AccessKind;
use crate::instr::code::OperandSlot;
use crate::instr::context::{Context, Result, parts};
use crate::instr::operands::{Number, Register, codes, operands};
use crate::lane::{F16, LANES, lanes};
use crate::texture::{Coordinates, Detail};
use ptx::ast::{self, Operand, Type};
use ptx::modifier::Modifier;

codes! {
    /// How an instruction specifies the level of detail.
    enum LevelOfDetail {
        /// Not at all: the finest level.
        Base = "base",
        /// As a number.
        Level = "level",
        /// By the sides of a footprint.
        Footprint = "grad",
    }
}

/// The form of a fetch.
#[derive(Clone, Copy)]
struct FetchForm {
    /// Whether its coordinates are indices.
    whole: bool,
    /// Whether its results are 16-bit numbers.
    half: bool,
    /// How it specifies the level of detail.
    told: LevelOfDetail,
}

impl Number for FetchForm {
    fn code(self) -> u64 {
        self.whole.code() | (self.half.code() << 1) | (self.told.code() << 2)
    }

    fn from_code(code: u64) -> FetchForm {
        FetchForm {
            whole: bool::from_code(code & 1),
            half: bool::from_code(code & 2),
            told: LevelOfDetail::from_code((code >> 2) & 3),
        }
    }
}

operands! {
    /// Operands of `tex`.
    struct Fetch {
        /// The texture.
        texture: read(u64) in a,
        /// Its form.
        form: number(FetchForm) in b,
        /// Four results, the layer, three coordinates, and then a level or the six components of a footprint's sides.
        registers: pool in imm,
    }
}

operands! {
    /// Operands of the instruction that reports whether texels are in memory.
    struct Resident {
        /// Whether they are in memory.
        to: write(bool) in d,
    }
}

/// Returns the registers of the results of a fetch, and the predicate for whether the texels were in memory.
pub(super) fn results(
    cx: &mut dyn Context,
    inst: &ast::Inst,
    width: u32,
    list: &mut Vec<(OperandSlot, bool)>,
) -> Result<Option<OperandSlot>> {
    let (values, resident) = match &inst.operands[0] {
        Operand::Pair(values, resident) => (&**values, Some(cx.dest(resident, 0)?)),
        values => (values, None),
    };
    let values = parts(values);
    if values.len() != 4 {
        return Err(cx.invalid(format!("`{}` with {} results", inst.text(), values.len())));
    }
    for value in values {
        list.push((cx.dest(value, width)?, true));
    }
    Ok(resident)
}

/// Emits the instruction that sets the predicate for whether the texels were in memory: they always are.
pub(super) fn tell_resident(cx: &mut dyn Context, to: Option<OperandSlot>) -> Result<()> {
    match to {
        Some(to) => cx.emit(Resident { to }.pack(set_resident)),
        None => Ok(()),
    }
}

/// Lowers `tex`.
pub(super) fn tex(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let level = |modifier: &Modifier| LevelOfDetail::named(modifier.word());
    let known = |modifier: &Modifier| match modifier {
        Modifier::V4 | Modifier::Type(_) => true,
        other => level(other).is_some() || Geometry::named(other.word()).is_some(),
    };
    let (&[result, coordinate], Some(shape), true) = (
        &inst.types().collect::<Vec<_>>()[..],
        geometry(inst),
        inst.modifiers().iter().all(known) && inst.has(Modifier::V4),
    ) else {
        return Err(cx.missing(inst));
    };
    let half = result == Type::F16;
    let whole = coordinate == Type::S32;
    let fine = matches!(result, Type::F16 | Type::F32 | Type::S32 | Type::U32) && (whole || coordinate == Type::F32);
    if !fine || inst.operands.len() < 2 {
        return Err(cx.missing(inst));
    }
    let told = inst.modifiers().iter().find_map(level).unwrap_or(LevelOfDetail::Base);
    let mut registers = Vec::new();
    let resident = results(cx, inst, if half { 2 } else { 4 }, &mut registers)?;
    let (texture, at) = address(cx, inst, &inst.operands[1], shape, coordinate)?;
    registers.extend(at.map(|at| (at, false)));
    match (told, &inst.operands[2..]) {
        (LevelOfDetail::Base, []) => {}
        // A level is a 32-bit number; it is an index if the coordinates are indices.
        (LevelOfDetail::Level, [level]) => registers.push((cx.source(level, coordinate)?, false)),
        (LevelOfDetail::Footprint, [one, other]) => {
            let zero = cx.bits(0, 4);
            for side in [one, other] {
                let side = parts(side);
                for d in 0..3 {
                    let part = if d < shape.dimensions() { side.get(d) } else { None };
                    let part = part.map(|part| cx.source(part, Type::F32)).transpose()?;
                    registers.push((part.unwrap_or(zero), false));
                }
            }
        }
        _ => return Err(cx.unsupported(format!("`{}` with {} operands", inst.text(), inst.operands.len()))),
    }
    let fetch = Fetch { texture, form: FetchForm { whole, half, told }, registers };
    cx.emit(fetch.pack(execute).texels(AccessKind::Read, false))?;
    tell_resident(cx, resident)
}

/// Executes `tex`.
unsafe fn execute(warp: &mut Warp, op: &Op) -> Flow {
    let Fetch { texture, form, registers } = Fetch::unpack(op);
    let mask = warp.mask();
    // SAFETY: the registers were unpacked from this instruction; the lowering has put this many into the list.
    unsafe {
        let handles = *texture.lanes(warp);
        let layer = warp.listed(registers, 4);
        let at = [5, 6, 7].map(|number| warp.listed(registers, number));
        let count = match form.told {
            LevelOfDetail::Base => 0,
            LevelOfDetail::Level => 1,
            LevelOfDetail::Footprint => 6,
        };
        let mut detail = [[0u32; LANES]; 6];
        for (number, detail) in detail[..count].iter_mut().enumerate() {
            *detail = warp.listed(registers, 8 + number);
        }
        let mut words = [[0u32; 4]; LANES];
        let mut textures = [None; LANES];
        for lane in lanes(mask) {
            match warp.texture(op, lane, handles[lane]) {
                Ok(texture) => textures[lane] = Some(texture),
                Err(flow) => return flow,
            }
        }
        let first = textures[mask.trailing_zeros() as usize & 31];
        let parts = first.map(|texture| fetched(texture, !form.whole));
        let mut reader = Reader::new(warp);
        for lane in lanes(mask) {
            let Some(texture) = textures[lane] else {
                continue;
            };
            let real = |words: &[u32; LANES]| f32::from_bits(words[lane]);
            let detail = match form.told {
                LevelOfDetail::Base => Detail::Base,
                LevelOfDetail::Level if form.whole => Detail::Level(detail[0][lane] as i32 as f32),
                LevelOfDetail::Level => Detail::Level(real(&detail[0])),
                LevelOfDetail::Footprint => {
                    Detail::Footprint([0, 1, 2].map(|d| real(&detail[d])), [3, 4, 5].map(|d| real(&detail[d])))
                }
            };
            let coordinates = if form.whole {
                Coordinates::Whole(at.map(|at| at[lane] as i32))
            } else {
                Coordinates::Real([0, 1, 2].map(|d| real(&at[d])))
            };
            match texture.fetch(coordinates, layer[lane], detail, reader.lane(lane)) {
                Some(fetched) => words[lane] = fetched,
                None => break,
            }
        }
        if let Err(flow) = reader.end().tell(warp, op, parts) {
            return flow;
        }
        give(warp, registers, form.half, &words);
    }
    Flow::Next
}

/// Writes the four results of a fetch.
///
/// # Safety
/// The list begins with four registers of 32 bits, or of 16 if `half`.
pub(super) unsafe fn give(warp: &mut Warp<'_>, registers: u64, half: bool, words: &[[u32; 4]; LANES]) {
    let mask = warp.mask();
    let lists = &warp.program().lists;
    for channel in 0..4 {
        let at = lists[registers as usize + channel];
        // SAFETY: the caller's contract.
        unsafe {
            for lane in lanes(mask) {
                let word = words[lane][channel];
                if half {
                    let value = F16::nearest(f32::from_bits(word)).0;
                    (*Register::<u16>::at(at).lanes(warp))[lane] = value;
                } else {
                    (*Register::<u32>::at(at).lanes(warp))[lane] = word;
                }
            }
        }
    }
}

/// Sets the predicate for whether texels were in memory.
unsafe fn set_resident(warp: &mut Warp, op: &Op) -> Flow {
    let Resident { to } = Resident::unpack(op);
    let mask = warp.mask();
    // SAFETY: the register was unpacked from this instruction.
    unsafe { to.set(warp, mask, mask) };
    Flow::Next
}
