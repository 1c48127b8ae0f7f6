//! `shfl`: each lane reads another lane's value.

use super::members::{destinations, members};
use crate::engine::traffic::pattern::permute;
use crate::engine::warp::handler::{Exec, handler};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::AccessKind;
use crate::instr::code::Role;
use crate::instr::context::{Context, Result};
use crate::instr::operands::{codes, operands};
use crate::lane::{LANES, lanes};
use ptx::ast::{self, Operand, Type};

codes! {
    /// The lane that a lane reads.
    enum ShuffleMode {
        /// The lane at a distance below.
        Up = "up",
        /// The lane at a distance above.
        Down = "down",
        /// The lane whose number differs in some bits.
        Butterfly = "bfly",
        /// The lane with a given number.
        Index = "idx",
    }
}

operands! {
    /// Operands of `shfl`.
    struct Shuffle {
        /// The value that each lane provides.
        value: read(u32) in a,
        /// The distance, the bits or the number.
        distance: read(u32) in b,
        /// The last lane, and the bits of a lane's number that identify its segment.
        clamp: read(u32) in c,
        /// The lanes that take part.
        members: maybe_read(u32) in e,
        /// The value that each lane has read.
        to: write(u32) in d,
        /// Whether the source lies inside the lane's segment.
        inside: maybe_write(bool) in d2,
        /// The lane that each lane reads.
        kind: number(ShuffleMode) in imm,
    }
}

/// Lowers `shfl`.
pub(super) fn shfl(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let (operands, members) = members(cx, inst, 4)?;
    let Some(kind) = inst.modifiers().iter().find_map(|modifier| ShuffleMode::named(modifier.word())) else {
        return Err(cx.missing(inst));
    };
    let (to, inside) = destinations(&operands[0]);
    let mut source = |operand: &Operand| {
        let ty = match operand {
            Operand::F32(_) => Type::F32,
            _ => Type::B32,
        };
        cx.source(operand, ty)
    };
    let value = source(&operands[1])?;
    let distance = source(&operands[2])?;
    let clamp = source(&operands[3])?;
    let shuffle = Shuffle {
        value,
        distance,
        clamp,
        members,
        to: cx.dest(to, 4)?,
        inside: inside.map(|inside| cx.dest(inside, 0)).transpose()?,
        kind,
    };
    let run = handler::<Shuffled>(cx.vectors());
    cx.emit(shuffle.pack(run).role(Role::WarpSync))
}

/// Returns the lane whose value each lane reads, and the lanes whose source lies inside their segment.
#[inline(always)]
fn sources_of(kind: ShuffleMode, b: &[u32; LANES], c: &[u32; LANES]) -> ([u32; LANES], u32) {
    match kind {
        ShuffleMode::Up => sources(b, c, |lane, distance, last, _| {
            let from = lane.wrapping_sub(distance);
            (from, (from as i32) >= last as i32)
        }),
        ShuffleMode::Down => sources(b, c, |lane, distance, last, _| (lane + distance, lane + distance <= last)),
        ShuffleMode::Butterfly => sources(b, c, |lane, distance, last, _| (lane ^ distance, lane ^ distance <= last)),
        ShuffleMode::Index => sources(b, c, |lane, distance, last, segments| {
            let from = (lane & segments) | (distance & !segments);
            (from, from <= last)
        }),
    }
}

/// Executes `shfl`.
struct Shuffled;
impl Exec for Shuffled {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        let shuffle = Shuffle::unpack(op);
        // SAFETY: the registers were unpacked from this instruction.
        unsafe {
            let (source, predicate) =
                sources_of(shuffle.kind, &*shuffle.distance.lanes(warp), &*shuffle.clamp.lanes(warp));
            if warp.undefined.is_some() {
                warp.shuffles_from(&source);
            }
            if warp.whole(shuffle.members) {
                // All lanes are here, and each has named all: no lane can be missing.
                let value = *shuffle.value.lanes(warp);
                let at = source.map(|lane| lane * 4);
                permute::<W>(value.as_ptr(), &at, shuffle.to.lanes(warp).cast());
                if let Some(inside) = shuffle.inside {
                    *inside.bits(warp) = predicate;
                }
                return Flow::Next;
            }
            let named = match warp.gather(op, shuffle.members, AccessKind::Shuffle) {
                Ok(named) => named,
                Err(flow) => return flow,
            };
            let mask = warp.mask();
            let value = *shuffle.value.lanes(warp);
            let mut missing = 0u32;
            let mut out = [0u32; LANES];
            for i in 0..LANES {
                let from = source[i];
                out[i] = value[from as usize & 31];
                // A lane missing from its own mask has been reported.
                let declared = named[i] & (1 << i) != 0;
                missing |= (u32::from(declared && mask & named[i] & (1 << from) == 0)) << i;
            }
            missing &= mask;
            if missing != 0 {
                for lane in lanes(missing) {
                    // A lane outside its own mask has been reported; its own value does not count as another's.
                    if mask & (1 << source[lane]) == 0 {
                        out[lane] = 0;
                    }
                }
                let lane = missing.trailing_zeros() as usize;
                if source[lane] as usize != lane {
                    warp.inactive(op, lane, source[lane]);
                }
            }
            let to = &mut *shuffle.to.lanes(warp);
            for i in 0..LANES {
                let keep = ((mask >> i) & 1).wrapping_sub(1);
                to[i] = (to[i] & keep) | (out[i] & !keep);
            }
            if let Some(inside) = shuffle.inside {
                inside.set(warp, mask, predicate);
            }
            Flow::Next
        }
    }
}

/// Returns for each lane the lane that it reads, itself if that lies outside its segment, and a bit for each lane whose
/// source lies inside. `from` returns the source lane and whether it is inside, given the lane, the distance, the
/// segment's end, and the bits that identify the segment.
#[inline(always)]
fn sources(
    b: &[u32; LANES],
    c: &[u32; LANES],
    from: impl Fn(u32, u32, u32, u32) -> (u32, bool),
) -> ([u32; LANES], u32) {
    let mut source = [0u32; LANES];
    let mut inside = [0u32; LANES];
    for i in 0..LANES {
        let lane = i as u32;
        let (distance, clamp, segments) = (b[i] & 31, c[i] & 31, (c[i] >> 8) & 31);
        let last = (lane & segments) | (clamp & !segments);
        let (other, ok) = from(lane, distance, last, segments);
        source[i] = if ok { other & 31 } else { lane };
        inside[i] = u32::from(ok) << i;
    }
    (source, inside.iter().fold(0, |bits, bit| bits | bit))
}
