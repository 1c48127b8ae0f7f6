//! Reads a run's folder.
pub mod completeness;
pub mod details;
pub mod folder;
pub mod row;
pub mod session;
pub mod summary;
