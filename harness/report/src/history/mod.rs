//! Many runs, one after another.
//!
//! - `trend`: the history, as written to JSON, and its computation.
//! - `changes`: finds the changes of a series of numbers.
//! - `services`: the newest run in the formats of continuous-benchmark services.
//! - `baseline`: finds the baseline of a new run.
//! - `find`: finds the runs in a folder, at any depth.
pub mod baseline;
mod changes;
pub mod find;
pub mod services;
pub mod trend;

pub use trend::{History, history};
