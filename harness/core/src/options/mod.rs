//! The options that all labs share, and their values.
pub(crate) mod common;
pub(crate) mod number;
