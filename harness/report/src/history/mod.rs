//! Many runs, one after another.
//!
//! - `trend`: what a history says, as it is written as JSON, and how it comes to that.
//! - `changes`: where a series of numbers changes.
//! - `services`: the newest run in the formats that continuous-benchmark services read.
//! - `baseline`: the run that a new one is compared with.
//! - `find`: the runs in a folder, at any depth.
pub mod baseline;
mod changes;
pub mod find;
pub mod services;
pub mod trend;

pub use trend::{History, history};
