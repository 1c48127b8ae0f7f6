//! What CUDA's headers say, for the libraries that implement them: error codes, constants, structures and the names of
//! all functions of the driver API ([`driver`]), the runtime API ([`runtime`]) and NVML ([`nvml`]).
//!
//! The script `generate.py` writes `generated` from the headers that PyPI ships; `wanted.toml` lists what. Written by
//! hand are the texts of the error codes, which no header has ([`texts`]), and the search for functions that a library
//! lacks ([`absent`]).
//!
//! A value that C passes is an integer, never an `enum` of Rust: an unknown value would be undefined behaviour.

pub mod absent;
mod generated;
mod structure;
pub mod texts;

pub use generated::{driver, nvml, runtime};
