//! Assignments based on the labs: handing out, help for students, and judging and marking of submissions, one at a time
//! or for a whole class.
//!
//! # The folders
//!
//! A folder uses only the folders below it:
//!
//! - `class`: many submissions: the roster, marks that survive a kill, pages, clusters.
//! - `student`: a student's folder: start, check, submit.
//! - `export`: marks in the formats of those who read them: text, JSON, JUnit, Gradescope, GitHub Classroom.
//! - `rank`: several kernel files for one variant, by predicted time.
//! - `judge`: running a kernel file in place of a lab's own, in four steps: plan, run, verdict, marks.
//! - `submission`: reading untrusted submissions: a kernel file, a folder, an archive.
//! - `assignment`: the rubric, the file that is handed out, hints.

pub mod assignment;
pub mod class;
pub mod export;
mod hash;
pub mod judge;
mod ptx;
pub mod rank;
pub mod student;
pub mod submission;
