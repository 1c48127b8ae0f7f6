//! The stored data of a case: the row, its columns, and the folder of the run.
pub(crate) mod column;
pub(crate) mod columns;
pub(crate) mod counters;
pub(crate) mod details;
pub(crate) mod folder;
pub(crate) mod hot;
pub(crate) mod kernel;
pub(crate) mod prediction;
pub(crate) mod program;
pub(crate) mod revision;
pub(crate) mod row;
pub(crate) mod session_file;
pub(crate) mod story;
