//! The ways to scan, as data: kernel names, tiles, additions, and how far roundings pile up.

/// A way to scan: one variant of the lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // Each is the variant of its name; scan.cu describes them.
pub enum Method {
    KoggeStone,
    BrentKung,
    ThreeKernel,
    /// With 16 or 32 elements a thread.
    SinglePass {
        items: u32,
    },
    OneBarrier,
}

impl Method {
    /// The variant's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::KoggeStone => "kogge-stone",
            Self::BrentKung => "brent-kung",
            Self::ThreeKernel => "three-kernel",
            Self::SinglePass { .. } => "single-pass",
            Self::OneBarrier => "one-barrier",
        }
    }

    /// The kernels that it launches over elements of type `element` ("f32" or "u32"), in order.
    pub fn kernels(self, element: &str) -> Vec<String> {
        let names = match self {
            Self::KoggeStone => vec!["kogge_stone".into()],
            Self::BrentKung => vec!["brent_kung".into()],
            Self::ThreeKernel => vec!["tile_sums".into(), "scan_sums".into(), "scan_tiles".into()],
            Self::SinglePass { items } => vec![format!("single_pass_{items}")],
            Self::OneBarrier => vec!["one_barrier".into()],
        };
        names
            .into_iter()
            .map(|name: String| format!("{name}_{element}"))
            .collect()
    }

    /// Elements of a thread.
    pub const fn items(self) -> u32 {
        match self {
            Self::KoggeStone | Self::OneBarrier => 1,
            Self::BrentKung => 2,
            Self::ThreeKernel => 16,
            Self::SinglePass { items } => items,
        }
    }

    /// Whether it scans what one block holds, and no more.
    pub const fn one_block(self) -> bool {
        matches!(self, Self::KoggeStone | Self::BrentKung | Self::OneBarrier)
    }

    /// Threads of a block, unless asked for.
    pub const fn threads(self) -> u32 {
        if self.one_block() { 1024 } else { 256 }
    }

    /// Dynamic shared memory of a block, in bytes: a word an element, where shared memory holds them.
    pub const fn shared_bytes(self, threads: u32) -> u32 {
        if self.one_block() {
            threads * self.items() * size_of::<u32>() as u32
        } else {
            0
        }
    }

    /// Tiles of `n` elements, what one block holds each, at least one; more than 32 bits hold for a huge n.
    pub const fn tiles(self, n: usize, threads: u32) -> usize {
        let tiles = n.div_ceil(threads as usize * self.items() as usize);
        if tiles == 0 { 1 } else { tiles }
    }

    /// The most roundings between an element and any prefix that it is part of (see the reduction
    /// lab's bound); for `single-pass` a tile's prefix may come from the tile before, and so on.
    pub fn longest_chain(self, n: usize, threads: u32) -> usize {
        let tree = |n: usize| n.next_power_of_two().ilog2() as usize;
        let tiles = self.tiles(n, threads);
        let vectors = self.items() as usize / 4;
        // Four of a vector, the warp, its vectors, the block's warps; then the prefix on the way back.
        let tile = 3 + 5 + vectors + 5 + 2 + 4;
        match self {
            Self::KoggeStone | Self::OneBarrier => tree(threads as usize),
            Self::BrentKung => 2 * tree(2 * threads as usize),
            Self::ThreeKernel => {
                tile + 3 + 5 + 1 + 5 + 2 + 4 + tiles.div_ceil(4 * threads as usize)
            }
            Self::SinglePass { .. } => tile + tiles,
        }
    }

    /// Additions of the whole block for a section of `n` elements, where the algorithm fixes them.
    /// A serial scan has n - 1.
    ///
    /// ```
    /// use scan::Method;
    /// // n log2 n - (n - 1), and 2 n - 2 - log2 n, for powers of two.
    /// assert_eq!(Method::KoggeStone.additions(1024), Some(1024 * 10 - 1023));
    /// assert_eq!(Method::BrentKung.additions(1024), Some(2 * 1024 - 2 - 10));
    /// ```
    pub fn additions(self, n: usize) -> Option<u64> {
        let strides = |below: usize| {
            (0..usize::BITS - 1)
                .map(|k| 1 << k)
                .take_while(move |s| *s < below)
        };
        match self {
            Self::KoggeStone | Self::OneBarrier => Some(strides(n).map(|s| (n - s) as u64).sum()),
            Self::BrentKung => {
                // Up: elements 2s - 1, 4s - 1, ... gather; down: they hand on to the one s further.
                let up = |s: usize| n / (2 * s);
                let down = |s: usize| n.saturating_sub(s) / (2 * s);
                Some(strides(n).map(|s| (up(s) + down(s)) as u64).sum())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additions_of_odd_sections_are_those_of_the_kernels_loops() {
        for n in [0usize, 1, 2, 3, 5, 31, 32, 33, 100, 1000] {
            let (mut kogge_stone, mut brent_kung) = (0, 0);
            let mut stride = 1;
            while stride < n {
                kogge_stone += (0..n).filter(|t| *t >= stride).count();
                brent_kung += (0..n).filter(|i| (i + 1) % (2 * stride) == 0).count();
                stride *= 2;
            }
            while stride > 0 {
                brent_kung += (0..n)
                    .filter(|i| (i + 1) % (2 * stride) == 0 && i + stride < n)
                    .count();
                stride /= 2;
            }
            assert_eq!(
                Method::KoggeStone.additions(n),
                Some(kogge_stone as u64),
                "{n}"
            );
            assert_eq!(
                Method::BrentKung.additions(n),
                Some(brent_kung as u64),
                "{n}"
            );
        }
        assert_eq!(Method::ThreeKernel.additions(1000), None);
    }

    #[test]
    fn tiles_cover_n() {
        let single = Method::SinglePass { items: 32 };
        assert_eq!(single.tiles(0, 256), 1);
        assert_eq!(single.tiles(8192, 256), 1);
        assert_eq!(single.tiles((1 << 30) + 1, 256), (1 << 17) + 1);
        assert_eq!(Method::BrentKung.shared_bytes(1024), 8192);
        assert_eq!(single.shared_bytes(1024), 0);
    }
}
