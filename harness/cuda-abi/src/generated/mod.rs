//! Written by generate.py, except for this file.

#![allow(
    missing_docs,
    unused_imports,
    reason = "the names are those of the headers; not each library needs each type of C"
)]

pub mod driver;
pub mod nvml;
pub mod runtime;
