//! The rows of a box: their locations in the tensor and in the copy.

use super::{MOST_DIMENSIONS, Shape, ValidMap};

/// A row of a box: contiguous elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoxRow {
    /// The number of its bytes that lie before the tensor.
    pub before: u64,
    /// The number of its bytes that lie in the tensor.
    pub inside: u64,
    /// The address of the first byte in the tensor.
    pub address: u64,
}

impl ValidMap {
    /// Calls `act` with each row of the box that begins at these coordinates, innermost first. `offsets` are those of
    /// `im2col` mode, in W, H and D. Stops at the first error.
    ///
    /// # Errors
    /// Those of `act`.
    pub(crate) fn rows<E>(
        &self,
        at: [i32; MOST_DIMENSIONS],
        offsets: [i32; 3],
        mut act: impl FnMut(BoxRow) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.shape {
            Shape::Tiled(_) => {
                let count: [i64; MOST_DIMENSIONS] = std::array::from_fn(|d| i64::from(self.taken(d)));
                let mut index = [0i64; MOST_DIMENSIONS];
                loop {
                    act(self.row(std::array::from_fn(|d| i64::from(at[d]) + index[d] * i64::from(self.steps[d]))))?;
                    let Some(next) = (0..MOST_DIMENSIONS).find(|d| index[*d] + 1 < count[*d]) else {
                        return Ok(());
                    };
                    index[..next].fill(0);
                    index[next] += 1;
                }
            }
            Shape::Im2col { .. } => self.column(at, offsets, &mut act),
        }
    }

    /// Calls `act` with the row of each pixel.
    fn column<E>(
        &self,
        at: [i32; MOST_DIMENSIONS],
        offsets: [i32; 3],
        act: &mut impl FnMut(BoxRow) -> Result<(), E>,
    ) -> Result<(), E> {
        let Shape::Im2col { lower, upper, pixels, .. } = self.shape else {
            return Ok(());
        };
        let mut here = at.map(i64::from);
        let outer = self.rank as usize - 1;
        for _ in 0..pixels {
            let mut pixel = here;
            for (d, offset) in self.spatial().zip(offsets) {
                pixel[d] += i64::from(offset);
            }
            act(self.row(pixel))?;
            let mut carry = true;
            for (d, (lower, upper)) in self.spatial().zip(lower.into_iter().zip(upper)) {
                here[d] += i64::from(self.steps[d]);
                carry = here[d] >= self.dims[d] as i64 + i64::from(upper);
                if !carry {
                    break;
                }
                here[d] = lower.into();
            }
            if carry {
                here[outer] += i64::from(self.steps[outer]);
            }
        }
        Ok(())
    }

    /// Returns the row that begins at these coordinates.
    fn row(&self, at: [i64; MOST_DIMENSIONS]) -> BoxRow {
        let (bytes, size) = (self.row_bytes(), self.innermost_bytes());
        let inside = (1..self.rank as usize).all(|d| (0..self.dims[d] as i64).contains(&at[d]));
        if !inside {
            return BoxRow { before: bytes, inside: 0, address: self.address };
        }
        let elements = (bytes / size) as i64;
        let first = at[0].clamp(0, self.dims[0] as i64);
        let last = (at[0] + elements).clamp(first, self.dims[0] as i64);
        let before = (first - at[0]).clamp(0, elements) as u64 * size;
        // An address that does not fit into 64 bits is outside of all memory, and so is the largest address.
        let mut address = self.address.saturating_add(first as u64 * size);
        for d in 1..self.rank as usize {
            address = address.saturating_add((at[d] as u64).saturating_mul(self.strides[d - 1]));
        }
        BoxRow { before, inside: (last - first) as u64 * size, address }
    }

    /// Returns the bytes from one element of the innermost dimension to the next: with slices, the bytes of a pixel.
    pub(crate) fn innermost_bytes(&self) -> u64 {
        self.interleave.slice().unwrap_or(self.element.bytes()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Element, Interleave, TensorMap};
    use super::*;

    const BASE: u64 = 0x1000;

    fn map(rank: u32, dims: [u64; 5], strides: [u64; 4], shape: Shape) -> TensorMap {
        TensorMap {
            address: BASE,
            element: Element::F32,
            rank,
            dims,
            strides,
            shape,
            steps: [1; 5],
            interleave: Interleave::None,
            swizzle: 0,
            fill_nan: false,
        }
    }

    fn valid(map: &TensorMap) -> ValidMap {
        map.valid().expect("its fields are within their limits")
    }

    fn rows(map: &TensorMap, at: [i32; 5], offsets: [i32; 3]) -> Vec<(u64, u64, u64)> {
        let mut list = Vec::new();
        let Ok(()) = valid(map).rows(at, offsets, |row| {
            list.push((row.before, row.inside, row.address - BASE));
            Ok::<(), std::convert::Infallible>(())
        });
        list
    }

    #[test]
    fn a_box_lies_in_its_tensor() {
        let map = map(2, [10, 3, 1, 1, 1], [64, 0, 0, 0], Shape::Tiled([4, 2, 1, 1, 1]));
        assert_eq!(valid(&map).box_bytes(), 32);
        assert_eq!(rows(&map, [4, 1, 0, 0, 0], [0; 3]), [(0, 16, 64 + 16), (0, 16, 128 + 16)]);
        // Beyond the last column, and before the first.
        assert_eq!(rows(&map, [8, 0, 0, 0, 0], [0; 3]), [(0, 8, 32), (0, 8, 64 + 32)]);
        assert_eq!(rows(&map, [-3, 0, 0, 0, 0], [0; 3]), [(12, 4, 0), (12, 4, 64)]);
        assert_eq!(rows(&map, [-9, 0, 0, 0, 0], [0; 3])[0].1, 0);
        assert_eq!(rows(&map, [40, 0, 0, 0, 0], [0; 3])[0].1, 0);
        // Beyond the last row, and before the first.
        assert_eq!(rows(&map, [0, 2, 0, 0, 0], [0; 3]), [(0, 16, 128), (16, 0, 0)]);
        assert_eq!(rows(&map, [0, -1, 0, 0, 0], [0; 3]), [(16, 0, 0), (0, 16, 0)]);
    }

    #[test]
    fn steps_leave_elements_out() {
        let mut map = map(3, [4, 9, 9, 1, 1], [16, 160, 0, 0], Shape::Tiled([4, 5, 4, 1, 1]));
        map.steps = [7, 2, 3, 1, 1];
        assert_eq!(valid(&map).box_bytes(), 16 * 3 * 2);
        let at = |y: u64, z: u64| (0, 16, 16 * y + 160 * z);
        let expected = [at(1, 2), at(3, 2), at(5, 2), at(1, 5), at(3, 5), at(5, 5)];
        assert_eq!(rows(&map, [0, 1, 2, 0, 0], [0; 3]), expected);
    }

    #[test]
    fn pixels_follow_each_other_inside_their_bounds() {
        // 4 channels, 5 columns, 4 rows, 2 images; a filter of 3 x 3 without padding.
        let shape = Shape::Im2col { lower: [0; 3], upper: [-2, -2, 0], channels: 4, pixels: 8 };
        let map = map(4, [4, 5, 4, 2, 1], [16, 80, 320, 0], shape);
        assert_eq!(valid(&map).box_bytes(), 128);
        let at = |w: u64, h: u64, n: u64| (0, 16, 16 * w + 80 * h + 320 * n);
        let expected = [(1, 0, 0), (2, 0, 0), (0, 1, 0), (1, 1, 0), (2, 1, 0), (0, 0, 1), (1, 0, 1), (2, 0, 1)];
        let plain: Vec<_> = expected.iter().map(|&(w, h, n)| at(w, h, n)).collect();
        assert_eq!(rows(&map, [0, 1, 0, 0, 0], [0; 3]), plain);
        let moved: Vec<_> = expected.iter().map(|&(w, h, n)| at(w + 2, h + 1, n)).collect();
        assert_eq!(rows(&map, [0, 1, 0, 0, 0], [2, 1, 0]), moved);
    }

    #[test]
    fn slices_are_a_dimension_behind_the_pixels() {
        // 6 x 3 pixels, 2 slices, 2 images.
        let mut map = map(4, [6, 3, 2, 2, 1], [96, 288, 576, 0], Shape::Tiled([4, 2, 2, 1, 1]));
        (map.interleave, map.swizzle) = (Interleave::B16, 2);
        assert_eq!(
            (valid(&map).box_bytes(), valid(&map).tile_bytes()),
            (4 * 2 * 16, 4 * 2 * 16),
            "one slice, and no gaps"
        );
        let at = |w: u64, h: u64| (0, 16, 16 * w + 96 * h + 288 + 576);
        // Four pixels of a row, of which two lie behind the last.
        let found = rows(&map, [4, 1, 1, 1, 0], [0; 3]);
        assert_eq!((found.len(), found.iter().filter(|row| row.1 == 0).count()), (8, 4));
        assert_eq!([found[0], found[1], found[4], found[5]], [at(4, 1), at(5, 1), at(4, 2), at(5, 2)]);
        assert!(valid(&map).may_begin_at(3) && valid(&map).lacks().is_none());
        // Pixels.
        map.shape = Shape::Im2col { lower: [0, -1, 0], upper: [-4, 0, 0], channels: 4, pixels: 3 };
        assert_eq!((valid(&map).box_bytes(), valid(&map).lacks()), (48, None));
        let row = |w: u64, h: u64| (0, 16, 16 * w + 96 * h);
        assert_eq!(rows(&map, [1, 1, 0, 0, 0], [2, 0, 0]), [row(3, 1), row(2, 2), row(3, 2)]);
        assert_eq!(valid(&map).outside_corners([1, 1, 0, 0, 0]), None);
        assert_eq!(valid(&map).outside_corners([2, 1, 0, 0, 0]), Some((2, [0, 1])));
        assert_eq!(valid(&map).outside_corners([1, -2, 0, 0, 0]), Some((-2, [-1, 2])));
        map.shape = Shape::Im2col { lower: [0; 3], upper: [0; 3], channels: 8, pixels: 2 };
        assert_eq!(
            (valid(&map).box_bytes(), valid(&map).lacks()),
            (32, None),
            "one slice, though there are channels of two"
        );
    }
}
