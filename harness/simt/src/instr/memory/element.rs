//! The elements that loads and stores move, and fast paths to locate them.

use crate::checks::Layout;
use crate::engine::memory::own::LocalRows;
use crate::engine::traffic::counts::count_sectors;
use crate::engine::traffic::request::Request;
use crate::engine::traffic::sectors::sectors_of_two;
use crate::engine::warp::Warp;
use crate::engine::warp::program::Op;
use crate::finding::{AccessKind, Space};
use crate::instr::operands::{Address, Bytes, Number};
use crate::lane::{ALL, LANES};
use crate::memory::fetch_ahead;

/// Lanes of half a warp.
pub(super) const HALF: usize = LANES / 2;

/// The number of elements of a load or store, and their space.
#[derive(Clone, Copy)]
pub(crate) struct Elements {
    /// The number of elements: 1, 2 or 4.
    pub count: u32,
    /// The space that the instruction names.
    pub space: Space,
}

impl Number for Elements {
    #[inline(always)]
    fn code(self) -> u64 {
        u64::from(self.count) | (self.space.code() << 8)
    }
    #[inline(always)]
    fn from_code(code: u64) -> Elements {
        Elements { count: code as u32 & 0xff, space: Space::from_code(code >> 8) }
    }
}

/// The representation of an element in memory and in a register.
pub(super) trait Elem {
    /// Its type in memory.
    type Mem: Copy;
    /// Its type in a lane of a register.
    type Reg: Bytes;
    /// Converts from memory to a register.
    fn widen(value: Self::Mem) -> Self::Reg;
    /// Converts from a register to memory.
    fn narrow(value: Self::Reg) -> Self::Mem;
}

macro_rules! elems {
    ($($name:ident $mem:ty, $via:ty, $reg:ty;)*) => {$(
        pub(super) struct $name;
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
// Columns: name, type in memory, type by which it is extended, type in the register.
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

/// Whether lane `i` has the address `first + i * step`, for all lanes in `address`, of which there are 16 or 32.
/// Written explicitly for the host's vectors, because the compiler vectorizes the loop only by chance.
///
/// # Safety
/// The processor supports what `W` requires.
#[inline(always)]
unsafe fn ascend<const W: u8>(address: &[u64], first: u64, step: u64) -> bool {
    #[cfg(target_arch = "x86_64")]
    if W == 4 {
        use std::arch::x86_64::*;
        // SAFETY: the caller's contract; eight lanes are read at a time.
        unsafe {
            let offsets: [u64; 8] = std::array::from_fn(|i| i as u64 * step);
            let offsets = _mm512_loadu_si512(offsets.as_ptr().cast());
            let mut expected = _mm512_add_epi64(_mm512_set1_epi64(first as i64), offsets);
            let mut differ = 0;
            for part in address.chunks_exact(8) {
                let part = _mm512_loadu_si512(part.as_ptr().cast());
                differ |= _mm512_cmpneq_epi64_mask(part, expected);
                expected = _mm512_add_epi64(expected, _mm512_set1_epi64(8 * step as i64));
            }
            return differ == 0;
        }
    }
    #[cfg(target_arch = "x86_64")]
    if W == 3 {
        use std::arch::x86_64::*;
        // SAFETY: the caller's contract; four lanes are read at a time.
        unsafe {
            let offsets: [u64; 4] = std::array::from_fn(|i| i as u64 * step);
            let offsets = _mm256_loadu_si256(offsets.as_ptr().cast());
            let mut expected = _mm256_add_epi64(_mm256_set1_epi64x(first as i64), offsets);
            let mut differ = _mm256_setzero_si256();
            for part in address.chunks_exact(4) {
                let part = _mm256_loadu_si256(part.as_ptr().cast());
                differ = _mm256_or_si256(differ, _mm256_xor_si256(part, expected));
                expected = _mm256_add_epi64(expected, _mm256_set1_epi64x(4 * step as i64));
            }
            return _mm256_testz_si256(differ, differ) != 0;
        }
    }
    let mut differ = 0;
    for (i, address) in address.iter().enumerate() {
        differ |= address.wrapping_sub(first) ^ (i as u64 * step);
    }
    differ == 0
}

/// Returns the host's address of the first lane's element, if all lanes run and their elements are contiguous. Counts
/// the request.
///
/// # Safety
/// The address was unpacked from `op`, an instruction of the program that the warp runs; the processor supports what
/// `W` requires.
#[inline(always)]
pub(super) unsafe fn consecutive<E: Elem, const W: u8>(warp: &mut Warp, op: &Op, address: Address) -> Option<*mut u8> {
    let size = size_of::<E::Mem>() as u64;
    if warp.mask() != ALL {
        return None;
    }
    // SAFETY: the register was unpacked from this instruction; every instruction has a site.
    let (addr, site) = unsafe { (&*address.base.lanes(warp), &mut *warp.sites.add(op.site as usize)) };
    let first = addr[0];
    let base = first.wrapping_add(address.offset);
    let bytes = size * LANES as u64;
    // SAFETY: the caller's contract.
    if !unsafe { ascend::<W>(addr, first, size) } || base & (size - 1) != 0 {
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

/// Returns the host's address of the element, if all lanes run and name the same one. Counts the request.
///
/// # Safety
/// As for [`consecutive`].
#[inline(always)]
pub(super) unsafe fn uniform<E: Elem, const W: u8>(warp: &mut Warp, op: &Op, address: Address) -> Option<*mut u8> {
    let size = size_of::<E::Mem>() as u64;
    if warp.mask() != ALL {
        return None;
    }
    // SAFETY: as in `consecutive`.
    let (addr, site) = unsafe { (&*address.base.lanes(warp), &mut *warp.sites.add(op.site as usize)) };
    let base = addr[0].wrapping_add(address.offset);
    // SAFETY: the caller's contract.
    if !unsafe { ascend::<W>(addr, addr[0], 0) } || base & (size - 1) != 0 {
        return None;
    }
    let offset = base.wrapping_sub(site.start);
    if offset >= site.len || site.len - offset < size {
        return None;
    }
    count_sectors(site, ALL, 1, size);
    Some(base.wrapping_add(site.delta) as *mut u8)
}

/// Returns the host's addresses of the elements of the first lane and of the lane in the middle, if all lanes run and
/// the elements of each half of the warp are contiguous, as in two rows of a tile. Counts the request.
///
/// # Safety
/// As for [`consecutive`].
#[inline(always)]
pub(super) unsafe fn halves<E: Elem, const W: u8>(warp: &mut Warp, op: &Op, address: Address) -> Option<[*mut u8; 2]> {
    let size = size_of::<E::Mem>() as u64;
    if warp.mask() != ALL {
        return None;
    }
    // SAFETY: as in `consecutive`.
    let (addr, site) = unsafe { (&*address.base.lanes(warp), &mut *warp.sites.add(op.site as usize)) };
    let (one, two) = addr.split_at(HALF);
    let base = [one[0], two[0]].map(|first| first.wrapping_add(address.offset));
    // SAFETY: the caller's contract.
    let ascends = unsafe { ascend::<W>(one, one[0], size) && ascend::<W>(two, two[0], size) };
    if !ascends || (base[0] | base[1]) & (size - 1) != 0 {
        return None;
    }
    let bytes = size * HALF as u64;
    let inside = |base: u64| {
        let offset = base.wrapping_sub(site.start);
        offset < site.len && site.len - offset >= bytes
    };
    if !inside(base[0]) || !inside(base[1]) {
        return None;
    }
    count_sectors(site, ALL, sectors_of_two(base, bytes), size);
    Some(base.map(|base| base.wrapping_add(site.delta) as *mut u8))
}

/// Returns the lanes' elements in local memory, `size` bytes a lane, if all lanes run and access the same offset, as in
/// most accesses to local arrays. Counts the request.
///
/// # Safety
/// As for [`consecutive`].
#[inline(always)]
pub(super) unsafe fn own<const W: u8>(warp: &mut Warp, op: &Op, address: Address, size: u32) -> Option<LocalRows> {
    if warp.mask() != ALL {
        return None;
    }
    // SAFETY: as in `consecutive`.
    let addr = unsafe { &*address.base.lanes(warp) };
    let offset = addr[0].wrapping_add(address.offset);
    let bytes = u64::from(size);
    // SAFETY: the caller's contract.
    let same = unsafe { ascend::<W>(addr, addr[0], 0) };
    if !same || offset & (bytes - 1) != 0 {
        return None;
    }
    let rows = warp.local_rows(offset, bytes)?;
    if warp.counting {
        // Interleaved by words, 32 lanes take four sectors for each word.
        let sectors = 4 * size.div_ceil(4);
        // SAFETY: every instruction has a site.
        count_sectors(unsafe { &mut *warp.sites.add(op.site as usize) }, ALL, sectors, bytes);
    }
    Some(rows)
}

/// Passes an access to the checks, if they need every address. It is known to lie inside `space`.
///
/// # Safety
/// `op` is a memory instruction of the program that the warp runs.
#[inline(always)]
pub(super) unsafe fn look<E: Elem>(
    warp: &mut Warp,
    op: &Op,
    count: u32,
    space: Space,
    what: AccessKind,
    layout: Option<&Layout>,
) {
    if warp.checking {
        let size = size_of::<E::Mem>() as u32 * count;
        // SAFETY: this is a memory instruction.
        unsafe { warp.check_addresses(op, Request { space, size, what }, layout) };
    }
}

/// Passes to the checks an access to global memory by all lanes, whose elements are contiguous, at the host address
/// `host`.
///
/// # Safety
/// As for [`look`].
#[inline(always)]
pub(super) unsafe fn look_along<E: Elem>(warp: &mut Warp, op: &Op, what: AccessKind, host: *const u8) {
    if warp.checking {
        // The data can be prefetched while the checks run.
        fetch_ahead(host as u64);
        let (base, offset) = op.address();
        // SAFETY: this is a memory instruction.
        unsafe {
            let first = (&*warp.reg::<[u64; LANES]>(base))[0].wrapping_add(offset);
            let layout = Layout::in_a_row(first, size_of::<E::Mem>() as u32);
            look::<E>(warp, op, 1, Space::Global, what, Some(&layout));
        }
    }
}

/// Passes to the checks an access to global memory by all lanes, in which the elements of each half of the warp are
/// contiguous, at the host addresses `host`.
///
/// # Safety
/// As for [`look`].
#[inline(always)]
pub(super) unsafe fn look_halves<E: Elem>(warp: &mut Warp, op: &Op, what: AccessKind, host: [*mut u8; 2]) {
    if warp.checking {
        fetch_ahead(host[0] as u64);
        fetch_ahead(host[1] as u64);
        let (base, offset) = op.address();
        // SAFETY: this is a memory instruction.
        unsafe {
            let address = &*warp.reg::<[u64; LANES]>(base);
            let first = [address[0], address[HALF]].map(|first| first.wrapping_add(offset));
            let layout = Layout::in_two_rows(first, size_of::<E::Mem>() as u32);
            look::<E>(warp, op, 1, Space::Global, what, Some(&layout));
        }
    }
}

macro_rules! by_widths {
    ($of:ident, $vectors:expr, $space:expr, $many:expr, $key:expr; $($pattern:pat => $elem:ident),* $(,)?) => {
        match $key {
            $($pattern => Some($of::<$elem>($vectors, $space, $many)),)*
            _ => None,
        }
    };
}
pub(super) use by_widths;
