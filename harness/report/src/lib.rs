//! What a run's rows look like: one self-contained HTML page, and the same as Markdown; two runs compared, case by
//! case; and many runs as a history.
//!
//! # The folders
//!
//! A folder or file uses only those below it:
//!
//! - `page`: the HTML pages, with their style sheet and their script; `markdown`: the same as Markdown.
//! - `history`: many runs one after another, where they change, and the run that a new one is compared with.
//! - `compare`: two sides of runs, case by case.
//! - `document`: what a report says, in order.
//! - `subject`: what is shown of a run, a file a question: ladders, transfers, phases, the roofline, findings, ...
//! - `picture`: the kinds of picture, as SVG.
//! - `run`: the folder of a run, read.
//! - `statistic`: what noisy numbers allow to be said.
//! - `words`: numbers as a reader sees them.
//!
//! # Why the pictures are templates
//!
//! Page and pictures are written with [maud], whose templates are checked when this crate is compiled and escape all
//! text. Libraries of charts draw for a fixed size with fixed colours: plotters writes colours into every element, so
//! that a dark page, a style sheet for print or a mark's `<title>` have nothing to hold on to, and others bring a
//! script of megabytes. The pictures here are few and plain; `picture::scale` is all that they need besides.

pub mod compare;
pub mod document;
pub mod history;
pub mod markdown;
pub mod page;
mod picture;
pub mod run;
#[cfg(test)]
mod schemas;
pub mod statistic;
mod subject;
pub mod words;

pub use document::Document;
pub use markdown::markdown;
pub use page::page;
pub use picture::figure::Table;
pub use run::{folder::Run, row::Row};
pub use subject::{known::Known, standing::table as standing};
