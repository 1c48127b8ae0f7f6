//! The CUDA driver API (`libcuda`) over the SIMT machine: a drop-in driver for computers without a GPU.
//!
//! The crate has four layers. A layer uses those below it and none above it:
//!
//! - [`api`]: the calls, one file for each family. Only here are entry points; each converts between C and Rust.
//! - [`account`]: what is reported: the report, leaks, the log of launches, and what is written at exit.
//! - [`state`]: the driver itself. It reads no pointers of the caller. Its parts, each of which uses those after it:
//!   `graphs` (tasks, events, graphs, capture), `modules` (PTX, functions, launches), `memory`, `contexts` (contexts
//!   and streams), `device` (the driver, its settings, tables of handles). Above them is `lifetime`: ending a context
//!   affects every part.
//! - [`abi`]: types, constants, error codes and versions of cuda.h, and access to the caller's pointers.
//!
//! What always holds:
//!
//! - Handles are numbers that are looked up in tables, never pointers that are followed. A stale or invented handle
//!   is an error, not a crash. Only the primary context uses its handle more than once.
//! - A pointer of the caller is null or valid, as the C API demands. Null is checked before any work is done.
//! - Streams are queues. A launch returns at once, and the next call that waits reports a failed kernel, as with the
//!   real driver. A task depends only on tasks that were submitted before it, so streams never wait for each other in
//!   a circle. Who submits to a stream in which 65,536 tasks wait already waits too (on a GPU after about 1,024).
//! - What kernels print waits, as on a GPU, until the program waits for a kernel; at most as much as the context's
//!   limit for the printf buffer says.
//! - A process ends. From `exit` on only the thread that called it may submit work; others get
//!   `CUDA_ERROR_DEINITIALIZED`. What is under way has two seconds to end, so that its mistakes are found, then it is
//!   stopped and not reported; what it printed is lost, as on a GPU, and standard error says so.
//! - An image is not trusted: what it says of its size is checked against the bytes that are there.
//! - The state tells what happens through one [`Observer`](state::device::observer::Observer), which `cuInit`
//!   installs. The state does not know who listens.
//! - After a fork the child has no device: its calls return that the driver is not initialised.
//!
//! Clients that know this library read what the machine counted and found through `simt_report_json` and its companions
//! ([`api::extras`]).
#![allow(
    // The C ABI decides how many arguments a function has.
    clippy::too_many_arguments,
    // Every entry point is unsafe in the same way: the caller's pointers must be null or valid.
    clippy::missing_safety_doc,
    // The C ABI decides how arguments are passed.
    clippy::needless_pass_by_value
)]

mod abi;
mod account;
mod api;
mod state;
