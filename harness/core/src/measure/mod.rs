//! The measurement of a case: inputs, timing, checks.
pub mod capture;
pub(crate) mod case_result;
pub(crate) mod check;
mod copied;
pub(crate) mod device_compare;
pub(crate) mod flush;
pub(crate) mod forecast;
pub(crate) mod input_guard;
pub(crate) mod inputs;
pub(crate) mod interrupt;
pub(crate) mod pace;
pub(crate) mod parallel;
pub(crate) mod poison;
pub(crate) mod recorder;
pub(crate) mod sampling;
pub mod timer;
