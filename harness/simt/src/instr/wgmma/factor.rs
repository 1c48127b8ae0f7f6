//! The factors of a product: A from registers or from shared memory, B from shared memory.

use super::descriptor::{Descriptor, PIECE};
use super::form::{COLUMNS, Element, ROWS, WgmmaForm};
use super::scratch::{Deep, Scratch, TOGETHER};
use crate::engine::memory::own::SharedPieces;
use crate::engine::traffic::request::{Request, Wrong};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, FindingKind, Space};
use crate::instr::operands::Register;
use crate::lane::LANES;

/// The number of pieces of a factor: two per row or column, and twice that for B if A is sparse.
const PIECES: usize = 4 * COLUMNS;

/// Registers of A, if it is in registers.
pub(super) const REGISTERS: usize = 4;

/// Reads the rows of A that a warp has from its registers.
///
/// # Safety
/// The registers are four 32-bit registers of the program that the warp runs.
#[inline(always)]
pub(super) unsafe fn from_registers(warp: &Warp, form: &WgmmaForm, registers: &[u32], scratch: &mut Scratch) {
    let element = form.factors[0];
    let each = 4 / element.unit();
    for (at, &register) in registers.iter().enumerate() {
        // SAFETY: the caller's contract.
        let values = unsafe { &*Register::<u32>::at(register).lanes(warp) };
        for (lane, value) in values.iter().enumerate() {
            let row = &mut scratch.a[lane / 4 + 8 * (at % 2)];
            for sub in 0..each {
                let bits = value >> (8 * element.unit() * sub);
                row[lane % 4 * each + sub + 4 * each * (at / 2)] = widened(element, bits);
            }
        }
    }
}

/// Widens an element in the low bits of a word for the sums.
#[inline(always)]
fn widened(element: Element, bits: u32) -> u32 {
    match element {
        Element::F16 | Element::Bf16 => bits & 0xffff,
        Element::Tf32 => bits >> 13,
        Element::E4m3 | Element::E5m2 | Element::U8 => bits & 0xff,
        Element::S8 => bits as i8 as u32,
        Element::B1 => bits,
    }
}

/// Reads the rows of A that belong to the warp of this rank from shared memory.
///
/// # Errors
/// The kernel stops if the matrix is not inside shared memory.
#[inline(always)]
pub(super) fn a(warp: &mut Warp, op: &Op, form: &WgmmaForm, bits: u64, scratch: &mut Scratch) -> Result<(), Flow> {
    let first = ROWS as u64 * u64::from(warp.index % 4);
    let (descriptor, transposed) = (Descriptor::new(bits), form.transposed[0]);
    let matrix = Matrix { descriptor, transposed, first, count: ROWS, pieces: 2 };
    let a = &mut scratch.a;
    matrix.read(warp, op, form.factors[0], |row, depth, bits| a[row][depth] = bits)
}

/// Reads B from shared memory.
///
/// # Errors
/// As for [`a`].
#[inline(always)]
pub(super) fn b(warp: &mut Warp, op: &Op, form: &WgmmaForm, bits: u64, b: &mut [Deep<u32>]) -> Result<(), Flow> {
    let count = form.columns();
    let (descriptor, transposed) = (Descriptor::new(bits), form.transposed[1]);
    let pieces = if form.kept.is_some() { 4 } else { 2 };
    let matrix = Matrix { descriptor, transposed, first: 0, count, pieces };
    matrix.read(warp, op, form.factors[1], |column, depth, bits| {
        b[column / TOGETHER][depth][column % TOGETHER] = bits;
    })
}

/// A factor, or rows of it, in shared memory.
struct Matrix {
    descriptor: Descriptor,
    /// Whether it is MN-major.
    transposed: bool,
    /// The first row (of B: column) to read.
    first: u64,
    /// The number of rows to read.
    count: usize,
    /// Pieces of the depth in each of them.
    pieces: usize,
}

impl Matrix {
    /// Reads the elements: `put` gets the row (of B: column) counted from the first one, the position in the depth, and
    /// the bits.
    #[inline(always)]
    fn read(
        &self,
        warp: &mut Warp,
        op: &Op,
        element: Element,
        mut put: impl FnMut(usize, usize, u32),
    ) -> Result<(), Flow> {
        let mut places = [0u64; PIECES];
        let places = &mut places[..self.pieces * self.count];
        // Eight numbers of a row, or one for each of eight rows.
        let (pieces, depth) = (self.pieces as u64, 8 * self.pieces as u64);
        if self.transposed {
            for (at, place) in places.iter_mut().enumerate() {
                *place = self.descriptor.across(self.first / 8 + at as u64 / depth, at as u64 % depth);
            }
        } else {
            for (at, place) in places.iter_mut().enumerate() {
                *place = self.descriptor.along(self.first + at as u64 / pieces, at as u64 % pieces);
            }
        }
        let read = warp.reads_pieces(op, places)?;
        if self.transposed {
            for at in 0..places.len() {
                for (i, bits) in read.read(at).as_chunks::<2>().0.iter().enumerate() {
                    put(at / depth as usize * 8 + i, at % depth as usize, u16::from_le_bytes(*bits).into());
                }
            }
            return Ok(());
        }
        for at in 0..places.len() {
            let (bytes, row, from) = (read.read(at), at / self.pieces, at % self.pieces * PIECE as usize);
            match element.unit() {
                1 => {
                    for (i, &bits) in bytes.iter().enumerate() {
                        put(row, from + i, widened(element, bits.into()));
                    }
                }
                2 => {
                    for (i, bits) in bytes.as_chunks::<2>().0.iter().enumerate() {
                        put(row, from / 2 + i, u16::from_le_bytes(*bits).into());
                    }
                }
                _ => {
                    for (i, bits) in bytes.as_chunks::<4>().0.iter().enumerate() {
                        put(row, from / 4 + i, widened(element, u32::from_le_bytes(*bits)));
                    }
                }
            }
        }
        Ok(())
    }
}

impl Warp<'_> {
    /// Prepares a read of pieces of shared memory: verifies that they are in bounds, and reports the read to the
    /// checks.
    fn reads_pieces<'p>(&mut self, op: &Op, places: &'p [u64]) -> Result<SharedPieces<'p, { PIECE as usize }>, Flow> {
        let request = Request { space: Space::Shared, size: PIECE as u32, what: AccessKind::Read };
        let pieces = match self.shared_pieces(places) {
            Ok(pieces) => pieces,
            Err(address) => {
                let wrong =
                    Wrong { kind: FindingKind::OutOfBounds { space: Space::Shared }, space: Space::Shared, address };
                let lane = self.mask().trailing_zeros() as usize & 31;
                return Err(self.access_fault(op, lane, request, wrong));
            }
        };
        if self.checking {
            self.reads_through_async_proxy(op, places);
            let mask = self.mask();
            for places in places.chunks(LANES) {
                let mut address = [0; LANES];
                address[..places.len()].copy_from_slice(places);
                self.set_mask(u32::MAX >> (LANES - places.len()));
                self.check(op, request, Space::Shared, &address);
            }
            self.set_mask(mask);
        }
        Ok(pieces)
    }
}
