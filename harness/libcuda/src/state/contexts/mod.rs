//! Contexts and streams: who may work, and in which order.

pub mod attributes;
pub mod context;
pub mod current;
pub mod green;
pub mod limits;
pub mod pool;
pub mod stream;
pub mod streams;
