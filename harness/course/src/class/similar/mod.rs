//! Finds submissions that compile to nearly the same instructions: a note to look at, not a verdict.

mod groups;
mod shingles;

pub use groups::{Group, Member, groups};
pub use shingles::of_source;
