//! Checks whether a run is complete: compares its sessions with the existing rows. A run that was killed, or whose disk
//! was full, otherwise looks like one without failures.
use std::collections::BTreeMap;

use crate::run::Run;

/// Returns the gaps: for each incomplete lab, the reason. Empty if the run's session does not record enough.
pub fn gaps(run: &Run) -> BTreeMap<&str, String> {
    let mut gaps = BTreeMap::new();
    let ended = |name: &str| run.sessions.iter().flat_map(|session| &session.labs).any(|lab| lab.lab == name);
    for lab in run.sessions.iter().flat_map(|session| &session.asked).filter(|lab| !ended(lab)) {
        gaps.insert(lab.as_str(), "cut off".to_string());
    }
    // The last entry of a lab belongs to its rows.
    for lab in run.sessions.iter().flat_map(|session| &session.labs) {
        let there = run.labs.iter().find(|rows| rows.lab == lab.lab).map_or(0, |rows| rows.rows.len());
        let why = match (&lab.error, lab.rows) {
            (Some(error), _) => Some(error.clone()),
            (None, Some(told)) if told > there => {
                Some(format!("{there} of {told} {} there", if told == 1 { "row" } else { "rows" }))
            }
            _ => None,
        };
        match why {
            Some(why) => gaps.insert(&lab.lab, why),
            None => gaps.remove(lab.lab.as_str()),
        };
    }
    gaps
}

/// Describes the gaps, with labs of the same kind together: `matmul, scan (cut off)`.
pub fn words(gaps: &BTreeMap<&str, String>) -> String {
    let mut kinds: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (lab, why) in gaps {
        kinds.entry(why).or_default().push((*lab).into());
    }
    kinds.iter().map(|(why, labs)| format!("{} ({why})", labs.join(", "))).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        fixtures::row,
        run::LabRows,
        session::{LabRun, Session},
    };

    fn session(asked: &[&str], labs: &[(&str, usize, Option<&str>)]) -> Session {
        let lab = |(lab, rows, error): &(&str, usize, Option<&str>)| LabRun {
            lab: (*lab).into(),
            rows: Some(*rows),
            error: error.map(str::to_string),
            ..LabRun::default()
        };
        Session {
            asked: asked.iter().map(|lab| (*lab).into()).collect(),
            labs: labs.iter().map(lab).collect(),
            ..Session::default()
        }
    }

    fn told(sessions: Vec<Session>, rows: usize) -> String {
        let rows = (0..rows).map(|_| row(&[("variant", "a")])).collect();
        let labs = vec![LabRows { lab: "scan".into(), rows, ..LabRows::default() }];
        words(&gaps(&Run { folder: "x".into(), sessions, labs, remarks: Vec::new() }))
    }

    #[test]
    fn labs_that_did_not_end_and_rows_that_are_gone_are_gaps() {
        assert_eq!(told(vec![session(&["scan"], &[("scan", 2, None)])], 2), "");
        assert_eq!(told(vec![session(&["scan"], &[("scan", 2, None)])], 1), "scan (1 of 2 rows there)");
        let killed = session(&["scan", "sort", "hello"], &[("scan", 2, None)]);
        assert_eq!(told(vec![killed.clone()], 2), "hello, sort (cut off)");
        let errors = session(&["scan", "sort"], &[("scan", 2, None), ("sort", 0, Some("no space left"))]);
        assert_eq!(told(vec![errors], 2), "sort (no space left)");
        // Run again into the same folder, or by an older program, which does not record it.
        let again = session(&["sort", "hello"], &[("sort", 0, None), ("hello", 0, None)]);
        assert_eq!(told(vec![killed, again], 2), "");
        let older = LabRun { lab: "scan".into(), ..LabRun::default() };
        assert_eq!(told(vec![Session { labs: vec![older], ..Session::default() }], 1), "");
    }
}
