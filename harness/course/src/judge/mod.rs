//! Judges a kernel file by running it in place of a lab's own, under every check, with several orders of warps and
//! blocks, and at several sizes: what is right, what is wrong and where, and how the counters compare with those of the
//! lab's own kernels. Then it gives points for that.
//!
//! A judgement takes four steps. Each has a folder, and takes what the one before it has returned:
//!
//! 1. [`plan`]: which variants run at which known and hidden sizes, with which seeds and orders. A
//!    [`JudgeRequest`] becomes a [`Plan`](plan::Plan), and nothing is started.
//! 2. [`run`]: each planned run in the sandbox, and the lab's own kernels, with which it is compared. The plan becomes
//!    [`VariantRuns`](run::VariantRuns).
//! 3. [`verdict`]: what these results say of each variant. They become
//!    [`VariantVerdict`](verdict::VariantVerdict)s.
//! 4. [`marks`]: the points that a rubric gives for the verdicts. They become
//!    [`ExerciseMark`](marks::marked::ExerciseMark)s.
//!
//! [`steps`] has the first three in a row, for one file and one request; [`grading`] has all four, from a submission to
//! its marks; [`fit`] has them for a rubric and the lab's own kernels.

mod fit;
mod grading;
pub mod marks;
pub mod plan;
pub mod run;
mod steps;
pub mod verdict;

pub use fit::{Fit, fit};
pub use grading::Grading;
pub use plan::{JudgeRequest, sizes};
pub use run::{BaselineCache, OWN, Progress, Runner, this_program};
pub use steps::{Judgement, judge, judge_at};
