//! Matrix instructions: `mma` and `wmma` on whole warps, `ldmatrix` and its kin.

use super::access::{Pointers, Request, count_sectors, sectors, space_of};
use super::banks::bank_conflicts;
use super::control::lanes;
use super::fragment::{Element, Number, Part, Shape, dot};
use super::{Flow, Warp};
use crate::finding::{Space, What};
use crate::isa::soft::{self, Round};
use crate::lane::LANES;
use crate::program::Op;

/// What an `mma` or a tile's load is, packed into 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// Code of the shape.
    pub shape: u32,
    /// Types of A, B, C and D; of a load or store, the first is the fragment's.
    pub types: [Element; 4],
    /// `wmma`: fragments as it lays them out.
    pub whole_tile: bool,
    /// Sums of integers stop at the ends of the range.
    pub saturates: bool,
}

impl Form {
    /// As an operand.
    pub fn pack(self) -> u32 {
        let types = self.types.iter().rev();
        let types = types.fold(0, |code, element| (code << 4) | *element as u32);
        self.shape
            | (types << 4)
            | (u32::from(self.whole_tile) << 20)
            | (u32::from(self.saturates) << 21)
    }

    fn unpack(code: u32) -> Form {
        Form {
            shape: code & 15,
            types: [4, 8, 12, 16].map(|at| Element::from_code(code >> at)),
            whole_tile: code & (1 << 20) != 0,
            saturates: code & (1 << 21) != 0,
        }
    }

    /// Registers of the D, A, B and C fragments, the order in which they stand.
    pub fn registers(self) -> [usize; 4] {
        let shape = Shape::from_code(self.shape);
        let [a, b, c, d] = self.types;
        let count = |part, element| shape.registers(part, element, self.whole_tile);
        [
            count(Part::C, d),
            count(Part::A, a),
            count(Part::B, b),
            count(Part::C, c),
        ]
    }
}

/// The most registers that an instruction names.
const MOST: usize = 40;
/// The most rows, columns or depth of a tile.
const SIDE: usize = 32;
/// The bits of a tile's elements, by row and column.
type Tile = [[u64; SIDE]; SIDE];
const EMPTY: Tile = [[0; SIDE]; SIDE];

/// `mma`: registers of D, A, B, C in the program's lists from `imm`; what it is in `b`, a [`Form`].
pub(crate) unsafe fn multiply(warp: &mut Warp, op: &Op) -> Flow {
    let form = Form::unpack(op.b);
    let shape = Shape::from_code(form.shape);
    let [nd, na, nb, nc] = form.registers();
    let mut list = [0u32; MOST];
    let start = op.imm as usize;
    let count = nd + na + nb + nc;
    list[..count].copy_from_slice(&warp.program().lists[start..start + count]);
    let [ta, tb, tc, td] = form.types;
    let (mut a, mut b, mut c) = (EMPTY, EMPTY, EMPTY);
    let parts = [
        (Part::A, ta, nd, na),
        (Part::B, tb, nd + na, nb),
        (Part::C, tc, nd + na + nb, nc),
    ];
    for (tile, (part, element, first, count)) in [&mut a, &mut b, &mut c].into_iter().zip(parts) {
        // What a fragment holds twice counts once.
        for register in 0..count.min(shape.distinct(part, element)) {
            // SAFETY: the lowering puts registers of the elements' size into the list.
            let values = unsafe { warp.wide(list[first + register], element) };
            for (lane, value) in values.iter().enumerate() {
                for sub in 0..element.per_register() {
                    let (row, column) = shape.place(part, element, register, sub, lane);
                    let mask = u64::MAX >> (64 - element.bits());
                    tile[row][column] = (value >> (sub as u32 * element.bits())) & mask;
                }
            }
        }
    }
    let mut d = EMPTY;
    if td == Element::S32 {
        whole_numbers(&form, &a, &b, &c, &mut d);
    } else if td == Element::F64 {
        for row in 0..shape.m {
            for column in 0..shape.n {
                let sum = (0..shape.k).fold(f64::from_bits(c[row][column]), |sum, k| {
                    f64::from_bits(a[row][k]).mul_add(f64::from_bits(b[k][column]), sum)
                });
                d[row][column] = sum.to_bits();
            }
        }
    } else {
        let take =
            |tile: &Tile, element| tile.map(|row| row.map(|bits| Number::new(element, bits)));
        let (a, b, c) = (take(&a, ta), take(&b, tb), take(&c, tc));
        for row in 0..shape.m {
            for column in 0..shape.n {
                let pairs = |from: usize, to: usize| (from..to).map(|k| (a[row][k], b[k][column]));
                // The tile on tf32 is done in two steps.
                let (mut first, mut sum) = (0, c[row][column]);
                if form.whole_tile && ta == Element::Tf32 {
                    first = shape.k / 2;
                    sum = Number::new(td, dot(&pairs(0, first), sum, td));
                }
                let pairs = pairs(first, shape.k);
                // From f32 to f16 there is no sum of its own: it is one to f32, and a conversion.
                d[row][column] = if tc == Element::F32 && td == Element::F16 {
                    let sum = dot(&pairs, sum, tc);
                    soft::convert(soft::F32, soft::F16, Round::Nearest, sum).unwrap_or(0x7fff)
                } else {
                    dot(&pairs, sum, td)
                };
            }
        }
    }
    let mask = warp.mask();
    for register in 0..nd {
        for lane in lanes(mask) {
            let value = (0..td.per_register()).fold(0, |value, sub| {
                let (row, column) = shape.place(Part::C, td, register, sub, lane);
                value | (d[row][column] << (sub as u32 * td.bits()))
            });
            // SAFETY: as above.
            unsafe { warp.set_wide(list[register], td, lane, value) };
        }
    }
    Flow::Next
}

/// Integer products.
fn whole_numbers(form: &Form, a: &Tile, b: &Tile, c: &Tile, d: &mut Tile) {
    let shape = Shape::from_code(form.shape);
    let value = |element: Element, bits: u64| match element {
        Element::S8 => i64::from(bits as i8),
        _ => i64::from(bits as u8),
    };
    for row in 0..shape.m {
        for column in 0..shape.n {
            let products = (0..shape.k)
                .map(|k| value(form.types[0], a[row][k]) * value(form.types[1], b[k][column]));
            let sum = products.sum::<i64>() + i64::from(c[row][column] as i32);
            let sum = if form.saturates {
                sum.clamp(i32::MIN.into(), i32::MAX.into())
            } else {
                sum
            };
            d[row][column] = u64::from(sum as u32);
        }
    }
}

impl Warp {
    /// A fragment's register.
    unsafe fn wide(&mut self, at: u32, element: Element) -> [u64; LANES] {
        // SAFETY: the caller's register has the element's register size.
        unsafe {
            if element.register() == 8 {
                *self.reg::<[u64; LANES]>(at)
            } else {
                (*self.reg::<[u32; LANES]>(at)).map(u64::from)
            }
        }
    }

    unsafe fn set_wide(&mut self, at: u32, element: Element, lane: usize, value: u64) {
        // SAFETY: as above.
        unsafe {
            if element.register() == 8 {
                (*self.reg::<[u64; LANES]>(at))[lane] = value;
            } else {
                (*self.reg::<[u32; LANES]>(at))[lane] = value as u32;
            }
        }
    }
}

/// Bits of `e` of [`tile`] beside the fragment's part (the lowest two).
pub(crate) mod how {
    /// Columns lie one after another.
    pub const COLUMNS: u32 = 1 << 2;
    /// A store.
    pub const STORE: u32 = 1 << 3;
    /// From here on the space, as loads have it.
    pub const SPACE: u32 = 8;
}

/// `wmma.load` and `wmma.store`: the tile's address in `a`, elements from one row (or column) to the next in `c` (32 bits), what it
/// is in `b`, a [`Form`], and in `e`, of [`how`]; the fragment's registers in the program's lists from `imm`.
pub(crate) unsafe fn tile(warp: &mut Warp, op: &Op) -> Flow {
    let form = Form::unpack(op.b);
    let shape = Shape::from_code(form.shape);
    let element = form.types[0];
    let part = [Part::A, Part::B, Part::C][op.e as usize & 3];
    let store = op.e & how::STORE != 0;
    let request = Request {
        space: super::load_store::space(op.e >> how::SPACE),
        size: element.bits() / 8,
        what: if store { What::Write } else { What::Read },
    };
    if warp.counting {
        // SAFETY: as below.
        unsafe { warp.count_tile(op, &form, part, request) };
    }
    let mask = warp.mask();
    // SAFETY: the lowering gives registers of these sizes; addresses are checked before they are used.
    unsafe {
        let base = *warp.reg::<[u64; LANES]>(op.a);
        let stride = *warp.reg::<[u32; LANES]>(op.c);
        for register in 0..shape.registers(part, element, form.whole_tile) {
            let at = warp.program().lists[op.imm as usize + register];
            let values = warp.wide(at, element);
            let mut loaded = [0u64; LANES];
            for sub in 0..element.per_register() {
                let mut address = [0u64; LANES];
                for lane in lanes(mask) {
                    let (row, column) = shape.place(part, element, register, sub, lane);
                    let (far, near) = if op.e & how::COLUMNS != 0 {
                        (column, row)
                    } else {
                        (row, column)
                    };
                    let index = u64::from(stride[lane]) * far as u64 + near as u64;
                    let bytes = u64::from(request.size);
                    address[lane] = base[lane].wrapping_add(index.wrapping_mul(bytes));
                    let to = match warp.resolve_lane(lane, address[lane], request) {
                        Ok(to) => to,
                        Err(wrong) => return warp.access_fault(op, lane, request, wrong),
                    };
                    let shift = sub as u32 * element.bits();
                    if store {
                        let value = (values[lane] >> shift).to_le_bytes();
                        to.copy_from_nonoverlapping(value.as_ptr(), bytes as usize);
                    } else {
                        let mut value = [0u8; 8];
                        value
                            .as_mut_ptr()
                            .copy_from_nonoverlapping(to, bytes as usize);
                        loaded[lane] |= u64::from_le_bytes(value) << shift;
                    }
                }
                warp.check_tile(op, request, &address);
            }
            if !store {
                for lane in lanes(mask) {
                    warp.set_wide(at, element, lane, loaded[lane]);
                }
            }
        }
    }
    Flow::Next
}

impl Warp {
    /// Counts the accesses of a tile's load or store: those that a compiler makes of it, see [`Shape::accesses`].
    ///
    /// # Safety
    /// `op` is one of [`tile`].
    unsafe fn count_tile(&mut self, op: &Op, form: &Form, part: Part, request: Request) {
        let (shape, element) = (Shape::from_code(form.shape), form.types[0]);
        let columns = op.e & how::COLUMNS != 0;
        let mask = self.mask();
        // SAFETY: the caller's contract.
        let (base, stride) = unsafe {
            (
                *self.reg::<[u64; LANES]>(op.a),
                *self.reg::<[u32; LANES]>(op.c),
            )
        };
        let generic = request.space == Space::Generic;
        let space = match request.space {
            Space::Generic => space_of(base[mask.trailing_zeros() as usize & 31]).0,
            space => space,
        };
        // Of a generic one, what lies in shared memory is counted at the instruction behind it.
        let at = op.site as usize + usize::from(generic && space == Space::Shared);
        // SAFETY: there is a site for every instruction, and the lowering puts one there.
        let site = unsafe { &mut *self.sites.add(at) };
        for ((register, sub), size) in shape.accesses(part, element, columns) {
            let mut address = [0u64; LANES];
            let (mut low, mut high) = (u64::MAX, 0);
            for lane in lanes(mask) {
                let (row, column) = shape.place(part, element, register, sub, lane);
                let (far, near) = if columns {
                    (column, row)
                } else {
                    (row, column)
                };
                let index = u64::from(stride[lane]) * far as u64 + near as u64;
                let bytes = u64::from(request.size);
                address[lane] = base[lane].wrapping_add(index.wrapping_mul(bytes));
                (low, high) = (low.min(address[lane]), high.max(address[lane]));
            }
            if space == Space::Shared {
                let (waves, ideal, ways) = bank_conflicts(&address, mask, size);
                site.requests += 1;
                site.lanes += u64::from(mask.count_ones());
                site.sectors += u64::from(waves);
                site.ideal += u64::from(ideal);
                site.extra = site.extra.max(u64::from(ways));
            } else {
                let end = high.saturating_add(size.into());
                let sectors = sectors(&address, mask, low, end);
                count_sectors(site, mask, sectors, size.into());
            }
        }
    }

    /// The rows of so many 8 x 8 matrices of halves in shared memory, of which each lane gives one: the host's addresses. Each
    /// matrix is a pass over the banks, and more where its rows share some.
    ///
    /// # Safety
    /// `op.a` is a 64-bit register of this warp.
    unsafe fn rows(&mut self, op: &Op, what: What, count: u32) -> Option<Pointers> {
        let request = Request {
            space: Space::Shared,
            size: 16,
            what,
        };
        let (mask, counting) = (self.mask(), self.counting);
        let resolve = self.worker().resolve;
        let mut at: Pointers = [0; LANES];
        self.set_mask(givers(count));
        self.counting = false;
        // SAFETY: the caller's contract.
        let fine = unsafe { resolve(self, op, request, &mut at) };
        self.counting = counting;
        self.set_mask(mask);
        if fine && counting {
            // SAFETY: there is a site for every instruction.
            let site = unsafe { &mut *self.sites.add(op.site as usize) };
            let start = self.shared as u64;
            let address = at.map(|at| at.wrapping_sub(start));
            for matrix in 0..count {
                let (waves, ideal, ways) = bank_conflicts(&address, 0xff << (8 * matrix), 16);
                site.sectors += u64::from(waves);
                site.ideal += u64::from(ideal);
                site.extra = site.extra.max(u64::from(ways));
            }
        }
        fine.then_some(at)
    }
}

/// Stands behind a tile's load or store with a generic address: see [`Warp::count_tile`].
pub(crate) unsafe fn counted(_: &mut Warp, _: &Op) -> Flow {
    Flow::Next
}

/// `stmatrix`: rows' addresses in `a` plus `imm`, matrices in `d`, `d2`, `b`, `c`; `e` as for [`load`].
pub(crate) unsafe fn store(warp: &mut Warp, op: &Op) -> Flow {
    let (count, transposed) = (op.e & 0xff, op.e >> 8 != 0);
    let mask = warp.mask();
    // SAFETY: registers of 32 bits; the rows' addresses are checked before they are written.
    unsafe {
        let Some(at) = warp.rows(op, What::Write, count) else {
            return Flow::Stop;
        };
        for (i, register) in [op.d, op.d2, op.b, op.c][..count as usize]
            .iter()
            .enumerate()
        {
            let from = *warp.reg::<[u32; LANES]>(*register);
            for lane in lanes(mask) {
                let (place, pair) = (lane / 4, lane % 4 * 2);
                for half in 0..2 {
                    let (row, column) = if transposed {
                        (pair + half, place)
                    } else {
                        (place, pair + half)
                    };
                    let to = (at[i * 8 + row] as *mut u16).add(column);
                    to.write((from[lane] >> (16 * half)) as u16);
                }
            }
        }
    }
    Flow::Next
}

/// `movmatrix`: the 8 x 8 matrix of halves in `a`, transposed, to `d`.
pub(crate) unsafe fn transpose(warp: &mut Warp, op: &Op) -> Flow {
    // SAFETY: registers of 32 bits.
    unsafe {
        let from = *warp.reg::<[u32; LANES]>(op.a);
        let half = |row: usize, column: usize| {
            (from[row * 4 + column / 2] >> (16 * (column % 2))) & 0xffff
        };
        let mask = warp.mask();
        for lane in lanes(mask) {
            let (place, pair) = (lane / 4, lane % 4 * 2);
            let value = half(pair, place) | (half(pair + 1, place) << 16);
            (*warp.reg::<[u32; LANES]>(op.d))[lane] = value;
        }
    }
    Flow::Next
}

/// Lanes that give rows of so many matrices.
fn givers(count: u32) -> u32 {
    if count == 4 {
        u32::MAX
    } else {
        (1 << (8 * count)) - 1
    }
}

/// `ldmatrix`: rows' addresses in `a` plus `imm`, matrices to `d`, `d2`, `b`, `c`: how many in the low byte of `e`, above it
/// whether they are transposed.
pub(crate) unsafe fn load(warp: &mut Warp, op: &Op) -> Flow {
    let (count, transposed) = (op.e & 0xff, op.e >> 8 != 0);
    let mask = warp.mask();
    // SAFETY: registers of 32 bits; the rows' addresses are checked before they are read.
    unsafe {
        let Some(at) = warp.rows(op, What::Read, count) else {
            return Flow::Stop;
        };
        for (i, register) in [op.d, op.d2, op.b, op.c][..count as usize]
            .iter()
            .enumerate()
        {
            let to = &mut *warp.reg::<[u32; LANES]>(*register);
            let half =
                |row: usize, column: usize| u32::from(*(at[i * 8 + row] as *const u16).add(column));
            for lane in lanes(mask) {
                let (place, pair) = (lane / 4, lane % 4 * 2);
                to[lane] = if transposed {
                    half(pair, place) | (half(pair + 1, place) << 16)
                } else {
                    half(place, pair) | (half(place, pair + 1) << 16)
                };
            }
        }
    }
    Flow::Next
}
