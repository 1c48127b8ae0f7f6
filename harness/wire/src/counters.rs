//! What the machine counts while a kernel runs: the figures a profiler reads from the hardware.
//!
//! Loads and stores of matrix tiles are counted as the accesses that they consist of. `wmma.load` and `wmma.store` make
//! one request for each register, or pair of registers, whose elements lie side by side in memory (4 to 16 bytes a
//! lane), and one for each element otherwise (a tile stored by columns but held by rows). `ldmatrix` and `stmatrix`
//! make one request, whose lanes are those that give a row's address, and one pass over the banks for each 8 x 8
//! matrix, or more where rows of one matrix share banks. These are models: the hardware's compiler may join loads,
//! which then make fewer requests. On an H200 Nsight Compute counts the same wavefronts for the kernels of
//! `tests/tile.rs`, and the same requests and sectors for `product`; for `tall`, where the compiler joins loads, it
//! counts 18 requests instead of 20.
//!
//! An asynchronous copy (`cp.async`) is a load from global and a store to shared memory. Where its source is shorter
//! than its destination, the load counts only the sectors that are read.

use crate::costs::Costs;
use crate::finding::Place;
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
    /// Bytes those threads asked for.
    pub bytes: u64,
    /// 32-byte sectors touched (global and local memory).
    pub sectors: u64,
    /// Sectors that the same bytes would fill if they lay side by side.
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
    /// Bytes those threads asked for.
    pub bytes: u64,
    /// Passes over the 32 banks that the requests took; without conflicts, as many as the width of the accesses needs.
    pub wavefronts: u64,
    /// Passes beyond those that the width of the accesses needs.
    pub conflicts: u64,
    /// The worst single request: ways of its worst bank (1: free of conflicts).
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
    /// Threads that hit an address which another thread of the same warp instruction had hit before.
    pub collisions: u64,
    /// Passes over the banks of shared memory beyond those that the width of the atomics needs, where a bank serves one
    /// thread a pass, even if several hit the same word. Always 0 in global memory.
    #[serde(default)]
    pub bank_conflicts: u64,
}

/// Traffic of textures or surfaces.
///
/// A device takes a warp's instruction apart into requests, of 8 lanes side by side or of 4, of which each looks up
/// every sector that it needs once. What an H200 and an H100 count in `reports/agreement/units` follows these rules:
///
/// - Fetches from linear memory by index, and surfaces of one or two dimensions, make a request for 8 lanes; elements
///   of 16 bytes that are fetched by index, all other textures, volumes and layers make one for 4. Lanes that do not
///   run make none, nor do fetches of nothing but indices outside of linear memory.
/// - Linear memory and rows with a pitch have their sectors where their addresses are. A sector of an array holds 16
///   bytes of each of two rows, the first of which is even, of one layer or slice, and in an array of one dimension 16
///   bytes of its row.
/// - A linear filter needs the texels that it gives a weight. In a volume, a request looks them up for two lanes and
///   then for the other two; where texels have 16 bytes, it does so twice, and in a volume of such for one lane at a
///   time. A request for several levels looks up those of lanes at the finest level apart from the others'.
/// - Where a fetch gives the border, it needs the nearest texel all the same.
/// - Of the lanes of a request for a reduction at one element each looks up the sector on its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextureTraffic {
    /// Warp instructions.
    pub instructions: u64,
    /// Threads that took part in them.
    pub lanes: u64,
    /// Requests that the instructions were taken apart into.
    pub requests: u64,
    /// 32-byte sectors that the requests looked up, each once a request.
    pub sectors: u64,
    /// The same, each once an instruction: so many does a store write to the L2 cache.
    pub distinct_sectors: u64,
}

impl TextureTraffic {
    /// Whether there was none.
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
    /// Instructions executed by threads: one for each active lane that no predicate switched off.
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
    /// Fetches and gathers from textures. This and the next three are left out where there are none.
    #[serde(default, skip_serializing_if = "TextureTraffic::is_none")]
    pub textures: TextureTraffic,
    /// Loads from surfaces.
    #[serde(default, skip_serializing_if = "TextureTraffic::is_none")]
    pub surface_loads: TextureTraffic,
    /// Stores to surfaces.
    #[serde(default, skip_serializing_if = "TextureTraffic::is_none")]
    pub surface_stores: TextureTraffic,
    /// Reductions of elements of surfaces.
    #[serde(default, skip_serializing_if = "TextureTraffic::is_none")]
    pub surface_atomics: TextureTraffic,
}

impl Totals {
    /// The traffic of textures and of surfaces: fetches, loads, stores and reductions.
    pub fn texels(&self) -> [TextureTraffic; 4] {
        [self.textures, self.surface_loads, self.surface_stores, self.surface_atomics]
    }
}

/// The figures of one line of the source (of the PTX, when it holds no line information).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The line's place.
    pub place: Place,
    /// What was counted there.
    #[serde(flatten)]
    pub totals: Totals,
}

/// What was counted at one branch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BranchCount {
    /// Where the branch stands.
    pub place: Place,
    /// Warps that executed it at least once.
    pub warps: u64,
    /// Warps whose live lanes disagreed at it at least once.
    pub diverged: u64,
    /// Times a warp executed it.
    pub executions: u64,
    /// Times the live lanes disagreed.
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
    /// The most instructions that one of those warps executed.
    #[serde(default)]
    pub longest_warp: u64,
    /// The whole launch.
    pub totals: Totals,
    /// By source line, in the order of the program. Empty unless [`crate::Settings::lines`] asks for them.
    pub lines: Vec<Line>,
    /// By branch, in the order of the program.
    pub branches: Vec<BranchCount>,
    /// What else decides the launch's time, if [`crate::Settings::costs`] asks for it.
    #[serde(deserialize_with = "required")]
    pub costs: Option<Costs>,
}
