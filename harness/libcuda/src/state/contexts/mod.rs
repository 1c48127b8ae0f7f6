//! Contexts and streams, which determine who may submit work, and in which order it runs.

pub mod attributes;
pub mod context;
pub mod current;
pub mod green;
pub mod limits;
pub mod local_storage;
pub mod pool;
pub mod stream;
pub mod streams;
