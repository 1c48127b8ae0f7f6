//! The fourth step: points, from a rubric and the verdicts on a submission.
//!
//! - `right` is earned by a part whose every variant is right at every size, known or hidden, and whose threads share
//!   the work;
//! - `clean` by a right part without findings of any check;
//! - a goal by a right part whose counters are within the limit in every row that has them;
//! - an instruction by a right part whose kernels have it in their PTX;
//! - `speed` by a right part, and only on a GPU: elsewhere it counts neither for nor against.
//!
//! What this computer could not judge is reported as such, never silently as 0.

mod criterion;
pub mod goal;
pub mod instruction;
pub mod marked;
pub mod part;
mod speed;
pub mod work;

pub use criterion::plain;
