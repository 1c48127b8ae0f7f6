//! The CUDA driver API (`libcuda`) over the SIMT machine: a drop-in driver for computers without a GPU.
//!
//! One file an API family. A family's calls are ordinary functions that return `error::Result`; `entry_points!` at the end of
//! each file gives them their C names. Handles are numbers looked up in tables, never pointers that are followed, so that a
//! stale or made-up handle is an error and not a crash.
//!
//! Streams are queues: a launch returns at once and a failed kernel is reported by the next call that waits, as with the real
//! driver. What the machine counted and found is read through `simt_report_json` and its companions in `extras`.
#![allow(
    // The C ABI's functions have as many arguments as they have.
    clippy::too_many_arguments,
    // Every entry point is unsafe in the same way: the caller's pointers must be null or good.
    clippy::missing_safety_doc,
    // An argument list fixed by the C ABI is taken as it is.
    clippy::needless_pass_by_value
)]

#[macro_use]
mod abi;
mod attributes;
mod capture;
mod context;
mod copy;
mod device;
mod driver;
mod error;
mod event;
mod exit;
mod extras;
mod fill;
mod function;
#[cfg(test)]
mod fuzz;
mod graph;
mod graph_any_node;
mod graph_edges;
mod graph_nodes;
mod graph_objects;
mod graph_update;
mod handles;
mod image;
mod kernel;
mod launch;
mod launch_log;
mod leak;
mod library;
mod limits;
mod link;
mod link_text;
mod managed;
mod memory;
mod module;
mod occupancy;
mod pointer;
mod pool;
mod proc_address;
mod queue;
mod refusal;
mod report;
mod stream;
mod task;
mod unsupported;
