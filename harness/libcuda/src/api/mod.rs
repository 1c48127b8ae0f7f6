//! The driver API, one file per family of calls. It contains all entry points. Each converts its arguments from C to
//! Rust, calls the state, and converts the result back to C.

#[macro_use]
pub mod entry;

pub mod array;
pub mod array_copy;
pub mod capture;
pub mod context;
pub mod copy;
pub mod copy_batch;
pub mod device;
pub mod driver;
pub mod early_launch;
pub mod error;
pub mod event;
pub mod export_table;
pub mod extras;
pub mod fill;
pub mod function;
#[cfg(test)]
pub mod fuzz;
#[cfg(test)]
pub mod fuzz_images;
#[cfg(test)]
pub mod fuzz_range;
pub mod graph;
pub mod graph_any_node;
pub mod graph_edges;
pub mod graph_exec;
pub mod graph_node_attributes;
pub mod graph_node_params;
pub mod graph_nodes;
pub mod green;
pub mod image;
pub mod ipc;
pub mod jit;
pub mod launch;
pub mod library;
pub mod link;
pub mod managed;
pub mod managed_batch;
pub mod memory;
pub mod module;
pub mod occupancy;
pub mod pointer;
pub mod pool;
pub mod primary;
pub mod proc_address;
pub mod process;
pub mod soname;
pub mod stream;
pub mod stream_value;
pub mod tensor_map;
pub mod texture;
pub mod unsupported;
pub mod user_object;
pub mod virtual_memory;
