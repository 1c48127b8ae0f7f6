//! The files of Moodle's "Download all submissions": `Firstname Lastname_1234567_assignsubmission_file`, a folder for
//! each participant, or a file whose name continues with `_NAME`.
use std::path::PathBuf;

use super::{
    handed_in::{changed, handed_in, name_of},
    plain::several,
};
use crate::class::entry::{Entry, Student};

const MARKER: &str = "_assignsubmission_file";
const TEXT: &str = "_assignsubmission_onlinetext";

/// The entries, if the names match Moodle's pattern. Online texts next to a file are ignored, and so is any other file.
pub fn entries(paths: &[PathBuf]) -> Option<Vec<Entry>> {
    let mut entries: Vec<Entry> = Vec::new();
    for path in paths {
        let Some(student) = student(&name_of(path), MARKER) else { continue };
        match entries.iter_mut().find(|entry| entry.id == student.id) {
            Some(first) => first.handed_in = Err(several("download them again with `Download submissions in folders`")),
            None => entries.push(Entry::of_one(student, handed_in(path), changed(path))),
        }
    }
    // A student who has handed in only a text is in the class too.
    for path in paths {
        let Some(student) = student(&name_of(path), TEXT) else { continue };
        if entries.iter().all(|entry| entry.id != student.id) {
            entries.push(Entry::of_one(student, Err("a text was handed in, and no file".into()), changed(path)));
        }
    }
    (!entries.is_empty()).then_some(entries)
}

fn student(name: &str, marker: &str) -> Option<Student> {
    let (who, _) = name.split_once(marker)?;
    let (name, number) = who.rsplit_once('_')?;
    let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    is_number.then(|| Student { name: name.into(), id: number.into(), ..Student::default() })
}
