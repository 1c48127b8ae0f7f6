//! The files of Canvas's "Download Submissions": `lovelaceada_124_457_histogram.cu` consists of the student's name, the
//! word `LATE` or nothing, the student's number, the submission's number, and the file's own name.
use std::path::PathBuf;

use super::{
    handed_in::{changed, handed_in, name_of},
    plain::{is_submission, several},
};
use crate::class::entry::{Entry, Student};

/// The entries, if all names match Canvas's pattern.
pub fn entries(paths: &[PathBuf]) -> Option<Vec<Entry>> {
    let mut entries: Vec<Entry> = Vec::new();
    for path in paths.iter().filter(|path| is_submission(path)) {
        let student = student(&name_of(path))?;
        match entries.iter_mut().find(|entry| entry.id == student.id) {
            Some(first) => first.handed_in = Err(several("ask for one archive")),
            None => entries.push(Entry::of_one(student, handed_in(path), changed(path))),
        }
    }
    (!entries.is_empty()).then_some(entries)
}

fn student(file: &str) -> Option<Student> {
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let (name, rest) = file.split_once('_')?;
    let rest = rest.strip_prefix("LATE_").unwrap_or(rest);
    let (id, rest) = rest.split_once('_')?;
    let (number, own) = rest.split_once('_')?;
    let is_canvas = !name.is_empty() && is_number(id) && is_number(number) && !own.is_empty();
    is_canvas.then(|| Student { name: name.into(), id: id.into(), email: String::new(), is_canvas })
}
