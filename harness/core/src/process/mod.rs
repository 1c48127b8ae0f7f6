//! This process: the whole command or a piece of it, and the records that a piece leaves.
pub(crate) mod records;
pub(crate) mod role;
