//! The 128 bytes of a tensor map.
//!
//! Kernels can write arbitrary bytes, so the last word authenticates the others: a keyed hash (SipHash) under a random
//! key of the process, which comes from the operating system and which no kernel can read. A kernel that writes a map,
//! or changes one without `tensormap.replace`, would have to guess 64 bits, and each wrong guess ends its launch.

use super::{Element, Interleave, MOST_DIMENSIONS, Shape, TensorMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

/// The key of this process.
static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);

impl TensorMap {
    /// Returns its 128 bytes, as words.
    pub fn words(&self) -> [u64; 16] {
        let mut words = [0; 16];
        words[0] = self.address;
        words[1] = u64::from(self.rank)
            | (self.element as u64) << 8
            | (self.interleave as u64) << 16
            | u64::from(self.swizzle) << 24
            | u64::from(self.fill_nan) << 32;
        for (at, size) in self.dims.iter().enumerate() {
            words[2 + at / 2] |= (size.wrapping_sub(1) & 0xffff_ffff) << (32 * (at % 2));
        }
        words[5..9].copy_from_slice(&self.strides);
        for (at, step) in self.steps.iter().enumerate() {
            words[9] |= u64::from(*step) << (8 * at);
        }
        match self.shape {
            Shape::Tiled(sizes) => {
                for (at, size) in sizes.iter().enumerate() {
                    words[10 + at / 4] |= u64::from(*size) << (16 * (at % 4));
                }
            }
            Shape::Im2col { lower, upper, channels, pixels } => {
                words[1] |= 1 << 33;
                for at in 0..3 {
                    words[12] |= u64::from(lower[at] as i16 as u16) << (16 * at);
                    words[13] |= u64::from(upper[at] as i16 as u16) << (16 * at);
                }
                words[14] = u64::from(channels) | u64::from(pixels) << 32;
            }
        }
        words[15] = tag(&words);
        words
    }

    /// Parses a map from these bytes; `None` if they do not come from [`TensorMap::words`] in this process. The fields
    /// may still be invalid for a copy: see [`TensorMap::valid`].
    pub fn from_words(words: &[u64; 16]) -> Option<TensorMap> {
        if words[15] != tag(words) {
            return None;
        }
        let part = |word: u64, at: u32, bits: u32| (word >> at) & ((1 << bits) - 1);
        let rank = part(words[1], 0, 8) as u32;
        let corner = |word: u64| [0, 16, 32].map(|at| i32::from(part(word, at, 16) as u16 as i16));
        let mut sizes = [0; MOST_DIMENSIONS];
        let (mut dims, mut steps) = ([0; MOST_DIMENSIONS], [0; MOST_DIMENSIONS]);
        for at in 0..MOST_DIMENSIONS {
            sizes[at] = part(words[10 + at / 4], 16 * (at as u32 % 4), 16) as u32;
            dims[at] = part(words[2 + at / 2], 32 * (at as u32 % 2), 32) + 1;
            steps[at] = part(words[9], 8 * at as u32, 8) as u32;
        }
        let shape = if part(words[1], 33, 1) == 0 {
            Shape::Tiled(sizes)
        } else {
            let (lower, upper) = (corner(words[12]), corner(words[13]));
            Shape::Im2col { lower, upper, channels: words[14] as u32, pixels: (words[14] >> 32) as u32 }
        };
        Some(TensorMap {
            address: words[0],
            element: Element::from_number(part(words[1], 8, 8) as u32)?,
            rank: (1..=MOST_DIMENSIONS as u32).contains(&rank).then_some(rank)?,
            dims,
            strides: [words[5], words[6], words[7], words[8]],
            shape,
            steps,
            interleave: Interleave::from_number(part(words[1], 16, 8) as u32)?,
            swizzle: part(words[1], 24, 8) as u32,
            fill_nan: part(words[1], 32, 1) != 0,
        })
    }
}

/// Returns the tag that authenticates all words but the last.
fn tag(words: &[u64; 16]) -> u64 {
    KEY.hash_one(&words[..15])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(shape: Shape) -> TensorMap {
        TensorMap {
            address: 0x7f00_0012_3450,
            element: Element::Bf16,
            rank: 5,
            dims: [1 << 32, 7, 6, 5, u64::from(u32::MAX)],
            strides: [16, (1 << 40) - 16, 48, 64],
            shape,
            steps: [1, 2, 3, 4, 8],
            interleave: Interleave::B32,
            swizzle: 1,
            fill_nan: true,
        }
    }

    #[test]
    fn the_words_hold_all_of_a_map() {
        let column = Shape::Im2col { lower: [-5, 0, 3], upper: [-32768, 32767, 1], channels: 256, pixels: 1024 };
        for shape in [Shape::Tiled([256, 1, 2, 3, 255]), column] {
            assert_eq!(TensorMap::from_words(&map(shape).words()), Some(map(shape)));
        }
    }

    #[test]
    fn what_was_changed_is_no_map() {
        let words = map(Shape::Tiled([1, 2, 3, 4, 5])).words();
        assert_eq!(TensorMap::from_words(&[0; 16]), None);
        for at in 0..16 {
            let mut changed = words;
            changed[at] ^= 1 << (3 * at);
            assert_eq!(TensorMap::from_words(&changed), None, "word {at}");
        }
    }

    /// The tag does not depend on the words alone: a different key produces a different tag.
    #[test]
    fn the_tag_depends_on_the_key() {
        let words = map(Shape::Tiled([1, 2, 3, 4, 5])).words();
        assert_ne!(RandomState::new().hash_one(&words[..15]), words[15]);
    }
}
