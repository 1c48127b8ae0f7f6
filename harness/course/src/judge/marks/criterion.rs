//! Outcomes of criteria: earned, lost, or not judged.
use wire::printable;

use super::marked::{Criterion, CriterionKind, Detail, State};

/// The longest text of a criterion: a compiler's log may be endless.
const LONGEST: usize = 4000;

impl Criterion {
    /// A criterion that is met.
    pub(super) fn earned(kind: CriterionKind, of: f64, words: impl Into<String>) -> Self {
        Self::new(kind, State::Earned, (of, of), &words.into())
    }

    /// A criterion that is not met.
    pub(super) fn lost(kind: CriterionKind, of: f64, words: impl Into<String>, raise: impl Into<String>) -> Self {
        Self { raise: plain(&raise.into()), ..Self::new(kind, State::Lost, (0.0, of), &words.into()) }
    }

    /// A criterion that could not be judged here.
    pub(super) fn unjudged(kind: CriterionKind, of: f64, why: &str) -> Self {
        Self::new(kind, State::Unjudged, (0.0, of), &format!("could not be judged here: {why}"))
    }

    /// A criterion that this device does not measure.
    pub(super) fn not_measured(kind: CriterionKind, words: impl Into<String>) -> Self {
        Self::new(kind, State::NotMeasured, (0.0, 0.0), &words.into())
    }

    /// The criterion as the goal of this counter.
    pub(super) fn of_counter(self, counter: &str) -> Self {
        Self { counter: Some(counter.into()), ..self }
    }

    /// The criterion with these details.
    pub(super) fn with(self, details: Vec<Detail>) -> Self {
        Self { details, ..self }
    }

    fn new(kind: CriterionKind, state: State, (points, of): (f64, f64), words: &str) -> Self {
        Self {
            kind,
            counter: None,
            state,
            points,
            of,
            words: plain(words),
            raise: String::new(),
            measured: None,
            details: Vec::new(),
        }
    }
}

impl Detail {
    /// A detail.
    pub(super) fn new(text: &str, is_hidden: bool) -> Self {
        Self { text: plain(text), is_hidden }
    }
}

/// Removes terminal control sequences from text that may come from a submission, and limits its length.
pub fn plain(text: &str) -> String {
    let mut plain: String = printable::text(text.trim_end()).chars().take(LONGEST + 1).collect();
    if plain.chars().count() > LONGEST {
        plain.pop();
        plain.push_str(" ...");
    }
    plain
}
