//! The assignment of a lab, and a teacher's file with another rubric for it.
use std::{fs::File, io::Read as _, path::PathBuf};

use course::assignment::rubric::Rubric;
use harness::{Error, Lab};

/// The assignment of the lab.
pub fn assignment(lab: &Lab) -> Result<&harness::Assignment, Error> {
    let none = || Error::usage(format!("{} has no assignment", lab.name));
    lab.assignment.as_ref().ok_or_else(none)
}

/// The largest size of a rubric, in bytes.
const LARGEST: u64 = 1 << 20;

/// Reads a teacher's rubric; returns its text and the parsed rubric.
pub fn read(file: &PathBuf, lab: &'static Lab) -> Result<(String, Rubric), Error> {
    let io = |source| Error::Io { action: "read", path: file.clone(), source };
    let mut text = String::new();
    let read = File::open(file).and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text)).map_err(io)?;
    if read as u64 > LARGEST {
        return Err(Error::usage(format!("{}: no rubric is larger than {} KiB", file.display(), LARGEST >> 10)));
    }
    let rubric = Rubric::of_file(file, &text, lab)?;
    Ok((text, rubric))
}
