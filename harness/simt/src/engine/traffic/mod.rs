//! The traffic of a request: its addresses, and what is counted of them: sectors, bank conflicts, repeating patterns.

pub(crate) mod banks;
pub(crate) mod counts;
pub(crate) mod pattern;
pub(crate) mod request;
pub(crate) mod sectors;
pub(crate) mod texels;
