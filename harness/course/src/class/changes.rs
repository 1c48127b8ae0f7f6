//! What a run has changed about marks that were there before.
use super::record::Record;

/// A part whose points are not what they were.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The submission.
    pub id: String,
    /// The part.
    pub part: String,
    /// The points that it had.
    pub before: f64,
    /// The points that it has.
    pub after: f64,
}

/// The changes of a submission.
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
