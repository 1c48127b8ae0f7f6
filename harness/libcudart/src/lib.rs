//! The CUDA runtime API (`libcudart`) over the CUDA driver API: a drop-in library for programs that nvcc has compiled.
//!
//! It uses the `libcuda.so.1` that the loader finds: NVIDIA's, or the embedded machine's. The crate has four layers. A
//! layer uses only those below it:
//!
//! - [`api`]: the calls, one file per family. Each row of a table there is an exported function.
//! - [`state`]: the runtime's own state: the device of each thread, the images, functions and variables that a program
//!   has registered, the last error.
//! - [`driver`]: the driver's functions, resolved by name on first use.
//! - [`abi`]: types of the runtime's and the driver's headers, and error codes.
//!
//! Invariants:
//!
//! - A pointer of the caller is null or valid, as the C API requires.
//! - An image is loaded when something in it is first used, so that a program may contain images that do not load.
//! - The error codes of the driver are those of the runtime, except where a call says otherwise.
#![allow(
    // The C ABI determines how many arguments a function has, and how they are passed.
    clippy::too_many_arguments,
    clippy::needless_pass_by_value,
    // Every entry point is unsafe in the same way: the caller's pointers must be null or valid.
    clippy::missing_safety_doc
)]

mod abi;
mod api;
mod driver;
mod state;
