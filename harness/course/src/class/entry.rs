//! The students of a class and their submissions.
use std::{path::PathBuf, time::SystemTime};

use sha2::{Digest, Sha256};
use wire::printable::is_hidden;

/// A student.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Student {
    /// The student's name, or the best substitute.
    pub name: String,
    /// What the course's system calls the student.
    pub id: String,
    /// The address, if it is known.
    pub email: String,
    /// Whether the id is Canvas's own number.
    pub is_canvas: bool,
}

/// A submission, by one student or by a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The unique id; results and pages are named after it.
    pub id: String,
    /// The students who get its marks, at least one.
    pub students: Vec<Student>,
    /// The file or folder, or why there is none.
    pub handed_in: Result<PathBuf, String>,
    /// The time of submission, if known.
    pub submitted: Option<SystemTime>,
}

impl Entry {
    /// Creates the submission of one student.
    pub fn of_one(student: Student, handed_in: Result<PathBuf, String>, submitted: Option<SystemTime>) -> Self {
        Self { id: student.id.clone(), students: vec![student], handed_in, submitted }
    }

    /// Removes control characters and invisible characters: the submitter chooses the file's name.
    pub fn without_controls(&mut self) {
        let of_students = self.students.iter_mut().flat_map(|s| [&mut s.name, &mut s.id, &mut s.email]);
        for text in of_students.chain([&mut self.id]) {
            text.retain(|c| !is_hidden(c));
        }
    }

    /// The base name of its files: a safe file name whatever the id is.
    pub fn file_name(&self) -> String {
        let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let safe: String = self.id.chars().map(|c| if is_safe(c) { c } else { '_' }).take(80).collect();
        let is_whole = safe == self.id && !safe.starts_with('.') && !safe.is_empty();
        if is_whole { safe } else { format!("_{safe}-{}", &kernels::hex(&Sha256::digest(&self.id))[..8]) }
    }

    /// Whether a teacher's file refers to it by `name`: its id, or that of one of its students.
    pub fn is_called(&self, name: &str) -> bool {
        self.id == name || self.students.iter().any(|student| [&student.id, &student.email].contains(&&name.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_name(id: &str) -> String {
        let student = Student { id: id.into(), ..Student::default() };
        Entry::of_one(student, Err(String::new()), None).file_name()
    }

    #[test]
    fn no_id_leads_out_of_the_folder_and_no_two_share_a_file() {
        assert_eq!(file_name("ada.lovelace-1"), "ada.lovelace-1");
        for id in ["../../etc/passwd", "..", "", "a/b", "Grüße", "a b", ".hidden"] {
            let name = file_name(id);
            assert!(!name.contains('/') && !name.starts_with('.') && !name.is_empty(), "{id}: {name}");
        }
        assert_ne!(file_name("a b"), file_name("a_b"));
        assert_ne!(file_name("a/b"), file_name("a b"));
    }
}
