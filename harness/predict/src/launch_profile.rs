//! The model's input from a launch: the machine's counters, and the launch's shape.

use serde::{Deserialize, Serialize};
use wire::{Launch, costs::Costs};

/// The model's input from a launch. Counts are for the whole launch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs)] // The fields that are not explained are those of `wire::counters` and `wire::costs`.
pub struct LaunchProfile {
    /// The kernel, as its source declares it.
    pub kernel: String,
    /// Blocks of the grid.
    pub blocks: f64,
    /// Threads of a block.
    pub threads: f64,
    /// Blocks that an SM holds at once.
    pub resident: f64,
    /// Shared memory of a block, in bytes.
    pub shared_bytes: f64,
    /// Local memory of a thread, in bytes.
    pub local_bytes: f64,
    /// Instructions by pipe.
    pub single: f64,
    pub integer: f64,
    pub product: f64,
    pub double: f64,
    pub special: f64,
    pub tensor: f64,
    /// Products of 16 rows by 8 columns by the warps of warpgroups; these are not instructions.
    pub warpgroup: f64,
    pub memory: f64,
    pub exchange: f64,
    pub control: f64,
    /// The chains of the blocks, summed: between two barriers, the chain of the slowest warp.
    pub chain_arithmetic: f64,
    pub chain_double: f64,
    pub chain_special: f64,
    pub chain_tensor: f64,
    pub chain_warpgroup: f64,
    pub chain_shared: f64,
    pub chain_exchange: f64,
    pub chain_global: f64,
    pub chain_local: f64,
    pub chain_atomics: f64,
    pub chain_branches: f64,
    pub chain_barriers: f64,
    pub chain_fences: f64,
    /// Instructions that the warps of these chains can execute while they wait for loads from global memory.
    pub chain_meanwhile: f64,
    /// The share of the longest block's chain in that sum, in rough cycles.
    pub chain_longest: f64,
    /// The shares of all instructions, and of those to memory, that the block with the most of them executes.
    pub busiest_issue: f64,
    pub busiest_memory: f64,
    /// Set if something else has filled the L2 cache before: the launch's data are not in it.
    pub flushed: f64,
    pub global_load_requests: f64,
    pub global_load_sectors: f64,
    /// Sectors that the same bytes would fill if they were contiguous.
    pub global_load_ideal_sectors: f64,
    pub global_store_requests: f64,
    pub global_store_sectors: f64,
    /// Sectors that the same bytes would fill if they were contiguous.
    pub global_store_ideal_sectors: f64,
    pub local_sectors: f64,
    pub read_sectors: f64,
    pub written_sectors: f64,
    pub touched_sectors: f64,
    pub block_read_sectors: f64,
    pub read_pairs: f64,
    pub written_pairs: f64,
    pub request_passes: f64,
    /// Sectors that bulk copies read or write.
    pub copied_sectors: f64,
    /// Passes of loads and stores over the banks.
    pub shared_passes: f64,
    /// The part of these passes that bank conflicts cost.
    pub shared_conflicts: f64,
    pub shared_atomic_requests: f64,
    pub shared_atomic_steps: f64,
    pub global_atomic_requests: f64,
    pub atomic_steps: f64,
    pub atomic_longest: f64,
    pub atomic_longest_float: f64,
    pub atomic_retried: f64,
    /// Loops that try to take a lock.
    pub locking_loops: f64,
    /// Loops that fetch work by a counter.
    pub fetching_loops: f64,
    /// Loops that wait for another block's store.
    pub flag_loops: f64,
    /// The number of memory fills, if this is not a launch.
    pub fills: f64,
}

/// Launches that follow each other and are the same for the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repeated {
    /// The number of launches.
    pub count: u64,
    /// Their input for the model.
    #[serde(rename = "subject")]
    pub profile: LaunchProfile,
}

/// Why a launch cannot be used as input.
#[derive(Debug, thiserror::Error)]
#[error("what decides the time of {kernel} was not counted: the machine's setting `costs` is off")]
pub struct NotCounted {
    /// The kernel.
    pub kernel: String,
}

impl LaunchProfile {
    /// A fill of a few bytes of memory, between launches.
    pub fn fill() -> LaunchProfile {
        LaunchProfile { kernel: "(fill)".into(), fills: 1.0, ..LaunchProfile::default() }
    }

    /// Extracts the model's input from a launch.
    ///
    /// # Errors
    /// [`NotCounted`] when the launch's costs were not counted.
    pub fn from_launch(launch: &Launch) -> Result<LaunchProfile, NotCounted> {
        let Some(Costs { pipes, busiest, chain, longest_chain, footprint, serial }) = launch.counters.costs else {
            return Err(NotCounted { kernel: launch.kernel_name.clone() });
        };
        let product = |dims: [u32; 3]| dims.iter().map(|&d| f64::from(d)).product();
        let totals = &launch.counters.totals;
        Ok(LaunchProfile {
            kernel: launch.kernel_name.clone(),
            blocks: product(launch.grid),
            threads: product(launch.block),
            resident: f64::from(launch.occupancy.blocks_per_sm.max(1)),
            shared_bytes: f64::from(launch.static_shared_bytes + launch.dynamic_shared_bytes),
            local_bytes: f64::from(launch.local_bytes),
            single: pipes.single as f64,
            integer: pipes.integer as f64,
            product: pipes.product as f64,
            double: pipes.double as f64,
            special: pipes.special as f64,
            tensor: pipes.tensor as f64,
            warpgroup: pipes.warpgroup as f64,
            memory: pipes.memory as f64,
            exchange: pipes.exchange as f64,
            control: pipes.control as f64,
            chain_arithmetic: chain.arithmetic as f64,
            chain_double: chain.double as f64,
            chain_special: chain.special as f64,
            chain_tensor: chain.tensor as f64,
            chain_warpgroup: chain.warpgroup as f64,
            chain_shared: chain.shared as f64,
            chain_exchange: chain.exchange as f64,
            chain_global: chain.global as f64,
            chain_local: chain.local as f64,
            chain_atomics: chain.atomics as f64,
            chain_branches: chain.branches as f64,
            chain_barriers: chain.barriers as f64,
            chain_fences: chain.fences as f64,
            chain_meanwhile: chain.meanwhile as f64,
            chain_longest: longest_chain as f64 / (chain.cycles() as f64).max(1.0),
            busiest_issue: busiest.total() as f64 / (pipes.total() as f64).max(1.0),
            busiest_memory: busiest.memory as f64 / (pipes.memory as f64).max(1.0),
            flushed: 0.0,
            global_load_requests: totals.global_loads.requests as f64,
            global_load_sectors: totals.global_loads.sectors.saturating_sub(footprint.spun_sectors) as f64,
            global_load_ideal_sectors: totals.global_loads.ideal_sectors as f64,
            global_store_requests: totals.global_stores.requests as f64,
            global_store_sectors: totals.global_stores.sectors as f64,
            global_store_ideal_sectors: totals.global_stores.ideal_sectors as f64,
            local_sectors: (totals.local_loads.sectors + totals.local_stores.sectors) as f64,
            read_sectors: footprint.read_sectors as f64,
            written_sectors: footprint.written_sectors as f64,
            touched_sectors: footprint.sectors as f64,
            block_read_sectors: footprint.block_read_sectors as f64,
            read_pairs: footprint.read_pairs as f64,
            written_pairs: footprint.written_pairs as f64,
            request_passes: footprint.request_passes as f64,
            copied_sectors: footprint.copied_sectors as f64,
            shared_passes: (totals.shared_loads.wavefronts + totals.shared_stores.wavefronts) as f64,
            shared_conflicts: (totals.shared_loads.conflicts + totals.shared_stores.conflicts) as f64,
            shared_atomic_requests: totals.shared_atomics.requests as f64,
            shared_atomic_steps: serial.shared_steps as f64,
            global_atomic_requests: totals.global_atomics.requests as f64,
            atomic_steps: serial.steps as f64,
            atomic_longest: serial.longest as f64,
            atomic_longest_float: serial.longest_float as f64,
            atomic_retried: serial.retried as f64,
            locking_loops: f64::from(launch.locking_loops),
            fetching_loops: f64::from(launch.fetching_loops),
            flag_loops: f64::from(flag_loops(launch)),
            fills: 0.0,
        })
    }
}

/// Loops that wait, but neither for a lock nor by retrying, and that fetch no work.
fn flag_loops(launch: &Launch) -> u32 {
    launch.waiting_loops.saturating_sub(launch.locking_loops + launch.retrying_loops + launch.fetching_loops)
}
