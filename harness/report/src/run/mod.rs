//! A run's folder, read.
pub mod details;
pub mod folder;
pub mod row;
pub mod session;
pub mod whole;
