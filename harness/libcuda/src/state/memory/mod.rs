//! Memory: allocations and who owns them, pools, managed memory, copies and fills.

pub mod advice;
pub mod allocation;
pub mod array;
pub mod copy;
pub mod described;
pub mod fill;
pub mod graph_memory;
pub mod graph_usage;
pub mod managed;
pub mod opened;
pub mod physical;
pub mod pool;
pub mod pool_export;
pub mod word;
