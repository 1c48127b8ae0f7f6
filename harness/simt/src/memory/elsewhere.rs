//! Host memory of the program when its kernels run here, in a different process. It is not mapped in this process, but
//! a kernel that gets such an address was still given a host pointer.

use std::ops::Range;
use std::sync::{PoisonError, RwLock};

static KNOWN: RwLock<Vec<Range<u64>>> = RwLock::new(Vec::new());

/// Records memory that the program has mapped in its own process.
pub fn know_host(memory: Range<u64>) {
    KNOWN.write().unwrap_or_else(PoisonError::into_inner).push(memory);
}

/// Returns whether the program has memory at this address in its own process.
pub(super) fn is_known(addr: u64) -> bool {
    KNOWN.read().unwrap_or_else(PoisonError::into_inner).iter().any(|known| known.contains(&addr))
}
