//! A student's own folder.

pub mod start;
