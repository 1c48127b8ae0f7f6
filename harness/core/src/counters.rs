//! The machine's counters as columns of the CSV, and as tables for the reader.
//!
//! A case's counters are summed over all its launches, those of checks and of preparation by kernels included:
//! the column `launches` says how many. On a GPU every one is empty.
use crate::{
    MachineReport, Record, Value,
    machine::LaunchReport,
    table::{fitted, width},
};

/// Where a column's value comes from.
enum From {
    /// How many launches.
    Launches,
    /// Sum over launches of the counters at these paths under `totals`.
    Sum(&'static [&'static str]),
    /// Largest over launches of the counters at these paths under `totals`.
    Largest(&'static [&'static str]),
    /// Thread-instructions of 32 times the instructions, in per cent.
    Efficiency,
    /// Bytes of the copies that go this way.
    Copied(&'static str),
    /// Pages of managed memory that went to the device, or back to the host.
    ToDevice,
    ToHost,
    /// Of the launch with the most thread-instructions.
    Heaviest(fn(&LaunchReport) -> Value),
}

use From::{Copied, Efficiency, Heaviest, Largest, Launches, Sum, ToDevice, ToHost};

/// The columns, in order, and where each comes from.
const TABLE: [(&str, From); 40] = [
    ("launches", Launches),
    ("instructions", Sum(&["instructions"])),
    ("thread_instructions", Sum(&["thread_instructions"])),
    ("warp_execution_efficiency_percent", Efficiency),
    ("predicated_off_lanes", Sum(&["predicated_off"])),
    ("branches", Sum(&["branches"])),
    ("divergent_branches", Sum(&["divergent_branches"])),
    ("barriers", Sum(&["barriers"])),
    ("barrier_lanes", Sum(&["barrier_lanes"])),
    ("warp_syncs", Sum(&["warp_syncs"])),
    ("global_load_requests", Sum(&["global_loads/requests"])),
    ("global_load_sectors", Sum(&["global_loads/sectors"])),
    (
        "global_load_ideal_sectors",
        Sum(&["global_loads/ideal_sectors"]),
    ),
    ("global_store_requests", Sum(&["global_stores/requests"])),
    ("global_store_sectors", Sum(&["global_stores/sectors"])),
    (
        "global_store_ideal_sectors",
        Sum(&["global_stores/ideal_sectors"]),
    ),
    ("local_load_bytes", Sum(&["local_loads/bytes"])),
    ("local_load_sectors", Sum(&["local_loads/sectors"])),
    ("local_store_bytes", Sum(&["local_stores/bytes"])),
    ("local_store_sectors", Sum(&["local_stores/sectors"])),
    ("shared_load_requests", Sum(&["shared_loads/requests"])),
    ("shared_store_requests", Sum(&["shared_stores/requests"])),
    (
        "shared_bank_conflicts",
        Sum(&["shared_loads/conflicts", "shared_stores/conflicts"]),
    ),
    (
        "shared_worst_ways",
        Largest(&["shared_loads/worst_ways", "shared_stores/worst_ways"]),
    ),
    ("global_atomic_requests", Sum(&["global_atomics/requests"])),
    ("global_atomic_lanes", Sum(&["global_atomics/lanes"])),
    (
        "global_atomic_collisions",
        Sum(&["global_atomics/collisions"]),
    ),
    ("shared_atomic_requests", Sum(&["shared_atomics/requests"])),
    ("shared_atomic_lanes", Sum(&["shared_atomics/lanes"])),
    (
        "shared_atomic_collisions",
        Sum(&["shared_atomics/collisions"]),
    ),
    ("copied_h2d_bytes", Copied("host_to_device")),
    ("copied_d2h_bytes", Copied("device_to_host")),
    ("copied_d2d_bytes", Copied("device_to_device")),
    ("copied_h2h_bytes", Copied("host_to_host")),
    ("filled_bytes", Copied("fill")),
    ("managed_pages_to_device", ToDevice),
    ("managed_pages_to_host", ToHost),
    (
        "registers_estimated",
        Heaviest(|l| l.registers_estimated.into()),
    ),
    (
        "shared_bytes_per_block",
        Heaviest(|l| (l.static_shared_bytes + l.dynamic_shared_bytes).into()),
    ),
    (
        "theoretical_occupancy_percent",
        Heaviest(|l| l.occupancy.percent.into()),
    ),
];

/// The counters' columns, which follow the lab's own in every CSV (`reports/README.md` says what each holds).
pub const COUNTERS: [&str; TABLE.len()] = {
    let mut names = [""; TABLE.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = TABLE[i].0;
        i += 1;
    }
    names
};

/// The values of [`COUNTERS`]; none when nothing was launched or copied, or the counters are off.
pub(crate) fn values(report: &MachineReport) -> Vec<Value> {
    if !report.settings.counters || (report.launches.is_empty() && report.copies.is_empty()) {
        return Vec::new();
    }
    let under_totals = |launch: &LaunchReport, paths: &[&str]| -> Vec<f64> {
        let counter = |path: &&str| launch.counter(&format!("/totals/{path}"));
        paths.iter().filter_map(counter).collect()
    };
    let each = |paths| {
        report
            .launches
            .iter()
            .flat_map(move |l| under_totals(l, paths))
    };
    let count = |v: f64| Value::Int(v as i64);
    let instructions = each(&["instructions"]).sum::<f64>();
    let threads = each(&["thread_instructions"]).sum::<f64>();
    let heaviest = report.launches.iter().max_by(|a, b| {
        let work = |l: &LaunchReport| l.counter("/totals/thread_instructions").unwrap_or(0.0);
        work(a).total_cmp(&work(b))
    });
    let pages = |bytes: u64| Value::from(bytes / report.managed.block_bytes.max(1));
    let value = |from: &From| match from {
        Launches => report.launches.len().into(),
        ToDevice => pages(report.managed.to_device_bytes),
        ToHost => pages(report.managed.to_host_bytes),
        Copied(way) => report.copies.get(*way).map_or(0, |c| c.bytes).into(),
        // Nothing ran, so nothing of it was counted.
        _ if report.launches.is_empty() => Value::Empty,
        Sum(paths) => count(each(paths).sum()),
        Largest(paths) => count(each(paths).fold(0.0, f64::max)),
        Efficiency if instructions == 0.0 => Value::Empty,
        Efficiency => Value::Real(100.0 * threads / (32.0 * instructions)),
        Heaviest(of) => heaviest.map_or(Value::Empty, of),
    };
    TABLE.iter().map(|(_, from)| value(from)).collect()
}

/// The tables that a reader sees, each a title and its columns: heading, and the CSV columns added up in it.
type Group = (
    &'static str,
    &'static [(&'static str, &'static [&'static str])],
);
const GROUPS: [Group; 4] = [
    (
        "Execution",
        &[
            ("launches", &["launches"]),
            ("instr.", &["instructions"]),
            ("thread instr.", &["thread_instructions"]),
            ("efficiency %", &["warp_execution_efficiency_percent"]),
            ("predicated off", &["predicated_off_lanes"]),
            ("divergent branches", &["divergent_branches"]),
            ("barriers", &["barriers"]),
            ("lanes waited", &["barrier_lanes"]),
        ],
    ),
    (
        "Global and local memory: requests of warps, sectors of 32 bytes",
        &[
            ("loads", &["global_load_requests"]),
            ("sectors", &["global_load_sectors"]),
            ("ideal", &["global_load_ideal_sectors"]),
            ("stores", &["global_store_requests"]),
            ("sectors ", &["global_store_sectors"]),
            ("ideal ", &["global_store_ideal_sectors"]),
            ("atomics", &["global_atomic_requests"]),
            ("collisions", &["global_atomic_collisions"]),
            (
                "local sectors",
                &["local_load_sectors", "local_store_sectors"],
            ),
        ],
    ),
    (
        "Shared memory, and what fits on an SM",
        &[
            (
                "shared requests",
                &["shared_load_requests", "shared_store_requests"],
            ),
            ("conflicts", &["shared_bank_conflicts"]),
            ("worst ways", &["shared_worst_ways"]),
            ("atomics", &["shared_atomic_requests"]),
            ("collisions", &["shared_atomic_collisions"]),
            ("bytes a block", &["shared_bytes_per_block"]),
            ("registers (est.)", &["registers_estimated"]),
            ("occupancy %", &["theoretical_occupancy_percent"]),
        ],
    ),
    (
        "Copies and fills in bytes, managed memory in pages",
        &[
            ("to device", &["copied_h2d_bytes"]),
            ("to host", &["copied_d2h_bytes"]),
            ("on device", &["copied_d2d_bytes"]),
            ("on host", &["copied_h2h_bytes"]),
            ("filled", &["filled_bytes"]),
            ("pages to device", &["managed_pages_to_device"]),
            ("pages to host", &["managed_pages_to_host"]),
        ],
    ),
];

/// A record's counter by its column's name.
pub(crate) fn value(record: &Record, column: &str) -> Option<f64> {
    let i = COUNTERS.iter().position(|c| *c == column)?;
    match record.counters.get(i)? {
        Value::Int(v) => Some(*v as f64),
        Value::Real(v) => Some(*v),
        Value::Empty | Value::Text(_) => None,
    }
}

/// The counters of all records that have any; columns that are zero everywhere are left out.
pub(crate) fn tables(records: &[Record]) -> String {
    let counted: Vec<&Record> = records.iter().filter(|r| !r.counters.is_empty()).collect();
    let mut parts = Vec::new();
    for (title, columns) in GROUPS {
        let sum = |record: &Record, names: &[&str]| -> Option<f64> {
            names.iter().map(|name| value(record, name)).sum()
        };
        let shown: Vec<_> = columns
            .iter()
            .filter(|(_, names)| {
                counted
                    .iter()
                    .any(|r| sum(r, names).is_some_and(|v| v > 0.0))
            })
            .collect();
        if shown.is_empty() {
            continue;
        }
        let headers: Vec<&str> = ["variant", "case"]
            .into_iter()
            .chain(shown.iter().map(|(heading, _)| *heading))
            .collect();
        let rows: Vec<Vec<String>> = counted
            .iter()
            .filter(|r| {
                shown
                    .iter()
                    .any(|(_, names)| sum(r, names).is_some_and(|v| v > 0.0))
            })
            .map(|r| {
                let cells = shown.iter().map(|(_, names)| match sum(r, names) {
                    None => String::new(),
                    Some(v) if v.fract() == 0.0 => format!("{v:.0}"),
                    Some(v) => format!("{v:.1}"),
                });
                [r.variant.clone(), r.case.clone()]
                    .into_iter()
                    .chain(cells)
                    .collect()
            })
            .collect();
        parts.push(format!(
            "{title}\n{}",
            fitted(&headers, &rows, &[], width())
        ));
    }
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;

    /// A report as the machine writes it, of two launches.
    fn report() -> MachineReport {
        let launch = |instructions: u64, threads: u64, ways: u64, registers: u32| {
            serde_json::json!({
                "kernel": "k", "registers_estimated": registers, "static_shared_bytes": 128, "dynamic_shared_bytes": 64,
                "occupancy": { "percent": 50.0 },
                "counters": { "totals": {
                    "instructions": instructions, "thread_instructions": threads, "divergent_branches": 1,
                    "global_loads": { "requests": 2, "sectors": 8, "ideal_sectors": 4 },
                    "shared_loads": { "conflicts": 3, "worst_ways": ways }, "shared_stores": { "conflicts": 4, "worst_ways": 1 },
                } },
            })
        };
        serde_json::from_value(serde_json::json!({
            "settings": { "counters": true },
            "launches": [launch(10, 320, 2, 16), launch(30, 320, 32, 40)],
            "copies": { "host_to_device": { "count": 2, "bytes": 4096 } },
            "managed": { "block_bytes": 65536, "to_device_bytes": 131_072, "to_host_bytes": 0 },
            "findings": [],
        }))
        .unwrap()
    }

    #[test]
    fn counters_are_summed_over_the_launches() {
        let values = values(&report());
        let of = |name: &str| values[COUNTERS.iter().position(|c| *c == name).unwrap()].clone();
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
        let off = serde_json::json!({ "settings": { "counters": false }, "launches": [{}] });
        assert!(values(&serde_json::from_value(off).unwrap()).is_empty());
    }

    #[test]
    fn the_tables_show_what_was_counted_and_no_column_of_zeros() {
        let mut row = record();
        row.counters = values(&report());
        let text = tables(&[row]);
        for words in ["Execution", "efficiency", " 50", "worst", " 32", "4096"] {
            assert!(text.contains(words), "no {words} in {text}");
        }
        assert!(!text.contains("atomics"), "{text}");
        assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
    }

    #[test]
    fn every_column_that_a_reader_sees_is_one_of_the_csv() {
        for (_, columns) in GROUPS {
            for name in columns.iter().flat_map(|(_, names)| *names) {
                assert!(COUNTERS.contains(name), "{name}");
            }
        }
    }
}
