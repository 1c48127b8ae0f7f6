//! A SIMT machine.
pub mod exec;
pub mod finding;
pub mod isa;
pub mod lane;
pub mod program;
pub mod ptx;
