//! Executes copies of boxes of tensors. The machine copies immediately, as a device may.

use super::super::report::{Completion, reported};
use super::reach::described;
use super::{Copy, REDUCTIONS, TensorCopyForm};
use crate::engine::memory::span::PIECE;
use crate::engine::traffic::request::{Request, Wrong, home_of, offset_in};
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::finding::{AccessKind, FindingKind, Space, TensorMapMisuse};
use crate::instr::memory::{Combine, combination};
use crate::lane::lanes;
use crate::tensor::{BoxRow, Element, FILL_NAN, MOST_DIMENSIONS, Shape, ValidMap};

/// The alignment of a box in shared memory.
const ALIGNMENT: u32 = 128;

/// The longest row of a box: 256 elements of 8 bytes.
const LONGEST_ROW: usize = 2048;

/// A row in transit.
struct Buffer([u64; LONGEST_ROW / 8]);

impl Buffer {
    fn new() -> Buffer {
        Buffer([0; LONGEST_ROW / 8])
    }

    /// Returns the address of `bytes` bytes at `offset`. No valid map has a longer row.
    fn part(&mut self, offset: u64, bytes: u64) -> *mut u8 {
        let end = offset.checked_add(bytes);
        assert!(end.is_some_and(|end| end <= LONGEST_ROW as u64), "a row of a tensor is longer than its buffer");
        self.0.as_mut_ptr().cast::<u8>().wrapping_add(offset as usize)
    }
}

/// Executes a tensor copy.
pub(super) unsafe fn run(warp: &mut Warp, op: &Op) -> Flow {
    let Copy { shared, map, how, barrier, blocks, coordinates } = Copy::unpack(op);
    // SAFETY: the registers were unpacked from this instruction, and the list has as many as it names.
    let (shared, map, barrier, blocks) = unsafe {
        (
            *shared.lanes(warp),
            *map.lanes(warp),
            barrier.map(|barrier| *barrier.lanes(warp)),
            blocks.map(|blocks| *blocks.lanes(warp)),
        )
    };
    for lane in lanes(warp.mask()) {
        // SAFETY: as above.
        let number = |at: u32| unsafe { warp.listed(coordinates, at as usize)[lane] as i32 };
        let (mut at, mut offsets) = ([0; MOST_DIMENSIONS], [0; 3]);
        for d in 0..how.dimensions {
            at[d as usize] = number(d);
        }
        if how.offsets {
            for d in 0..how.dimensions - 2 {
                offsets[d as usize] = number(how.dimensions + d);
            }
        }
        let one = One { lane, at, offsets, how };
        let done = match barrier {
            Some(barrier) => {
                let ends = Ends { blocks: blocks.map(|blocks| blocks[lane]), to: shared[lane], barrier: barrier[lane] };
                one.load(warp, op, map[lane], &ends)
            }
            None => one.store(warp, op, map[lane], shared[lane]),
        };
        if let Err(flow) = done {
            return flow;
        }
    }
    warp.switch_point();
    Flow::Next
}

/// The destination of a load.
struct Ends {
    /// The blocks of the cluster that receive it, if it names any.
    blocks: Option<u16>,
    /// The address in each of them.
    to: u64,
    /// The mbarrier in each of them.
    barrier: u64,
}

impl Ends {
    /// Iterates over the address and the mbarrier of each block that receives it.
    fn all(&self) -> impl Iterator<Item = (u64, u64)> {
        let (named, to, barrier) = (self.blocks.is_some(), self.to, self.barrier);
        let mut rest = self.blocks.unwrap_or(1);
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let rank = rest.trailing_zeros();
            rest &= rest - 1;
            Some(if named { (offset_in(rank, to), offset_in(rank, barrier)) } else { (to, barrier) })
        })
    }
}

/// One copy by one lane.
struct One {
    lane: usize,
    at: [i32; MOST_DIMENSIONS],
    offsets: [i32; 3],
    how: TensorCopyForm,
}

/// A box in shared memory.
#[derive(Clone, Copy)]
struct Tile {
    /// Its offset in the shared memory of its block.
    start: u64,
    /// The host's address of the box.
    host: *mut u8,
}

impl Tile {
    /// Calls `act` with each piece of the row that begins `offset` bytes after the start: its offset in the row, and
    /// its host address.
    fn pieces(&self, map: &ValidMap, offset: u64, act: impl Fn(u64, *mut u8)) {
        let pattern = map.pattern().unwrap_or_default();
        for at in (0..map.row_bytes()).step_by(PIECE as usize) {
            let there = pattern.apply(self.start + offset + at) as i64 - self.start as i64;
            act(at, self.host.wrapping_offset(there as isize));
        }
    }
}

impl One {
    /// Returns the map, if it fits this copy.
    fn map(&self, warp: &mut Warp, op: &Op, address: u64) -> Result<ValidMap, Flow> {
        let map = warp.tensor_map(op, self.lane, address)?;
        let TensorCopyForm { dimensions, im2col, .. } = self.how;
        let misuse = if map.rank != dimensions {
            TensorMapMisuse::Rank { map: map.rank, asked: dimensions }
        } else if matches!(map.shape, Shape::Im2col { .. }) != im2col {
            TensorMapMisuse::Mode
        } else if !map.may_begin_at(self.at[0]) {
            TensorMapMisuse::Coordinate { at: self.at[0], bytes: map.element.bytes() }
        } else if let Some((at, [first, last])) = map.outside_corners(self.at) {
            TensorMapMisuse::Corners { at, first, last }
        } else {
            return match map.lacks() {
                Some(what) => Err(warp.lacking(op, self.lane, what)),
                None => Ok(map),
            };
        };
        let flow = warp.wrong_map(op, self.lane, address, misuse);
        warp.add_note(described(&map));
        Err(flow)
    }

    /// Returns the box in shared memory at this address, which must have room for all of it.
    fn tile(&self, warp: &mut Warp, op: &Op, address: u64, map: &ValidMap, what: AccessKind) -> Result<Tile, Flow> {
        let (_, start) = home_of(address);
        let bytes = map.tile_bytes();
        // A swizzle may move the last pieces past the end of a box that is not made of whole rows of 128 bytes.
        let last = (start + bytes) & !(u64::from(ALIGNMENT) - 1);
        let pattern = map.pattern().unwrap_or_default();
        let moved = (last..start + bytes).step_by(PIECE as usize).map(|at| pattern.apply(at) + u64::from(PIECE));
        let end = moved.max().unwrap_or(0).max(start + bytes);
        let wrong = if !address.is_multiple_of(ALIGNMENT.into()) {
            FindingKind::Misaligned { space: Space::Shared, required: ALIGNMENT }
        } else if end > warp.shared_len {
            FindingKind::OutOfBounds { space: Space::Shared }
        } else {
            let host = warp.span(op, self.lane, (Space::Shared, address), (end - start) as u32, what)?;
            if map.row_pitch() == map.row_bytes() {
                warp.check_span(op, self.lane, (Space::Shared, address), bytes as u32, what);
            } else {
                // The gaps between the rows are ignored.
                for row in (0..bytes).step_by(map.row_pitch() as usize) {
                    for at in (0..map.row_bytes()).step_by(PIECE as usize) {
                        let place = address - start + pattern.apply(start + row + at);
                        warp.check_span(op, self.lane, (Space::Shared, place), PIECE, what);
                    }
                }
            }
            return Ok(Tile { start, host });
        };
        let request = Request { space: Space::Shared, size: bytes.min(u32::MAX.into()) as u32, what };
        let wrong = Wrong { kind: wrong, space: Space::Shared, address: start };
        let flow = warp.access_fault(op, self.lane, request, wrong);
        warp.add_note(described(map));
        Err(flow)
    }

    /// Returns the host's address of a row in global memory.
    fn global(&self, warp: &mut Warp, op: &Op, row: BoxRow, map: &ValidMap, what: AccessKind) -> Result<*mut u8, Flow> {
        let bytes = row.inside as u32;
        match warp.run_of(op, self.lane, row.address, bytes, what) {
            Ok(host) => {
                warp.check_run(op, self.lane, row.address, bytes, what);
                Ok(host)
            }
            Err(flow) => {
                warp.add_note(described(map));
                Err(flow)
            }
        }
    }

    /// Copies a box from global to shared memory.
    fn load(&self, warp: &mut Warp, op: &Op, address: u64, ends: &Ends) -> Result<(), Flow> {
        let map = self.map(warp, op, address)?;
        let mut tiles = Vec::new();
        for (to, _) in ends.all() {
            tiles.push(self.tile(warp, op, to, &map, AccessKind::Write)?);
        }
        if tiles.is_empty() {
            // A multicast to no block; only the shared memory of a block bounds the number of rows.
            return Ok(());
        }
        let mut buffer = Buffer::new();
        let fill = if map.fill_nan { u64::from(FILL_NAN) * 0x0001_0001_0001_0001 } else { 0 };
        let mut offset = 0;
        map.rows(self.at, self.offsets, |row| {
            if row.inside < map.row_bytes() {
                buffer.0.fill(fill);
            }
            if row.inside != 0 {
                let from = self.global(warp, op, row, &map, AccessKind::Read)?;
                // SAFETY: this many bytes were checked there, and the buffer has room for them.
                unsafe { from.copy_to(buffer.part(row.before, row.inside), row.inside as usize) };
                if map.element.is_tf32() {
                    round(&mut buffer, row);
                }
            }
            let from = buffer.part(0, map.row_bytes());
            for tile in &tiles {
                // SAFETY: the box has room for all its rows.
                tile.pieces(&map, offset, |at, to| unsafe { from.add(at as usize).copy_to(to, PIECE as usize) });
            }
            offset += map.row_pitch();
            Ok(())
        })?;
        let bytes = map.box_bytes() as u32;
        for (to, barrier) in ends.all() {
            let both = ((Space::Shared, to), (Space::Global, map.address));
            reported(warp, op, (self.lane, bytes), both, Completion::Mbarrier(barrier, AccessKind::Write))?;
        }
        Ok(())
    }

    /// Copies a box from shared to global memory, or combines it with the values there.
    fn store(&self, warp: &mut Warp, op: &Op, address: u64, from: u64) -> Result<(), Flow> {
        let map = self.map(warp, op, address)?;
        let mut combine = None;
        if let Some(number) = self.how.combine.checked_sub(1) {
            combine = combination(REDUCTIONS[number as usize & 7], map.element.word()).and_then(Combine::from_number);
            // An H200 faults on sums and bitwise operations of signed 64-bit integers, although it supports their
            // minimum and maximum.
            let stops = map.element == Element::S64 && !matches!(number, 1 | 2);
            if combine.is_none() || stops {
                return Err(warp.wrong_map(op, self.lane, address, TensorMapMisuse::Operation));
            }
        }
        if let Some(at) = map.never_stored(self.at) {
            let flow = warp.wrong_map(op, self.lane, address, TensorMapMisuse::Before { at });
            warp.add_note(described(&map));
            return Err(flow);
        }
        let tile = self.tile(warp, op, from, &map, AccessKind::Read)?;
        let what = if combine.is_some() { AccessKind::Atomic } else { AccessKind::Write };
        let mut buffer = Buffer::new();
        let mut offset = 0;
        map.rows(self.at, self.offsets, |row| {
            if row.inside != 0 {
                // Whole pieces are stored, although the tensor may end inside the last one.
                let row = BoxRow { inside: row.inside.next_multiple_of(u64::from(PIECE)), ..row };
                let to = self.global(warp, op, row, &map, what)?;
                let copy = buffer.part(0, map.row_bytes());
                // SAFETY: the box was checked for all its rows, and the buffer has room for one.
                tile.pieces(&map, offset, |at, from| unsafe { from.copy_to(copy.add(at as usize), PIECE as usize) });
                let from = buffer.part(row.before, row.inside);
                // SAFETY: this many bytes were checked there and in the buffer, aligned to the element.
                unsafe {
                    match combine {
                        None => from.copy_to(to, row.inside as usize),
                        Some(Combine { apply, size }) => {
                            for at in (0..row.inside as usize).step_by(size as usize) {
                                apply(to.add(at), from.add(at), true);
                            }
                        }
                    }
                }
            }
            offset += map.row_pitch();
            Ok(())
        })?;
        let both = ((Space::Global, map.address), (Space::Shared, from));
        reported(warp, op, (self.lane, map.box_bytes() as u32), both, Completion::Group)
    }
}

/// Rounds the loaded part of a row to TF32.
fn round(buffer: &mut Buffer, row: BoxRow) {
    for at in (row.before..row.before + row.inside).step_by(4) {
        let word = buffer.part(at, 4).cast::<u32>();
        // SAFETY: inside the buffer, and aligned to the element.
        unsafe { word.write(tf32(word.read())) };
    }
}

/// Rounds a 32-bit number to TF32: to nearest, ties to even.
fn tf32(bits: u32) -> u32 {
    match (bits & 0x7f80_0000, bits & 0x007f_ffff) {
        (0x7f80_0000, 0) => bits,
        (0x7f80_0000, _) => 0x7fff_e000,
        _ => bits.wrapping_add(0xfff + (bits >> 13 & 1)) & 0xffff_e000,
    }
}

#[cfg(test)]
mod tests {
    use super::tf32;

    #[test]
    fn numbers_are_rounded_to_tf32() {
        let rounded = |x: f32| f32::from_bits(tf32(x.to_bits()));
        assert_eq!(rounded(1.0), 1.0);
        // Ties; the last one is as on an H200.
        assert_eq!(rounded(-1.0 - 2f32.powi(-11)), -1.0);
        assert_eq!(rounded(-1.0 - 3.0 * 2f32.powi(-11)), -1.0 - 2f32.powi(-9));
        assert_eq!(tf32(0x0872_d000), 0x0872_c000);
        assert_eq!(rounded(1.0 + 2f32.powi(-11) - 2f32.powi(-23)), 1.0);
        assert_eq!(rounded(f32::MAX), f32::INFINITY);
        assert_eq!(rounded(f32::NEG_INFINITY), f32::NEG_INFINITY);
        assert_eq!(tf32(0xffc0_0001), 0x7fff_e000);
    }
}
