//! The work of streams and graphs: tasks, events, graphs, capture, and calls that become tasks.

pub mod capture;
pub mod condition;
pub mod event;
pub mod exec;
pub mod graph;
pub mod ordered;
pub mod shared_event;
pub mod task;
pub mod transfer;
pub mod update;
pub mod user_object;
