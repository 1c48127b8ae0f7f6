//! Solutions of a lab's assignment: `labs/LAB/tests/solutions.cu`.
//!
//! A line `// == right PART: what it is like` or `// == wrong PART: what it is like` begins each of them. What follows
//! is one of these, and all else is as in the lab's own kernels:
//! - the code of the part;
//! - code for the beginning of the file, and then `// [part PART]`, the code of the part and `// [end]`, once for each
//!   place that the part has;
//! - edits of the part: lines that begin with `-` give way to those with `+` after them, if there are any, wherever
//!   the part has the former. They need not be whole lines, and how far they are indented does not matter.
//!
//! Two more verdicts are for what is known not to be marked as it should be: `missed` for a wrong solution that has
//! more than half of the points, and `accused` for a right one that has not all.
use std::{fs, ops::Range};

use crate::marking::lab::Lab;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Right,
    Wrong,
    Missed,
    Accused,
}

#[derive(Debug)]
pub struct Solution {
    pub verdict: Verdict,
    pub part: String,
    /// The line that begins it.
    pub head: String,
    body: String,
}

impl Solution {
    /// All solutions of `lab`.
    pub fn all(lab: &Lab) -> Vec<Self> {
        let text = fs::read_to_string(lab.folder.join("tests/solutions.cu")).unwrap();
        text.split("\n// == ").skip(1).map(Self::parse).collect()
    }

    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once('\n').unwrap_or((text, ""));
        let words = head.split_once(": ").and_then(|(first, _)| first.split_once(' '));
        let (verdict, part) = words.unwrap_or_else(|| panic!("`// == {head}` names no part"));
        let verdict = match verdict {
            "right" => Verdict::Right,
            "wrong" => Verdict::Wrong,
            "missed" => Verdict::Missed,
            "accused" => Verdict::Accused,
            other => panic!("`{other}` is no verdict on a solution: {head}"),
        };
        Self { verdict, part: part.into(), head: head.into(), body: body.trim_end().into() }
    }

    /// The kernel file that is handed in.
    pub fn file(&self, lab: &Lab) -> String {
        let is_edit = |line: &str| line.starts_with(['-', '+']);
        if self.body.lines().any(is_edit) {
            return self.edited(&lab.right);
        }
        if self.body.contains("// [part ") {
            return lab.with_parts(&self.body);
        }
        let places = places(&lab.right, &self.part);
        assert!(places.len() == 1, "{}: part {} has {} places", self.head, self.part, places.len());
        let mut text = lab.right.clone();
        text.replace_range(places[0].clone(), &self.body);
        text
    }

    /// `right`, in which each edit is made wherever it fits.
    fn edited(&self, right: &str) -> String {
        let mut text = joined(right.lines());
        for (old, new) in self.edits() {
            let mut places = places(&text, &self.part);
            if places.is_empty() {
                // The kernels of a lab whose parts are whole kernels are not marked.
                places.push(0..text.len());
            }
            assert!(
                places.iter().any(|place| text[place.clone()].contains(&old)),
                "{}: `{old}` is not there",
                self.head
            );
            for place in places.into_iter().rev() {
                let edited = text[place.clone()].replace(&old, &new);
                text.replace_range(place, &edited);
            }
        }
        text
    }

    /// What gives way to what. An edit ends where a line with `-` follows one with `+`.
    fn edits(&self) -> Vec<(String, String)> {
        let lines: Vec<&str> = self.body.lines().collect();
        assert!(lines.iter().all(|line| line.starts_with(['-', '+'])), "{}: not all lines are edits", self.head);
        let edits = lines.chunk_by(|one, next| !(one.starts_with('+') && next.starts_with('-')));
        let side = |edit: &[&str], sign| joined(edit.iter().filter_map(|line| line.strip_prefix(sign)));
        edits.map(|edit| (side(edit, '-'), side(edit, '+'))).collect()
    }
}

/// Where the code of a part is.
fn places(text: &str, part: &str) -> Vec<Range<usize>> {
    let begins = text.match_indices(&format!("// [part {part}] ")).map(|(at, _)| at).collect::<Vec<_>>();
    begins.into_iter().map(|begin| begin..begin + text[begin..].find("// [end]").unwrap()).collect()
}

/// Lines as one text, without what indents them.
fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(str::trim).collect::<Vec<_>>().join("\n")
}
