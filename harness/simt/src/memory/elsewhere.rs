//! Host memory of a program that runs its kernels here, in another process than its own. Nothing is mapped there, and
//! yet a kernel that gets such an address was given a pointer of the host.

use std::ops::Range;
use std::sync::{PoisonError, RwLock};

static KNOWN: RwLock<Vec<Range<u64>>> = RwLock::new(Vec::new());

/// Adds to the memory that the program has in its own process.
pub fn know_host(memory: Range<u64>) {
    KNOWN.write().unwrap_or_else(PoisonError::into_inner).push(memory);
}

/// Whether the program has memory at this address in its own process.
pub(super) fn is_known(addr: u64) -> bool {
    KNOWN.read().unwrap_or_else(PoisonError::into_inner).iter().any(|known| known.contains(&addr))
}
