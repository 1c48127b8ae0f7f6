//! Kernel files for the tests of marks: cheats of any lab, and right kernels that differ from the lab's own.
pub mod kinds;
pub mod lab;
mod source;
