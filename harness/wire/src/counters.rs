//! Counters of a kernel's execution: the figures that a profiler reads from the hardware.
//!
//! Loads and stores of matrix tiles are counted as the accesses that they consist of. `wmma.load` and `wmma.store` make
//! one request for each register, or pair of registers, whose elements are adjacent in memory (4 to 16 bytes a lane),
//! and one for each element otherwise (a tile stored by columns but held by rows). `ldmatrix` and `stmatrix` make one
//! request, whose lanes are those that provide a row's address, and one pass over the banks for each 8 x 8 matrix, or
//! more if rows of one matrix share banks. These are models: the hardware's compiler may merge loads, which then make
//! fewer requests. On an H200 Nsight Compute counts the same wavefronts for the kernels of `tests/tile.rs`, and the
//! same requests and sectors for `product`; for `tall`, where the compiler merges loads, it counts 18 requests instead
//! of 20.
//!
//! An asynchronous copy (`cp.async`) is a load from global and a store to shared memory. Where its source is shorter
//! than its destination, the load counts only the sectors that are read.

use crate::costs::Costs;
use crate::finding::SourcePlace;
use crate::version::required;
use serde::{Deserialize, Serialize};

/// Traffic of one kind of memory access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// Warp instructions that touched memory.
    pub requests: u64,
    /// Threads that took part in them.
    pub lanes: u64,
    /// Bytes that those threads accessed.
    pub bytes: u64,
    /// 32-byte sectors touched (global and local memory).
    pub sectors: u64,
    /// Sectors that the same bytes would fill if they were contiguous.
    pub ideal_sectors: u64,
}

/// Traffic of shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedTraffic {
    /// Warp instructions.
    pub requests: u64,
    /// Threads that took part in them.
    pub lanes: u64,
    /// Bytes that those threads accessed.
    pub bytes: u64,
    /// Passes over the 32 banks that the requests took. Without conflicts, there are as many as the width of the
    /// accesses needs.
    pub wavefronts: u64,
    /// Passes beyond those that the width of the accesses needs.
    pub conflicts: u64,
    /// The worst conflict of a single request: the ways of its worst bank (1: free of conflicts).
    pub worst_ways: u64,
}

/// Atomics of one space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtomicTraffic {
    /// Warp instructions.
    pub requests: u64,
    /// Threads that took part in them.
    pub lanes: u64,
    /// Threads that hit an address which another thread of the same warp instruction had already hit.
    pub collisions: u64,
    /// Passes over the banks of shared memory beyond those that the width of the atomics needs, where a bank serves one
    /// thread in each pass, even if several threads hit the same word. Always 0 in global memory.
    #[serde(default)]
    pub bank_conflicts: u64,
}

/// Traffic of textures or surfaces.
///
/// A device splits a warp's instruction into requests of 8 or 4 neighbouring lanes. Each request looks up every sector
/// that it needs once. The counts of an H200 and an H100 in `reports/agreement/units` follow these rules:
///
/// - Fetches from linear memory by index, and one- and two-dimensional surfaces, make one request for 8 lanes. Elements
///   of 16 bytes that are fetched by index, all other textures, volumes and layers make one for 4 lanes. Inactive lanes
///   make no request, nor do fetches outside of linear memory whose indices are all out of range.
/// - Linear memory and pitched rows have their sectors at their addresses. A sector of an array holds 16 bytes of each
///   of two rows, the first of which is even, of one layer or slice; in a one-dimensional array it holds 16 bytes of
///   the row.
/// - A linear filter needs the texels that have a weight. In a volume, a request looks them up for two lanes and then
///   for the other two; if texels have 16 bytes, it does so twice, and in a volume of such texels for one lane at a
///   time. A request for several mip levels looks up the lanes at the finest level separately from the others.
/// - A fetch that returns the border still needs the nearest texel.
/// - If several lanes of a reduction's request address one element, each lane looks up the sector separately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextureTraffic {
    /// Warp instructions.
    pub instructions: u64,
    /// Threads that took part in them.
    pub lanes: u64,
    /// Requests into which the instructions were split.
    pub requests: u64,
    /// 32-byte sectors that the requests looked up, each counted once for each request.
    pub sectors: u64,
    /// The same sectors, each counted once for each instruction: the number of sectors that a store writes to the L2
    /// cache.
    pub distinct_sectors: u64,
}

impl TextureTraffic {
    /// Whether nothing was counted.
    fn is_none(&self) -> bool {
        *self == TextureTraffic::default()
    }
}

/// The figures of a launch, or of one line of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// Instructions executed by warps.
    pub instructions: u64,
    /// Instructions executed by threads: one for each active lane that is not predicated off.
    pub thread_instructions: u64,
    /// Threads switched off by a predicate on an instruction that is not a branch.
    pub predicated_off: u64,
    /// Conditional branches executed by warps.
    pub branches: u64,
    /// Branches at which the live lanes went different ways.
    pub divergent_branches: u64,
    /// Block barriers reached by warps.
    pub barriers: u64,
    /// Threads that waited at them.
    pub barrier_lanes: u64,
    /// Warp-level synchronisations and exchanges (`__syncwarp`, shuffles, votes, matches, reductions).
    pub warp_syncs: u64,
    /// Loads from global memory (constant memory is counted separately).
    pub global_loads: Traffic,
    /// Stores to global memory.
    pub global_stores: Traffic,
    /// Loads from local memory.
    pub local_loads: Traffic,
    /// Stores to local memory.
    pub local_stores: Traffic,
    /// Loads from constant memory through an address.
    pub constant_loads: Traffic,
    /// Loads from shared memory.
    pub shared_loads: SharedTraffic,
    /// Stores to shared memory.
    pub shared_stores: SharedTraffic,
    /// Atomics on global memory.
    pub global_atomics: AtomicTraffic,
    /// Atomics on shared memory.
    pub shared_atomics: AtomicTraffic,
    /// Fetches and gathers from textures. This field and the next three are omitted if they are zero.
    #[serde(default, skip_serializing_if = "TextureTraffic::is_none")]
    pub textures: TextureTraffic,
    /// Loads from surfaces.
    #[serde(default, skip_serializing_if = "TextureTraffic::is_none")]
    pub surface_loads: TextureTraffic,
    /// Stores to surfaces.
    #[serde(default, skip_serializing_if = "TextureTraffic::is_none")]
    pub surface_stores: TextureTraffic,
    /// Reductions on elements of surfaces.
    #[serde(default, skip_serializing_if = "TextureTraffic::is_none")]
    pub surface_atomics: TextureTraffic,
}

impl Totals {
    /// The traffic of textures and of surfaces, in the order fetches, loads, stores, reductions.
    pub fn texels(&self) -> [TextureTraffic; 4] {
        [self.textures, self.surface_loads, self.surface_stores, self.surface_atomics]
    }
}

/// The figures of one line of the source (of the PTX, if it has no line information).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineCounters {
    /// The line's place.
    pub place: SourcePlace,
    /// What was counted there.
    #[serde(flatten)]
    pub totals: Totals,
}

/// What was counted at one branch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BranchCount {
    /// The branch's place.
    pub place: SourcePlace,
    /// Warps that executed it at least once.
    pub warps: u64,
    /// Warps whose active lanes diverged at it at least once.
    pub diverged: u64,
    /// Times a warp executed it.
    pub executions: u64,
    /// Times that the active lanes diverged.
    pub divergent: u64,
}

/// Everything that was counted in a launch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// Blocks that ran to their end.
    pub blocks: u64,
    /// Warps of those blocks.
    pub warps: u64,
    /// Threads of those blocks.
    pub threads: u64,
    /// The instructions of the warp that executed the most.
    #[serde(default)]
    pub longest_warp: u64,
    /// The counts of the whole launch.
    pub totals: Totals,
    /// The counts by source line, in the order of the program. Empty unless [`crate::Settings::lines`] is set.
    pub lines: Vec<LineCounters>,
    /// The counts by branch, in the order of the program.
    pub branches: Vec<BranchCount>,
    /// The launch's other costs, if [`crate::Settings::costs`] is set.
    #[serde(deserialize_with = "required")]
    pub costs: Option<Costs>,
}
