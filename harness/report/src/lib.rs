//! Reports on runs: one self-contained HTML page, and the same as Markdown; a comparison of two runs, case by case; and
//! the history of many runs.
//!
//! # The folders
//!
//! A folder or file uses only those below it:
//!
//! - `page`: the HTML pages, with their style sheet and their script; `markdown`: the same as Markdown.
//! - `history`: many runs one after another, their changes, and the baseline of a new run.
//! - `compare`: two sides of runs, case by case.
//! - `document`: the contents of a report, in order.
//! - `sections`: the sections of a report, one file for each question: ladders, transfers, phases, the roofline,
//!   findings, ...
//! - `charts`: the kinds of charts, as SVG.
//! - `summary`: the summary of a lab's rows.
//! - `statistic`: statistics of noisy numbers.
//! - `number_format`: formats numbers for people.
//!
//! # Why the charts are templates
//!
//! Page and charts are written with [maud], whose templates are checked when this crate is compiled and escape all
//! text. Chart libraries draw for a fixed size with fixed colours: plotters writes colours into every element, so it
//! does not support a dark page, a style sheet for print or a mark's `<title>`, and others need a script of megabytes.
//! The charts here are few and plain; `charts::scale` is all that they need in addition.

mod charts;
pub mod compare;
pub mod document;
pub mod history;
pub mod markdown;
pub mod number_format;
pub mod page;
#[cfg(test)]
mod schemas;
mod sections;
pub mod statistic;
pub mod summary;

pub use charts::figure::FigureTable;
pub use document::Document;
pub use markdown::markdown;
pub use page::page;
pub use sections::{lab_catalog::LabCatalog, limit_comparison::table as limit_table};
