//! Written by generate.py, except for this file.

#![allow(missing_docs, reason = "the names are those of CUDA's headers")]

pub mod driver;
pub mod nvml;
pub mod runtime;
