//! Predicts the time of a launch on a GPU and its bottleneck from the counters of the emulated machine: instructions by
//! pipe, sectors, passes over the banks, chains of dependent instructions, contention between atomics.
//!
//! [`Subject`] is the model's input from a launch, [`Part`] its knowledge of a GPU, and [`predict()`] returns a
//! [`Prediction`]: a time, an interval, and the time that each resource alone would need. [`transfer`] does the same
//! for copies. The README of this crate has the equations, their sources, and how far the predictions have been from
//! measured times.

mod model;
mod part;
mod place;
mod prediction;
mod remedy;
mod resources;
mod subject;
pub mod transfer;

pub use model::{in_all, predict};
pub use part::{Constant, Part, Unknown};
pub use prediction::{Bound, NotPredicted, Prediction, Term};
pub use remedy::{Excess, Remedy, remedy};
pub use subject::{NotCounted, Repeated, Subject};
