//! Where a warp's addresses lead.

pub(crate) mod own;
pub(crate) mod resolve;
pub(crate) mod shared;
pub(crate) mod span;
