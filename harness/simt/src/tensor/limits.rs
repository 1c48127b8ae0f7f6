//! The limits of a tensor map's fields, which are those of `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col`.
//!
//! A kernel can replace the fields of a map one by one, so a copy checks all of them when it uses the map. These limits
//! imply that no size of a box overflows: it has at most 2^32 rows of at most 2048 bytes.

use super::{Interleave, MOST_DIMENSIONS, Shape, TensorMap};
use std::ops::Deref;

/// The maximum number of elements of a box in a dimension, and of the elements taken from a pixel.
pub const MOST_ELEMENTS: u32 = 256;
/// The maximum number of pixels of a column.
pub const MOST_PIXELS: u32 = 1024;
/// The maximum number of elements in a dimension of a tensor.
pub const MOST_SIZE: u64 = 1 << 32;
/// Strides are less than this number of bytes.
pub const STRIDES: u64 = 1 << 40;
/// The largest step.
pub const MOST_STEP: u32 = 8;
/// Addresses and strides are multiples of this number of bytes.
pub const ALIGNMENT: u64 = 16;
/// Corners range from the negative of this number to this number less one, for tensors of 3, 4 and 5 dimensions.
pub const CORNERS: [i32; 3] = [32768, 128, 16];
/// The highest swizzle number.
pub const MOST_SWIZZLE: u32 = 3;

/// A tensor map whose fields are within their limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidMap(TensorMap);

impl Deref for ValidMap {
    type Target = TensorMap;
    fn deref(&self) -> &TensorMap {
        &self.0
    }
}

impl TensorMap {
    /// Returns the map, if all its fields are within their limits.
    pub fn valid(self) -> Option<ValidMap> {
        let rank = self.rank as usize;
        let holds = (1..=MOST_DIMENSIONS).contains(&rank)
            && (rank >= 3 || self.interleave == Interleave::None)
            && self.address.is_multiple_of(ALIGNMENT)
            && self.dims.iter().all(|size| (1..=MOST_SIZE).contains(size))
            && self.strides.iter().all(|stride| stride.is_multiple_of(ALIGNMENT) && *stride < STRIDES)
            && self.steps.iter().all(|step| (1..=MOST_STEP).contains(step))
            && self.swizzle <= MOST_SWIZZLE
            && self.has_valid_shape(rank);
        holds.then_some(ValidMap(self))
    }

    fn has_valid_shape(&self, rank: usize) -> bool {
        match self.shape {
            Shape::Tiled(sizes) => sizes.iter().all(|size| (1..=MOST_ELEMENTS).contains(size)),
            Shape::Im2col { lower, upper, channels, pixels } => {
                let spatial = rank.saturating_sub(2);
                let Some(&most) = spatial.checked_sub(1).and_then(|at| CORNERS.get(at)) else {
                    return false;
                };
                lower[..spatial].iter().chain(&upper[..spatial]).all(|corner| (-most..most).contains(corner))
                    && (1..=MOST_ELEMENTS).contains(&channels)
                    && (1..=MOST_PIXELS).contains(&pixels)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Element;
    use super::*;

    fn tiled() -> TensorMap {
        TensorMap {
            address: 1 << 20,
            element: Element::U64,
            rank: 5,
            dims: [MOST_SIZE; 5],
            strides: [STRIDES - 16; 4],
            shape: Shape::Tiled([MOST_ELEMENTS; 5]),
            steps: [1; 5],
            interleave: Interleave::None,
            swizzle: 0,
            fill_nan: false,
        }
    }

    fn column(change: impl FnOnce(&mut [i32; 3], &mut [i32; 3], &mut u32, &mut u32)) -> TensorMap {
        let (mut lower, mut upper, mut channels, mut pixels) = ([-128, 127, 0], [0; 3], MOST_ELEMENTS, MOST_PIXELS);
        change(&mut lower, &mut upper, &mut channels, &mut pixels);
        TensorMap { rank: 4, shape: Shape::Im2col { lower, upper, channels, pixels }, ..tiled() }
    }

    #[test]
    fn the_largest_box_does_not_overflow() {
        let map = tiled().valid().expect("it is within the limits");
        assert_eq!(map.tile_bytes(), 256u64.pow(4) * 2048);
        assert!(column(|_, _, _, _| ()).valid().is_some());
    }

    #[test]
    fn each_field_has_its_limits() {
        let with = |change: fn(&mut TensorMap)| {
            let mut map = tiled();
            change(&mut map);
            map.valid()
        };
        let changes: [fn(&mut TensorMap); 15] = [
            |map| map.rank = 0,
            |map| map.rank = 6,
            |map| (map.rank, map.interleave) = (2, Interleave::B16),
            |map| map.address += 8,
            |map| map.dims[4] = 0,
            |map| map.dims[0] = MOST_SIZE + 1,
            |map| map.strides[3] = STRIDES,
            |map| map.strides[0] = 24,
            |map| map.steps[4] = 0,
            |map| map.steps[0] = 9,
            |map| map.swizzle = 4,
            |map| map.shape = Shape::Tiled([6000, 1, 1, 1, 1]),
            |map| map.shape = Shape::Tiled([16, 32768, 16384, 16384, 16384]),
            |map| map.shape = Shape::Tiled([1, 1, 1, 1, 0]),
            |map| (map.rank, map.shape) = (2, column(|_, _, _, _| ()).shape),
        ];
        for (at, change) in changes.into_iter().enumerate() {
            assert_eq!(with(change), None, "change {at}");
        }
        assert_eq!(column(|lower, _, _, _| lower[0] = -129).valid(), None);
        assert_eq!(column(|_, upper, _, _| upper[1] = 128).valid(), None);
        assert_eq!(column(|_, _, channels, _| *channels = 257).valid(), None);
        assert_eq!(column(|_, _, channels, _| *channels = 0).valid(), None);
        assert_eq!(column(|_, _, _, pixels| *pixels = 1025).valid(), None);
        assert_eq!(column(|_, _, _, pixels| *pixels = 0).valid(), None);
    }
}
