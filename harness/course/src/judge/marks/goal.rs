//! Limits on counters.
use harness::{Lab, Record};

use super::marked::{Criterion, CriterionKind, Detail};
use crate::{
    assignment::{limit::quantity, rubric::Goal},
    judge::verdict::JudgedRow,
};

/// A row, its counter, and its limit.
#[derive(Debug)]
pub struct Counted<'a> {
    /// The row.
    pub judged: &'a JudgedRow,
    /// The counter's value.
    pub counter: f64,
    /// How much of it stems from atomics used instead of loads or stores.
    pub atomics: f64,
    /// The largest allowed value.
    pub limit: f64,
}

/// The rows that `goal` applies to: those with the counter and with all quantities in its limit.
pub fn counted<'a>(goal: &Goal, lab: &Lab, rows: impl IntoIterator<Item = &'a JudgedRow>) -> Vec<Counted<'a>> {
    let speaks_of =
        |case: &str| goal.cases.is_empty() || goal.cases.iter().any(|begin| case.starts_with(begin.as_str()));
    let meant = rows.into_iter().filter(|judged| speaks_of(&judged.row.case));
    let of_row = |judged: &'a JudgedRow| {
        let atomics = judged.atomics.counted_as(&goal.counter, warps(&judged.row, lab));
        let counter = judged.row.counter_named(&goal.counter)? + atomics;
        let limit = goal.at_most.evaluate(&judged.row, lab).filter(|limit| !limit.is_nan())?;
        Some(Counted { judged, counter, atomics, limit })
    };
    meant.filter_map(of_row).collect()
}

/// The warps of all launches of a row.
fn warps(row: &Record, lab: &Lab) -> f64 {
    let of = |name| quantity(name, row, lab).unwrap_or(0.0);
    of("launches") * of("blocks") * (of("threads") / 32.0).ceil()
}

/// The row that exceeds its limit by the largest factor, which best shows what is wrong.
pub fn worst<'c, 'a>(counted: impl Iterator<Item = &'c Counted<'a>>) -> Option<&'c Counted<'a>>
where
    'a: 'c,
{
    let beyond = |counted: &Counted| counted.counter / counted.limit.max(f64::MIN_POSITIVE);
    counted.filter(|counted| !counted.is_kept()).max_by(|a, b| beyond(a).total_cmp(&beyond(b)))
}

impl Counted<'_> {
    fn is_kept(&self) -> bool {
        self.counter <= self.limit
    }

    /// Says how much of the count are atomics; empty if none.
    pub fn of_atomics(&self) -> String {
        if self.atomics > 0.0 { format!(", {} of them atomics", number(self.atomics)) } else { String::new() }
    }

    fn words(&self, goal: &Goal) -> String {
        let row = &self.judged.row;
        let n = row.n.map_or(String::new(), |n| format!(" at n = {n}"));
        let case = if row.case.is_empty() { String::new() } else { format!(" ({})", row.case) };
        let (counter, limit, atomics) = (number(self.counter), number(self.limit), self.of_atomics());
        format!("{} is {counter}{n}{case}{atomics}, and may be {limit} at most", goal.counter)
    }
}

/// Judges the goal of a right exercise by these rows.
pub fn goal(goal: &Goal, lab: &Lab, rows: &[&JudgedRow]) -> Criterion {
    let counted = counted(goal, lab, rows.iter().copied());
    let over: Vec<&Counted> = counted.iter().filter(|counted| !counted.is_kept()).collect();
    let criterion = if counted.is_empty() {
        Criterion::unjudged(CriterionKind::Goal, goal.points, "no row has the counter and all that its limit names")
    } else if over.is_empty() {
        Criterion::earned(CriterionKind::Goal, goal.points, &goal.words)
    } else {
        let what = worst(over.iter().copied().filter(|counted| !counted.judged.is_hidden)).map_or_else(
            || format!("{} is beyond its limit at a hidden size, not at those that are known", goal.counter),
            |worst| worst.words(goal),
        );
        Criterion::lost(CriterionKind::Goal, goal.points, what, format!("the goal: {}", goal.words))
    };
    let details = over.iter().map(|counted| Detail::new(&counted.words(goal), counted.judged.is_hidden));
    criterion.with(details.collect()).of_counter(&goal.counter)
}

/// Formats a count, or a limit that need not be an integer.
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}
