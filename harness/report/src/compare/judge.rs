//! Computes a comparison.
use harness::Verdict;

use super::{
    agree,
    comparison::{CaseChange, Change, Comparison, Method, SCHEMA, SideFacts, Total},
    counters, lines,
    side::{Side, SideCase},
    times::{self, Pair},
};
use record::{Run, Session};

use crate::{number_format::count, sections::facts, statistic::difference::Level};

/// The parameters of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// The minimum change of a time that counts, as a fraction.
    pub threshold: f64,
    /// The probability that any case is wrongly called slower or faster.
    pub error_rate: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { threshold: 0.02, error_rate: 0.01 }
    }
}

/// Compares two sides, even if they should not be compared: [`Comparison::differ`] lists their differences.
pub fn compare(base: &[Run], new: &[Run], asked: &Thresholds) -> Comparison {
    let (base_side, new_side) = (Side::from_runs(base), Side::from_runs(new));
    let mut cases: Vec<CaseChange> = Vec::new();
    let mut pairs: Vec<(usize, Pair)> = Vec::new();
    let mut compared = 0;
    for new in &new_side.cases {
        let old = base_side.get(&new.key);
        compared += usize::from(new.verdict != Verdict::Skip && old.is_some_and(|old| old.verdict != Verdict::Skip));
        if let (Some(old), true) = (old, new.verdict == Verdict::Pass) {
            let levels = Level::from_runs(&old.timed).zip(Level::from_runs(&new.timed));
            let is_judged = old.verdict == Verdict::Pass && !(old.is_wrong_on_purpose || new.is_wrong_on_purpose);
            pairs.extend(levels.filter(|_| is_judged).map(|(base, new)| (cases.len(), Pair { base, new })));
        }
        cases.push(without_times(old, Some(new)));
    }
    let gone = base_side.cases.iter().filter(|case| new_side.get(&case.key).is_none());
    cases.extend(gone.map(|case| without_times(Some(case), None)));
    let mut remarks = remarks(base, new, &base_side, &new_side);
    let all: Vec<Pair> = pairs.iter().map(|(_, pair)| *pair).collect();
    let (judged, common) = times::judge(&all, asked.threshold, asked.error_rate);
    let is_quick = base.iter().chain(new).flat_map(|run| &run.sessions).any(|session| session.quick == Some(true));
    if is_quick && !pairs.is_empty() {
        remarks.push("With --quick, times are mostly those of launches: they are shown, but not judged.".into());
    }
    for ((at, _), judged) in pairs.iter().zip(judged) {
        let case = &mut cases[*at];
        (case.change, case.why, case.times) = (judged.change, judged.why, Some(judged.times));
        if is_quick {
            (case.change, case.why) = (Change::Unclear, String::new());
        }
    }
    let count_of = |change: Change| cases.iter().filter(|case| case.change == change).count();
    let totals = Change::ALL.map(|change| Total { change, cases: count_of(change) });
    let worst = cases.iter().map(|case| case.change).max().unwrap_or(Change::Same);
    let noise_factor = common.noise;
    Comparison {
        schema: SCHEMA,
        program: concat!("warplab ", env!("CARGO_PKG_VERSION")).into(),
        result: worst,
        base: side_facts(base),
        new: side_facts(new),
        method: Method {
            test: "Welch's t-test of the runs' log medians with the spread of their samples, Holm's correction".into(),
            threshold_percent: 100.0 * asked.threshold,
            error_rate_percent: 100.0 * asked.error_rate,
            noise_factor,
        },
        differ: agree::differences(base, new),
        remarks,
        together_percent: common.is_known.then(|| 100.0 * common.shift.exp_m1()),
        drift_percent: 100.0 * common.drift.exp_m1(),
        compared,
        totals: totals.into_iter().filter(|total| total.cases > 0).collect(),
        cases,
    }
}

/// Returns everything about a case except its times.
fn without_times(base: Option<&SideCase>, new: Option<&SideCase>) -> CaseChange {
    let shown = new.or(base).expect("a case has a side");
    let [lab, variant, case, n] = shown.key.clone();
    let mut told = CaseChange {
        lab,
        variant,
        case,
        n: n.parse().ok(),
        is_emulated: shown.is_emulated,
        change: Change::Same,
        why: String::new(),
        times: None,
        counters: Vec::new(),
        lines: Vec::new(),
    };
    let is_bad = |verdict: Verdict| matches!(verdict, Verdict::Fail | Verdict::Finding);
    (told.change, told.why) = match (base.map(|case| case.verdict), new.map(|case| case.verdict)) {
        (None, Some(now)) if is_bad(now) => (Change::Wrong, format!("new, and {}: {}", now.word(), shown.note)),
        (None, _) => (Change::New, String::new()),
        (_, None) => (Change::Gone, String::new()),
        (Some(was), Some(now)) if is_bad(was) && is_bad(now) => {
            (Change::Same, format!("{} on both sides: {}", now.word(), shown.note))
        }
        (Some(was), Some(now)) if is_bad(now) => {
            (Change::Wrong, format!("{} before, now {}: {}", was.word(), now.word(), shown.note))
        }
        (Some(was), Some(Verdict::Pass)) if is_bad(was) => (Change::Mended, format!("{} before", was.word())),
        (Some(Verdict::Skip), Some(Verdict::Skip)) => (Change::Same, "skipped on both sides".into()),
        (Some(Verdict::Skip), Some(_)) => (Change::New, "skipped before".into()),
        (Some(_), Some(Verdict::Skip)) => (Change::Gone, format!("skipped now: {}", shown.note)),
        (Some(_), Some(_)) => (Change::Same, String::new()),
    };
    if let (Some(base), Some(new), Change::Same, true) = (base, new, told.change, told.why.is_empty()) {
        by_counters(base, new, &mut told);
    }
    told
}

/// Judges a case that passes on both sides by its counters, if it has any.
fn by_counters(base: &SideCase, new: &SideCase, told: &mut CaseChange) {
    if base.is_wrong_on_purpose || new.is_wrong_on_purpose {
        let what = if base.is_emulated { "what it counts depends" } else { "its time may depend" };
        told.why = format!("wrong on purpose: {what} on the order of its threads");
        return;
    }
    if !(base.is_emulated && new.is_emulated) {
        return;
    }
    (told.change, told.counters) = counters::judge(&base.counters, &new.counters);
    told.lines = lines::changes(&base.lines, &new.lines);
    let waits = counters::waits(&base.counters) || counters::waits(&new.counters);
    if waits && matches!(told.change, Change::Slower | Change::Faster | Change::Unclear) {
        told.change = Change::Unclear;
        told.why = "its loops wait for other threads, so that its counts differ from run to run".into();
    } else if told.change == Change::Unclear {
        told.why = "more of one cost, and less of another".into();
    }
}

fn side_facts(runs: &[Run]) -> SideFacts {
    let last = newest(runs);
    SideFacts {
        runs: runs.iter().map(|run| run.folder.display().to_string()).collect(),
        device: last.map_or("unknown device".into(), facts::device),
        started: last.map_or(String::new(), |session| session.started.clone()),
        git_branch: last.and_then(|session| session.git_branch.clone()),
        git_commit: last.and_then(|session| session.git_commit.clone()),
    }
}

fn newest(runs: &[Run]) -> Option<&Session> {
    runs.iter().flat_map(|run| &run.sessions).max_by(|a, b| a.started.cmp(&b.started))
}

fn remarks(base: &[Run], new: &[Run], base_side: &Side, new_side: &Side) -> Vec<String> {
    let mut remarks = Vec::new();
    for run in base.iter().chain(new) {
        remarks.extend(run.remarks.iter().map(|remark| format!("{}: {remark}", run.folder.display())));
    }
    for (name, side) in [("base", base_side), ("new", new_side)] {
        let summaries = side.cases.iter().filter(|case| case.is_summary).count();
        if summaries > 0 {
            remarks.push(format!(
                "The {name} side kept no samples of {}: the rows' means and deviations are used instead.",
                count(summaries, "case")
            ));
        }
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{LabRows, Row, fixtures::row};

    fn runs(rows: Vec<Row>) -> [Run; 1] {
        let labs = vec![LabRows { lab: "scan".into(), rows, ..LabRows::default() }];
        [Run { folder: "run".into(), sessions: Vec::new(), labs, remarks: Vec::new() }]
    }

    fn named(variant: &'static str, verdict: &'static str) -> Row {
        let cells = [("variant", variant), ("verdict", verdict), ("note", "2 of 9 wrong"), ("time_median_ms", "2")];
        row(&[&cells[..], &[("time_stdev_ms", "0.001"), ("samples", "20"), ("grid", "4096")]].concat())
    }

    #[test]
    fn verdicts_come_before_times() {
        let base = runs(vec![
            named("stays", "pass"),
            named("breaks", "pass"),
            named("was-bad", "fail"),
            named("bad", "fail"),
            named("skips", "pass"),
            named("goes", "pass"),
        ]);
        let new = runs(vec![
            named("stays", "pass"),
            named("breaks", "finding"),
            named("was-bad", "pass"),
            named("bad", "fail"),
            named("skips", "skip"),
            named("comes", "pass"),
            named("comes-bad", "fail"),
        ]);
        let comparison = compare(&base, &new, &Thresholds::default());
        let told: Vec<(&str, Change)> = comparison.cases.iter().map(|c| (c.variant.as_str(), c.change)).collect();
        let expected = [
            ("stays", Change::Same),
            ("breaks", Change::Wrong),
            ("was-bad", Change::Mended),
            ("bad", Change::Same),
            ("skips", Change::Gone),
            ("comes", Change::New),
            ("comes-bad", Change::Wrong),
            ("goes", Change::Gone),
        ];
        assert_eq!(told, expected);
        assert_eq!((comparison.result, comparison.result.exit()), (Change::Wrong, harness::Exit::Wrong));
        assert!(comparison.cases[1].why.contains("pass before, now finding: 2 of 9 wrong"));
        assert!(comparison.cases[0].times.is_some() && comparison.cases[1].times.is_none());
        assert_eq!(comparison.totals.iter().map(|total| total.cases).sum::<usize>(), 8);
    }

    #[test]
    fn the_times_of_quick_runs_are_told_and_not_judged() {
        let timed = |ms: &'static str, quick: bool| {
            let cells = [("variant", "a"), ("time_median_ms", ms), ("time_stdev_ms", "0.001"), ("samples", "20")];
            let mut run = runs(vec![row(&[&cells[..], &[("grid", "4096")]].concat())]);
            run[0].sessions = vec![Session { quick: Some(quick), ..Session::default() }];
            run
        };
        let change = |quick| compare(&timed("2", quick), &timed("3", quick), &Thresholds::default()).cases.remove(0);
        assert_eq!(change(false).change, Change::Slower);
        assert_eq!(change(true).change, Change::Unclear);
        assert!((change(true).times.unwrap().percent - 50.0).abs() < 1e-6);
    }

    #[test]
    fn emulated_cases_are_judged_by_counters_alone_and_those_wrong_on_purpose_by_none() {
        let counted = |variant: &'static str, instructions: &'static str, mistake: &'static str, ms: &'static str| {
            row(&[
                ("variant", variant),
                ("device", "emulated"),
                ("instructions", instructions),
                ("mistake", mistake),
                ("time_median_ms", ms),
                ("samples", "20"),
            ])
        };
        let base = runs(vec![counted("a", "10", "", "1"), counted("b", "10", "a race", "1")]);
        let new = runs(vec![counted("a", "10", "", "9"), counted("b", "11", "a race", "1")]);
        let comparison = compare(&base, &new, &Thresholds::default());
        assert_eq!((comparison.result, comparison.cases[0].times.is_none()), (Change::Same, true));
        let new = runs(vec![counted("a", "11", "", "1"), counted("b", "11", "a race", "1")]);
        let comparison = compare(&base, &new, &Thresholds::default());
        assert_eq!((comparison.cases[0].change, comparison.cases[1].change), (Change::Slower, Change::Same));
        assert_eq!(comparison.cases[0].counters[0].factor, Some(1.1));
        assert_eq!(comparison.result.exit(), harness::Exit::Slow);
    }

    #[test]
    fn the_time_of_what_is_wrong_on_purpose_is_not_judged() {
        let timed = |ms: &'static str, mistake: &'static str| {
            let cells = [("variant", "a"), ("time_median_ms", ms), ("time_stdev_ms", "0.001"), ("samples", "20")];
            runs(vec![row(&[&cells[..], &[("grid", "4096"), ("mistake", mistake)]].concat())])
        };
        let change =
            |mistake| compare(&timed("2", mistake), &timed("3", mistake), &Thresholds::default()).cases.remove(0);
        assert_eq!(change("").change, Change::Slower);
        let told = change("a race");
        assert_eq!((told.change, told.times.is_none()), (Change::Same, true));
        assert!(told.why.contains("its time may depend on the order of its threads"), "{}", told.why);
    }

    #[test]
    fn a_case_whose_loops_wait_for_other_threads_counts_otherwise_in_each_run() {
        let counted = |instructions: &'static str, loops: &'static str| {
            let cells = [("variant", "a"), ("device", "emulated"), ("instructions", instructions)];
            runs(vec![row(&[&cells[..], &[("waiting_loops", loops)]].concat())])
        };
        let change =
            |base: [Run; 1], new: [Run; 1]| compare(&base, &new, &Thresholds::default()).cases.remove(0).change;
        assert_eq!(change(counted("10", "0"), counted("11", "0")), Change::Slower);
        assert_eq!(change(counted("10", "1"), counted("11", "1")), Change::Unclear);
        assert_eq!(change(counted("11", ""), counted("10", "1")), Change::Unclear);
        assert_eq!(change(counted("10", "1"), counted("10", "1")), Change::Same);
    }
}
