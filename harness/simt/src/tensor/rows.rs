//! The rows of a box: where they lie in the tensor, and in the copy.

use super::{MOST_DIMENSIONS, Shape, TensorMap};

/// A row of a box: elements that lie side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The bytes of it that lie before the tensor.
    pub before: u64,
    /// The bytes of it that lie in the tensor.
    pub inside: u64,
    /// The address of the first of those.
    pub address: u64,
}

impl TensorMap {
    /// Calls `act` with each row of the box that begins at these coordinates, innermost first. `offsets` are those of
    /// `im2col` mode, in W, H and D. Ends with the first error.
    ///
    /// # Errors
    /// Those of `act`.
    pub(crate) fn rows<E>(
        &self,
        at: [i32; MOST_DIMENSIONS],
        offsets: [i32; 3],
        mut act: impl FnMut(Row) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.shape {
            Shape::Tiled(_) => {
                let mut count: [i64; MOST_DIMENSIONS] = std::array::from_fn(|d| i64::from(self.taken(d)));
                let mut step = self.steps.map(i64::from);
                // Of the innermost dimension, a row has all elements of a slice.
                (count[0], step[0]) = (self.slices() as i64, self.row_elements());
                let mut order = [1, 2, 3, 4, 0];
                if self.interleave.slice().is_some() {
                    // The slices come inside the outermost dimension.
                    order[self.rank as usize - 2..].rotate_right(1);
                }
                let mut index = [0i64; MOST_DIMENSIONS];
                loop {
                    act(self.row(std::array::from_fn(|d| i64::from(at[d]) + index[d] * step[d])))?;
                    let Some(next) = order.iter().position(|d| index[*d] + 1 < count[*d]) else {
                        return Ok(());
                    };
                    order[..next].iter().for_each(|d| index[*d] = 0);
                    index[order[next]] += 1;
                }
            }
            Shape::Im2col { .. } => (0..self.slices() as i64)
                .try_for_each(|slice| self.column(at, slice * self.row_elements(), offsets, &mut act)),
        }
    }

    /// Elements of a row.
    fn row_elements(&self) -> i64 {
        (self.row_bytes() / u64::from(self.element.bytes())) as i64
    }

    /// Calls `act` with the row of each pixel, `channel` elements behind its first.
    fn column<E>(
        &self,
        at: [i32; MOST_DIMENSIONS],
        channel: i64,
        offsets: [i32; 3],
        act: &mut impl FnMut(Row) -> Result<(), E>,
    ) -> Result<(), E> {
        let Shape::Im2col { lower, upper, pixels, .. } = self.shape else {
            return Ok(());
        };
        let mut here = at.map(i64::from);
        here[0] += channel;
        let outer = self.rank as usize - 1;
        for _ in 0..pixels {
            let mut pixel = here;
            for d in 1..outer {
                pixel[d] += i64::from(offsets[d - 1]);
            }
            act(self.row(pixel))?;
            let mut carry = true;
            for d in 1..outer {
                here[d] += i64::from(self.steps[d]);
                carry = here[d] >= self.dims[d] as i64 + i64::from(upper[d - 1]);
                if !carry {
                    break;
                }
                here[d] = lower[d - 1].into();
            }
            if carry {
                here[outer] += i64::from(self.steps[outer]);
            }
        }
        Ok(())
    }

    /// The row that begins at these coordinates.
    fn row(&self, at: [i64; MOST_DIMENSIONS]) -> Row {
        let (bytes, size) = (self.row_bytes(), u64::from(self.element.bytes()));
        let rank = self.rank as usize;
        let inside = (1..rank).all(|d| (0..self.dims[d] as i64).contains(&at[d]));
        if !inside {
            return Row { before: bytes, inside: 0, address: self.address };
        }
        let elements = self.row_elements();
        let first = at[0].clamp(0, self.dims[0] as i64);
        let last = (at[0] + elements).clamp(first, self.dims[0] as i64);
        let before = (first - at[0]).clamp(0, elements) as u64 * size;
        let mut address = self.address.wrapping_add(match self.interleave.slice() {
            None => first as u64 * size,
            Some(slice) => {
                let each = u64::from(slice) / size;
                // The last two dimensions but the outermost one, of all of which a slice has one after another.
                let whole = self.strides[rank - 3].wrapping_mul(self.dims[rank - 2]);
                (first as u64 / each).wrapping_mul(whole) + first as u64 % each * size
            }
        });
        for d in 1..rank {
            address = address.wrapping_add((at[d] as u64).wrapping_mul(self.strides[d - 1]));
        }
        Row { before, inside: (last - first) as u64 * size, address }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Element, Interleave};
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

    fn rows(map: &TensorMap, at: [i32; 5], offsets: [i32; 3]) -> Vec<(u64, u64, u64)> {
        let mut list = Vec::new();
        let Ok(()) = map.rows(at, offsets, |row| {
            list.push((row.before, row.inside, row.address - BASE));
            Ok::<(), std::convert::Infallible>(())
        });
        list
    }

    #[test]
    fn a_box_lies_in_its_tensor() {
        let map = map(2, [10, 3, 1, 1, 1], [64, 0, 0, 0], Shape::Tiled([4, 2, 1, 1, 1]));
        assert_eq!(map.box_bytes(), 32);
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
        assert_eq!(map.box_bytes(), 16 * 3 * 2);
        let at = |y: u64, z: u64| (0, 16, 16 * y + 160 * z);
        let expected = [at(1, 2), at(3, 2), at(5, 2), at(1, 5), at(3, 5), at(5, 5)];
        assert_eq!(rows(&map, [0, 1, 2, 0, 0], [0; 3]), expected);
    }

    #[test]
    fn pixels_follow_each_other_inside_their_bounds() {
        // 4 channels, 5 columns, 4 rows, 2 images; a filter of 3 x 3 without padding.
        let shape = Shape::Im2col { lower: [0; 3], upper: [-2, -2, 0], channels: 4, pixels: 8 };
        let map = map(4, [4, 5, 4, 2, 1], [16, 80, 320, 0], shape);
        assert_eq!(map.box_bytes(), 128);
        let at = |w: u64, h: u64, n: u64| (0, 16, 16 * w + 80 * h + 320 * n);
        let expected = [(1, 0, 0), (2, 0, 0), (0, 1, 0), (1, 1, 0), (2, 1, 0), (0, 0, 1), (1, 0, 1), (2, 0, 1)];
        let plain: Vec<_> = expected.iter().map(|&(w, h, n)| at(w, h, n)).collect();
        assert_eq!(rows(&map, [0, 1, 0, 0, 0], [0; 3]), plain);
        let moved: Vec<_> = expected.iter().map(|&(w, h, n)| at(w + 2, h + 1, n)).collect();
        assert_eq!(rows(&map, [0, 1, 0, 0, 0], [2, 1, 0]), moved);
    }

    #[test]
    fn slices_lie_behind_each_other() {
        let mut map = map(4, [16, 3, 2, 2, 1], [16, 48, 384, 0], Shape::Tiled([4, 2, 1, 1, 1]));
        map.interleave = Interleave::B16;
        assert_eq!(map.lacks([4, 0, 0, 0, 0]), None);
        assert!(map.lacks([2, 0, 0, 0, 0]).is_some());
        // Two slices, and of pixels too.
        map.shape = Shape::Tiled([8, 2, 1, 2, 1]);
        assert_eq!((map.lacks([4, 0, 0, 0, 0]), map.box_bytes()), (None, 128));
        let (a, b) = ([0, 16], [96, 112]);
        let both = |image: u64| [a, b].concat().into_iter().map(move |at| (0, 16, 96 + at + 384 * image));
        assert_eq!(rows(&map, [4, 0, 0, 0, 0], [0; 3]), both(0).chain(both(1)).collect::<Vec<_>>());
        map.shape = Shape::Im2col { lower: [0; 3], upper: [0; 3], channels: 8, pixels: 2 };
        assert_eq!(rows(&map, [4, 0, 0, 0, 0], [0; 3]), both(0).collect::<Vec<_>>());
        map.shape = Shape::Tiled([4, 2, 1, 1, 1]);
        // The second slice lies behind the 2 x 3 pixels of the first.
        assert_eq!(rows(&map, [4, 1, 1, 1, 0], [0; 3]), [(0, 16, 96 + 16 + 48 + 384), (0, 16, 96 + 32 + 48 + 384)]);
    }
}
