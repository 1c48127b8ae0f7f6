//! How long a launch takes on a GPU, and what bounds it, predicted from what the emulated machine counts: instructions
//! by pipe, sectors, passes over the banks, chains of dependent instructions, atomics that wait for each other.
//!
//! [`Subject`] is what the model takes from a launch, [`Part`] what it knows of a GPU, and [`predict()`] gives a
//! [`Prediction`]: a time, an interval, and the time that each resource alone would need. [`transfer`] does the same
//! for copies. The README of this crate has the equations, their sources, and how far the predictions have been from
//! the times that were measured.

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
