//! The history: the JSON of `warplab history --json`, whose schema is `reports/schemas/history.json`.
use std::collections::{BTreeMap, BTreeSet};

use harness::Verdict;
use serde::Serialize;

use super::{changes, find::Found, services};
use record::{Counter, Row, Run, Session};

use crate::{sections::facts, statistic::robust};

/// The version of the JSON: incremented when a field changes its meaning or is removed, but not for a new field.
pub const SCHEMA: u32 = 1;

/// Many runs, case by case.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct History {
    /// The version of this JSON.
    pub schema: u32,
    /// The program that made it.
    pub program: String,
    /// The least change of a time that counts, in per cent.
    pub threshold_percent: f64,
    /// In how many of a hundred unchanged series of times a change may be found.
    pub error_rate_percent: f64,
    /// The runs, the oldest first.
    pub runs: Vec<RunFacts>,
    /// The series: those with changes first.
    pub series: Vec<Series>,
    /// What a reader must know: the runs that cannot be read, and what is missing of others.
    pub remarks: Vec<String>,
}

/// A run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(missing_docs)] // Each field is that of session.json, of the last session.
pub struct RunFacts {
    pub folder: String,
    pub started: String,
    pub device: String,
    pub git_branch: Option<String>,
    pub git_commit: Option<String>,
    /// The rows that failed, or in which something was found.
    pub wrong: usize,
}

/// One case on one device, over the runs.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Series {
    /// The device.
    pub device: String,
    /// The lab.
    pub lab: String,
    /// The variant and, if it has one, the case.
    pub case: String,
    /// The size of the problem.
    pub n: Option<u64>,
    /// What is measured: `ms`, the median time on a GPU, or the name of a counter.
    pub measure: String,
    /// The values.
    pub points: Vec<Point>,
    /// Where they change.
    pub changes: Vec<ChangePoint>,
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Point {
    /// Which of the runs, counted from 0.
    pub run: usize,
    /// The value.
    pub value: f64,
}

/// A place where a series changes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChangePoint {
    /// The first run after it.
    pub run: usize,
    /// The median of the values since the change before it.
    pub before: f64,
    /// The median of the values up to the next change.
    pub after: f64,
    /// By how much it is more, in per cent; absent where it was 0.
    pub percent: Option<f64>,
    /// The share of shuffles of the values that change as much; absent of a counter, which is exact.
    pub p: Option<f64>,
}

/// The cards of each device: two cards of one model are not equally fast, and each has its own history.
struct Cards(BTreeMap<String, BTreeSet<String>>);

impl Cards {
    fn from_runs(runs: &[Run]) -> Self {
        let mut cards: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for session in runs.iter().flat_map(|run| &run.sessions) {
            cards.entry(facts::device(session)).or_default().extend(card(session).map(str::to_string));
        }
        Self(cards)
    }

    /// Returns the device's name, with the card's UUID if there are other cards of that name.
    fn name(&self, session: &Session) -> String {
        let device = facts::device(session);
        let has_others = self.0.get(&device).is_some_and(|cards| cards.len() > 1);
        match card(session).filter(|_| has_others) {
            Some(card) => format!("{device}, {card}"),
            None => device,
        }
    }
}

fn card(session: &Session) -> Option<&str> {
    session.nvml.as_ref()?.uuid.as_deref()
}

/// Returns the history of `found`. A time changes if it differs by at least `threshold`, a fraction.
pub fn history(found: &Found, threshold: f64) -> History {
    let mut remarks = found.unread.clone();
    let mut series: BTreeMap<[String; 5], Vec<Point>> = BTreeMap::new();
    let mut inexact: BTreeSet<[String; 5]> = BTreeSet::new();
    let cards = Cards::from_runs(&found.runs);
    for (number, run) in found.runs.iter().enumerate() {
        remarks.extend(run.remarks.iter().map(|remark| format!("{}: {remark}", run.folder.display())));
        for lab in &run.labs {
            let device = run.session_of(&lab.lab).map_or("unknown device".into(), |session| cards.name(session));
            for row in lab.rows.iter().filter(|row| row.verdict == Verdict::Pass) {
                for (measure, value) in services::measures(row) {
                    let key = [device.clone(), lab.lab.clone(), row.name(), row.size_text(), measure.to_string()];
                    // Its counters vary from run to run: see `compare`.
                    if measure == "ms" || row.counters.get(Counter::WaitingLoops).is_some_and(|n| n > 0.0) {
                        inexact.insert(key.clone());
                    }
                    let points = series.entry(key).or_default();
                    // One value for each run, even if a case has several rows.
                    if points.last().is_none_or(|last| last.run != number) {
                        points.push(Point { run: number, value });
                    }
                }
            }
        }
    }
    let mut series: Vec<Series> = series
        .into_iter()
        .map(|(key, points)| {
            let changes = if inexact.contains(&key) { noisy(&points, threshold) } else { exact(&points) };
            let [device, lab, case, n, measure] = key;
            Series { device, lab, case, n: n.parse().ok(), measure, points, changes }
        })
        .collect();
    series.sort_by_key(|series| series.changes.is_empty());
    History {
        schema: SCHEMA,
        program: concat!("warplab ", env!("CARGO_PKG_VERSION")).into(),
        threshold_percent: 100.0 * threshold,
        error_rate_percent: 100.0 * changes::ERROR_RATE,
        runs: found.runs.iter().map(run_facts).collect(),
        series,
        remarks,
    }
}

fn run_facts(run: &Run) -> RunFacts {
    let last = run.sessions.last();
    let is_wrong = |row: &&Row| matches!(row.verdict, Verdict::Fail | Verdict::Finding);
    RunFacts {
        folder: run.folder.display().to_string(),
        started: run.started().into(),
        device: last.map_or("unknown device".into(), facts::device),
        git_branch: run.branch().map(str::to_string),
        git_commit: last.and_then(|session| session.git_commit.clone()),
        wrong: run.rows().filter(is_wrong).count(),
    }
}

/// Returns the changes of times.
fn noisy(points: &[Point], threshold: f64) -> Vec<ChangePoint> {
    let values: Vec<f64> = points.iter().map(|point| point.value).collect();
    let splits = changes::find_splits(&values, threshold);
    let ends: Vec<usize> = splits.iter().map(|split| split.at).chain([values.len()]).collect();
    let mut from = 0;
    let mut found = Vec::new();
    for (split, to) in splits.iter().zip(&ends[1..]) {
        let middle = |part: &[f64]| robust::median(part).unwrap_or_default();
        let (before, after) = (middle(&values[from..split.at]), middle(&values[split.at..*to]));
        let percent = Some(100.0 * (after / before - 1.0));
        found.push(ChangePoint { run: points[split.at].run, before, after, percent, p: Some(split.p) });
        from = split.at;
    }
    found
}

/// Returns the changes of a counter: every difference.
fn exact(points: &[Point]) -> Vec<ChangePoint> {
    let pairs = points.windows(2).filter(|pair| pair[0].value != pair[1].value);
    let change = |pair: &[Point]| {
        let (before, after) = (pair[0].value, pair[1].value);
        let percent = (before != 0.0).then(|| 100.0 * (after / before - 1.0));
        ChangePoint { run: pair[1].run, before, after, percent, p: None }
    };
    pairs.map(change).collect()
}

impl Series {
    /// Returns the lab, the case and the size.
    pub fn name(&self) -> String {
        let n = self.n.map_or(String::new(), |n| format!(", n = {}", crate::number_format::grouped(n as f64)));
        format!("{}, {}{n}", self.lab, self.case)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{LabRows, LabRun, fixtures::row};

    use record::Snapshot;

    fn found(cells: &[Vec<(&'static str, String)>]) -> Found {
        let run = |cells: &Vec<(&'static str, String)>| {
            let cells: Vec<(&str, &str)> = cells.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let labs = vec![LabRows { lab: "scan".into(), rows: vec![row(&cells)], ..LabRows::default() }];
            Run { folder: "x".into(), sessions: Vec::new(), labs, remarks: Vec::new() }
        };
        Found { runs: cells.iter().map(run).collect(), unread: vec!["y: torn".into()] }
    }

    #[test]
    fn a_time_that_steps_has_a_change_with_what_was_before_and_after() {
        let times: Vec<Vec<(&str, String)>> = (0..20)
            .map(|i| {
                let ms = if i < 12 { 2.0 } else { 2.2 } + 0.001 * f64::from(i * 7 % 5);
                vec![("variant", "a".into()), ("time_median_ms", ms.to_string())]
            })
            .collect();
        let history = history(&found(&times), 0.02);
        let change = history.series[0].changes[0];
        assert_eq!((history.series.len(), history.series[0].changes.len(), change.run), (1, 1, 12));
        assert!((change.percent.unwrap() - 10.0).abs() < 0.2 && change.before < 2.01 && change.after > 2.19);
        assert_eq!((history.remarks[0].as_str(), history.runs.len()), ("y: torn", 20));
    }

    #[test]
    fn each_card_of_a_model_has_a_history_of_its_own() {
        let by_card = |cards: &[&str]| {
            let row = vec![("variant", "a".into()), ("time_median_ms", "2".into())];
            let mut found = found(&vec![row; cards.len()]);
            for (run, card) in found.runs.iter_mut().zip(cards) {
                let nvml = Some(Snapshot { uuid: Some(card.to_string()), ..Snapshot::default() });
                let labs = vec![LabRun { lab: "scan".into(), ..LabRun::default() }];
                run.sessions.push(Session { nvml, labs, ..Session::default() });
            }
            let series = history(&found, 0.02).series;
            series.iter().map(|one| (one.device.clone(), one.points.len())).collect::<Vec<_>>()
        };
        let device = facts::device(&Session::default());
        assert_eq!(by_card(&["GPU-1", "GPU-1"]), [(device.clone(), 2)]);
        let (first, second) = (format!("{device}, GPU-1"), format!("{device}, GPU-2"));
        assert_eq!(by_card(&["GPU-1", "GPU-2", "GPU-1"]), [(first, 2), (second, 1)]);
    }

    #[test]
    fn a_counter_changes_whenever_it_is_another() {
        let row = |instructions: u64| {
            vec![("variant", "a".into()), ("device", "emulated".into()), ("instructions", instructions.to_string())]
        };
        let history = history(&found(&[row(10), row(10), row(11), row(11)]), 0.02);
        let series = &history.series[0];
        assert_eq!((series.measure.as_str(), series.changes.len()), ("instructions", 1));
        assert_eq!((series.changes[0].run, series.changes[0].p), (2, None));
        assert!((series.changes[0].percent.unwrap() - 10.0).abs() < 1e-9);
    }

    #[test]
    fn the_charts_of_two_counters_of_a_case_have_different_titles() {
        let row = |count: u64| {
            let counts = ["instructions", "global_load_sectors"].map(|name| (name, count.to_string()));
            [vec![("variant", "a".into()), ("device", "emulated".into())], counts.to_vec()].concat()
        };
        let page = crate::page::history(&history(&found(&[row(10), row(10), row(11), row(11)]), 0.02));
        let titles: Vec<_> = page.split("<h3>").skip(1).filter_map(|rest| rest.split("</h3>").next()).collect();
        assert_eq!(titles, ["scan, a: global load sectors", "scan, a: instructions"]);
    }

    #[test]
    fn a_count_that_is_another_in_each_run_changes_only_beyond_its_noise() {
        let counted = |loops: &'static str, counts: &[u64]| {
            let row = |instructions: &u64| {
                let count = ("instructions", instructions.to_string());
                vec![
                    ("variant", "a".into()),
                    ("device", "emulated".into()),
                    count,
                    ("waiting_loops", loops.to_string()),
                ]
            };
            let cells: Vec<_> = counts.iter().map(row).collect();
            history(&found(&cells), 0.02).series[0].changes.len()
        };
        let noise: Vec<u64> = (0..20).map(|i| 1000 + i * 7 % 5).collect();
        let step: Vec<u64> = (0..20).map(|i| if i < 10 { 1000 } else { 1200 } + i * 7 % 5).collect();
        assert!(counted("0", &noise) > 10, "exact");
        assert_eq!((counted("2", &noise), counted("2", &step)), (0, 1));
    }
}
