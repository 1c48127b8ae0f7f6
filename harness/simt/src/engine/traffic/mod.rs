//! What the addresses of a request cost: sectors, bank conflicts, and patterns that repeat.

pub(crate) mod banks;
pub(crate) mod pattern;
pub(crate) mod sectors;
