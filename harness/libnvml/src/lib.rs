//! NVML (`libnvidia-ml`) for the embedded device: a drop-in library for programs that ask which GPUs there are, what
//! they are, and how they are used.
//!
//! It tells what the driver library beside it says of itself, and nothing when the driver is another one: it never
//! describes a real GPU. The crate has three layers:
//!
//! - [`api`]: the calls, one file for each family. A row of a table there is an exported function.
//! - [`machine`]: the driver library, asked for its device.
//! - [`abi`]: error codes, and values that are written through the caller's pointers.
//!
//! What is a property of the part, such as its memory or its bus, comes from its profile. Used memory and utilisation
//! are this process's own. What only silicon has (temperature, power, current clocks of the cores, fans, links) is
//! `NVML_ERROR_NOT_SUPPORTED`, as on a GPU that lacks the sensor.
#![allow(
    // Every entry point is unsafe in the same way: the caller's pointers must be null or valid.
    clippy::missing_safety_doc,
    // The C ABI decides how arguments are passed.
    clippy::needless_pass_by_value
)]

mod abi;
mod api;
mod machine;
