//! Loads and stores.
//!
//! Operands: address in `a` (64 bits) plus `imm`; the value, or the elements of a vector, in `d`, `d2`, `b`, `c`; `e` is [`shape`].

use super::access::{Pointers, Request, count_sectors};
use super::pattern::{self, Shape};
use super::{Exec, Flow, Warp, handler};
use crate::finding::{Space, What};
use crate::isa::dispatch::{Handler, Isa};
use crate::lane::{ALL, LANES};
use crate::program::Op;
use std::marker::PhantomData;

/// How an element lies in memory and in a register.
trait Elem {
    /// In memory.
    type Mem: Copy;
    /// In a lane of a register.
    type Reg: Copy;
    fn widen(value: Self::Mem) -> Self::Reg;
    fn narrow(value: Self::Reg) -> Self::Mem;
}

macro_rules! elems {
    ($($name:ident $mem:ty, $via:ty, $reg:ty;)*) => {$(
        struct $name;
        impl Elem for $name {
            type Mem = $mem;
            type Reg = $reg;
            #[inline(always)]
            fn widen(value: $mem) -> $reg { value as $via as $reg }
            #[inline(always)]
            fn narrow(value: $reg) -> $mem { value as $mem }
        }
    )*};
}
// In memory, extended as, in the register.
elems! {
    U8R16 u8, u16, u16;
    S8R16 i8, i16, u16;
    U8R32 u8, u32, u32;
    S8R32 i8, i32, u32;
    U8R64 u8, u64, u64;
    S8R64 i8, i64, u64;
    U16R16 u16, u16, u16;
    U16R32 u16, u32, u32;
    S16R32 i16, i32, u32;
    U16R64 u16, u64, u64;
    S16R64 i16, i64, u64;
    U32R32 u32, u32, u32;
    U32R64 u32, u64, u64;
    S32R64 i32, i64, u64;
    U64R64 u64, u64, u64;
}

/// `Op::e`: how many elements, and the space.
pub(crate) fn shape(count: u32, space: Space) -> u32 {
    let number = match space {
        Space::Generic => 0,
        Space::Global => 1,
        Space::Shared => 2,
        Space::Local => 3,
        Space::Const => 4,
        Space::Param => 5,
    };
    count | (number << 8)
}

/// The space in `Op::e`.
pub(crate) fn space(shape: u32) -> Space {
    match shape >> 8 {
        1 => Space::Global,
        2 => Space::Shared,
        3 => Space::Local,
        4 => Space::Const,
        // Parameters are read through generic addresses.
        _ => Space::Generic,
    }
}

/// Where the running lanes' elements lie one after another, all lanes on: the host's address of the first. Counts the request.
#[inline(always)]
unsafe fn consecutive<E: Elem>(warp: &mut Warp, op: &Op) -> Option<*mut u8> {
    let size = size_of::<E::Mem>() as u64;
    if warp.mask() != ALL || warp.checking {
        return None;
    }
    // SAFETY: `a` is a 64-bit register; there is a site for every instruction.
    let (addr, site) = unsafe {
        (
            &*warp.reg::<[u64; LANES]>(op.a),
            &mut *warp.sites.add(op.site as usize),
        )
    };
    let first = addr[0];
    let mut differ = 0;
    for i in 0..LANES {
        differ |= addr[i].wrapping_sub(first) ^ (i as u64 * size);
    }
    let base = first.wrapping_add(op.imm);
    let bytes = size * LANES as u64;
    if differ != 0 || base & (size - 1) != 0 {
        return None;
    }
    let offset = base.wrapping_sub(site.start);
    if offset >= site.len || site.len - offset < bytes {
        return None;
    }
    let sectors = ((base + bytes - 1) >> 5) - (base >> 5) + 1;
    site.requests += 1;
    site.lanes += LANES as u64;
    site.sectors += sectors;
    site.ideal += size;
    Some(base.wrapping_add(site.delta) as *mut u8)
}

/// The host's address of the one element that all running lanes name. Counts the request.
#[inline(always)]
unsafe fn uniform<E: Elem>(warp: &mut Warp, op: &Op) -> Option<*mut u8> {
    let size = size_of::<E::Mem>() as u64;
    if warp.mask() != ALL || warp.checking {
        return None;
    }
    // SAFETY: as in `consecutive`.
    let (addr, site) = unsafe {
        (
            &*warp.reg::<[u64; LANES]>(op.a),
            &mut *warp.sites.add(op.site as usize),
        )
    };
    let mut differ = 0;
    for i in 1..LANES {
        differ |= addr[i] ^ addr[0];
    }
    let base = addr[0].wrapping_add(op.imm);
    if differ != 0 || base & (size - 1) != 0 {
        return None;
    }
    let offset = base.wrapping_sub(site.start);
    if offset >= site.len || site.len - offset < size {
        return None;
    }
    count_sectors(site, ALL, 1, size);
    Some(base.wrapping_add(site.delta) as *mut u8)
}

struct Load<E>(PhantomData<E>);
impl<E: Elem> Exec for Load<E> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        // SAFETY: `d` is a register of this element's width; memory is checked before it is touched.
        unsafe {
            if let Some(from) = consecutive::<E>(warp, op) {
                copy_in::<E>(from, warp.reg(op.d));
                return Flow::Next;
            }
            if let Some(from) = uniform::<E>(warp, op) {
                let value = E::widen(from.cast::<E::Mem>().read());
                *warp.reg::<[E::Reg; LANES]>(op.d) = [value; LANES];
                return Flow::Next;
            }
            load_any::<E>(warp, op)
        }
    }
}

/// 32 elements side by side into a register.
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

/// From shared memory, one element or several.
struct LoadShared<E>(PhantomData<E>);
impl<E: Elem> Exec for LoadShared<E> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        let each = size_of::<E::Mem>();
        let count = op.e & 0xff;
        // SAFETY: as for `Load`; shared memory is followed by a window's worth of bytes that may be read.
        unsafe {
            let size = each as u32 * count;
            let Some((low, pattern)) = pattern::find(warp, op, size, count == 1) else {
                return load_any::<E>(warp, op);
            };
            if count == 1 {
                let to = warp.reg::<[E::Reg; LANES]>(op.d);
                match pattern.shape {
                    Shape::Row => copy_in::<E>(low, to),
                    Shape::Point => *to = [E::widen(low.cast::<E::Mem>().read()); LANES],
                    Shape::Near if each == 4 && size_of::<E::Reg>() == 4 => {
                        pattern::permute::<W>(low.cast(), &pattern.at, to.cast());
                    }
                    _ => pick::<E>(low, &pattern.at, to),
                }
                return Flow::Next;
            }
            let registers = [op.d, op.d2, op.b, op.c];
            for (k, &register) in registers[..count as usize & 7].iter().enumerate() {
                if register != u32::MAX {
                    pick::<E>(low.add(k * each), &pattern.at, warp.reg(register));
                }
            }
        }
        Flow::Next
    }
}

/// Elements from anywhere behind an address into a register.
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

/// Any addresses, any number of elements.
#[inline(never)]
unsafe fn load_any<E: Elem>(warp: &mut Warp, op: &Op) -> Flow {
    let count = op.e & 0xff;
    let size = size_of::<E::Mem>() as u32;
    let request = Request {
        space: space(op.e),
        size: size * count,
        what: What::Read,
    };
    let mut at: Pointers = [0; LANES];
    // SAFETY: the registers are of this element's width; the addresses have been checked.
    unsafe {
        let resolve = warp.worker().resolve;
        if !resolve(warp, op, request, &mut at) {
            return Flow::Stop;
        }
        let mask = warp.mask();
        for (k, register) in [op.d, op.d2, op.b, op.c][..count as usize]
            .iter()
            .enumerate()
        {
            if *register == u32::MAX {
                continue;
            }
            let to = &mut *warp.reg::<[E::Reg; LANES]>(*register);
            let skip = k * size_of::<E::Mem>();
            if mask == ALL {
                for i in 0..LANES {
                    to[i] = E::widen(*((at[i] as usize + skip) as *const E::Mem));
                }
            } else {
                for lane in super::control::lanes(mask) {
                    to[lane] = E::widen(*((at[lane] as usize + skip) as *const E::Mem));
                }
            }
        }
    }
    Flow::Next
}

struct Store<E>(PhantomData<E>);
impl<E: Elem> Exec for Store<E> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        // SAFETY: as for loads.
        unsafe {
            if let Some(to) = consecutive::<E>(warp, op) {
                copy_out::<E>(warp.reg(op.d), to);
                return Flow::Next;
            }
            store_any::<E>(warp, op)
        }
    }
}

/// A register to 32 elements side by side.
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

/// To shared memory, one element or several. Of lanes that name one address the highest wins.
struct StoreShared<E>(PhantomData<E>);
impl<E: Elem> Exec for StoreShared<E> {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        let each = size_of::<E::Mem>();
        let count = op.e & 0xff;
        // SAFETY: as for loads.
        unsafe {
            let size = each as u32 * count;
            let Some((low, pattern)) = pattern::find(warp, op, size, false) else {
                return store_any::<E>(warp, op);
            };
            if count == 1 && pattern.shape == Shape::Row {
                copy_out::<E>(warp.reg(op.d), low);
                return Flow::Next;
            }
            let registers = [op.d, op.d2, op.b, op.c];
            for (k, &register) in registers[..count as usize & 7].iter().enumerate() {
                let from = &*warp.reg::<[E::Reg; LANES]>(register);
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

/// Any addresses, any number of elements. Of lanes that name one address the highest wins.
#[inline(never)]
unsafe fn store_any<E: Elem>(warp: &mut Warp, op: &Op) -> Flow {
    let count = op.e & 0xff;
    let size = size_of::<E::Mem>() as u32;
    let request = Request {
        space: space(op.e),
        size: size * count,
        what: What::Write,
    };
    let mut at: Pointers = [0; LANES];
    // SAFETY: as for loads.
    unsafe {
        let resolve = warp.worker().resolve;
        if !resolve(warp, op, request, &mut at) {
            return Flow::Stop;
        }
        let mask = warp.mask();
        for (k, register) in [op.d, op.d2, op.b, op.c][..count as usize]
            .iter()
            .enumerate()
        {
            let from = &*warp.reg::<[E::Reg; LANES]>(*register);
            let skip = k * size_of::<E::Mem>();
            if warp.checking && k == 0 {
                let mut values = [0u64; LANES];
                for lane in super::control::lanes(mask) {
                    let value = E::narrow(from[lane]);
                    (&raw const value)
                        .cast::<u8>()
                        .copy_to((&raw mut values[lane]).cast(), size_of::<E::Mem>());
                }
                warp.check_store(op, request, &at, &values);
            }
            for lane in super::control::lanes(mask) {
                *((at[lane] as usize + skip) as *mut E::Mem) = E::narrow(from[lane]);
            }
        }
    }
    Flow::Next
}

fn load_for<E: Elem>(isa: Isa, space: Space, many: bool) -> Handler {
    match space {
        Space::Local => load_any::<E>,
        Space::Shared => handler::<LoadShared<E>>(isa),
        _ if many => load_any::<E>,
        _ => handler::<Load<E>>(isa),
    }
}

fn store_for<E: Elem>(isa: Isa, space: Space, many: bool) -> Handler {
    match space {
        Space::Local => store_any::<E>,
        Space::Shared => handler::<StoreShared<E>>(isa),
        _ if many => store_any::<E>,
        _ => handler::<Store<E>>(isa),
    }
}

macro_rules! by_widths {
    ($of:ident, $isa:expr, $space:expr, $many:expr, $key:expr; $($pattern:pat => $elem:ident),* $(,)?) => {
        match $key {
            $($pattern => Some($of::<$elem>($isa, $space, $many)),)*
            _ => None,
        }
    };
}

/// The handler that loads elements of `mem` bytes into registers of `reg` bytes a lane, extended by sign if `signed`.
pub(crate) fn load(
    isa: Isa,
    space: Space,
    mem: u32,
    reg: u32,
    signed: bool,
    many: bool,
) -> Option<Handler> {
    by_widths!(load_for, isa, space, many, (mem, reg, signed);
        (1, 2, false) => U8R16, (1, 2, true) => S8R16, (1, 4, false) => U8R32, (1, 4, true) => S8R32,
        (1, 8, false) => U8R64, (1, 8, true) => S8R64, (2, 2, _) => U16R16, (2, 4, false) => U16R32,
        (2, 4, true) => S16R32, (2, 8, false) => U16R64, (2, 8, true) => S16R64, (4, 4, _) => U32R32,
        (4, 8, false) => U32R64, (4, 8, true) => S32R64, (8, 8, _) => U64R64,
    )
}

/// The handler that stores elements of `mem` bytes from registers of `reg` bytes a lane.
pub(crate) fn store(isa: Isa, space: Space, mem: u32, reg: u32, many: bool) -> Option<Handler> {
    by_widths!(store_for, isa, space, many, (mem, reg);
        (1, 2) => U8R16, (1, 4) => U8R32, (1, 8) => U8R64, (2, 2) => U16R16, (2, 4) => U16R32,
        (2, 8) => U16R64, (4, 4) => U32R32, (4, 8) => U32R64, (8, 8) => U64R64,
    )
}
