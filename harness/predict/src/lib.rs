//! Predicts the time of a launch on a GPU and its bottleneck from the counters of the emulated machine: instructions by
//! pipe, sectors, passes over the banks, chains of dependent instructions, contention between atomics.
//!
//! [`LaunchProfile`] is the model's input from a launch, [`GpuModel`] its knowledge of a GPU, and [`predict()`] returns
//! a [`Prediction`]: a time, an interval, and the time that each resource alone would need. [`transfer`] does the same
//! for copies. The README of this crate has the equations, their sources, and how far the predictions have been from
//! measured times.

mod gpu_model;
mod interval;
mod launch_profile;
mod model;
mod placement;
mod prediction;
mod remedy;
mod resources;
pub mod scaling;
pub mod transfer;

pub use gpu_model::{GpuModel, UnknownGpu};
pub use interval::{LaunchKind, Shares};
pub use launch_profile::{LaunchProfile, NotCounted, Repeated};
pub use model::{predict, sequence_time, shares};
pub use prediction::{Bound, ByOrder, NotPredicted, Prediction, Term};
pub use remedy::{Excess, Remedy, remedy};
