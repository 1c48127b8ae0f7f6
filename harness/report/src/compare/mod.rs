//! Two sides of runs, case by case.
//!
//! - `comparison`: what a comparison says, as it is written as JSON.
//! - `judge`: how it comes to that; `times`, `counters` and `lines` judge a case by one kind of evidence each.
//! - `agree`: what both sides must have in common.
//! - `side`: the cases of the runs of one side.
//! - `table`: the comparison in words, for the terminal, Markdown and the page.
pub mod agree;
pub mod comparison;
mod counters;
pub mod judge;
mod lines;
pub mod side;
pub mod table;
pub mod times;

pub use comparison::Comparison;
pub use judge::{Asked, compare};
