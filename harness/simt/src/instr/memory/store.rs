//! Stores: `st`.

use super::element::*;
use super::modifiers::Modifiers;
use super::vector;
use crate::engine::memory::shared;
use crate::engine::traffic::pattern;
use crate::engine::traffic::request::{Pointers, Request};
use crate::engine::warp::handler::{Exec, Handler, handler};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, Space};
use crate::instr::code::OperandSlot;
use crate::instr::context::{Context, Result, width};
use crate::instr::operands::operands;
use crate::lane::{HostVectors, LANES, lanes};
use ptx::ast::{self, Operand, Type};
use smallvec::SmallVec;
use std::marker::PhantomData;

operands! {
    /// Operands of a store.
    pub(crate) struct Store {
        /// The destination address.
        address: address in a,
        /// The elements to store.
        elements: number(Elements) in e,
        /// The elements.
        from: read_list in d | d2 | b | c,
    }
}

/// Lowers `st`.
pub(super) fn st(cx: &mut dyn Context, inst: &ast::Inst) -> Result<()> {
    let how = Modifiers::parse(cx, inst)?;
    let (to, from) = (&inst.operands[0], &inst.operands[1]);
    let list = how.elements(cx, from)?;
    let reg = match list.iter().find(|o| matches!(o, Operand::Reg(_))) {
        Some(Operand::Reg(r)) => cx.width_of(*r),
        _ => width(how.ty),
    };
    let (space, size, many) = (how.space, how.ty.size(), how.count > 1);
    let Some(run) = handler_for(cx.vectors(), space, size, reg, many) else {
        return Err(cx.invalid(format!("`{}` from registers of {reg} bytes", inst.text())));
    };
    let literal = match reg {
        2 => Type::B16,
        4 if how.ty == Type::F32 => Type::F32,
        4 => Type::B32,
        _ if how.ty == Type::F64 => Type::F64,
        _ => Type::B64,
    };
    let mut source = |from: &Operand| match from {
        Operand::Reg(r) => cx.reg(*r, reg),
        other => cx.source(other, literal),
    };
    let from: SmallVec<[OperandSlot; 4]> = list.iter().map(&mut source).collect::<Result<_>>()?;
    let origin = cx.origin(to);
    let address = cx.address(to)?;
    let store = Store { address, elements: how.moved(), from }.pack(run);
    cx.emit(how.describe(store, AccessKind::Write).from(origin))
}

/// Returns the handler that stores elements of `mem` bytes from registers of `reg` bytes a lane.
pub(crate) fn handler_for(vectors: HostVectors, space: Space, mem: u32, reg: u32, many: bool) -> Option<Handler> {
    by_widths!(store_for, vectors, space, many, (mem, reg);
        (1, 2) => U8R16, (1, 4) => U8R32, (1, 8) => U8R64, (2, 2) => U16R16, (2, 4) => U16R32,
        (2, 8) => U16R64, (4, 4) => U32R32, (4, 8) => U32R64, (8, 8) => U64R64,
    )
}

fn store_for<E: Elem>(vectors: HostVectors, space: Space, many: bool) -> Handler {
    match space {
        Space::Local => handler::<StoreLocal<E>>(vectors),
        Space::Shared => handler::<StoreShared<E>>(vectors),
        _ if many => store_any::<E>,
        _ => handler::<StoreGlobal<E>>(vectors),
    }
}

/// Executes a store of one element to generic or global memory.
struct StoreGlobal<E>(PhantomData<E>);
impl<E: Elem> Exec for StoreGlobal<E> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        let from = || Store::unpack(op).from[0].holding::<E::Reg>();
        // SAFETY: as for loads.
        unsafe {
            if let Some(to) = consecutive::<E, W>(warp, op, Store::unpack(op).address) {
                look_along::<E>(warp, op, AccessKind::Write, to);
                copy_out::<E>(from().lanes(warp), to);
                return Flow::Next;
            }
            store_any::<E>(warp, op)
        }
    }
}

/// Stores a register to 32 contiguous elements.
#[inline(always)]
unsafe fn copy_out<E: Elem>(from: *const [E::Reg; LANES], to: *mut u8) {
    // SAFETY: the caller has checked the memory, and knows the register.
    unsafe {
        let from = &*from;
        let mut out = [E::narrow(from[0]); LANES];
        for i in 0..LANES {
            out[i] = E::narrow(from[i]);
        }
        to.cast::<[E::Mem; LANES]>().write_unaligned(out);
    }
}

/// Executes a store of one element or several to shared memory. If lanes name the same address, the highest lane wins.
struct StoreShared<E>(PhantomData<E>);
impl<E: Elem> Exec for StoreShared<E> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        let each = size_of::<E::Mem>();
        let count = Store::unpack(op).elements.count;
        let from = || Store::unpack(op).from;
        // SAFETY: as for loads.
        unsafe {
            let size = each as u32 * count;
            let Some((low, pattern)) = shared::find::<W>(warp, op, size, false) else {
                return store_any::<E>(warp, op);
            };
            let row = count == 1 && pattern.shape == pattern::Shape::Row;
            if warp.checking {
                let to = warp.shared_offset(low as u64);
                if !(row && size == 4 && warp.note_row(op, to)) {
                    let layout = pattern.layout(to);
                    look::<E>(warp, op, count, Space::Shared, AccessKind::Write, Some(&layout));
                }
            }
            if row {
                copy_out::<E>(from()[0].holding::<E::Reg>().lanes(warp), low);
                return Flow::Next;
            }
            if warp.checking {
                let at = pattern.at.map(|at| low as u64 + u64::from(at));
                show_values::<E>(warp, op, Space::Shared, &at);
            }
            for (k, from) in from()[..count as usize & 7].iter().enumerate() {
                let from = &*from.holding::<E::Reg>().lanes(warp);
                let low = low.add(k * each);
                for i in 0..LANES {
                    let to = low.add(pattern.at[i] as usize).cast::<E::Mem>();
                    to.write(E::narrow(from[i]));
                }
            }
        }
        Flow::Next
    }
}

/// Executes a store of one element or several to the lanes' local memory.
struct StoreLocal<E>(PhantomData<E>);
impl<E: Elem> Exec for StoreLocal<E> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        let each = size_of::<E::Mem>();
        let count = Store::unpack(op).elements.count;
        // SAFETY: as for loads.
        unsafe {
            let Some(low) = own::<W>(warp, op, Store::unpack(op).address, each as u32 * count) else {
                return store_any::<E>(warp, op);
            };
            look::<E>(warp, op, count, Space::Local, AccessKind::Write, None);
            for (k, from) in Store::unpack(op).from[..count as usize & 7].iter().enumerate() {
                let (from, low) = (&*from.holding::<E::Reg>().lanes(warp), low.skip(k * each));
                for i in 0..LANES {
                    low.lane(i).cast::<E::Mem>().write(E::narrow(from[i]));
                }
            }
        }
        Flow::Next
    }
}

/// Passes to the checks the values that are about to be stored, and their addresses; of vectors, the first elements.
#[inline(never)]
unsafe fn show_values<E: Elem>(warp: &mut Warp, op: &Op, space: Space, at: &Pointers) {
    let Store { elements, from, .. } = Store::unpack(op);
    let size = size_of::<E::Mem>() as u32 * elements.count;
    // SAFETY: the register was unpacked from this instruction.
    let from = unsafe { &*from[0].holding::<E::Reg>().lanes(warp) };
    let mut values = [0u64; LANES];
    for lane in lanes(warp.mask()) {
        let value = E::narrow(from[lane]);
        // SAFETY: elements have at most 8 bytes.
        unsafe {
            (&raw const value).cast::<u8>().copy_to((&raw mut values[lane]).cast(), size_of::<E::Mem>());
        }
    }
    let what = AccessKind::Write;
    warp.check_store(op, Request { space, size, what }, at, &values);
}

/// Executes a store to arbitrary addresses, of any number of elements. If lanes name the same address, the highest lane
/// wins.
#[inline(never)]
unsafe fn store_any<E: Elem>(warp: &mut Warp, op: &Op) -> Flow {
    let Store { elements, from, .. } = Store::unpack(op);
    let Elements { count, space } = elements;
    let size = size_of::<E::Mem>() as u32;
    let request = Request { space, size: size * count, what: AccessKind::Write };
    let mut at: Pointers = [0; LANES];
    // SAFETY: as for loads.
    unsafe {
        let resolve = warp.resolve;
        if !resolve(warp, op, request, &mut at) {
            return Flow::Stop;
        }
        if warp.checking {
            show_values::<E>(warp, op, request.space, &at);
        }
        let from = |k: usize| from[k].holding::<E::Reg>().lanes(warp).cast_const();
        match count {
            2 => store_vectors::<E, 2>(&at, warp.mask(), std::array::from_fn(from)),
            4 => store_vectors::<E, 4>(&at, warp.mask(), std::array::from_fn(from)),
            _ => store_vectors::<E, 1>(&at, warp.mask(), [from(0)]),
        }
    }
    Flow::Next
}

/// Stores a vector for each lane.
#[inline(always)]
unsafe fn store_vectors<E: Elem, const N: usize>(at: &Pointers, mask: u32, from: [*const [E::Reg; LANES]; N]) {
    for lane in lanes(mask) {
        // SAFETY: the caller has checked the memory, and knows the registers.
        unsafe {
            let elements = from.map(|register| E::narrow((*register)[lane]));
            vector::write::<E::Mem, N>(at[lane] as *mut u8, elements);
        }
    }
}
