//! The reference for a rubric: the lab's own kernels, judged like those of a submission.
use harness::Verdict;

use super::{
    atomics::Atomics,
    variant::{JudgedRow, concerns},
};
use crate::judge::run::Outcome;

/// The rows of this outcome of the lab's own kernels, each of them right; or why no kernel can be right there: the
/// lab's own do not run, are wrong, or do not use the kernel file `file`.
///
/// # Errors
/// The reason.
pub fn reference(own: Outcome, file: &str) -> Result<Vec<JudgedRow>, String> {
    let rows = match own {
        Outcome::Ran { rows, .. } => rows,
        Outcome::Elsewhere | Outcome::Absent => return Err(format!("it does not use {file}")),
        Outcome::Refused(why) | Outcome::Failed(why) | Outcome::Unmodelled(why) => return Err(why),
    };
    let bad = rows.iter().find(|row| matches!(row.verdict, Verdict::Fail | Verdict::Finding));
    let is_judged = rows.iter().any(|row| row.verdict != Verdict::Skip);
    match (bad, rows.first()) {
        (Some(bad), _) => Err(format!("it fails: {}", bad.note)),
        (None, Some(row)) if !is_judged => Err(row.note.clone()),
        (None, None) => Err("it has no case".into()),
        (None, Some(_)) => {
            let judged = rows.into_iter().filter(|row| row.verdict != Verdict::Skip && concerns(row));
            let row = |row| JudgedRow { row, is_hidden: false, atomics: Atomics::default(), work: None };
            Ok(judged.map(row).collect())
        }
    }
}
