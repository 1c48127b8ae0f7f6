//! Address translation: from a warp's addresses to host memory.

pub(crate) mod own;
pub(crate) mod resolve;
pub(crate) mod shared;
pub(crate) mod span;
