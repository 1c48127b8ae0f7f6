//! The end of the process. From its beginning on only the thread that ends the process may submit work, as with
//! NVIDIA's driver, so that others cannot prevent the end; running work then has a grace period.

use super::interrupt::interrupt;
use crate::abi::error::{Error, Result};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The grace period of work for which no thread has waited. Its output is lost, as on a GPU, whose kernels end with the
/// process; but its mistakes are found, if it ends in time.
const GRACE: Duration = Duration::from_secs(2);

/// The thread that ends the process.
static ENDING: OnceLock<usize> = OnceLock::new();
/// The time at which running work is abandoned.
static DEADLINE: OnceLock<Instant> = OnceLock::new();
static ABANDONED: AtomicBool = AtomicBool::new(false);

fn this_thread() -> usize {
    // SAFETY: the function has no arguments, and works in any thread at any time.
    unsafe { libc::pthread_self() as usize }
}

/// Records that the calling thread ends the process.
pub fn begin() {
    let _ = ENDING.set(this_thread());
}

/// Whether the process is ending.
pub fn has_begun() -> bool {
    ENDING.get().is_some()
}

/// Refuses work of a thread while another one ends the process.
///
/// # Errors
/// `CUDA_ERROR_DEINITIALIZED`.
pub fn check() -> Result {
    let is_anothers = ENDING.get().is_some_and(|thread| *thread != this_thread());
    if is_anothers { Err(Error::DEINITIALIZED) } else { Ok(()) }
}

/// Returns the time at which running work is abandoned. The first call sets it.
pub fn deadline() -> Instant {
    *DEADLINE.get_or_init(|| Instant::now() + GRACE)
}

/// Returns whether the process only waits for work that ends by the deadline.
pub fn is_winding_down() -> bool {
    DEADLINE.get().is_some()
}

/// Stops running kernels and makes waiting tasks end without doing anything; nothing is reported about them. Returns
/// whether this is the first call.
pub fn abandon() -> bool {
    interrupt();
    !ABANDONED.swap(true, Ordering::Relaxed)
}

/// Whether work was abandoned.
pub fn has_abandoned() -> bool {
    ABANDONED.load(Ordering::Relaxed)
}
