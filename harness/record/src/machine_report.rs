//! What the embedded machine reports on a case.
use std::collections::BTreeSet;

use wire::{
    Copies, Launch, Managed, RenderedFinding, Report,
    counters::{Counters, Totals},
};

/// The machine's whole report on a case; empty on a GPU.
#[derive(Debug, Clone, Default)]
pub struct MachineReport {
    /// The launches, in order.
    pub launches: Vec<Launch>,
    /// The findings of its checks.
    pub findings: Vec<RenderedFinding>,
    /// Copies and fills.
    pub copies: Copies,
    /// Migrations of managed memory.
    pub managed: Managed,
    /// Whether counters were enabled.
    pub is_counted: bool,
}

/// Returns the lines at which several threads of these launches stored the same value without order, each once.
pub fn same_value_lines(launches: &[Launch]) -> Vec<String> {
    let lines =
        launches.iter().flat_map(|launch| &launch.same_values).map(|place| match place.file.rsplit('/').next() {
            Some(file) if !file.is_empty() => format!("{file}:{}", place.line),
            _ => format!("line {} of the PTX", place.ptx_line),
        });
    lines.collect::<BTreeSet<_>>().into_iter().collect()
}

impl MachineReport {
    /// Returns the counters of all launches.
    pub fn counters(&self) -> impl Iterator<Item = &Counters> {
        self.launches.iter().map(|launch| &launch.counters)
    }

    /// Returns the lines at which several threads stored the same value without order, such as `bfs.cu:14`, each once.
    pub fn same_value_lines(&self) -> Vec<String> {
        same_value_lines(&self.launches)
    }

    /// Returns a counter summed over all launches.
    pub fn total(&self, of: impl Fn(&Totals) -> u64) -> u64 {
        self.counters().map(|counters| of(&counters.totals)).sum()
    }

    /// Adds a later report.
    pub fn extend(&mut self, later: Report) {
        self.launches.extend(later.launches);
        self.findings.extend(later.findings);
        self.copies.add(&later.copies);
        self.managed.add(&later.managed);
        self.is_counted = later.settings.counters;
    }
}

#[cfg(test)]
mod tests {
    use wire::finding::SourcePlace;

    use super::*;

    #[test]
    fn a_line_of_several_launches_is_named_once() {
        let launch = |file: &str, line: u32, ptx_line: u32| Launch {
            same_values: vec![SourcePlace { file: file.into(), line, ptx_line, ..SourcePlace::default() }],
            ..Launch::new("k", [1; 3], [32, 1, 1], Counters::default())
        };
        let launches = [launch("/home/me/bfs.cu", 14, 90), launch("", 0, 7), launch("/home/me/bfs.cu", 14, 95)];
        assert_eq!(same_value_lines(&launches), ["bfs.cu:14", "line 7 of the PTX"]);
        assert!(same_value_lines(&[]).is_empty());
    }
}
