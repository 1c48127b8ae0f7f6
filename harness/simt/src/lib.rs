//! A SIMT machine.
pub mod counters;
pub mod exec;
pub mod finding;
pub mod isa;
pub mod lane;
mod lower;
pub mod machine;
pub mod memory;
pub mod profile;
pub mod program;
pub mod ptx;
pub mod report;
mod shadow;
