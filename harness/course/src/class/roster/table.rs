//! A table of students and their folders or files, such as checkouts of repositories.
use std::path::Path;

use harness::{Error, Result};
use serde::Deserialize;

use super::handed_in::{changed, handed_in};
use crate::class::{
    entry::{Entry, Student},
    time,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RosterLine {
    student: String,
    path: String,
    #[serde(default)]
    id: String,
    #[serde(default)]
    email: String,
    /// The time of submission, such as that of the last push.
    #[serde(default)]
    time: String,
}

/// The lines of the CSV at `table`. Paths are relative to `folder`, or to the folder of the table.
pub fn entries(table: &Path, folder: Option<&Path>) -> Result<Vec<Entry>> {
    let wrong = |what: String| Error::usage(format!("{}: {what}", table.display()));
    let folder = folder.or_else(|| table.parent()).unwrap_or(Path::new("."));
    let mut reader =
        csv::ReaderBuilder::new().trim(csv::Trim::All).from_path(table).map_err(|error| wrong(error.to_string()))?;
    let mut entries = Vec::new();
    for (line, number) in reader.deserialize().zip(2..) {
        let columns = "the columns are student and path, and where they are known id, email and time, with \
                       commas between them";
        let line: RosterLine = line.map_err(|error| wrong(format!("{error}; {columns}")))?;
        if line.student.is_empty() {
            return Err(wrong(format!("line {number} names no student")));
        }
        let submitted = match line.time.as_str() {
            "" => None,
            text => Some(time::parse(text).map_err(|what| wrong(format!("line {number}: {what}")))?),
        };
        let path = folder.join(&line.path);
        let handed_in = if line.path.is_empty() { Err("nothing was handed in".into()) } else { handed_in(&path) };
        let submitted = submitted.or_else(|| handed_in.as_ref().ok().and_then(|path| changed(path)));
        let id = if line.id.is_empty() { line.student.clone() } else { line.id };
        let student = Student { name: line.student, id, email: line.email, ..Student::default() };
        entries.push(Entry::of_one(student, handed_in, submitted));
    }
    Ok(entries)
}
