//! What the addresses of a request cost: sectors, bank conflicts, patterns that repeat, what is touched in all,
//! and atomics that wait for each other.

pub(crate) mod banks;
pub(crate) mod footprint;
pub(crate) mod hash;
pub(crate) mod lookups;
pub(crate) mod pattern;
#[cfg(test)]
pub(crate) mod random;
pub(crate) mod scattered;
pub(crate) mod sectors;
pub(crate) mod serial;
pub(crate) mod texels;
