//! What no run of this program may show: it is checked after every run of CI.
use std::collections::BTreeSet;

use crate::{
    counters::Counter,
    row::Row,
    run::{LabRows, Run},
    verdict::Verdict,
};

/// The largest share of a ceiling that measurements of both explain, in per cent.
const MOST_PERCENT: f64 = 103.0;

/// Returns what is wrong with a run: missing rows, failures, skipped cases without a reason, rates from emulated times,
/// kernels that were not counted, ceilings that a row exceeds.
pub fn problems(run: &Run) -> Vec<String> {
    let mut wrong = run.remarks.clone();
    let told: BTreeSet<&str> =
        run.sessions.iter().flat_map(|session| &session.labs).map(|lab| lab.lab.as_str()).collect();
    let there: BTreeSet<&str> = run.labs.iter().map(|lab| lab.lab.as_str()).collect();
    if told != there {
        wrong.push(format!("session.json lists the labs {told:?}, but the CSVs are of {there:?}"));
    }
    for lab in &run.labs {
        if lab.rows.is_empty() {
            wrong.push(format!("{}: no rows", lab.lab));
        }
        wrong.extend(lab.rows.iter().flat_map(|row| of_row(run, lab, row)));
    }
    wrong
}

fn of_row(run: &Run, lab: &LabRows, row: &Row) -> Vec<String> {
    let session = run.session_of(&lab.lab);
    // Older runs measured only the rate of a copy, which a kernel that only reads may exceed.
    let has_reading =
        session.and_then(|session| session.ceilings).is_some_and(|all| all.device_read_gb_per_s.is_some());
    let cache = session.map_or(0, |session| session.device.l2_bytes);
    let is_counted = row.counters.get(Counter::ThreadInstructions).is_some();
    let has_launched = row.counters.get(Counter::Launches).is_some_and(|launches| launches > 0.0);
    let has_rate = row.gb_per_s.or(row.gflop_per_s).or(row.percent_of_ceiling).is_some();
    let exceeds = row.percent_of_ceiling.filter(|share| *share > MOST_PERCENT && row.bytes >= Some(4 * cache));
    let checks = [
        (row.verdict == Verdict::Fail).then(|| format!("fail: {}", row.note)),
        (row.verdict != Verdict::Pass && row.note.is_empty())
            .then(|| format!("{} without a reason", row.verdict.word())),
        (row.is_emulated() && has_rate).then(|| "a rate on the emulated device".into()),
        (row.is_emulated() && has_launched && !is_counted).then(|| "a kernel ran and nothing was counted".into()),
        exceeds.filter(|_| has_reading).map(|share| format!("{share} % of its ceiling, which was measured wrongly")),
    ];
    checks.into_iter().flatten().map(|what| format!("{}, {}: {what}", lab.lab, row.name())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ceilings::Ceilings,
        device::DeviceInfo,
        fixtures::row,
        session::{LabRun, Session},
    };

    fn run(cells: &[(&str, &str)]) -> Run {
        let ceilings = Ceilings {
            device_copy_gb_per_s: 100.0,
            device_read_gb_per_s: Some(100.0),
            device_write_gb_per_s: None,
            h2d_gb_per_s: 10.0,
            d2h_gb_per_s: 10.0,
            empty_launch_ms: 0.01,
        };
        let labs = vec![LabRun { lab: "scan".into(), ..LabRun::default() }];
        let device = DeviceInfo { l2_bytes: 1000, ..DeviceInfo::default() };
        let session = Session { labs, device, ceilings: Some(ceilings), ..Session::default() };
        let rows = vec![row(&[&[("variant", "a")], cells].concat())];
        let labs = vec![LabRows { lab: "scan".into(), rows, ..LabRows::default() }];
        Run { folder: "run".into(), sessions: vec![session], labs, remarks: Vec::new() }
    }

    #[test]
    fn a_sound_run_has_no_problem_and_each_planted_one_is_named() {
        assert_eq!(problems(&run(&[("gb_per_s", "99"), ("percent_of_ceiling", "99")])), [""; 0]);
        let emulated = ("device", "emulated");
        for (cells, words) in [
            (&[("verdict", "fail"), ("note", "7 of 9 wrong")][..], "scan, a: fail: 7 of 9 wrong"),
            (&[("verdict", "skip")], "scan, a: skip without a reason"),
            (&[emulated, ("gb_per_s", "7")], "scan, a: a rate on the emulated device"),
            (&[emulated, ("launches", "3")], "scan, a: a kernel ran and nothing was counted"),
            (
                &[("percent_of_ceiling", "110"), ("bytes", "4000")],
                "scan, a: 110 % of its ceiling, which was measured wrongly",
            ),
        ] {
            assert_eq!(problems(&run(cells)), [words], "{cells:?}");
        }
        // In the cache, a row may be faster than device memory.
        assert_eq!(problems(&run(&[("percent_of_ceiling", "110"), ("bytes", "3999")])), [""; 0]);
        let mut other = run(&[]);
        other.labs[0].lab = "sort".into();
        assert!(problems(&other)[0].contains("but the CSVs are of {\"sort\"}"), "{:?}", problems(&other));
        let mut empty = run(&[]);
        empty.labs[0].rows.clear();
        assert_eq!(problems(&empty), ["scan: no rows"]);
    }
}
