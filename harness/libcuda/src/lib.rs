//! The CUDA driver API (`libcuda`) over the SIMT machine: a drop-in driver for computers without a GPU.
//!
//! The crate has four layers. A layer uses only those below it:
//!
//! - [`api`]: the calls, one file per family. It contains all entry points; each converts between C and Rust.
//! - [`telemetry`]: reporting: the report, leaks, the log of launches, and the output at exit.
//! - [`state`]: the driver itself. It does not read pointers of the caller. Its parts, each of which uses those after
//!   it: `graphs` (tasks, events, graphs, capture), `modules` (PTX, functions, launches), `memory`, `contexts`
//!   (contexts and streams), `device` (the driver, its settings, tables of handles). Above them is `lifetime`: ending a
//!   context affects every part.
//! - [`abi`]: types, constants, error codes and versions of cuda.h, and access to the caller's pointers.
//!
//! Invariants:
//!
//! - Handles are numbers that are looked up in tables, and are never dereferenced. A stale or invented handle is an
//!   error, not a crash. Only the primary context uses its handle more than once.
//! - A pointer of the caller is null or valid, as the C API requires. Null is checked before any work is done.
//! - Streams are queues. A launch returns immediately, and the next call that waits reports a failed kernel, as with
//!   the real driver. A task depends only on tasks that were submitted before it, so streams never wait for each other
//!   in a cycle. A thread that submits to a stream with 65,536 waiting tasks blocks too (on a GPU after about 1,024).
//! - Kernel output is buffered, as on a GPU, until the program waits for a kernel, up to the context's limit for the
//!   printf buffer.
//! - A process ends. From `exit` on only the thread that called it may submit work; others get
//!   `CUDA_ERROR_DEINITIALIZED`. Running work has two seconds to end, so that its mistakes are found, then it is
//!   stopped and not reported; its output is lost, as on a GPU, and standard error says so.
//! - An image is not trusted: the sizes that it specifies are checked against the bytes that are present.
//! - The state reports events through one [`Observer`](state::device::observer::Observer), which `cuInit` installs. The
//!   state does not depend on the observer's implementation.
//! - After a fork the child has no device: its calls return that the driver is not initialised.
//!
//! Clients written for this library read the counters and findings through `simt_report_json` and its companions
//! ([`api::extras`]).
#![allow(
    // The C ABI determines how many arguments a function has.
    clippy::too_many_arguments,
    // Every entry point is unsafe in the same way: the caller's pointers must be null or valid.
    clippy::missing_safety_doc,
    // The C ABI determines how arguments are passed.
    clippy::needless_pass_by_value
)]

mod abi;
mod api;
mod state;
mod telemetry;
