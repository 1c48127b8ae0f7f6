//! Marks that a teacher sets by hand, each with a reason: `overrides.toml`.
//!
//! ```toml
//! [[override]]
//! student = "ada"
//! part = "atomic"
//! points = 15
//! reason = "the comment shows the right idea"
//! ```
use std::path::Path;

use harness::{Result, suggest};
use serde::Deserialize;

use super::{read, wrong};
use crate::{assignment::rubric::Rubric, class::entry::Entry};

const FILE: &str = "overrides.toml";

/// The mark of one part, set by hand.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// The id of the submission or of a student, or a student's address.
    pub student: String,
    /// The part.
    pub part: String,
    /// The points it gets instead.
    pub points: f64,
    /// The reason, in words that the student reads.
    pub reason: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Overrides {
    #[serde(default, rename = "override")]
    all: Vec<Override>,
}

/// Reads the overrides of the class in `out`.
///
/// # Errors
/// [`harness::Error::Usage`] when one names an unknown student or part, or gives no reason.
pub fn overrides(out: &Path, entries: &[Entry], rubric: &Rubric) -> Result<Vec<Override>> {
    let Overrides { all } = read(out, FILE)?;
    for (index, one) in all.iter().enumerate() {
        if let Some(what) = mistake(one, &all[..index], entries, rubric) {
            return Err(wrong(&out.join(FILE), &what));
        }
    }
    Ok(all)
}

fn mistake(one: &Override, others: &[Override], entries: &[Entry], rubric: &Rubric) -> Option<String> {
    let Override { student, part, points, reason } = one;
    let parts: Vec<&str> = rubric.exercises.iter().map(|part| part.name.as_str()).collect();
    let means = |name: &str| entries.iter().position(|entry| entry.is_called(name));
    let Some(who) = means(student) else {
        let ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        return Some(format!("no student is called `{student}`; {}", suggest::among(student, &ids)));
    };
    let Some(asked) = rubric.exercises.iter().find(|asked| asked.name == *part) else {
        return Some(format!("`{student}`: there is no part `{part}`; {}", suggest::among(part, &parts)));
    };
    let most = asked.points() + asked.speed.as_ref().map_or(0.0, |speed| speed.points);
    if !(0.0..=most).contains(points) {
        return Some(format!("`{student}`: part `{part}` gives 0 to {most} points, not {points}"));
    }
    if reason.trim().is_empty() {
        return Some(format!("`{student}`: say for part `{part}` the reason, which the student reads"));
    }
    let is_twice = others.iter().any(|other| other.part == *part && means(&other.student) == Some(who));
    is_twice.then(|| format!("`{student}`: part `{part}` is set twice"))
}
