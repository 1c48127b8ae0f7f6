//! NVML (`libnvidia-ml`) for the embedded device: a drop-in library for programs that query which GPUs there are, their
//! properties, and their usage.
//!
//! It reports the data of the driver library next to it, and reports nothing if the driver is a different one: it never
//! describes a real GPU. The crate has three layers:
//!
//! - [`api`]: the calls, one file per family. Each row of a table there is an exported function.
//! - [`machine`]: queries the driver library for its device.
//! - [`abi`]: error codes, and values that are written through the caller's pointers.
//!
//! Properties of the part, such as its memory or its bus, come from its profile. Used memory and utilisation are this
//! process's own. Values that only hardware has (temperature, power, current clocks of the cores, fans, links) return
//! `NVML_ERROR_NOT_SUPPORTED`, as on a GPU that lacks the sensor.
#![allow(
    // Every entry point is unsafe in the same way: the caller's pointers must be null or valid.
    clippy::missing_safety_doc,
    // The C ABI determines how arguments are passed.
    clippy::needless_pass_by_value
)]

mod abi;
mod api;
mod machine;
