//! The occupancy calculator: how many blocks are resident on a multiprocessor, and what limits their number.
//!
//! The rules are those of NVIDIA's `cuda_occupancy.h`, which the driver follows: of four limits, the lowest applies.
use std::fmt;

/// The limits of a multiprocessor, in bytes, registers and threads.
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
    /// Registers are allocated to a warp in multiples of this.
    pub register_unit: u32,
    /// Partitions of a multiprocessor, each with its own warps and registers.
    pub partitions: u32,
    /// Shared memory of a multiprocessor.
    pub shared: u32,
    /// Shared memory of a block, at most (with opt-in).
    pub shared_per_block: u32,
    /// Shared memory that the system reserves for each block.
    pub shared_reserved: u32,
    /// Shared memory is allocated to a block in multiples of this.
    pub shared_unit: u32,
}

impl Limits {
    /// An SM of 2048 threads, 32 blocks and 65536 registers, as in most of the exercises.
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

    /// An SM of the Tesla T4 that one of the texts uses.
    pub const T4: Self = Self {
        threads: 1024,
        blocks: 16,
        shared: 64 << 10,
        shared_per_block: 64 << 10,
        shared_reserved: 0,
        shared_unit: 256,
        ..Self::TEXTBOOK
    };

    /// An SM of 1536 threads and 8 blocks, as in the older exercises.
    pub const OLDER: Self =
        Self { threads: 1536, blocks: 8, registers: 32768, registers_per_block: 32768, ..Self::TEXTBOOK };
}

/// The limit that prevents one more block.
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

/// The resident blocks and warps of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Occupancy {
    /// Blocks.
    pub blocks: u32,
    /// Warps.
    pub warps: u32,
    /// Resident warps as a percentage of the most that a multiprocessor holds.
    pub percent: f64,
    /// The limit that prevents one more block; if there are several, the first in the order of [`Limiter`].
    pub limiter: Limiter,
}

/// The number of blocks that are resident on a multiprocessor, with `threads` threads each, `registers` registers per
/// thread and `shared` bytes of shared memory (static and dynamic). It is 0 when such a block cannot run.
///
/// Threads count in whole warps. Registers are allocated to a warp, rounded up to the unit, and come from the warp's
/// quarter of the multiprocessor. The block must also fit if every quarter had to hold an equal share of it, because
/// that is how the hardware checks it. Shared memory includes the part reserved by the system, rounded up.
pub fn occupancy(limits: &Limits, threads: u32, registers: u32, shared: u32) -> Occupancy {
    let warps = threads.div_ceil(limits.warp_size);
    let most = limits.threads / limits.warp_size;
    if !(1..=limits.threads_per_block).contains(&threads)
        || registers > limits.registers_per_thread
        || shared > limits.shared_per_block
    {
        return Occupancy { blocks: 0, warps: 0, percent: 0.0, limiter: Limiter::Block };
    }
    let candidates = [
        (most / warps.max(1), Limiter::Threads),
        (limits.blocks, Limiter::Blocks),
        (by_registers(limits, warps, registers), Limiter::Registers),
        (by_shared(limits, shared), Limiter::Shared),
    ];
    // If several limits are equal, the first one counts.
    let (blocks, limiter) = candidates.into_iter().min_by_key(|(blocks, _)| *blocks).unwrap_or((0, Limiter::Block));
    let resident = blocks * warps;
    Occupancy { blocks, warps: resident, percent: 100.0 * f64::from(resident) / f64::from(most), limiter }
}

/// The number of blocks that the registers allow.
fn by_registers(limits: &Limits, warps: u32, registers: u32) -> u32 {
    let a_warp = (u64::from(registers) * u64::from(limits.warp_size)).next_multiple_of(u64::from(limits.register_unit));
    if a_warp == 0 || warps == 0 {
        return u32::MAX;
    }
    if a_warp * u64::from(warps.next_multiple_of(limits.partitions)) > u64::from(limits.registers_per_block) {
        return 0;
    }
    let a_partition = u64::from(limits.registers / limits.partitions) / a_warp;
    (a_partition * u64::from(limits.partitions) / u64::from(warps)) as u32
}

/// The number of blocks that the shared memory allows.
fn by_shared(limits: &Limits, shared: u32) -> u32 {
    let a_block = shared.saturating_add(limits.shared_reserved).checked_next_multiple_of(limits.shared_unit);
    limits.shared.checked_div(a_block.unwrap_or(u32::MAX)).unwrap_or(u32::MAX)
}

/// The most dynamic shared memory of a block with which exactly `blocks` of them fit on a multiprocessor.
pub fn shared_for(limits: &Limits, blocks: u32) -> u32 {
    let a_block = limits.shared / blocks.max(1) / limits.shared_unit * limits.shared_unit;
    a_block.saturating_sub(limits.shared_reserved).min(limits.shared_per_block)
}

/// The most registers of a thread with which blocks of `threads` threads still fill a multiprocessor.
pub fn registers_at_full_occupancy(limits: &Limits, threads: u32) -> Option<u32> {
    (1..=limits.registers_per_thread).rev().find(|&r| occupancy(limits, threads, r, 0).percent == 100.0)
}

/// Checks whether `blocks` blocks of `threads` threads can all be resident on one multiprocessor, as the exercises ask.
/// `Ok` gives the occupancy in per cent; `Err` says which limit is exceeded and by how much.
///
/// # Errors
/// The first limit that the blocks exceed.
pub fn fits(limits: &Limits, blocks: u32, threads: u32, registers: u32, shared: u32) -> Result<f64, String> {
    let one = occupancy(limits, threads, registers, shared);
    if blocks <= one.blocks {
        let warps = blocks * threads.div_ceil(limits.warp_size);
        return Ok(100.0 * f64::from(warps) / f64::from(limits.threads / limits.warp_size));
    }
    let total = |each: u32| u128::from(blocks) * u128::from(each);
    let bytes = total(shared.saturating_add(limits.shared_reserved));
    Err(match one.limiter {
        Limiter::Block => {
            format!("a block of {threads} threads, {registers} registers a thread and {shared} bytes cannot run")
        }
        Limiter::Threads => format!("{} threads of {}", total(threads), limits.threads),
        Limiter::Blocks => format!("{blocks} blocks of {}", limits.blocks),
        Limiter::Registers => format!("{} registers of {}", total(threads) * u128::from(registers), limits.registers),
        Limiter::Shared => format!("{bytes} bytes of shared memory of {}", limits.shared),
    })
}

/// The block sizes among `sizes` with the highest occupancy.
pub fn best(limits: &Limits, sizes: &[u32], registers: u32, shared: u32) -> Vec<u32> {
    let percent = |t: &u32| occupancy(limits, *t, registers, shared).percent;
    let top = sizes.iter().map(percent).fold(0.0, f64::max);
    sizes.iter().copied().filter(|t| percent(t) == top).collect()
}

/// The execution of a grid in waves of as many blocks as are resident together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Waves {
    /// Blocks in a full wave.
    pub wave: u64,
    /// Full waves.
    pub full: u64,
    /// Blocks of the last wave if it is not full, otherwise 0.
    pub tail: u64,
}

impl Waves {
    /// The number of waves, including a partial one.
    pub fn count(&self) -> u64 {
        self.full + u64::from(self.tail > 0)
    }

    /// How full the tail is, as a percentage of a wave; 100 without a tail.
    pub fn tail_percent(&self) -> f64 {
        if self.tail == 0 { 100.0 } else { 100.0 * self.tail as f64 / self.wave as f64 }
    }

    /// The percentage of block slots that is used, over all waves. It shows the cost of the tail if all blocks take
    /// equally long.
    pub fn used_percent(&self) -> f64 {
        let places = self.count() * self.wave;
        if places == 0 { 0.0 } else { 100.0 * (self.full * self.wave + self.tail) as f64 / places as f64 }
    }
}

/// The waves of a grid of `blocks` blocks on `multiprocessors` with `resident` blocks each; `None` when no block is
/// resident.
pub fn waves(blocks: u64, multiprocessors: u32, resident: u32) -> Option<Waves> {
    let wave = u64::from(multiprocessors) * u64::from(resident);
    (wave > 0).then(|| Waves { wave, full: blocks / wave, tail: blocks % wave })
}
