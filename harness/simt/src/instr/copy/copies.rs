//! `cp.async`: a load and a store that are executed together.

use crate::engine::traffic::request::{Pointers, Request, Wrong};
use crate::engine::traffic::sectors::sectors;
use crate::engine::warp::program::{Op, Order};
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, FindingKind, Space};
use crate::instr::code::{OperandSlot, Role};
use crate::instr::context::{Context, Result};
use crate::instr::memory::{Elements, load, store};
use crate::instr::operands::{Address, operands};
use crate::lane::{LANES, lanes};
use ptx::ast::{self, Operand, Type};
use ptx::modifier::Modifier;
use smallvec::SmallVec;

operands! {
    /// Operands of the load of a copy in which each lane says how many bytes it loads. The remaining bytes become 0.
    struct PartialRead {
        /// The source address.
        address: address in a,
        /// The number of bytes that each lane loads.
        bytes: read(u32) in b,
        /// Bytes of a value: 4 or 8.
        size: number(u32) in c,
        /// The number of values: 1 or 2.
        count: number(u32) in e,
        /// The values.
        to: write_list in d | d2,
    }
}

/// Bytes of the widest member of a structure: a copy does not say what it copies, so an element of this size may
/// contain padding.
const MEMBER: u32 = 8;

/// Lowers `cp.async`.
pub(super) fn lower_copy(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let cached = inst.has(Modifier::Ca) != inst.has(Modifier::Cg);
    let place = |spaces: &[Modifier]| inst.modifiers().iter().position(|modifier| spaces.contains(modifier));
    let (shared, global) = (place(&[Modifier::Shared, Modifier::SharedCta]), place(&[Modifier::Global]));
    if !cached || shared.is_none() || shared > global || inst.has(Modifier::Unknown) {
        return Err(cx.missing(inst));
    }
    let mut operands = inst.operands.as_slice();
    if inst.has(Modifier::L2CacheHint) {
        operands = &operands[..operands.len().saturating_sub(1)];
    }
    let (to, from, bytes, source) = match operands {
        [to, from, Operand::Int(bytes)] => (to, from, *bytes, None),
        [to, from, Operand::Int(bytes), Operand::Int(source)] if source == bytes => (to, from, *bytes, None),
        [to, from, Operand::Int(bytes), source] => (to, from, *bytes, Some(source)),
        _ => return Err(cx.wrong(inst)),
    };
    let (size, count) = match bytes {
        4 => (4, 1),
        8 => (8, 1),
        16 => (8, 2),
        _ => return Err(cx.wrong(inst)),
    };
    let (vectors, many) = (cx.vectors(), count > 1);
    let (Some(loads), Some(stores)) = (
        load::handler_for(vectors, Space::Global, size, size, false, many),
        store::handler_for(vectors, Space::Shared, size, size, many),
    ) else {
        return Err(cx.missing(inst));
    };
    let values: SmallVec<[OperandSlot; 4]> = (0..count).map(|_| cx.temp(size)).collect();
    let address = cx.address(from)?;
    let read = match source {
        Some(source) => {
            let bytes = source_bytes(cx, source, bytes as u32)?;
            let read = PartialRead { address, bytes, size, count, to: values.clone() };
            read.pack(read_some)
        }
        None => {
            let read = load::Load { address, elements: Elements { count, space: Space::Global }, to: values.clone() };
            read.pack(loads)
        }
    };
    let role = |what, space| Role::Access(what, space, bytes as u32);
    cx.emit(read.role(role(AccessKind::Read, Space::Global)).element(MEMBER))?;
    let write =
        store::Store { address: cx.address(to)?, elements: Elements { count, space: Space::Shared }, from: values };
    let write = write.pack(stores).role(role(AccessKind::Write, Space::Shared));
    cx.emit(write.order(Order { asynchronous: true, ..Order::default() }))
}

/// Returns the number of bytes that each lane loads: the value of a register, or none where a predicate says that the
/// source is ignored.
fn source_bytes(cx: &mut dyn Context, source: &Operand, all: u32) -> Result<OperandSlot> {
    let predicate = match source {
        Operand::Reg(register) => cx.width_of(*register) == 0,
        other => matches!(other, Operand::NotReg(_)),
    };
    if !predicate {
        return cx.source(source, Type::B32);
    }
    let (ignored, bytes) = (cx.source(source, Type::Pred)?, cx.temp(4));
    let from = [cx.bits(0, 4), cx.bits(all.into(), 4), ignored];
    let select = cx.compute("selp.b32", bytes, &from)?;
    cx.prepare(select);
    Ok(bytes)
}

/// Executes a [`PartialRead`].
unsafe fn read_some(warp: &mut Warp, op: &Op) -> Flow {
    let part = PartialRead::unpack(op);
    let whole = part.size * part.count;
    let mask = warp.mask();
    let request = Request { space: Space::Global, size: whole, what: AccessKind::Read };
    // SAFETY: the registers were unpacked from this instruction; addresses are checked before they are read.
    unsafe {
        let source = *part.bytes.lanes(warp);
        let (mut full, mut some) = (0u32, 0u32);
        for lane in 0..LANES {
            full |= u32::from(source[lane] >= whole) << lane;
            some |= u32::from(source[lane] > 0 && source[lane] < whole) << lane;
        }
        (full, some) = (full & mask, some & mask);
        let mut at: Pointers = [0; LANES];
        if full != 0 {
            warp.set_mask(full);
            let resolve = warp.resolve;
            let fine = resolve(warp, op, request, &mut at);
            warp.set_mask(mask);
            if !fine {
                return Flow::Stop;
            }
        }
        // Lanes without a source load 16 bytes of zero.
        let nothing = [0u64; 2];
        let mut pieces = [[0u64; 2]; LANES];
        if some != 0
            && let Err(flow) = read_parts(warp, op, whole, (some, full == 0), &source, &mut pieces)
        {
            return flow;
        }
        for lane in 0..LANES {
            if some & (1 << lane) != 0 {
                at[lane] = pieces[lane].as_ptr() as u64;
            } else if full & (1 << lane) == 0 {
                at[lane] = nothing.as_ptr() as u64;
            }
        }
        if part.size == 4 {
            let to = &mut *part.to[0].holding::<u32>().lanes(warp);
            for lane in lanes(mask) {
                to[lane] = *(at[lane] as *const u32);
            }
            return Flow::Next;
        }
        for (k, to) in part.to[..(whole / 8) as usize].iter().enumerate() {
            let to = &mut *to.holding::<u64>().lanes(warp);
            for lane in lanes(mask) {
                to[lane] = *(at[lane] as *const u64).add(k);
            }
        }
    }
    Flow::Next
}

/// Executes the lanes that load only a part. `alone`: there are no others, so the request is counted here.
#[cold]
unsafe fn read_parts(
    warp: &mut Warp,
    op: &Op,
    whole: u32,
    (part, alone): (u32, bool),
    source: &[u32; LANES],
    pieces: &mut [[u64; 2]; LANES],
) -> std::result::Result<(), Flow> {
    let (space, what) = (Space::Global, AccessKind::Read);
    // SAFETY: the register was unpacked from this instruction.
    let address = unsafe {
        let Address { base, offset } = PartialRead::unpack(op).address;
        (*base.lanes(warp)).map(|a| a.wrapping_add(offset))
    };
    let (mut low, mut high, mut bytes) = (u64::MAX, 0, 0u64);
    for lane in lanes(part) {
        let (at, size) = (address[lane], source[lane]);
        let request = Request { space, size, what };
        if at & u64::from(whole - 1) != 0 {
            let wrong = Wrong { kind: FindingKind::Misaligned { space, required: whole }, space, address: at };
            return Err(warp.access_fault(op, lane, request, wrong));
        }
        match warp.resolve_lane(lane, at, request) {
            // SAFETY: this many bytes have been checked, and a piece has room for 16.
            Ok(from) => unsafe {
                let to = pieces[lane].as_mut_ptr().cast::<u8>();
                from.copy_to_nonoverlapping(to, size as usize);
            },
            Err(wrong) => return Err(warp.access_fault(op, lane, request, wrong)),
        }
        (low, high) = (low.min(at), high.max(at));
        bytes += u64::from(size);
    }
    // SAFETY: every instruction has a site.
    let site = unsafe { &mut *warp.sites.add(op.site as usize) };
    let touched = u64::from(sectors(&address, part, low, high + 1));
    site.requests += u64::from(alone);
    site.lanes += u64::from(part.count_ones());
    site.sectors += touched;
    site.ideal += touched.min(bytes.div_ceil(32));
    let mask = warp.mask();
    let mut rest = part;
    while warp.checking && rest != 0 {
        let size = source[rest.trailing_zeros() as usize];
        let same = lanes(rest).filter(|&lane| source[lane] == size).fold(0u32, |m, lane| m | (1 << lane));
        warp.set_mask(same);
        warp.check_tile(op, Request { space, size, what }, &address);
        warp.set_mask(mask);
        rest &= !same;
    }
    Ok(())
}
