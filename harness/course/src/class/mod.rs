//! A class: many submissions, marked one beside the other, and what is written about them.
//!
//! The folder that a class is graded into holds:
//!
//! - `class.json`: what must stay the same from the first run to the last: the seed, the device, the limits;
//! - `rubric.toml`: the rubric, which a teacher may edit;
//! - `results/`: a JSON file for each submission, written whole when it is marked: a run that was killed goes on there;
//! - `own/`: what came of the lab's own kernels, so that they need not run for each submission;
//! - `overrides.toml`, `late.toml`: a teacher's, if there are any;
//! - `totals.json`: the points that the last run has told, which the next one compares with;
//! - `marks.csv`, `marks-canvas.csv`, `changes.csv`, `class.html`, `similar.html`, `students/`: made anew by each run.

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
