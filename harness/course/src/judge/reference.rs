//! The reference for a rubric: the lab's own kernels, run like those of a submission.
use harness::{Result, Verdict};

use super::{
    atomics::Atomics,
    baseline::own,
    child::Outcome,
    grade::{JudgedRow, concerns},
    task::Task,
};

/// The rows of the lab's own kernels as `variant` at this size, each of them right; or why no kernel can be right
/// there: the lab's own do not run, or are wrong.
///
/// # Errors
/// Why runs cannot be started or read.
pub fn reference(
    task: &Task,
    variant: &'static str,
    size: Option<usize>,
) -> Result<std::result::Result<Vec<JudgedRow>, String>> {
    Ok(match own(task, variant, size)? {
        Outcome::Ran { rows, .. } => {
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
        Outcome::Elsewhere => Err(format!("it does not use {}", task.source.name)),
        Outcome::Refused(why) | Outcome::Failed(why) | Outcome::Unmodelled(why) => Err(why),
    })
}
