//! The commonest mistakes of a class, without the names of those who made them.
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use crate::{
    class::{
        grade::line_numbers,
        sheet::{Row, Sheet, first_line, gist},
    },
    mark::marked::{Kind, State},
};

/// Lines of source that are shown for a mistake.
const LINES: usize = 3;

/// A mistake that some have made.
#[derive(Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The part; nothing for what concerns the whole submission.
    pub part: String,
    /// What was wrong, in the words of one of them, with other numbers in the others.
    pub words: String,
    /// How many have made it.
    pub count: usize,
    /// Lines of source in which it lay.
    pub lines: Vec<String>,
}

/// The mistakes, the commonest first.
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

/// What was wrong with a submission, each once. That a wrong part has not reached its goals says nothing more.
fn of_row(row: &Row) -> Vec<(String, String)> {
    let Some(marked) = row.marked() else { return Vec::new() };
    if let Some(fault) = &marked.fault {
        return vec![(String::new(), gist(fault).into())];
    }
    let mut all = Vec::new();
    for part in &marked.parts {
        let is_right = part.criteria.iter().any(|c| c.kind == Kind::Right && c.state == State::Earned);
        let lost = part.criteria.iter().filter(|criterion| criterion.state == State::Lost);
        let told = lost.filter(|criterion| is_right || criterion.kind == Kind::Right);
        all.extend(told.map(|criterion| (part.name.clone(), criterion.words.clone())));
    }
    all
}

/// The words without what tells whose they are.
fn anonymous(words: &str, row: &Row) -> String {
    let entry = row.entry;
    let students = entry.students.iter().flat_map(|student| [&student.name, &student.id, &student.email]);
    let names = students.flat_map(|name| name.split_whitespace().chain([name.as_str()])).chain([entry.id.as_str()]);
    // Longer names first, for they may hold shorter ones. A word of two letters is likelier a part of the message.
    let mut names: Vec<&str> = names.filter(|name| name.chars().count() > 2).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    names.iter().fold(words.to_string(), |words, name| words.replace(name, "..."))
}

/// The words as they are for any number.
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
