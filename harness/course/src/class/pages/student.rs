//! The feedback for a student, as a page and as text. Neither reveals the seed or a hidden size.
use maud::{Markup, html};

use super::layout::page;
use crate::{
    class::{
        entry::Student,
        sheet::{Cell, Sheet, SheetRow, late_words},
    },
    export::mark_text::{self, points},
    judge::marks::marked::{Criterion, Detail, State},
};

/// The most details shown in full for one criterion.
const SHOWN: usize = 3;

/// The page.
pub fn student(sheet: &Sheet, row: &SheetRow) -> String {
    let fault = row.marked().and_then(|marked| marked.fault.as_ref());
    let body = html! {
        p { (who(row)) }
        p { strong { (total(sheet, row)) } }
        @if let Some(words) = how_late(row) { p { (words) "." } }
        @if let Some(words) = why_none(row) { p .lost { (words) } }
        @if let Some(fault) = fault { pre { (fault) } }
        @for remark in row.marked().iter().flat_map(|marked| &marked.remarks) { p { (remark) "." } }
        @for cell in &row.parts {
            h2 { (of_part(row, cell)) }
            @if let Some(one) = cell.by_hand { p { "Set by hand: " (one.reason.trim()) } }
            @if fault.is_none() { (criteria(cell)) }
        }
        @if let Some(marked) = row.marked().filter(|marked| !marked.warnings.is_empty()) {
            h2 { "What the compiler warns of" }
            @for warning in &marked.warnings { pre { (warning) } }
        }
    };
    page(&sheet.rubric.title, &body)
}

/// The names of the submitters.
fn who(row: &SheetRow) -> String {
    let one = |student: &Student| match (student.name == student.id || student.id.is_empty(), student.name.is_empty()) {
        (true, _) => student.name.clone(),
        (false, true) => student.id.clone(),
        (false, false) => format!("{} ({})", student.name, student.id),
    };
    row.entry.students.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// All points, as far as they are known.
fn total(sheet: &Sheet, row: &SheetRow) -> String {
    let of = points(sheet.of_all());
    match row.settled() {
        _ if row.is_unknown() => format!("not graded yet, of {of} points"),
        Some(settled) => format!("{} of {of} points", points(settled)),
        None => format!("{} of {of} points so far: not all of it could be judged yet", points(row.points())),
    }
}

fn how_late(row: &SheetRow) -> Option<String> {
    let late = row.late.as_ref()?;
    if row.is_unknown() {
        return Some(late_words(late));
    }
    let days = if late.days == 1 { "one day".into() } else { format!("{} days", late.days) };
    let off = row.earned() - row.points();
    Some(format!("{} points, {} off for {days} ({} %)", points(row.earned()), points(off), points(late.percent)))
}

/// The points of a part, as far as they are known.
fn of_part(row: &SheetRow, cell: &Cell) -> String {
    let is_known = row.entry.handed_in.is_err() || cell.mark.is_some() || cell.by_hand.is_some();
    let known = if is_known { points(cell.points) } else { "not graded yet,".into() };
    format!("{}: {known} of {}", cell.name, points(cell.of))
}

fn criteria(cell: &Cell) -> Markup {
    html! {
        @if let Some(mark) = cell.mark {
            table .marks {
                @for criterion in &mark.criteria {
                    tr {
                        td .(state(criterion)) { (criterion.name()) }
                        td .n { (counts(criterion)) }
                        td .words {
                            (criterion.words)
                            @if !criterion.raise.is_empty() { br; span .quiet { "To raise it: " (criterion.raise) } }
                            @for detail in known(criterion) { pre { (detail.text) } }
                        }
                    }
                }
            }
        }
    }
}

fn state(criterion: &Criterion) -> &'static str {
    match criterion.state {
        State::Earned => "earned",
        State::Lost => "lost",
        State::Unjudged | State::NotMeasured => "quiet",
    }
}

fn counts(criterion: &Criterion) -> String {
    match criterion.state {
        State::NotMeasured => String::new(),
        State::Unjudged => format!("? of {}", points(criterion.of)),
        State::Earned | State::Lost => format!("{} of {}", points(criterion.points), points(criterion.of)),
    }
}

/// Details that the words do not contain, and that reveal no hidden size.
fn known(criterion: &Criterion) -> impl Iterator<Item = &Detail> {
    criterion.further().filter(|detail| !detail.is_hidden).take(SHOWN)
}

/// Why there are no marks, in words for the student.
fn why_none(row: &SheetRow) -> Option<String> {
    match (&row.entry.handed_in, row.marked()) {
        (Err(why), _) => Some(why.clone()),
        (Ok(_), _) => None,
    }
}

/// The feedback as text.
pub fn feedback(sheet: &Sheet, row: &SheetRow) -> String {
    let mut blocks = vec![format!("{}\n{}\n{}", sheet.rubric.title, who(row), total(sheet, row))];
    blocks.extend(how_late(row));
    blocks.extend(why_none(row));
    let fault = row.marked().and_then(|marked| marked.fault.as_ref());
    blocks.extend(fault.cloned());
    blocks.extend(row.marked().into_iter().flat_map(|marked| marked.remarks.iter().cloned()));
    for cell in &row.parts {
        let mut lines = vec![of_part(row, cell)];
        lines.extend(cell.by_hand.map(|one| format!("  Set by hand: {}", one.reason.trim())));
        let mark = cell.mark.filter(|_| fault.is_none());
        lines.extend(mark.map(|mark| mark_text::indented(&mark_text::of_part(mark, true))));
        blocks.push(lines.join("\n"));
    }
    let warnings = row.marked().map(|marked| marked.warnings.join("\n")).filter(|text| !text.is_empty());
    blocks.extend(warnings.map(|text| format!("What the compiler warns of:\n{text}")));
    blocks.join("\n\n")
}
