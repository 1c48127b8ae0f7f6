//! The occupancy calculator: how many blocks are resident on a multiprocessor at once, and what stops more of them.
//!
//! The rules are those of NVIDIA's `cuda_occupancy.h`, which the driver answers by: four limits, the least of which holds.
use std::fmt;

/// The limits of a multiprocessor. Bytes, registers and threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Threads of a warp.
    pub warp_size: u32,
    /// Threads of a block, at most.
    pub threads_per_block: u32,
    /// Threads on a multiprocessor, at most.
    pub threads: u32,
    /// Blocks on a multiprocessor, at most.
    pub blocks: u32,
    /// Registers of a multiprocessor.
    pub registers: u32,
    /// Registers of a block, at most.
    pub registers_per_block: u32,
    /// Registers of a thread, at most.
    pub registers_per_thread: u32,
    /// Registers are given to a warp in multiples of this.
    pub register_unit: u32,
    /// Parts of a multiprocessor with warps and registers of their own.
    pub partitions: u32,
    /// Shared memory of a multiprocessor.
    pub shared: u32,
    /// Shared memory of a block, at most (with opt-in).
    pub shared_per_block: u32,
    /// Shared memory that the system takes of each block.
    pub shared_reserved: u32,
    /// Shared memory is given to a block in multiples of this.
    pub shared_unit: u32,
}

impl Limits {
    /// An SM of 2048 threads, 32 blocks and 65536 registers, as most of the exercises have it.
    pub const TEXTBOOK: Self = Self {
        warp_size: 32,
        threads_per_block: 1024,
        threads: 2048,
        blocks: 32,
        registers: 65536,
        registers_per_block: 65536,
        registers_per_thread: 255,
        register_unit: 256,
        partitions: 4,
        shared: 164 << 10,
        shared_per_block: 163 << 10,
        shared_reserved: 1 << 10,
        shared_unit: 128,
    };

    /// An SM of 1536 threads and 8 blocks, as the older exercises have it.
    pub const OLDER: Self = Self {
        threads: 1536,
        blocks: 8,
        registers: 32768,
        registers_per_block: 32768,
        ..Self::TEXTBOOK
    };
}

/// What stops one more block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limiter {
    /// The multiprocessor's threads (its warps).
    Threads,
    /// The multiprocessor's blocks.
    Blocks,
    /// The registers.
    Registers,
    /// The shared memory.
    Shared,
    /// The block itself: it cannot run at all.
    Block,
}

impl fmt::Display for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Threads => "threads",
            Self::Blocks => "blocks",
            Self::Registers => "registers",
            Self::Shared => "shared memory",
            Self::Block => "the block itself",
        })
    }
}

/// What is resident on a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Occupancy {
    /// Blocks.
    pub blocks: u32,
    /// Warps.
    pub warps: u32,
    /// Warps of the most that there can be, in per cent.
    pub percent: f64,
    /// What stops one more block; of several, the first in the order of [`Limiter`].
    pub limiter: Limiter,
}

/// The blocks of `threads` threads, `registers` registers a thread and `shared` bytes of shared memory (static and dynamic)
/// that are resident on a multiprocessor at once. 0 blocks when such a block cannot run.
///
/// Threads count in whole warps. Registers are given to a warp, rounded up to the unit, and come from the warp's quarter
/// of the multiprocessor; a block of which all quarters had to hold an equal share must fit as well (the hardware checks
/// it so). Shared memory counts with what the system takes of it, rounded up.
pub fn occupancy(limits: &Limits, threads: u32, registers: u32, shared: u32) -> Occupancy {
    let warps = threads.div_ceil(limits.warp_size);
    let most = limits.threads / limits.warp_size;
    let impossible = threads == 0
        || threads > limits.threads_per_block
        || registers > limits.registers_per_thread
        || shared > limits.shared_per_block;
    if impossible {
        return Occupancy {
            blocks: 0,
            warps: 0,
            percent: 0.0,
            limiter: Limiter::Block,
        };
    }
    let candidates = [
        (most / warps.max(1), Limiter::Threads),
        (limits.blocks, Limiter::Blocks),
        (by_registers(limits, warps, registers), Limiter::Registers),
        (by_shared(limits, shared), Limiter::Shared),
    ];
    // Not min_by_key alone: of equals it must be the first, and it is.
    let (blocks, limiter) = candidates
        .into_iter()
        .min_by_key(|(blocks, _)| *blocks)
        .unwrap_or((0, Limiter::Block));
    let resident = blocks * warps;
    Occupancy {
        blocks,
        warps: resident,
        percent: 100.0 * f64::from(resident) / f64::from(most),
        limiter,
    }
}

/// Blocks that the registers allow.
fn by_registers(limits: &Limits, warps: u32, registers: u32) -> u32 {
    let a_warp = (u64::from(registers) * u64::from(limits.warp_size))
        .next_multiple_of(u64::from(limits.register_unit));
    if a_warp == 0 || warps == 0 {
        return u32::MAX;
    }
    if a_warp * u64::from(warps.next_multiple_of(limits.partitions))
        > u64::from(limits.registers_per_block)
    {
        return 0;
    }
    let a_partition = u64::from(limits.registers / limits.partitions) / a_warp;
    (a_partition * u64::from(limits.partitions) / u64::from(warps)) as u32
}

/// Blocks that the shared memory allows.
fn by_shared(limits: &Limits, shared: u32) -> u32 {
    let a_block = (u64::from(shared) + u64::from(limits.shared_reserved))
        .next_multiple_of(u64::from(limits.shared_unit));
    let blocks = u64::from(limits.shared).checked_div(a_block);
    blocks.map_or(u32::MAX, |blocks| blocks as u32)
}

/// Whether `blocks` blocks of `threads` threads can all be on one multiprocessor at once, as the exercises ask; `Ok` gives the
/// occupancy in per cent, `Err` what is exceeded, by how much, in words.
///
/// # Errors
/// The first limit that they exceed.
pub fn fits(
    limits: &Limits,
    blocks: u32,
    threads: u32,
    registers: u32,
    shared: u32,
) -> Result<f64, String> {
    let one = occupancy(limits, threads, registers, shared);
    if blocks <= one.blocks {
        let warps = blocks * threads.div_ceil(limits.warp_size);
        return Ok(100.0 * f64::from(warps) / f64::from(limits.threads / limits.warp_size));
    }
    let total = |each: u32| u128::from(blocks) * u128::from(each);
    Err(match one.limiter {
        Limiter::Block => format!(
            "a block of {threads} threads, {registers} registers a thread and {shared} bytes cannot run"
        ),
        Limiter::Threads => format!("{} threads of {}", total(threads), limits.threads),
        Limiter::Blocks => format!("{blocks} blocks of {}", limits.blocks),
        Limiter::Registers => {
            format!(
                "{} registers of {}",
                total(threads) * u128::from(registers),
                limits.registers
            )
        }
        Limiter::Shared => format!(
            "{} bytes of shared memory of {}",
            total(shared.saturating_add(limits.shared_reserved)),
            limits.shared
        ),
    })
}

/// The block sizes among `sizes` with the highest occupancy.
pub fn best(limits: &Limits, sizes: &[u32], registers: u32, shared: u32) -> Vec<u32> {
    let percent = |t: &u32| occupancy(limits, *t, registers, shared).percent;
    let top = sizes.iter().map(percent).fold(0.0, f64::max);
    sizes
        .iter()
        .copied()
        .filter(|t| percent(t) == top)
        .collect()
}

/// How a grid is worked off: in waves of as many blocks as are resident at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Waves {
    /// Blocks in a full wave.
    pub wave: u64,
    /// Full waves.
    pub full: u64,
    /// Blocks of the last wave, when it is not full; else 0.
    pub tail: u64,
}

impl Waves {
    /// Waves in all, the one that is not full included.
    pub fn count(&self) -> u64 {
        self.full + u64::from(self.tail > 0)
    }

    /// How full the tail is, in per cent of a wave; 100 when there is none.
    pub fn tail_percent(&self) -> f64 {
        if self.tail == 0 {
            100.0
        } else {
            100.0 * self.tail as f64 / self.wave as f64
        }
    }

    /// The share of the block places that is used, over all waves, in per cent: what the tail costs, if blocks take
    /// equally long.
    pub fn used_percent(&self) -> f64 {
        let places = self.count() * self.wave;
        if places == 0 {
            0.0
        } else {
            100.0 * (self.full * self.wave + self.tail) as f64 / places as f64
        }
    }
}

/// The waves of a grid of `blocks` blocks on `multiprocessors` with `resident` blocks each; none when nothing is resident.
pub fn waves(blocks: u64, multiprocessors: u32, resident: u32) -> Option<Waves> {
    let wave = u64::from(multiprocessors) * u64::from(resident);
    (wave > 0).then(|| Waves {
        wave,
        full: blocks / wave,
        tail: blocks % wave,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SM: Limits = Limits::TEXTBOOK;

    #[test]
    fn each_limit_in_turn() {
        let of = |t, r, s| {
            let o = occupancy(&SM, t, r, s);
            (o.blocks, o.limiter)
        };
        assert_eq!(of(1024, 32, 0), (2, Limiter::Threads));
        assert_eq!(of(32, 32, 0), (32, Limiter::Blocks));
        assert_eq!(of(256, 128, 0), (2, Limiter::Registers));
        assert_eq!(of(128, 16, 15 << 10), (10, Limiter::Shared));
        assert_eq!(of(1025, 16, 0), (0, Limiter::Block));
        assert_eq!(of(0, 16, 0), (0, Limiter::Block));
        assert_eq!(of(32, 256, 0), (0, Limiter::Block));
        assert_eq!(of(32, 16, (163 << 10) + 1), (0, Limiter::Block));
        assert_eq!(of(1024, 128, 0), (0, Limiter::Registers));
    }

    #[test]
    fn registers_come_by_the_warp_from_a_quarter() {
        // 33 registers are 1056 a warp, given as 1280: 12 warps a quarter.
        assert_eq!(occupancy(&SM, 192, 33, 0).blocks, 8);
        // 88 registers are 2816 a warp: 5 in a quarter of 16384, though all 65536 would hold 23.
        assert_eq!(occupancy(&SM, 32, 88, 0).blocks, 20);
        // 255: 8 warps. A block of 9 would need the share of 12.
        assert_eq!(occupancy(&SM, 256, 255, 0).blocks, 1);
        assert_eq!(occupancy(&SM, 288, 255, 0).blocks, 0);
    }

    #[test]
    fn partial_warps_count_whole() {
        for threads in 33..=64 {
            assert_eq!(occupancy(&SM, threads, 16, 0), occupancy(&SM, 64, 16, 0));
        }
    }

    #[test]
    fn more_of_anything_never_gives_more_blocks() {
        for threads in (32..=1024).step_by(32) {
            for registers in (8..=255).step_by(13) {
                for shared in (0..160 << 10).step_by(7919) {
                    let here = occupancy(&SM, threads, registers, shared).blocks;
                    assert!(occupancy(&SM, threads + 32, registers, shared).blocks <= here);
                    assert!(occupancy(&SM, threads, registers + 8, shared).blocks <= here);
                    assert!(occupancy(&SM, threads, registers, shared + 2048).blocks <= here);
                }
            }
        }
    }

    #[test]
    fn a_grid_is_its_waves() {
        for blocks in 0..300 {
            let w = waves(blocks, 16, 8).unwrap();
            assert_eq!(w.full * w.wave + w.tail, blocks);
            assert_eq!(w.count(), blocks.div_ceil(128));
        }
        assert_eq!(waves(128, 16, 8).unwrap().used_percent(), 100.0);
        assert!(waves(129, 16, 8).unwrap().used_percent() < 51.0);
        assert_eq!(waves(5, 0, 8), None);
    }

    #[test]
    fn no_arithmetic_overflows() {
        assert_eq!(occupancy(&SM, u32::MAX, u32::MAX, u32::MAX).blocks, 0);
        assert!(fits(&SM, u32::MAX, u32::MAX, u32::MAX, 0).is_err());
    }
}
