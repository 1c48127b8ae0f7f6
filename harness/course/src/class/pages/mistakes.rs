//! The most common mistakes of a class, without names.
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use crate::{
    class::{
        grade::line_numbers,
        sheet::{Sheet, SheetRow, first_line, gist},
    },
    judge::marks::marked::{CriterionKind, State},
};

/// The most lines of source shown for a mistake.
const LINES: usize = 3;

/// A mistake and how many submissions made it.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The part; empty for a fault of the whole submission.
    pub part: String,
    /// The description from one of the submissions; numbers may differ in the others.
    pub words: String,
    /// The number of submissions that made it.
    pub count: usize,
    /// The source lines where it occurred.
    pub lines: Vec<String>,
}

/// The mistakes, the most common first.
pub fn mistakes(sheet: &Sheet) -> Vec<Mistake> {
    let mut all: BTreeMap<(String, String), (Mistake, BTreeSet<String>)> = BTreeMap::new();
    for row in sheet.graded() {
        for (part, words) in of_row(row) {
            let words = anonymous(first_line(&words), row);
            let new = || {
                let words = words.clone();
                (Mistake { part: part.clone(), words, count: 0, lines: Vec::new() }, BTreeSet::new())
            };
            let (mistake, lines) = all.entry((part.clone(), general(&words))).or_insert_with(new);
            mistake.count += 1;
            let known = row.record.map(|record| &record.lines);
            let numbers = line_numbers(&words, &sheet.rubric.kernel);
            lines.extend(numbers.filter_map(|number| known?.get(&number)).map(|line| anonymous(line, row)));
        }
    }
    let mut mistakes: Vec<Mistake> = all
        .into_values()
        .map(|(mistake, lines)| Mistake { lines: lines.into_iter().take(LINES).collect(), ..mistake })
        .collect();
    mistakes.sort_by_key(|mistake| Reverse(mistake.count));
    mistakes
}

/// The mistakes of one submission, each once. Goals missed by a wrong part are left out: they add nothing.
fn of_row(row: &SheetRow) -> Vec<(String, String)> {
    let Some(marked) = row.marked() else { return Vec::new() };
    if let Some(fault) = &marked.fault {
        return vec![(String::new(), gist(fault).into())];
    }
    let mut all = Vec::new();
    for part in &marked.parts {
        let is_right = part.criteria.iter().any(|c| c.kind == CriterionKind::Right && c.state == State::Earned);
        let lost = part.criteria.iter().filter(|criterion| criterion.state == State::Lost);
        let told = lost.filter(|criterion| is_right || criterion.kind == CriterionKind::Right);
        all.extend(told.map(|criterion| (part.name.clone(), criterion.words.clone())));
    }
    all
}

/// Removes the student's names from the words.
fn anonymous(words: &str, row: &SheetRow) -> String {
    let entry = row.entry;
    let students = entry.students.iter().flat_map(|student| [&student.name, &student.id, &student.email]);
    let names = students.flat_map(|name| name.split_whitespace().chain([name.as_str()])).chain([entry.id.as_str()]);
    // Replaces longer names first, since they may contain shorter ones. A word of two letters is more likely part of
    // the message.
    let mut names: Vec<&str> = names.filter(|name| name.chars().count() > 2).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    names.iter().fold(words.to_string(), |words, name| words.replace(name, "..."))
}

/// Replaces every number with `#`, so that the same mistake with other numbers is counted together.
fn general(words: &str) -> String {
    let mut general = String::new();
    for c in words.chars() {
        match c {
            '0'..='9' if general.ends_with('#') => {}
            '0'..='9' => general.push('#'),
            c => general.push(c),
        }
    }
    general
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_tell_mistakes_apart() {
        assert_eq!(general("wrong at n = 1000: 17 of 26"), "wrong at n = #: # of #");
        assert_ne!(general("race at a.cu:7"), general("race at b.cu:7"));
    }
}
