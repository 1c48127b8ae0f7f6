//! Assignments made of the labs: what is handed out, how a student is helped, how what is handed in is judged and
//! marked, for one submission or for a class.
//!
//! # The folders
//!
//! A folder uses only the folders below it:
//!
//! - `class`: many submissions: who handed in what, marks that survive a kill, pages, other computers.
//! - `student`: a student's own folder: start, check, submit.
//! - `export`: marks in the formats of those who read them: text, JSON, JUnit, Gradescope, GitHub Classroom.
//! - `mark`: points, from a rubric and a judgement, with what would raise them.
//! - `submission`: what is handed in, read without trust: a kernel file, a folder, an archive.
//! - `judge`: a kernel file run in place of a lab's own: right, wrong and where.
//! - `assignment`: what is asked: the rubric, the file that is handed out, hints.

pub mod assignment;
pub mod class;
pub mod export;
mod hash;
pub mod judge;
pub mod mark;
mod ptx;
pub mod student;
pub mod submission;
