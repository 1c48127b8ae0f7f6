//! The final marks of a class: with overrides, and with deductions for lateness.
use super::{
    entry::Entry,
    policy::{
        late::{Deduction, Late},
        overrides::Override,
    },
    record::Record,
};
use crate::{
    assignment::rubric::{Exercise, Rubric},
    export::mark_text::points,
    judge::marks::marked::ExerciseMark,
};

/// The marks of a class.
#[derive(Debug)]
pub struct Sheet<'a> {
    /// The rubric.
    pub rubric: &'a Rubric,
    /// Whether speed counts: it is measured on a GPU.
    pub has_speed: bool,
    /// A row for each submission.
    pub rows: Vec<SheetRow<'a>>,
}

/// The marks of a submission.
#[derive(Debug)]
pub struct SheetRow<'a> {
    /// The submission.
    pub entry: &'a Entry,
    /// Its record; `None` if it is not graded yet.
    pub record: Option<&'a Record>,
    /// The parts, in the rubric's order.
    pub parts: Vec<Cell<'a>>,
    /// The deduction for lateness.
    pub late: Option<Deduction>,
}

/// The marks of a part.
#[derive(Debug)]
pub struct Cell<'a> {
    /// Its name.
    pub name: &'a str,
    /// The points that count.
    pub points: f64,
    /// The most points.
    pub of: f64,
    /// The computed mark, if there is one.
    pub mark: Option<&'a ExerciseMark>,
    /// The teacher's own mark.
    pub by_hand: Option<&'a Override>,
}

impl<'a> Sheet<'a> {
    /// The marks of `entries`, each with its record.
    pub fn new(
        rubric: &'a Rubric,
        has_speed: bool,
        graded: impl Iterator<Item = (&'a Entry, Option<&'a Record>)>,
        overrides: &'a [Override],
        late: &Late,
    ) -> Self {
        let rows = graded.map(|(entry, record)| SheetRow {
            entry,
            record,
            parts: rubric.exercises.iter().map(|part| cell(part, has_speed, entry, record, overrides)).collect(),
            late: late.deduction(entry),
        });
        Self { rubric, has_speed, rows: rows.collect() }
    }

    /// The most points of a submission.
    pub fn of_all(&self) -> f64 {
        self.rubric.exercises.iter().map(|part| most(part, self.has_speed)).sum()
    }

    /// The rows that are graded: a submission existed and could be marked.
    pub fn graded(&self) -> impl Iterator<Item = &SheetRow<'a>> {
        self.rows.iter().filter(|row| row.marked().is_some())
    }
}

fn most(part: &Exercise, has_speed: bool) -> f64 {
    part.points() + part.speed.as_ref().filter(|_| has_speed).map_or(0.0, |speed| speed.points)
}

fn cell<'a>(
    part: &'a Exercise,
    has_speed: bool,
    entry: &Entry,
    record: Option<&'a Record>,
    overrides: &'a [Override],
) -> Cell<'a> {
    let marked = record.and_then(|record| record.marked.as_ref());
    let mark = marked.and_then(|marked| marked.parts.iter().find(|mark| mark.name == part.name));
    let by_hand = overrides.iter().find(|one| one.part == part.name && entry.is_called(&one.student));
    let points = by_hand.map(|one| one.points).or(mark.map(|mark| mark.points)).unwrap_or(0.0);
    Cell { name: &part.name, points, of: most(part, has_speed), mark, by_hand }
}

impl Cell<'_> {
    /// Whether the points are final.
    fn is_settled(&self) -> bool {
        self.by_hand.is_some() || self.mark.is_some_and(|mark| mark.unjudged.is_none())
    }

    /// The points if they are final, for a table.
    pub fn settled(&self) -> Option<f64> {
        self.is_settled().then_some(self.points)
    }
}

impl SheetRow<'_> {
    /// The computed marks.
    pub fn marked(&self) -> Option<&crate::judge::marks::marked::Marked> {
        self.record.and_then(|record| record.marked.as_ref())
    }

    /// The points before the deduction for lateness.
    pub fn earned(&self) -> f64 {
        self.parts.iter().map(|cell| cell.points).sum()
    }

    /// The points.
    pub fn points(&self) -> f64 {
        self.earned() * (1.0 - self.late.map_or(0.0, |late| late.percent) / 100.0)
    }

    /// The points if they are final.
    pub fn settled(&self) -> Option<f64> {
        self.is_settled().then(|| self.points())
    }

    /// Whether nothing is known about the submission.
    pub fn is_unknown(&self) -> bool {
        self.entry.handed_in.is_ok() && self.parts.iter().all(|cell| cell.mark.is_none() && cell.by_hand.is_none())
    }

    /// Whether the points are final, as far as the program knows.
    pub fn is_settled(&self) -> bool {
        self.parts.iter().all(Cell::is_settled) || self.entry.handed_in.is_err()
    }

    /// The teacher's decisions about the points.
    pub fn decisions(&self) -> Vec<String> {
        let by_hand = |cell: &Cell| Some(format!("{} set by hand: {}", cell.name, cell.by_hand?.reason.trim()));
        self.parts.iter().filter_map(by_hand).chain(self.late.map(|late| late_words(&late))).collect()
    }

    /// Remarks for the teacher about the points, in one line.
    pub fn remarks(&self) -> String {
        let mut remarks = Vec::new();
        match (&self.entry.handed_in, self.record) {
            (Err(why), _) => remarks.push(why.clone()),
            (Ok(_), None) => remarks.push("not graded yet".into()),
            (Ok(_), Some(record)) => {
                remarks.extend(record.problem.iter().map(|why| format!("could not be graded: {}", first_line(why))));
            }
        }
        remarks.extend(self.marked().and_then(|marked| marked.fault.as_deref()).map(|fault| gist(fault).into()));
        remarks.extend(self.marked().into_iter().flat_map(|marked| marked.remarks.iter().cloned()));
        for cell in &self.parts {
            let unjudged = cell.mark.and_then(|mark| mark.unjudged.as_ref()).filter(|_| cell.by_hand.is_none());
            remarks.extend(unjudged.map(|why| format!("{} not judged in full: {}", cell.name, first_line(why))));
        }
        remarks.extend(self.decisions());
        remarks.join("; ")
    }
}

/// The mean and the median, if there are any points.
pub fn mean_and_median(all: &[f64]) -> Option<(f64, f64)> {
    let mut sorted = all.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = f64::midpoint(*sorted.get(sorted.len().checked_sub(1)? / 2)?, sorted[sorted.len() / 2]);
    Some((sorted.iter().sum::<f64>() / sorted.len() as f64, median))
}

/// How late it was, and what that costs.
pub fn late_words(late: &Deduction) -> String {
    let days = if late.days == 1 { "one day".into() } else { format!("{} days", late.days) };
    format!("{days} late: {} % of the points are taken off", points(late.percent))
}

/// The first line of a text.
pub fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// What is wrong with a whole submission, in one line: for a compiler's log, its first error.
pub fn gist(fault: &str) -> &str {
    fault.lines().find(|line| line.contains(" error: ")).map_or_else(|| first_line(fault), str::trim)
}
