//! A SIMT machine.
pub mod exec;
pub mod isa;
pub mod lane;
pub mod memory;
pub mod profile;
pub mod program;
pub mod ptx;
