//! The machine's counters: one table with the name, the column and the source of each.
//!
//! A case's counters are summed over all its launches, including those for checks and preparation: the counter
//! `launches` has their number. On a GPU there are none.
use serde::{Deserialize, Serialize};
use wire::{Copies, Launch, Managed, counters::Totals};

use crate::{
    column::{Column, column},
    machine_report::MachineReport,
    record::Value,
};

/// The source of a counter's value.
enum From {
    /// The number of launches.
    Launches,
    /// The sum over the launches.
    Sum(fn(&Totals) -> u64),
    /// The maximum over the launches.
    Largest(fn(&Totals) -> u64),
    /// Thread instructions as a percentage of 32 times the instructions.
    Efficiency,
    /// Bytes that were copied or filled.
    Copied(fn(&Copies) -> u64),
    /// Blocks of managed memory that migrated.
    Moved(fn(&Managed) -> u64),
    /// The maximum value of a launch.
    LargestOf(fn(&Launch) -> u64),
    /// A value of the launch with the most thread instructions.
    Heaviest(fn(&Launch) -> Value),
}

use From::{Copied, Efficiency, Heaviest, Largest, LargestOf, Launches, Moved, Sum};

/// A row of the table.
struct Counted {
    column: Column,
    from: From,
}

/// Declares the counters: the enum, and the table with the name, the unit, the meaning and the source of each.
macro_rules! counters {
    ($($counter:ident = $name:literal, $unit:literal, $meaning:literal, $from:expr;)*) => {
        /// A counter of the machine.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Counter {
            $(#[doc = $meaning] $counter,)*
        }

        impl Counter {
            /// All counters, in the order of their columns.
            pub const ALL: &[Self] = &[$(Self::$counter),*];
        }

        const TABLE: &[Counted] = &[
            $(Counted { column: column($name, $meaning).unit($unit), from: $from },)*
        ];
    };
}

#[rustfmt::skip]
counters! {
    Launches = "launches", "", "kernels launched in the case", Launches;
    Instructions = "instructions", "warp instructions", "executed by warps", Sum(|t| t.instructions);
    ThreadInstructions = "thread_instructions", "thread instructions", "executed by threads: a warp instruction counts once for each lane that was on", Sum(|t| t.thread_instructions);
    LongestWarpInstructions = "longest_warp_instructions", "warp instructions", "executed by the warp of a launch that executed the most: how well the warps share the work", LargestOf(|l| l.counters.longest_warp);
    WarpExecutionEfficiencyPercent = "warp_execution_efficiency_percent", "%", "thread instructions as a share of 32 times the warp instructions", Efficiency;
    PredicatedOffLanes = "predicated_off_lanes", "thread instructions", "switched off by a predicate (branches apart)", Sum(|t| t.predicated_off);
    Branches = "branches", "warp instructions", "conditional branches", Sum(|t| t.branches);
    DivergentBranches = "divergent_branches", "warp instructions", "branches at which live lanes went different ways", Sum(|t| t.divergent_branches);
    Barriers = "barriers", "warp instructions", "block barriers that warps reached", Sum(|t| t.barriers);
    BarrierLanes = "barrier_lanes", "threads", "waited at these barriers", Sum(|t| t.barrier_lanes);
    WarpSyncs = "warp_syncs", "warp instructions", "shuffles, votes, matches, reductions and `__syncwarp`", Sum(|t| t.warp_syncs);
    GlobalLoadRequests = "global_load_requests", "warp instructions", "loads from global memory", Sum(|t| t.global_loads.requests);
    GlobalLoadSectors = "global_load_sectors", "32-byte sectors", "touched by these loads", Sum(|t| t.global_loads.sectors);
    GlobalLoadIdealSectors = "global_load_ideal_sectors", "32-byte sectors", "that the same bytes would fill if they lay side by side", Sum(|t| t.global_loads.ideal_sectors);
    GlobalStoreRequests = "global_store_requests", "warp instructions", "stores to global memory", Sum(|t| t.global_stores.requests);
    GlobalStoreSectors = "global_store_sectors", "32-byte sectors", "touched by these stores", Sum(|t| t.global_stores.sectors);
    GlobalStoreIdealSectors = "global_store_ideal_sectors", "32-byte sectors", "that the same bytes would fill if they lay side by side", Sum(|t| t.global_stores.ideal_sectors);
    LocalLoadBytes = "local_load_bytes", "bytes", "loaded from local memory: spilled registers, and arrays that are indexed", Sum(|t| t.local_loads.bytes);
    LocalLoadSectors = "local_load_sectors", "32-byte sectors", "touched by these loads", Sum(|t| t.local_loads.sectors);
    LocalStoreBytes = "local_store_bytes", "bytes", "stored to local memory", Sum(|t| t.local_stores.bytes);
    LocalStoreSectors = "local_store_sectors", "32-byte sectors", "touched by these stores", Sum(|t| t.local_stores.sectors);
    SharedLoadRequests = "shared_load_requests", "warp instructions", "loads from shared memory", Sum(|t| t.shared_loads.requests);
    SharedStoreRequests = "shared_store_requests", "warp instructions", "stores to shared memory", Sum(|t| t.shared_stores.requests);
    SharedBankConflicts = "shared_bank_conflicts", "passes", "over the 32 banks of shared memory, beyond those that the width of the access demands", Sum(|t| t.shared_loads.conflicts + t.shared_stores.conflicts);
    SharedWorstWays = "shared_worst_ways", "ways", "of the worst single request: 1 is free of conflicts, 32 is the most", Largest(|t| t.shared_loads.worst_ways.max(t.shared_stores.worst_ways));
    GlobalAtomicRequests = "global_atomic_requests", "warp instructions", "atomics on global memory", Sum(|t| t.global_atomics.requests);
    GlobalAtomicLanes = "global_atomic_lanes", "threads", "took part in these atomics", Sum(|t| t.global_atomics.lanes);
    GlobalAtomicCollisions = "global_atomic_collisions", "threads", "hit an address that another lane of the same instruction had hit", Sum(|t| t.global_atomics.collisions);
    SharedAtomicRequests = "shared_atomic_requests", "warp instructions", "atomics on shared memory", Sum(|t| t.shared_atomics.requests);
    SharedAtomicLanes = "shared_atomic_lanes", "threads", "took part in these atomics", Sum(|t| t.shared_atomics.lanes);
    SharedAtomicCollisions = "shared_atomic_collisions", "threads", "hit an address that another lane of the same instruction had hit", Sum(|t| t.shared_atomics.collisions);
    SharedAtomicConflicts = "shared_atomic_conflicts", "passes", "over the 32 banks of shared memory that these atomics take beyond those that their width demands, where a bank serves one thread a pass", Sum(|t| t.shared_atomics.bank_conflicts);
    CopiedH2dBytes = "copied_h2d_bytes", "bytes", "copied from host to device; copies for checks are included in this and the next three", Copied(|c| c.host_to_device.bytes);
    CopiedD2hBytes = "copied_d2h_bytes", "bytes", "copied from device to host", Copied(|c| c.device_to_host.bytes);
    CopiedD2dBytes = "copied_d2d_bytes", "bytes", "copied on the device", Copied(|c| c.device_to_device.bytes);
    CopiedH2hBytes = "copied_h2h_bytes", "bytes", "copied on the host", Copied(|c| c.host_to_host.bytes);
    FilledBytes = "filled_bytes", "bytes", "set by memset", Copied(|c| c.fill.bytes);
    ManagedPagesToDevice = "managed_pages_to_device", "blocks of 64 KiB", "of managed memory that moved to the device", Moved(Managed::to_device_blocks);
    ManagedPagesToHost = "managed_pages_to_host", "blocks of 64 KiB", "of managed memory that moved to the host", Moved(Managed::to_host_blocks);
    RegistersEstimated = "registers_estimated", "registers of a thread", "as ptxas gives them where it is installed (`kernel_registers_from`), else estimated from the PTX: the largest number of values alive at once. This and the next two are of the launch with the most thread instructions", Heaviest(|l| l.registers_estimated.into());
    SharedBytesPerBlock = "shared_bytes_per_block", "bytes", "static and dynamic shared memory of a block", Heaviest(|l| (l.static_shared_bytes + l.dynamic_shared_bytes).into());
    TheoreticalOccupancyPercent = "theoretical_occupancy_percent", "%", "of an SM's warps that the launch can keep resident, by its threads, registers and shared memory", Heaviest(|l| l.occupancy.percent.into());
    WaitingLoops = "waiting_loops", "loops", "of a kernel that wait for other threads, or try again until no other was faster: what such a kernel counts varies with the order of its threads, if several processors emulate it", LargestOf(|l| l.waiting_loops.into());
}

impl Counter {
    /// Returns its column.
    pub const fn column(self) -> Column {
        TABLE[self as usize].column
    }

    /// Returns the name of its column.
    pub const fn name(self) -> &'static str {
        self.column().name
    }

    /// Returns the counter whose column has this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|counter| counter.name() == name)
    }
}

/// The counters of a case; empty on a GPU, and if nothing was counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Counters(Vec<Value>);

impl Counters {
    /// Sums the counters over a report; empty if the counters are off.
    pub fn from_report(report: &MachineReport) -> Self {
        if !report.is_counted {
            return Self::default();
        }
        let totals = || report.counters().map(|counters| &counters.totals);
        let instructions = report.total(|t| t.instructions);
        let threads = report.total(|t| t.thread_instructions);
        let heaviest = (report.launches.iter()).max_by_key(|launch| launch.counters.totals.thread_instructions);
        let value = |from: &From| match from {
            Launches => report.launches.len().into(),
            Copied(of) => of(&report.copies).into(),
            Moved(of) => of(&report.managed).into(),
            // Nothing ran, so nothing was counted.
            _ if report.launches.is_empty() => Value::Empty,
            Sum(of) => report.total(of).into(),
            Largest(of) => totals().map(of).max().into(),
            LargestOf(of) => report.launches.iter().map(of).max().into(),
            Efficiency if instructions == 0 => Value::Empty,
            Efficiency => Value::Real(100.0 * threads as f64 / (32.0 * instructions as f64)),
            Heaviest(of) => heaviest.map_or(Value::Empty, of),
        };
        Self(TABLE.iter().map(|counted| value(&counted.from)).collect())
    }

    /// Returns the value of a counter; `None` if it was not counted.
    pub fn get(&self, counter: Counter) -> Option<f64> {
        self.value(counter).number()
    }

    /// Returns the value of a counter as it is written.
    pub fn value(&self, counter: Counter) -> &Value {
        self.0.get(counter as usize).unwrap_or(&Value::Empty)
    }

    /// Sets the value of a counter.
    pub fn set(&mut self, counter: Counter, value: Value) {
        self.0.resize(TABLE.len(), Value::Empty);
        self.0[counter as usize] = value;
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|value| *value == Value::Empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{launch, report};

    #[test]
    fn counters_are_summed_over_the_launches() {
        let counters = Counters::from_report(&report());
        let of = |name: &str| counters.value(Counter::named(name).unwrap()).clone();
        for (name, expected) in [
            ("launches", Value::Int(2)),
            ("instructions", Value::Int(40)),
            ("warp_execution_efficiency_percent", Value::Real(50.0)),
            ("global_load_sectors", Value::Int(16)),
            ("shared_bank_conflicts", Value::Int(14)),
            ("shared_worst_ways", Value::Int(32)),
            ("copied_h2d_bytes", Value::Int(4096)),
            ("managed_pages_to_device", Value::Int(2)),
            ("shared_bytes_per_block", Value::Int(192)),
            ("theoretical_occupancy_percent", Value::Real(50.0)),
        ] {
            assert_eq!(of(name), expected, "{name}");
        }
    }

    #[test]
    fn each_counter_has_its_row_of_the_table() {
        assert_eq!(Counter::ALL.len(), TABLE.len());
        assert_eq!(Counter::named("launches"), Some(Counter::Launches));
        assert_eq!(Counter::named("waiting_loops").map(Counter::name), Some("waiting_loops"));
        assert_eq!(Counter::named("wafting_loops"), None);
    }

    #[test]
    fn without_counters_there_are_no_values() {
        assert!(Counters::from_report(&MachineReport::default()).is_empty());
        let off = MachineReport { launches: vec![launch()], ..MachineReport::default() };
        assert!(Counters::from_report(&off).is_empty());
    }
}
