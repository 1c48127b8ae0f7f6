//! Descriptors of matrices in shared memory, and where they place the pieces of a matrix.
//!
//! A matrix is stored in shared memory in pieces of 16 bytes, contiguous along the depth (K-major) or across it
//! (MN-major). Eight consecutive pieces in the other direction form a core matrix. The descriptor specifies the
//! distance of core matrices, and how they are swizzled.

use crate::swizzle::Swizzle;

/// Bytes of a piece.
pub(super) const PIECE: u64 = 16;

/// A matrix in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Descriptor {
    /// The offset of its start in shared memory.
    pub start: u64,
    /// The "leading dimension byte offset".
    leading: u64,
    /// The "stride dimension byte offset".
    stride: u64,
    /// The number of 128-byte rows by which its start is offset from the start of the swizzle's pattern.
    base: u64,
    /// Its swizzle.
    swizzle: Swizzle,
}

impl Descriptor {
    /// Decodes the 64 bits that a program builds.
    pub fn new(bits: u64) -> Descriptor {
        let field = |at: u32| ((bits >> at) & 0x3fff) << 4;
        let swizzle = match bits >> 62 {
            0 => Swizzle::None,
            1 => Swizzle::B128,
            2 => Swizzle::B64,
            _ => Swizzle::B32,
        };
        Descriptor { start: field(0), leading: field(16), stride: field(32), base: (bits >> 49) & 7, swizzle }
    }

    /// The number of pieces in a row of a swizzled tile.
    fn width(&self) -> u64 {
        match self.swizzle {
            Swizzle::None => 1,
            Swizzle::B32 => 2,
            Swizzle::B64 => 4,
            Swizzle::B128 => 8,
        }
    }

    /// Returns the offset of the piece with the given part of the depth, 16 bytes each, of a row (of A; of a column of
    /// B). For a K-major matrix.
    #[inline(always)]
    pub fn along(&self, row: u64, piece: u64) -> u64 {
        let width = self.width();
        let in_row = (piece % width) * PIECE + (piece / width) * self.leading;
        self.placed((row % 8) * PIECE * width + (row / 8) * self.stride + in_row)
    }

    /// Returns the offset of the piece with eight neighbouring rows (of A; columns of B), given the number of that
    /// group of eight, at one position of the depth. For an MN-major matrix.
    #[inline(always)]
    pub fn across(&self, eighth: u64, depth: u64) -> u64 {
        let (inner, outer) = (depth % 8, depth / 8);
        if self.swizzle == Swizzle::None {
            return self.placed(eighth * self.stride + inner * PIECE + outer * self.leading);
        }
        let width = self.width();
        let in_row = (eighth % width) * PIECE + (eighth / width) * self.leading;
        self.placed(in_row + inner * PIECE * width + outer * self.stride)
    }

    /// Returns the offset in shared memory of the data that would be `bytes` bytes after the start without a swizzle.
    #[inline(always)]
    fn placed(&self, bytes: u64) -> u64 {
        let shift = self.base * 128;
        let address = self.start + bytes;
        // The pattern begins at the base, not at a multiple of its period.
        self.swizzle.apply(address.wrapping_sub(shift)).wrapping_add(shift)
    }
}

#[cfg(test)]
mod tests {
    use super::Descriptor;

    fn descriptor(start: u64, leading: u64, stride: u64, base: u64, mode: u64) -> Descriptor {
        Descriptor::new((start >> 4) | (leading >> 4 << 16) | (stride >> 4 << 32) | (base << 49) | (mode << 62))
    }

    #[test]
    fn fields_are_taken_apart() {
        let d = descriptor(0x3_fff0, 0x20, 0x1_0000, 5, 2);
        assert_eq!((d.start, d.leading, d.stride, d.base), (0x3_fff0, 0x20, 0x1_0000, 5));
        assert_eq!(d.width(), 4);
    }

    #[test]
    fn pieces_along_the_depth() {
        let plain = descriptor(1024, 4096, 256, 0, 0);
        assert_eq!(plain.along(0, 1), 1024 + 4096);
        assert_eq!(plain.along(9, 0), 1024 + 256 + 16);
        let wide = descriptor(1024, 0, 1024, 0, 1);
        assert_eq!((wide.along(0, 1), wide.along(1, 0), wide.along(1, 1)), (1040, 1024 + 128 + 16, 1024 + 128));
        assert_eq!(wide.along(13, 0), 2048 + 5 * 128 + 5 * 16);
        // One step further along the depth inside the same tile: the pattern does not move.
        let further = descriptor(1024 + 32, 0, 1024, 0, 1);
        assert_eq!((further.along(1, 0), further.along(1, 1)), (1024 + 128 + 48, 1024 + 128 + 32));
    }

    #[test]
    fn pieces_across_the_depth() {
        let plain = descriptor(0, 1024, 128, 0, 0);
        assert_eq!((plain.across(1, 0), plain.across(0, 1), plain.across(0, 8)), (128, 16, 1024));
        let wide = descriptor(0, 8192, 1024, 0, 1);
        assert_eq!((wide.across(1, 0), wide.across(8, 0), wide.across(0, 8)), (16, 8192, 1024));
        assert_eq!(wide.across(2, 3), 3 * 128 + 16);
        let narrow = descriptor(0, 512, 2048, 0, 3);
        assert_eq!((narrow.across(1, 0), narrow.across(2, 0), narrow.across(0, 9)), (16, 512, 2048 + 32));
        assert_eq!(narrow.across(0, 4), 128 + 16);
    }

    #[test]
    fn a_base_moves_the_pattern() {
        let moved = descriptor(1024 + 384, 0, 1024, 3, 1);
        assert_eq!((moved.along(0, 0), moved.along(1, 0)), (1024 + 384, 1024 + 384 + 128 + 16));
    }
}
