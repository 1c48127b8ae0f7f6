//! For people with CUDA programs of their own: programs are compiled, run and profiled here, on a GPU or on the
//! embedded machine, with commands of this program and with those of a CUDA toolkit.
pub mod exec;
pub mod libraries;
pub mod nvcc;
pub mod toolkit;
