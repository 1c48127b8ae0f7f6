//! The ways to count, as data: kernel names, shared memory, and how much a block may see.
use crate::Bins;

/// A way to count: one variant of the lab.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // Each is the variant of its name; histogram.cu describes them.
pub enum Method {
    PartitionedRacy,
    StridedRacy,
    Atomic,
    Privatized,
    Copies,
    Wide,
    Aggregated,
    Lanes,
    BitSliced,
}

impl Method {
    /// All, in the handout's order.
    pub const ALL: [Self; 9] = [
        Self::PartitionedRacy,
        Self::StridedRacy,
        Self::Atomic,
        Self::Privatized,
        Self::Copies,
        Self::Wide,
        Self::Aggregated,
        Self::Lanes,
        Self::BitSliced,
    ];

    /// The variant's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PartitionedRacy => "partitioned-racy",
            Self::StridedRacy => "strided-racy",
            Self::Atomic => "atomic",
            Self::Privatized => "privatized",
            Self::Copies => "copies",
            Self::Wide => "wide",
            Self::Aggregated => "aggregated",
            Self::Lanes => "lanes",
            Self::BitSliced => "bit-sliced",
        }
    }

    /// The kernel's name in `histogram.cu`.
    pub fn kernel(self, bins: Bins) -> String {
        format!("{}_{}", self.name().replace('-', "_"), bins.name())
    }

    /// Whether it can count these bins: `bit-sliced` has 7 only.
    pub fn counts(self, bins: Bins) -> bool {
        self != Self::BitSliced || bins == Bins::Letters
    }

    /// Whether it is wrong on purpose.
    pub const fn is_racy(self) -> bool {
        matches!(self, Self::PartitionedRacy | Self::StridedRacy)
    }

    /// Threads of a block, unless asked for.
    pub const fn threads(self) -> u32 {
        match self {
            Self::Lanes => 512, // so that its 32 copies of 256 bins serve as many threads as fit
            _ => 256,
        }
    }

    /// Dynamic shared memory of a block, in bytes: its copies of the counts.
    pub const fn shared_bytes(self, bins: Bins, threads: u32) -> u32 {
        let copies = match self {
            Self::Privatized | Self::Aggregated => 1,
            Self::Copies | Self::Wide => threads.div_ceil(32),
            Self::Lanes => 32,
            _ => 0,
        };
        // An eighth bin of letters takes the bytes that are none.
        let rows = match (self, bins) {
            (Self::Wide | Self::Lanes, Bins::Letters) => 8,
            _ => bins.count(),
        };
        copies * (rows * size_of::<u32>()) as u32
    }

    /// The most bytes that one block sees, of `n` over `blocks` blocks of `threads`: whole tiles of 64
    /// bytes a thread, and a stride over the rest.
    pub const fn bytes_per_block(n: u64, blocks: u32, threads: u32) -> u64 {
        let tile = 64 * threads as u64;
        let rest = tile.div_ceil(blocks as u64) + threads as u64;
        n.div_ceil(blocks as u64 * tile)
            .saturating_mul(tile)
            .saturating_add(rest)
    }

    /// Whether all counts fit: a block counts in 32 bits (the totals have 64).
    ///
    /// # Errors
    /// In words, with the number of blocks that would do.
    pub fn fits(self, n: u64, blocks: u32, threads: u32) -> Result<(), String> {
        let in_64_bits = self.is_racy() || self == Self::Atomic;
        let seen = Self::bytes_per_block(n, blocks, threads);
        if in_64_bits || seen < 1 << 32 {
            return Ok(());
        }
        let enough = (n >> 31) + 1;
        Err(format!(
            "{}: one of {blocks} blocks would see {seen} bytes, but counts them in 32 bits; use --blocks {enough} or more",
            self.name()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_past_32_bits_are_refused_or_fit() {
        let n = (1 << 33) + 5;
        assert!(Method::Privatized.fits(n, 1, 256).is_err());
        assert!(Method::Privatized.fits(n, 2, 256).is_err());
        assert!(Method::Privatized.fits(n, 5, 256).is_ok());
        assert!(Method::Lanes.fits(n, 1056, 256).is_ok());
        assert!(Method::Atomic.fits(n, 1, 256).is_ok()); // 64 bits all the way
        assert!(Method::Lanes.fits(u64::MAX, 1, 1024).is_err());
        // What the message recommends is enough.
        for n in [1u64 << 32, n, 1 << 40] {
            assert!(Method::Wide.fits(n, ((n >> 31) + 1) as u32, 1024).is_ok());
        }
    }

    #[test]
    fn a_block_sees_its_share() {
        assert!(Method::bytes_per_block(1 << 20, 16, 256) >= 1 << 16);
        assert!(Method::bytes_per_block(1 << 20, 16, 256) <= (1 << 16) + 2048);
        assert!(Method::bytes_per_block(0, 16, 256) < 2048);
    }

    #[test]
    fn shared_memory_is_the_copies() {
        assert_eq!(Method::Privatized.shared_bytes(Bins::Letters, 256), 28);
        assert_eq!(Method::Copies.shared_bytes(Bins::Bytes, 1024), 32 << 10);
        assert_eq!(Method::Copies.shared_bytes(Bins::Bytes, 33), 2 << 10);
        assert_eq!(Method::Lanes.shared_bytes(Bins::Bytes, 1), 32 << 10);
        assert_eq!(Method::Lanes.shared_bytes(Bins::Letters, 1), 1 << 10);
        assert_eq!(Method::Atomic.shared_bytes(Bins::Bytes, 1024), 0);
    }
}
