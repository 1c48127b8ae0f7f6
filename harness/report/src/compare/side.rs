//! One side of a comparison: the cases of its runs.
use std::collections::HashMap;

use harness::{Details, HotLine, Verdict};
use record::{Counter, LabRows, Row, Run};

use crate::statistic::difference::Timed;

/// Identifies a case: lab, variant, case, size.
pub type Key = [String; 4];

/// A case, in all runs of the side.
#[derive(Debug, Clone, Default)]
pub struct SideCase {
    /// Its key.
    pub key: Key,
    /// The worst verdict of the runs.
    pub verdict: Verdict,
    /// The note of the row with that verdict.
    pub note: String,
    /// Whether it is emulated.
    pub is_emulated: bool,
    /// Whether it is wrong on purpose: its behaviour then depends on the order of its threads.
    pub is_wrong_on_purpose: bool,
    /// Its times, one for each run; empty on the embedded machine.
    pub timed: Vec<Timed>,
    /// Whether some run has kept no samples, so that only the row's summary is available.
    pub is_summary: bool,
    /// The values of each of [`Counter::ALL`], one for each run.
    pub counters: Vec<Vec<f64>>,
    /// The cost of its lines, in the first run that has them.
    pub lines: Vec<HotLine>,
}

/// The cases of a side.
#[derive(Debug, Default)]
pub struct Side {
    /// The cases, in the order of the rows.
    pub cases: Vec<SideCase>,
    at: HashMap<Key, usize>,
}

impl Side {
    /// Collects the cases of these runs.
    pub fn from_runs(runs: &[Run]) -> Self {
        let mut side = Self::default();
        for (run, lab) in runs.iter().flat_map(|run| run.labs.iter().map(move |lab| (run, lab))) {
            let multiprocessors = run.session_of(&lab.lab).map_or(0, |session| session.device.multiprocessors);
            let details = by_case(lab);
            // A memory leak is a second row of its case: a finding, without times.
            for row in &lab.rows {
                let key = key(&lab.lab, row);
                let details = details.get(&key).map_or(&[][..], Vec::as_slice);
                side.add(key, row, details, multiprocessors);
            }
        }
        side
    }

    /// Returns the case, if the side has it.
    pub fn get(&self, key: &Key) -> Option<&SideCase> {
        self.at.get(key).map(|at| &self.cases[*at])
    }

    fn add(&mut self, key: Key, row: &Row, details: &[&Details], multiprocessors: u32) {
        let at = *self.at.entry(key.clone()).or_insert_with(|| {
            let counters = vec![Vec::new(); Counter::ALL.len()];
            self.cases.push(SideCase { key, verdict: Verdict::Pass, counters, ..SideCase::default() });
            self.cases.len() - 1
        });
        let case = &mut self.cases[at];
        if rank(row.verdict) > rank(case.verdict) {
            case.verdict = row.verdict;
            case.note.clone_from(&row.note);
        }
        case.is_emulated |= row.is_emulated();
        case.is_wrong_on_purpose |= row.expectation.is_wrong();
        if let Some(ms) = row.ms() {
            let samples: Vec<f64> = details.iter().flat_map(|d| &d.samples_ns).map(|ns| *ns as f64 / 1e6).collect();
            case.is_summary |= samples.is_empty();
            let timed = Timed::from_samples(&samples).unwrap_or_else(|| summary(row, ms));
            case.timed.push(Timed { is_host_paced: is_host_paced(row, multiprocessors), ..timed });
        }
        for (values, counter) in case.counters.iter_mut().zip(Counter::ALL) {
            values.extend(row.counters.get(*counter));
        }
        if case.lines.is_empty() {
            case.lines = details.iter().flat_map(|d| d.hot.iter().cloned()).collect();
        }
    }
}

/// Ranks the verdicts from good to bad.
fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Pass => 0,
        Verdict::Skip => 1,
        Verdict::Finding => 2,
        Verdict::Fail => 3,
    }
}

fn key(lab: &str, row: &Row) -> Key {
    [lab.into(), row.variant().into(), row.case().into(), row.size_text()]
}

fn by_case(lab: &LabRows) -> HashMap<Key, Vec<&Details>> {
    let mut found: HashMap<Key, Vec<&Details>> = HashMap::new();
    for details in &lab.details {
        let n = details.n.map_or(String::new(), |n| n.to_string());
        let key = [lab.lab.clone(), details.variant.clone(), details.case.clone(), n];
        found.entry(key).or_default().push(details);
    }
    found
}

/// Whether the host limits a row's speed: it launches nothing itself, or a grid that leaves multiprocessors idle, like
/// rows that launch many small grids one after another.
fn is_host_paced(row: &Row, multiprocessors: u32) -> bool {
    let blocks: Option<u64> =
        row.grid.as_deref().unwrap_or_default().split('x').map(|side| side.parse::<u64>().ok()).product();
    blocks.is_none_or(|blocks| blocks < u64::from(multiprocessors))
}

/// Returns the row's summary of its samples, which were not kept.
fn summary(row: &Row, ms: f64) -> Timed {
    let times = row.times.unwrap_or_default();
    Timed { median_ms: ms, spread: times.stdev / ms, samples: times.samples as usize, is_host_paced: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::row;

    fn run(rows: Vec<Row>, details: Vec<Details>) -> Run {
        let labs = vec![LabRows { lab: "scan".into(), rows, details, ..LabRows::default() }];
        Run { folder: "run".into(), sessions: Vec::new(), labs, remarks: Vec::new() }
    }

    #[test]
    fn samples_go_to_their_case_and_a_row_without_them_is_a_summary() {
        let cells = [
            ("variant", "a"),
            ("n", "4"),
            ("grid", "8x4"),
            ("time_median_ms", "2"),
            ("time_stdev_ms", "0.5"),
            ("samples", "9"),
        ];
        let details =
            Details { variant: "a".into(), n: Some(4), samples_ns: vec![3_000_000; 12], ..Details::default() };
        let other = Details { n: Some(5), ..details.clone() };
        let side = Side::from_runs(&[
            run(vec![row(&cells)], vec![other.clone(), details]),
            run(vec![row(&cells)], vec![other]),
        ]);
        assert_eq!(side.cases.len(), 1);
        let case = &side.cases[0];
        assert!((case.timed[0].median_ms - 3.0).abs() < 1e-9 && case.timed[0].samples == 12);
        assert_eq!(case.timed[1], Timed { median_ms: 2.0, spread: 0.25, samples: 9, is_host_paced: false });
        assert!(case.is_summary);
    }

    #[test]
    fn a_row_without_a_launch_or_with_fewer_blocks_than_multiprocessors_is_paced_by_the_host() {
        let paced = |grid: &str| is_host_paced(&row(&[("grid", grid)]), 132);
        assert_eq!(["", "4x16", "131", "132", "12x11", "4x4x16"].map(paced), [true, true, true, false, false, false]);
    }

    #[test]
    fn the_worst_verdict_counts_and_a_leak_belongs_to_its_case() {
        let bad = [("variant", "a"), ("verdict", "finding"), ("note", "leaked")];
        let side = Side::from_runs(&[run(vec![row(&[("variant", "a")]), row(&bad)], Vec::new())]);
        assert_eq!(side.cases.len(), 1);
        assert_eq!((side.cases[0].verdict, side.cases[0].note.as_str()), (Verdict::Finding, "leaked"));
    }
}
