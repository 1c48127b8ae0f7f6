//! The machine's counters as tables for people (`--counters`).
use record::{Counter, Record};

use crate::{export::layout::fitted, export::layout::width};

/// A table for people: its title and its columns. A column has a heading, and the counters that are summed in it.
type Group = (&'static str, &'static [(&'static str, &'static [Counter])]);
const GROUPS: [Group; 4] = [
    (
        "Execution",
        &[
            ("launches", &[Counter::Launches]),
            ("instr.", &[Counter::Instructions]),
            ("thread instr.", &[Counter::ThreadInstructions]),
            ("efficiency %", &[Counter::WarpExecutionEfficiencyPercent]),
            ("predicated off", &[Counter::PredicatedOffLanes]),
            ("divergent branches", &[Counter::DivergentBranches]),
            ("barriers", &[Counter::Barriers]),
            ("lanes waited", &[Counter::BarrierLanes]),
        ],
    ),
    (
        "Global and local memory: requests of warps, sectors of 32 bytes",
        &[
            ("loads", &[Counter::GlobalLoadRequests]),
            ("sectors", &[Counter::GlobalLoadSectors]),
            ("ideal", &[Counter::GlobalLoadIdealSectors]),
            ("stores", &[Counter::GlobalStoreRequests]),
            ("sectors ", &[Counter::GlobalStoreSectors]),
            ("ideal ", &[Counter::GlobalStoreIdealSectors]),
            ("atomics", &[Counter::GlobalAtomicRequests]),
            ("collisions", &[Counter::GlobalAtomicCollisions]),
            ("local sectors", &[Counter::LocalLoadSectors, Counter::LocalStoreSectors]),
        ],
    ),
    (
        "Shared memory, and what fits on an SM",
        &[
            ("shared requests", &[Counter::SharedLoadRequests, Counter::SharedStoreRequests]),
            ("conflicts", &[Counter::SharedBankConflicts]),
            ("worst ways", &[Counter::SharedWorstWays]),
            ("atomics", &[Counter::SharedAtomicRequests]),
            ("collisions", &[Counter::SharedAtomicCollisions]),
            ("bytes a block", &[Counter::SharedBytesPerBlock]),
            ("registers (est.)", &[Counter::RegistersEstimated]),
            ("occupancy %", &[Counter::TheoreticalOccupancyPercent]),
        ],
    ),
    (
        "Copies and fills in bytes, managed memory in blocks of 64 KiB",
        &[
            ("to device", &[Counter::CopiedH2dBytes]),
            ("to host", &[Counter::CopiedD2hBytes]),
            ("on device", &[Counter::CopiedD2dBytes]),
            ("on host", &[Counter::CopiedH2hBytes]),
            ("filled", &[Counter::FilledBytes]),
            ("managed to device", &[Counter::ManagedPagesToDevice]),
            ("managed to host", &[Counter::ManagedPagesToHost]),
        ],
    ),
];

/// Returns the counters of all records that have any; columns that are zero everywhere are left out.
pub(crate) fn tables(records: &[Record]) -> String {
    let counted: Vec<&Record> = records.iter().filter(|r| !r.counters.is_empty()).collect();
    let mut parts = Vec::new();
    for (title, columns) in GROUPS {
        let sum = |record: &Record, of: &[Counter]| -> Option<f64> {
            of.iter().map(|counter| record.counters.get(*counter)).sum()
        };
        let shown: Vec<_> =
            columns.iter().filter(|(_, of)| counted.iter().any(|r| sum(r, of).is_some_and(|v| v > 0.0))).collect();
        if shown.is_empty() {
            continue;
        }
        let headers: Vec<&str> =
            ["variant", "case"].into_iter().chain(shown.iter().map(|(heading, _)| *heading)).collect();
        let rows: Vec<Vec<String>> = counted
            .iter()
            .filter(|r| shown.iter().any(|(_, of)| sum(r, of).is_some_and(|v| v > 0.0)))
            .map(|r| {
                let cells = shown.iter().map(|(_, of)| match sum(r, of) {
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
    use record::{
        Counters,
        fixtures::{record, report},
    };

    #[test]
    fn the_tables_show_what_was_counted_and_no_column_of_zeros() {
        let mut row = record();
        row.counters = Counters::from_report(&report());
        let text = tables(&[row]);
        for words in ["Execution", "efficiency", " 50", "worst", " 32", "4096"] {
            assert!(text.contains(words), "no {words} in {text}");
        }
        assert!(!text.contains("atomics"), "{text}");
        assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");
    }
}
