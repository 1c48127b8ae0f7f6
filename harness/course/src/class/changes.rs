//! Changes that a run makes to existing marks.
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use harness::Result;
use serde::{Deserialize, Serialize};

use super::{record::Record, settings, sheet::Sheet};
use crate::export::file;

/// The file with the points that the last run reported.
const TOTALS: &str = "totals.json";

/// The reason given when points change without a teacher's decision.
pub const GRADED: &str = "graded again";

/// A part whose points have changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The submission.
    pub id: String,
    /// The part.
    pub part: String,
    /// The old points.
    pub before: f64,
    /// The new points.
    pub after: f64,
}

/// Lists the changes of a submission.
pub fn changes(before: &Record, after: &Record) -> Vec<Change> {
    let parts = |record: &Record| -> Vec<(String, f64)> {
        let parts = record.marked.iter().flat_map(|marked| &marked.parts);
        parts.map(|part| (part.name.clone(), part.points)).collect()
    };
    let earlier = parts(before);
    let changed = |(part, after): (String, f64)| {
        let (_, before) = earlier.iter().find(|(name, _)| *name == part)?;
        (*before != after).then_some((part, *before, after))
    };
    let changed = parts(after).into_iter().filter_map(changed);
    changed.map(|(part, before, points)| Change { id: after.id.clone(), part, before, after: points }).collect()
}

/// The points of a submission, as reported by a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Total {
    /// All of them, if they are final.
    points: Option<f64>,
    /// What a teacher has decided about them.
    decisions: BTreeSet<String>,
}

/// The points of all submissions, by id.
pub type Totals = BTreeMap<String, Total>;

/// A submission whose points have changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// The submission.
    pub id: String,
    /// The old points, if they were known.
    pub before: Option<f64>,
    /// The new points, if they are known.
    pub after: Option<f64>,
    /// Why.
    pub reason: String,
}

/// Reads the points that the last run into `out` reported.
///
/// # Errors
/// [`harness::Error::Io`] when they exist but cannot be read.
pub fn told(out: &Path) -> Result<Totals> {
    let text = settings::read(&out.join(TOTALS))?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

/// Stores the points of this run for the next run into `out`, and returns them.
///
/// # Errors
/// [`harness::Error::Io`].
pub fn tell(sheet: &Sheet, out: &Path) -> Result<Totals> {
    let total = |row: &super::sheet::SheetRow| Total {
        points: row.settled(),
        decisions: row.decisions().into_iter().collect(),
    };
    let totals: Totals = sheet.rows.iter().map(|row| (row.entry.id.clone(), total(row))).collect();
    file::write(&out.join(TOTALS), &serde_json::to_string_pretty(&totals).unwrap_or_default())?;
    Ok(totals)
}

/// Lists the submissions whose points have changed, and those that are gone. `changed` are the parts that were graded
/// again.
pub fn moved(before: &Totals, after: &Totals, changed: &[Change]) -> Vec<Moved> {
    let one = |(id, was): (&String, &Total)| {
        let Some(is) = after.get(id) else {
            let reason = "the submission is no longer there".into();
            return Some(Moved { id: id.clone(), before: was.points, after: None, reason });
        };
        // A submission that was not graded before has no marks that could change.
        if was.points.is_none() || was.points == is.points {
            return None;
        }
        let mut reasons: Vec<String> = is.decisions.difference(&was.decisions).cloned().collect();
        reasons.extend(was.decisions.difference(&is.decisions).map(|one| format!("no longer: {one}")));
        if reasons.is_empty() || changed.iter().any(|change| change.id == *id) {
            reasons.insert(0, if is.points.is_some() { GRADED } else { "could not be judged now" }.into());
        }
        Some(Moved { id: id.clone(), before: was.points, after: is.points, reason: reasons.join("; ") })
    };
    before.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(of: &[(&str, Option<f64>, &[&str])]) -> Totals {
        let total = |(id, points, decisions): &(&str, Option<f64>, &[&str])| {
            let decisions = decisions.iter().map(ToString::to_string).collect();
            (id.to_string(), Total { points: *points, decisions })
        };
        of.iter().map(total).collect()
    }

    #[test]
    fn each_total_that_has_changed_is_told_with_its_reason() {
        let before = totals(&[
            ("same", Some(1.0), &[]),
            ("late", Some(10.0), &[]),
            ("early", Some(8.0), &["one day late"]),
            ("again", Some(1.0), &[]),
            ("gone", Some(3.0), &[]),
            ("new", None, &[]),
            ("lost", Some(4.0), &[]),
        ]);
        let after = totals(&[
            ("same", Some(1.0), &["set by hand"]),
            ("late", Some(9.0), &["one day late"]),
            ("early", Some(10.0), &[]),
            ("again", Some(2.0), &[]),
            ("new", Some(5.0), &[]),
            ("lost", None, &[]),
        ]);
        let told: Vec<(String, Option<f64>, String)> =
            moved(&before, &after, &[]).into_iter().map(|moved| (moved.id, moved.after, moved.reason)).collect();
        let expected = [
            ("again", Some(2.0), "graded again"),
            ("early", Some(10.0), "no longer: one day late"),
            ("gone", None, "the submission is no longer there"),
            ("late", Some(9.0), "one day late"),
            ("lost", None, "could not be judged now"),
        ];
        assert_eq!(told, expected.map(|(id, points, reason)| (id.into(), points, reason.into())));
    }
}
