//! What a run's rows look like.
pub mod run;
