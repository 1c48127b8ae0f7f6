//! Allocations that were not freed.

use super::call_site::CallSite;
use std::sync::Arc;

/// Device memory that was not freed.
pub struct Leftover {
    /// Its address.
    pub address: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// The driver call that allocated it.
    pub call: Arc<str>,
    /// The location of that call in the program, if the leak check was on at that time.
    pub call_site: Option<Arc<CallSite>>,
}
