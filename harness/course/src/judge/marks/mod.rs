//! The fourth step: points, from a rubric and the verdicts on a submission.
//!
//! - `right` is earned by an exercise whose every variant is right at every size, known or hidden, and whose threads
//!   share the work;
//! - `clean` by a right exercise without findings of any check;
//! - a goal by a right exercise whose counters are within the limit in every row that has them;
//! - an instruction by a right exercise whose kernels have it in their PTX;
//! - `speed` by a right exercise, and only on a GPU: elsewhere it counts neither for nor against.
//!
//! What this computer could not judge is reported as such, never silently as 0.

mod criterion;
pub mod exercise;
pub mod goal;
pub mod instruction;
pub mod marked;
mod speed;
pub mod work;

pub use criterion::plain;
