//! Compares two sides of runs, case by case.
//!
//! - `comparison`: the result, as written to JSON.
//! - `judge`: computes the result; `times`, `counters` and `lines` judge a case by one kind of evidence each.
//! - `agree`: the settings that both sides must share.
//! - `side`: the cases of the runs of one side.
//! - `table`: the comparison as text, for the terminal, Markdown and the page.
pub mod agree;
pub mod comparison;
mod counters;
pub mod judge;
mod lines;
pub mod side;
pub mod table;
pub mod times;

pub use comparison::Comparison;
pub use judge::{Thresholds, compare};
