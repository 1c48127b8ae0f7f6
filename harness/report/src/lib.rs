//! What a run's rows look like: one self-contained HTML page, and the same as Markdown.
//!
//! # The folders
//!
//! A folder or file uses only those below it:
//!
//! - `page`: the HTML page, with its style sheet and its script; `markdown`: the same as Markdown.
//! - `document`: what a report says, in order.
//! - `subject`: what is shown of a run, a file a question: ladders, transfers, phases, the roofline, findings, ...
//! - `picture`: the kinds of picture, as SVG.
//! - `run`: the folder of a run, read.
//! - `words`: numbers as a reader sees them.
//!
//! # Why the pictures are templates
//!
//! Page and pictures are written with [maud], whose templates are checked when this crate is compiled and escape all
//! text. Libraries of charts draw for a fixed size with fixed colours: plotters writes colours into every element, so
//! that a dark page, a style sheet for print or a mark's `<title>` have nothing to hold on to, and others bring a
//! script of megabytes. The pictures here are few and plain; `picture::scale` is all that they need besides.

pub mod document;
mod markdown;
mod page;
mod picture;
pub mod run;
mod subject;
pub mod words;

pub use document::Document;
pub use markdown::markdown;
pub use page::page;
pub use run::folder::Run;
