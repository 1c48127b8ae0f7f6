//! What the addresses of a request cost: sectors, bank conflicts, repeating patterns, the footprint, and serialized
//! atomics.

pub(crate) mod banks;
pub(crate) mod footprint;
pub(crate) mod hash;
pub(crate) mod l1_request;
pub(crate) mod pattern;
#[cfg(test)]
pub(crate) mod random;
pub(crate) mod scattered;
pub(crate) mod sectors;
pub(crate) mod serial;
pub(crate) mod texels;
