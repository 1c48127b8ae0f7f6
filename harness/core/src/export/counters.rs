//! The machine's counters as tables for people (`--counters`).
use crate::{
    export::layout::{fitted, width},
    record::{counters::value, row::Record},
};

/// A table for people: its title and its columns. A column has a heading, and the CSV columns that are summed in it.
type Group = (&'static str, &'static [(&'static str, &'static [&'static str])]);
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
            ("local sectors", &["local_load_sectors", "local_store_sectors"]),
        ],
    ),
    (
        "Shared memory, and what fits on an SM",
        &[
            ("shared requests", &["shared_load_requests", "shared_store_requests"]),
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
        "Copies and fills in bytes, managed memory in blocks of 64 KiB",
        &[
            ("to device", &["copied_h2d_bytes"]),
            ("to host", &["copied_d2h_bytes"]),
            ("on device", &["copied_d2d_bytes"]),
            ("on host", &["copied_h2h_bytes"]),
            ("filled", &["filled_bytes"]),
            ("managed to device", &["managed_pages_to_device"]),
            ("managed to host", &["managed_pages_to_host"]),
        ],
    ),
];

/// Returns the counters of all records that have any; columns that are zero everywhere are left out.
pub(crate) fn tables(records: &[Record]) -> String {
    let counted: Vec<&Record> = records.iter().filter(|r| !r.counters.is_empty()).collect();
    let mut parts = Vec::new();
    for (title, columns) in GROUPS {
        let sum =
            |record: &Record, names: &[&str]| -> Option<f64> { names.iter().map(|name| value(record, name)).sum() };
        let shown: Vec<_> = columns
            .iter()
            .filter(|(_, names)| counted.iter().any(|r| sum(r, names).is_some_and(|v| v > 0.0)))
            .collect();
        if shown.is_empty() {
            continue;
        }
        let headers: Vec<&str> =
            ["variant", "case"].into_iter().chain(shown.iter().map(|(heading, _)| *heading)).collect();
        let rows: Vec<Vec<String>> = counted
            .iter()
            .filter(|r| shown.iter().any(|(_, names)| sum(r, names).is_some_and(|v| v > 0.0)))
            .map(|r| {
                let cells = shown.iter().map(|(_, names)| match sum(r, names) {
                    None => String::new(),
                    Some(v) if v.fract() == 0.0 => format!("{v:.0}"),
                    Some(v) => format!("{v:.1}"),
                });
                [r.variant.clone(), r.case.clone()].into_iter().chain(cells).collect()
            })
            .collect();
        parts.push(format!("{title}\n{}", fitted(&headers, &rows, &[], width())));
    }
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{
        counters::{COUNTERS, tests::report, values},
        row::tests::record,
    };

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
                assert!(COUNTERS.iter().any(|c| c.name == *name), "{name}");
            }
        }
    }
}
