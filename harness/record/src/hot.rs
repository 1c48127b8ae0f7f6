//! The costliest lines of the source (`--hot`).
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::machine_report::MachineReport;

/// What one line of the source cost in a case, over all its launches.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HotLine {
    /// The file as the kernel's line information names it; empty without any.
    pub file: String,
    /// Line in it, counted from 1 (in the PTX where there is no line information).
    pub line: u32,
    /// The line itself; empty where the file is not available.
    pub source: String,
    /// Per cent of the case's thread-instructions.
    pub percent: f64,
    /// Instructions executed by threads.
    pub thread_instructions: u64,
    /// Sectors of 32 bytes touched in global and local memory.
    pub sectors: u64,
    /// Sectors that the same bytes would fill if they lay side by side.
    #[serde(default)]
    pub ideal_sectors: u64,
    /// Passes over the banks of shared memory.
    #[serde(default)]
    pub shared_passes: u64,
    /// Passes lost to conflicts of shared-memory banks.
    pub conflicts: u64,
    /// Ways of the worst bank of the worst request to shared memory.
    #[serde(default)]
    pub worst_ways: u64,
    /// Atomics on global memory by threads.
    #[serde(default)]
    pub atomics: u64,
    /// Atomics on shared memory by threads.
    #[serde(default)]
    pub shared_atomics: u64,
    /// Times that live lanes went different ways.
    pub divergent_branches: u64,
}

/// Returns every line with a cost, the one with the most thread instructions first; `text` returns a file's text by its
/// path.
pub fn lines(report: &MachineReport, text: impl Fn(&str) -> Option<String>) -> Vec<HotLine> {
    let mut found: HashMap<(String, u32), HotLine> = HashMap::new();
    let mut total = 0;
    for line in report.counters().flat_map(|counters| &counters.lines) {
        let at = &line.place;
        let number = if at.file.is_empty() { at.ptx_line } else { at.line };
        let hot = found.entry((at.file.clone(), number)).or_insert_with(|| HotLine {
            file: at.file.clone(),
            line: number,
            ..HotLine::default()
        });
        let counted = &line.totals;
        hot.thread_instructions += counted.thread_instructions;
        hot.sectors += counted.global_loads.sectors
            + counted.global_stores.sectors
            + counted.local_loads.sectors
            + counted.local_stores.sectors;
        let ideal = [&counted.global_loads, &counted.global_stores, &counted.local_loads, &counted.local_stores];
        hot.ideal_sectors += ideal.iter().map(|traffic| traffic.ideal_sectors).sum::<u64>();
        hot.shared_passes += counted.shared_loads.wavefronts + counted.shared_stores.wavefronts;
        hot.worst_ways = hot.worst_ways.max(counted.shared_loads.worst_ways).max(counted.shared_stores.worst_ways);
        hot.atomics += counted.global_atomics.lanes;
        hot.shared_atomics += counted.shared_atomics.lanes;
        hot.conflicts += counted.shared_loads.conflicts + counted.shared_stores.conflicts;
        hot.divergent_branches += counted.divergent_branches;
        total += counted.thread_instructions;
    }
    let mut lines: Vec<HotLine> = found.into_values().collect();
    lines.sort_by(|a, b| {
        let place = |l: &HotLine| (l.file.clone(), l.line);
        (b.thread_instructions.cmp(&a.thread_instructions)).then_with(|| place(a).cmp(&place(b)))
    });
    for hot in &mut lines {
        hot.percent = 100.0 * hot.thread_instructions as f64 / (total.max(1) as f64);
        let whole = text(&hot.file).unwrap_or_default();
        let line = whole.lines().nth((hot.line as usize).saturating_sub(1));
        hot.source = line.unwrap_or_default().trim().to_string();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::report_with_lines;

    #[test]
    fn lines_are_added_up_over_launches_and_the_costliest_come_first() {
        let text = |path: &str| (path == "a/x.cu").then(|| "one\n  two;\n".to_string());
        let hot = lines(&report_with_lines(), text);
        assert_eq!(hot.len(), 3);
        let first = HotLine {
            file: "a/x.cu".into(),
            line: 2,
            source: "two;".into(),
            percent: 80.0,
            thread_instructions: 80,
            sectors: 10,
            ideal_sectors: 2,
            shared_passes: 6,
            conflicts: 4,
            worst_ways: 3,
            atomics: 10,
            shared_atomics: 12,
            divergent_branches: 2,
        };
        assert_eq!(hot[0], first);
        // Without line information the PTX's own line identifies the place.
        assert_eq!((hot[1].file.as_str(), hot[1].line), ("", 7));
    }
}
