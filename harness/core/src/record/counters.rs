//! The machine's counters as columns of the CSV.
//!
//! A case's counters are summed over all its launches, including those for checks and preparation: the column
//! `launches` has their number. On a GPU every one is empty.
use wire::{Copies, Launch, Managed, counters::Totals};

use crate::{
    device::machine::MachineReport,
    record::{
        column::{Column, Sourced, column, columns_of},
        row::{Record, Value},
    },
};

/// The source of a column's value.
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

/// A counter's column, and the source of its value.
type Counter = Sourced<From>;

const fn counter(name: &'static str, unit: &'static str, meaning: &'static str, from: From) -> Counter {
    Counter { column: column(name, meaning).unit(unit), source: from }
}

/// The counters, in the order of their columns.
#[rustfmt::skip]
const TABLE: &[Counter] = &[
    counter("launches", "", "kernels launched in the case", Launches),
    counter("instructions", "warp instructions", "executed by warps", Sum(|t| t.instructions)),
    counter("thread_instructions", "thread instructions", "executed by threads: a warp instruction counts once for each lane that was on", Sum(|t| t.thread_instructions)),
    counter("longest_warp_instructions", "warp instructions", "executed by the warp of a launch that executed the most: how well the warps share the work", LargestOf(|l| l.counters.longest_warp)),
    counter("warp_execution_efficiency_percent", "%", "thread instructions as a share of 32 times the warp instructions", Efficiency),
    counter("predicated_off_lanes", "thread instructions", "switched off by a predicate (branches apart)", Sum(|t| t.predicated_off)),
    counter("branches", "warp instructions", "conditional branches", Sum(|t| t.branches)),
    counter("divergent_branches", "warp instructions", "branches at which live lanes went different ways", Sum(|t| t.divergent_branches)),
    counter("barriers", "warp instructions", "block barriers that warps reached", Sum(|t| t.barriers)),
    counter("barrier_lanes", "threads", "waited at these barriers", Sum(|t| t.barrier_lanes)),
    counter("warp_syncs", "warp instructions", "shuffles, votes, matches, reductions and `__syncwarp`", Sum(|t| t.warp_syncs)),
    counter("global_load_requests", "warp instructions", "loads from global memory", Sum(|t| t.global_loads.requests)),
    counter("global_load_sectors", "32-byte sectors", "touched by these loads", Sum(|t| t.global_loads.sectors)),
    counter("global_load_ideal_sectors", "32-byte sectors", "that the same bytes would fill if they lay side by side", Sum(|t| t.global_loads.ideal_sectors)),
    counter("global_store_requests", "warp instructions", "stores to global memory", Sum(|t| t.global_stores.requests)),
    counter("global_store_sectors", "32-byte sectors", "touched by these stores", Sum(|t| t.global_stores.sectors)),
    counter("global_store_ideal_sectors", "32-byte sectors", "that the same bytes would fill if they lay side by side", Sum(|t| t.global_stores.ideal_sectors)),
    counter("local_load_bytes", "bytes", "loaded from local memory: spilled registers, and arrays that are indexed", Sum(|t| t.local_loads.bytes)),
    counter("local_load_sectors", "32-byte sectors", "touched by these loads", Sum(|t| t.local_loads.sectors)),
    counter("local_store_bytes", "bytes", "stored to local memory", Sum(|t| t.local_stores.bytes)),
    counter("local_store_sectors", "32-byte sectors", "touched by these stores", Sum(|t| t.local_stores.sectors)),
    counter("shared_load_requests", "warp instructions", "loads from shared memory", Sum(|t| t.shared_loads.requests)),
    counter("shared_store_requests", "warp instructions", "stores to shared memory", Sum(|t| t.shared_stores.requests)),
    counter("shared_bank_conflicts", "passes", "over the 32 banks of shared memory, beyond those that the width of the access demands", Sum(|t| t.shared_loads.conflicts + t.shared_stores.conflicts)),
    counter("shared_worst_ways", "ways", "of the worst single request: 1 is free of conflicts, 32 is the most", Largest(|t| t.shared_loads.worst_ways.max(t.shared_stores.worst_ways))),
    counter("global_atomic_requests", "warp instructions", "atomics on global memory", Sum(|t| t.global_atomics.requests)),
    counter("global_atomic_lanes", "threads", "took part in these atomics", Sum(|t| t.global_atomics.lanes)),
    counter("global_atomic_collisions", "threads", "hit an address that another lane of the same instruction had hit", Sum(|t| t.global_atomics.collisions)),
    counter("shared_atomic_requests", "warp instructions", "atomics on shared memory", Sum(|t| t.shared_atomics.requests)),
    counter("shared_atomic_lanes", "threads", "took part in these atomics", Sum(|t| t.shared_atomics.lanes)),
    counter("shared_atomic_collisions", "threads", "hit an address that another lane of the same instruction had hit", Sum(|t| t.shared_atomics.collisions)),
    counter("shared_atomic_conflicts", "passes", "over the 32 banks of shared memory that these atomics take beyond those that their width demands, where a bank serves one thread a pass", Sum(|t| t.shared_atomics.bank_conflicts)),
    counter("copied_h2d_bytes", "bytes", "copied from host to device; copies for checks are included in this and the next three", Copied(|c| c.host_to_device.bytes)),
    counter("copied_d2h_bytes", "bytes", "copied from device to host", Copied(|c| c.device_to_host.bytes)),
    counter("copied_d2d_bytes", "bytes", "copied on the device", Copied(|c| c.device_to_device.bytes)),
    counter("copied_h2h_bytes", "bytes", "copied on the host", Copied(|c| c.host_to_host.bytes)),
    counter("filled_bytes", "bytes", "set by memset", Copied(|c| c.fill.bytes)),
    counter("managed_pages_to_device", "blocks of 64 KiB", "of managed memory that moved to the device", Moved(Managed::to_device_blocks)),
    counter("managed_pages_to_host", "blocks of 64 KiB", "of managed memory that moved to the host", Moved(Managed::to_host_blocks)),
    counter("registers_estimated", "registers of a thread", "estimated from the PTX: the largest number of values alive at once, which may differ from what ptxas gives. This and the next two are of the launch with the most thread instructions", Heaviest(|l| l.registers_estimated.into())),
    counter("shared_bytes_per_block", "bytes", "static and dynamic shared memory of a block", Heaviest(|l| (l.static_shared_bytes + l.dynamic_shared_bytes).into())),
    counter("theoretical_occupancy_percent", "%", "of an SM's warps that the launch can keep resident, by its threads, registers and shared memory", Heaviest(|l| l.occupancy.percent.into())),
    counter("waiting_loops", "loops", "of a kernel that wait for other threads, or try again until no other was faster: what such a kernel counts varies with the order of its threads, if several processors emulate it", LargestOf(|l| l.waiting_loops.into())),
];

/// The counters' columns, which follow the lab's own in every CSV.
pub const COUNTERS: [Column; TABLE.len()] = columns_of(TABLE);

/// Returns the values of [`COUNTERS`]; empty if nothing was launched or copied, or the counters are off.
pub(crate) fn values(report: &MachineReport) -> Vec<Value> {
    if !report.is_counted {
        return Vec::new();
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
    TABLE.iter().map(|c| value(&c.source)).collect()
}

impl Record {
    /// Returns one of the machine's counters, by its column; `None` on a GPU.
    ///
    /// # Panics
    /// When no counter has such a column.
    pub fn counter(&self, column: &str) -> Option<f64> {
        value(self, column)
    }
}

/// Returns a record's counter by its column's name, which must be one of [`COUNTERS`].
pub(crate) fn value(record: &Record, column: &str) -> Option<f64> {
    let i = COUNTERS.iter().position(|c| c.name == column);
    let i = i.unwrap_or_else(|| panic!("no counter has the column {column}"));
    record.counters.get(i)?.number()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use wire::{
        Limiter, Occupancy,
        counters::{Counters, Traffic},
    };

    /// Returns a launch whose counters are zero.
    pub(crate) fn launch() -> Launch {
        Launch {
            kernel: "k".into(),
            kernel_name: "k".into(),
            grid: [1; 3],
            block: [1; 3],
            static_shared_bytes: 128,
            dynamic_shared_bytes: 64,
            local_bytes: 0,
            registers_estimated: 16,
            waiting_loops: 0,
            locking_loops: 0,
            retrying_loops: 0,
            cooperative: false,
            seed: 0,
            issue: 1,
            stream: 1,
            occupancy: Occupancy { blocks_per_sm: 1, warps_per_sm: 32, percent: 50.0, limiter: Limiter::Blocks },
            host_ms: 1.0,
            fault: None,
            counters: Counters::default(),
        }
    }

    /// Returns a report of two launches.
    pub(crate) fn report() -> MachineReport {
        let launch = |instructions: u64, threads: u64, ways: u64, registers: u32| {
            let mut launch = launch();
            launch.registers_estimated = registers;
            let totals = &mut launch.counters.totals;
            (totals.instructions, totals.thread_instructions) = (instructions, threads);
            totals.divergent_branches = 1;
            totals.global_loads = Traffic { requests: 2, sectors: 8, ideal_sectors: 4, ..Traffic::default() };
            (totals.shared_loads.conflicts, totals.shared_loads.worst_ways) = (3, ways);
            (totals.shared_stores.conflicts, totals.shared_stores.worst_ways) = (4, 1);
            launch
        };
        let mut report = MachineReport {
            launches: vec![launch(10, 320, 2, 16), launch(30, 320, 32, 40)],
            is_counted: true,
            ..MachineReport::default()
        };
        (report.copies.host_to_device.count, report.copies.host_to_device.bytes) = (2, 4096);
        report.managed.block_bytes = 65536;
        report.managed.to_device_bytes = 131_072;
        report
    }

    #[test]
    fn counters_are_summed_over_the_launches() {
        let values = values(&report());
        let of = |name: &str| values[COUNTERS.iter().position(|c| c.name == name).unwrap()].clone();
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
    fn without_counters_there_are_no_values() {
        assert!(values(&MachineReport::default()).is_empty());
        let off = MachineReport { launches: vec![launch()], ..MachineReport::default() };
        assert!(values(&off).is_empty());
    }
}
