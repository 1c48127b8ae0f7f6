//! A class: many submissions, marked in parallel, and the results written about them.
//!
//! The folder that a class is graded into holds:
//!
//! - `class.json`: settings that stay the same from the first run to the last: the seed, the device, the limits;
//! - `rubric.toml`: the rubric, which a teacher may edit;
//! - `results/`: a JSON file for each submission, written atomically when it is marked: a run that was killed resumes
//!   there;
//! - `own/`: results of the lab's own kernels, so that they need not run for each submission;
//! - `overrides.toml`, `late.toml`: written by the teacher, if needed;
//! - `totals.json`: the points that the last run reported, for comparison by the next one;
//! - `marks.csv`, `marks-canvas.csv`, `changes.csv`, `class.html`, `similar.html`, `students/`: rewritten by each run.

pub mod changes;
pub mod entry;
pub mod grade;
mod key;
mod lock;
mod pages;
pub mod policy;
mod private;
pub mod record;
pub mod report;
pub mod roster;
pub mod run;
pub mod settings;
mod sheet;
mod similar;
pub mod slurm;
mod tables;
mod time;
