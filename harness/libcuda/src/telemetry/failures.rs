//! Calls that fail: with all checks, each is listed once on standard error, as few programs look at every result.

use super::stderr::{is_read, say};
use crate::abi::error::Error;
use crate::state::device::driver::driver;
use crate::state::device::sync::lock;
use cuda_abi::texts::of_driver;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use wire::Checks;

/// Calls by which clients find out what there is: that one fails is an answer.
const PROBES: [&str; 4] = ["cuGetProcAddress", "cuGetProcAddress_v2", "cuPointerGetAttribute", "cuModuleGetGlobal_v2"];

/// A runtime is between the program and the driver, and lists the program's calls itself.
static IS_BEHIND_RUNTIME: AtomicBool = AtomicBool::new(false);

/// From now on a runtime lists failed calls.
pub fn leave_to_runtime() {
    IS_BEHIND_RUNTIME.store(true, Ordering::Relaxed);
}

/// A call of the program has failed.
pub fn note(name: &str, error: Error) {
    if IS_BEHIND_RUNTIME.load(Ordering::Relaxed) || PROBES.contains(&name) {
        return;
    }
    let words = of_driver(error.0).map_or_else(String::new, |(_, words)| words.to_string_lossy().into_owned());
    list(&format!("{name} failed: {error:?}, \"{words}\""), error);
}

/// Lists a failed call, unless it has been listed. That work is not done, and what a failed kernel leaves for every
/// later call, is not a failure of the call.
pub fn list(words: &str, error: Error) {
    static LISTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let of_kernel = matches!(error.0, 700 | 702 | 710 | 714..=719);
    let is_wanted = || driver().is_ok_and(|driver| driver.settings().checks == Checks::ALL);
    if of_kernel || [Error::NOT_READY, Error::DEINITIALIZED].contains(&error) || is_read() || !is_wanted() {
        return;
    }
    if lock(&LISTED).insert(words.to_owned()) {
        say(words);
    }
}
