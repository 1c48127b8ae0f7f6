//! An allocation that was left behind.

use super::call_site::CallSite;
use std::sync::Arc;

/// Device memory that nobody has freed.
pub struct Leftover {
    /// Its address.
    pub address: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// The call of the driver that it came from.
    pub call: Arc<str>,
    /// Where the program called it, if leaks were looked for at that time.
    pub call_site: Option<Arc<CallSite>>,
}
