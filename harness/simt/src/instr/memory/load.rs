//! Loads: `ld` and `ldu`.

use super::element::*;
use super::modifiers::Modifiers;
use super::vector;
use crate::engine::memory::shared;
use crate::engine::traffic::pattern;
use crate::engine::traffic::request::{Pointers, Request};
use crate::engine::warp::handler::{Exec, Handler, apart, handler};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space};
use crate::instr::context::{Context, Result, width};
use crate::instr::operands::{Any, operands};
use crate::lane::{ALL, HostVectors, LANES, lanes};
use ptx::ast::{self, Operand, Type};
use smallvec::SmallVec;
use std::marker::PhantomData;

operands! {
    /// Operands of a load.
    pub(crate) struct Load {
        /// The source address.
        address: address in a,
        /// The elements to load.
        elements: number(Elements) in e,
        /// The elements.
        to: write_list in d | d2 | b | c,
    }
}

operands! {
    /// Operands of the comparison of a polled value.
    struct Look {
        /// The value.
        value: read(Any) in a,
        /// Its width in bytes.
        width: number(u32) in b,
    }
}

/// Lowers `ld` and `ldu`.
pub(super) fn ld(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let how = Modifiers::parse(cx, inst)?;
    let (to, from) = (&inst.operands[0], &inst.operands[1]);
    let list = how.elements(cx, to)?;
    let reg = match list.iter().find(|o| matches!(o, Operand::Reg(_))) {
        Some(Operand::Reg(r)) => cx.width_of(*r),
        _ => width(how.ty),
    };
    let signed = matches!(how.ty, Type::S8 | Type::S16 | Type::S32);
    let (space, size, many) = (how.space, how.ty.size(), how.count > 1);
    let Some(run) = handler_for(cx.vectors(), space, size, reg, signed, many) else {
        return Err(cx.invalid(format!("`{}` into registers of {reg} bytes", inst.text())));
    };
    let origin = cx.origin(from);
    let address = cx.address(from)?;
    let to: SmallVec<_> = list.iter().map(|to| cx.dest(to, reg)).collect::<Result<_>>()?;
    let value = to[0];
    let load = Load { address, elements: how.moved(), to }.pack(run);
    cx.emit(how.describe(load, AccessKind::Read).from(origin))?;
    if how.watched && space != Space::Param {
        let look = Look { value, width: reg };
        cx.emit(look.pack(look_again))?;
    }
    Ok(())
}

/// Detects spin loops; executed after a load that may poll for writes of other threads: repeated equal values count as
/// spinning.
unsafe fn look_again(warp: &mut Warp, op: &Op) -> Flow {
    let Look { value, width } = Look::unpack(op);
    let mut digest = 0u64;
    for lane in lanes(warp.mask()) {
        // SAFETY: the register was unpacked from this instruction.
        let value = unsafe {
            match width {
                8 => (*value.holding::<u64>().lanes(warp))[lane],
                4 => u64::from((*value.holding::<u32>().lanes(warp))[lane]),
                _ => u64::from((*value.holding::<u16>().lanes(warp))[lane]),
            }
        };
        digest = digest.rotate_left(7) ^ value;
    }
    warp.polled(op.site, digest);
    warp.switch_point();
    Flow::Next
}

/// Returns the handler that loads elements of `mem` bytes into registers of `reg` bytes a lane, sign-extended if
/// `signed`.
pub(crate) fn handler_for(
    vectors: HostVectors,
    space: Space,
    mem: u32,
    reg: u32,
    signed: bool,
    many: bool,
) -> Option<Handler> {
    by_widths!(load_for, vectors, space, many, (mem, reg, signed);
        (1, 2, false) => U8R16, (1, 2, true) => S8R16, (1, 4, false) => U8R32, (1, 4, true) => S8R32,
        (1, 8, false) => U8R64, (1, 8, true) => S8R64, (2, 2, _) => U16R16, (2, 4, false) => U16R32,
        (2, 4, true) => S16R32, (2, 8, false) => U16R64, (2, 8, true) => S16R64, (4, 4, _) => U32R32,
        (4, 8, false) => U32R64, (4, 8, true) => S32R64, (8, 8, _) => U64R64,
    )
}

fn load_for<E: Elem>(vectors: HostVectors, space: Space, many: bool) -> Handler {
    match space {
        Space::Local => handler::<LoadLocal<E>>(vectors),
        Space::Shared => handler::<LoadShared<E>>(vectors),
        _ if many => load_any::<E>,
        _ => handler::<LoadGlobal<E>>(vectors),
    }
}

/// Executes a load of one element from generic or global memory, from constants or from parameters.
struct LoadGlobal<E>(PhantomData<E>);
impl<E: Elem> Exec for LoadGlobal<E> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        // Operands are unpacked where they are used: a value kept across the call of a check would cost every execution
        // the saving of a register. SAFETY: the register was unpacked from this instruction; memory is checked before
        // it is accessed.
        unsafe {
            if let Some(from) = consecutive::<E, W>(warp, op, Load::unpack(op).address) {
                look_along::<E>(warp, op, AccessKind::Read, from);
                let to = Load::unpack(op).to[0].holding::<E::Reg>();
                copy_in::<E>(from, to.lanes(warp));
                return Flow::Next;
            }
            apart::<LoadUniform<E>, W>(warp, op)
        }
    }
}

/// Executes the same load for other addresses: all lanes name one element, or the elements of each half are contiguous,
/// or the addresses are arbitrary.
struct LoadUniform<E>(PhantomData<E>);
impl<E: Elem> Exec for LoadUniform<E> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        // SAFETY: as for `LoadGlobal`.
        unsafe {
            if let Some(from) = uniform::<E, W>(warp, op, Load::unpack(op).address) {
                look::<E>(warp, op, 1, Space::Global, AccessKind::Read, None);
                let value = E::widen(from.cast::<E::Mem>().read());
                let to = Load::unpack(op).to[0].holding::<E::Reg>();
                *to.lanes(warp) = [value; LANES];
                return Flow::Next;
            }
            if let Some(from) = halves::<E, W>(warp, op, Load::unpack(op).address) {
                look_halves::<E>(warp, op, AccessKind::Read, from);
                let to = Load::unpack(op).to[0].holding::<E::Reg>();
                for (from, to) in from.into_iter().zip((*to.lanes(warp)).chunks_exact_mut(HALF)) {
                    let from = from.cast::<[E::Mem; HALF]>().read_unaligned();
                    for i in 0..HALF {
                        to[i] = E::widen(from[i]);
                    }
                }
                return Flow::Next;
            }
            load_any::<E>(warp, op)
        }
    }
}

/// Loads 32 contiguous elements into a register.
#[inline(always)]
unsafe fn copy_in<E: Elem>(from: *const u8, to: *mut [E::Reg; LANES]) {
    // SAFETY: the caller has checked the memory, and knows the register.
    unsafe {
        let from = from.cast::<[E::Mem; LANES]>().read_unaligned();
        let to = &mut *to;
        for i in 0..LANES {
            to[i] = E::widen(from[i]);
        }
    }
}

/// Executes a load of one element or several from shared memory.
struct LoadShared<E>(PhantomData<E>);
impl<E: Elem> Exec for LoadShared<E> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        let each = size_of::<E::Mem>();
        let count = Load::unpack(op).elements.count;
        let to = || Load::unpack(op).to;
        // SAFETY: as for `LoadGlobal`; shared memory is followed by a window of readable bytes.
        unsafe {
            let size = each as u32 * count;
            let Some((low, pattern)) = shared::find::<W>(warp, op, size, count == 1) else {
                return load_any::<E>(warp, op);
            };
            if warp.checking {
                let from = warp.shared_offset(low as u64);
                if !warp.note_read(op, size, from, pattern) {
                    let layout = pattern.layout(from);
                    look::<E>(warp, op, count, Space::Shared, AccessKind::Read, Some(&layout));
                }
            }
            if count == 1 {
                let to = to()[0].holding::<E::Reg>().lanes(warp);
                match pattern.shape {
                    pattern::Shape::Row => copy_in::<E>(low, to),
                    pattern::Shape::Point => *to = [E::widen(low.cast::<E::Mem>().read()); LANES],
                    pattern::Shape::Near if each == 4 && size_of::<E::Reg>() == 4 => {
                        pattern::permute::<W>(low.cast(), &pattern.at, to.cast());
                    }
                    _ => pick::<E>(low, &pattern.at, to),
                }
                return Flow::Next;
            }
            for (k, to) in to()[..count as usize & 7].iter().enumerate() {
                let to = to.holding::<E::Reg>().lanes(warp);
                pick::<E>(low.add(k * each), &pattern.at, to);
            }
        }
        Flow::Next
    }
}

/// Executes a load of one element or several from local memory.
struct LoadLocal<E>(PhantomData<E>);
impl<E: Elem> Exec for LoadLocal<E> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        let each = size_of::<E::Mem>();
        let count = Load::unpack(op).elements.count;
        // SAFETY: as for `LoadGlobal`.
        unsafe {
            let Some(low) = own::<W>(warp, op, Load::unpack(op).address, each as u32 * count) else {
                return load_any::<E>(warp, op);
            };
            look::<E>(warp, op, count, Space::Local, AccessKind::Read, None);
            for (k, to) in Load::unpack(op).to[..count as usize & 7].iter().enumerate() {
                let (to, low) = (&mut *to.holding::<E::Reg>().lanes(warp), low.skip(k * each));
                for i in 0..LANES {
                    to[i] = E::widen(low.lane(i).cast::<E::Mem>().read());
                }
            }
        }
        Flow::Next
    }
}

/// Loads elements at arbitrary offsets from an address into a register.
#[inline(always)]
unsafe fn pick<E: Elem>(low: *const u8, at: &[u32; LANES], to: *mut [E::Reg; LANES]) {
    // SAFETY: the caller has checked the memory, and knows the register.
    unsafe {
        let to = &mut *to;
        for i in 0..LANES {
            to[i] = E::widen(low.add(at[i] as usize).cast::<E::Mem>().read());
        }
    }
}

/// Executes a load from arbitrary addresses, of any number of elements.
#[inline(never)]
unsafe fn load_any<E: Elem>(warp: &mut Warp, op: &Op) -> Flow {
    let Load { elements, to, .. } = Load::unpack(op);
    let Elements { count, space } = elements;
    let size = size_of::<E::Mem>() as u32;
    let request = Request { space, size: size * count, what: AccessKind::Read };
    let mut at: Pointers = [0; LANES];
    // SAFETY: the registers were unpacked from this instruction; the addresses have been checked.
    unsafe {
        let resolve = warp.resolve;
        if !resolve(warp, op, request, &mut at) {
            return Flow::Stop;
        }
        let to = |k: usize| to[k].holding::<E::Reg>().lanes(warp);
        match count {
            2 => load_vectors::<E, 2>(&at, warp.mask(), std::array::from_fn(to)),
            4 => load_vectors::<E, 4>(&at, warp.mask(), std::array::from_fn(to)),
            _ => load_vectors::<E, 1>(&at, warp.mask(), [to(0)]),
        }
    }
    Flow::Next
}

/// Loads a vector for each lane.
#[inline(always)]
unsafe fn load_vectors<E: Elem, const N: usize>(at: &Pointers, mask: u32, to: [*mut [E::Reg; LANES]; N]) {
    let one = |lane: usize| {
        // SAFETY: the caller has checked the memory, and knows the registers.
        unsafe {
            let elements = vector::read::<E::Mem, N>(at[lane] as *const u8);
            for k in 0..N {
                (*to[k])[lane] = E::widen(elements[k]);
            }
        }
    };
    if mask == ALL { (0..LANES).for_each(one) } else { lanes(mask).for_each(one) }
}
