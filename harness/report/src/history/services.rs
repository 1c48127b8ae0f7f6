//! Writes the newest run in the formats of continuous-benchmark services.
//!
//! - [`github`]: `customSmallerIsBetter` of GitHub's benchmark action
//!   (<https://github.com/benchmark-action/github-action-benchmark>);
//! - [`bencher`]: Bencher Metric Format (<https://bencher.dev/docs/reference/bencher-metric-format/>).
//!
//! A row of a GPU has its time; one of the embedded machine has counters, as its times are meaningless.
use std::collections::BTreeMap;

use harness::Verdict;
use record::{Counter, Row, Run};
use serde::Serialize;

/// The counters that represent an emulated row: executed instructions, and moved sectors.
const COUNTERS: [Counter; 3] = [Counter::Instructions, Counter::GlobalLoadSectors, Counter::GlobalStoreSectors];

/// One value of GitHub's benchmark action.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GithubValue {
    /// The lab, the variant, the case and the size.
    pub name: String,
    /// `ms`, or what was counted.
    pub unit: String,
    /// The value: smaller is better.
    pub value: f64,
    /// The standard deviation of a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// The device, the samples and the commit.
    pub extra: String,
}

/// One measure of Bencher's.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BencherValue {
    /// A time in ns (`latency`), or a count.
    pub value: f64,
    /// The shortest sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower_value: Option<f64>,
    /// The median and one standard deviation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper_value: Option<f64>,
}

/// Returns the rows of `run` as values of GitHub's benchmark action.
pub fn github(run: &Run) -> Vec<GithubValue> {
    let mut values = Vec::new();
    for (lab, row) in passed(run) {
        let session = run.session_of(lab);
        let commit = session.and_then(|s| s.git_commit.clone().or_else(|| s.git_revision.clone()));
        let device = session.map(|s| s.device.name.clone()).unwrap_or_default();
        let samples =
            Some(row.times).filter(|_| !row.is_emulated()).flatten().map(|times| format!("{} samples", times.samples));
        let extra: Vec<String> = [Some(device), samples, commit.map(|commit| format!("commit {commit}"))]
            .into_iter()
            .flatten()
            .filter(|part| !part.is_empty())
            .collect();
        for (unit, value) in measures(row) {
            values.push(GithubValue {
                name: if unit == "ms" { name(lab, row) } else { format!("{}: {unit}", name(lab, row)) },
                unit: unit.into(),
                value,
                range: row.times.filter(|_| unit == "ms").map(|times| format!("± {}", times.stdev)),
                extra: extra.join(", "),
            });
        }
    }
    values
}

/// Returns the rows of `run` as Bencher's benchmarks: name, measure, value.
pub fn bencher(run: &Run) -> BTreeMap<String, BTreeMap<String, BencherValue>> {
    let mut benchmarks: BTreeMap<String, BTreeMap<String, BencherValue>> = BTreeMap::new();
    for (lab, row) in passed(run) {
        let measures = measures(row).map(|(unit, value)| match unit {
            "ms" => {
                let ns = |ms: f64| ms * 1e6;
                let upper = row.times.map(|times| ns(value + times.stdev));
                let lower = row.times.map(|times| ns(times.min));
                // Bencher's own name for a time, which is in ns.
                ("latency".to_string(), BencherValue { value: ns(value), lower_value: lower, upper_value: upper })
            }
            unit => (unit.replace('_', "-"), BencherValue { value, lower_value: None, upper_value: None }),
        });
        let measures: Vec<_> = measures.collect();
        if !measures.is_empty() {
            benchmarks.entry(name(lab, row)).or_default().extend(measures);
        }
    }
    benchmarks
}

/// Returns a row's measures: the unit or counter, and the value.
pub fn measures(row: &Row) -> impl Iterator<Item = (&'static str, f64)> {
    let counters = COUNTERS.into_iter().filter_map(|counter| Some((counter.name(), row.counters.get(counter)?)));
    let is_exact = row.is_emulated() && !row.expectation.is_wrong();
    row.ms().map(|ms| ("ms", ms)).into_iter().chain(counters.filter(move |_| is_exact))
}

fn passed(run: &Run) -> impl Iterator<Item = (&str, &Row)> {
    let rows = run.labs.iter().flat_map(|lab| lab.rows.iter().map(|row| (lab.lab.as_str(), row)));
    rows.filter(|(_, row)| row.verdict == Verdict::Pass)
}

fn name(lab: &str, row: &Row) -> String {
    let n = row.size_text();
    let n = if n.is_empty() { String::new() } else { format!(", n={n}") };
    format!("{lab}/{}{n}", row.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{LabRows, Session, fixtures::row};

    fn run() -> Run {
        let gpu = [("variant", "a"), ("case", "u32"), ("n", "4"), ("time_median_ms", "2"), ("time_stdev_ms", "0.5")];
        let rows = vec![
            row(&[&gpu[..], &[("time_min_ms", "1.5")]].concat()),
            row(&[("variant", "b"), ("device", "emulated"), ("instructions", "7"), ("time_median_ms", "2")]),
            row(&[("variant", "c"), ("verdict", "fail"), ("time_median_ms", "2")]),
        ];
        let labs = vec![LabRows { lab: "scan".into(), rows, ..LabRows::default() }];
        let session = Session { git_commit: Some("abc".into()), ..Session::default() };
        Run { folder: "x".into(), sessions: vec![session], labs, remarks: Vec::new() }
    }

    #[test]
    fn github_s_benchmark_action_reads_a_list_of_values() {
        let text = serde_json::to_string(&github(&run())).unwrap();
        assert_eq!(
            text,
            "[{\"name\":\"scan/a, u32, n=4\",\"unit\":\"ms\",\"value\":2.0,\"range\":\"± 0.5\",\
             \"extra\":\"3 samples, commit abc\"},\
             {\"name\":\"scan/b: instructions\",\"unit\":\"instructions\",\"value\":7.0,\"extra\":\"commit abc\"}]"
        );
    }

    #[test]
    fn bencher_reads_a_measure_of_each_name() {
        let text = serde_json::to_string(&bencher(&run())).unwrap();
        assert_eq!(
            text,
            r#"{"scan/a, u32, n=4":{"latency":{"value":2000000.0,"lower_value":1500000.0,"upper_value":2500000.0}},"scan/b":{"instructions":{"value":7.0}}}"#
        );
    }
}
