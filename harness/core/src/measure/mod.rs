//! The measurement of a case: inputs, timing, checks.
pub mod capture;
pub(crate) mod check;
mod copied;
pub(crate) mod flush;
pub(crate) mod forecast;
pub(crate) mod inputs;
pub(crate) mod interrupt;
pub(crate) mod pace;
pub(crate) mod parallel;
pub(crate) mod passes;
pub(crate) mod plan;
pub(crate) mod poison;
pub(crate) mod recorder;
pub(crate) mod same;
pub mod timer;
pub(crate) mod unchanged;
