//! Ctrl-C: the current case ends, and the rows so far are kept. A kernel of the emulated device ends immediately. A
//! GPU's kernel ends only with its process, so the case ends after its sample there.
use std::{
    io::Write,
    sync::atomic::{AtomicBool, Ordering},
};

use crate::{
    device::machine,
    error::{Error, Result},
    exit::Exit,
};

static PRESSED: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C; a second one ends the process immediately.
pub(crate) fn listen() {
    // A second listener in one process is an error, but the first is enough.
    let _ = ctrlc::set_handler(|| {
        if PRESSED.swap(true, Ordering::SeqCst) {
            std::process::exit(Exit::Interrupted.code().into());
        }
        let when = if machine::interrupt() { "ending" } else { "ending after this sample" };
        let _ = writeln!(std::io::stderr(), "interrupted: {when}; press Ctrl-C again to end immediately");
    });
}

/// Returns an error if the run was interrupted.
///
/// # Errors
/// [`Error::Interrupted`] once Ctrl-C was pressed.
pub fn check() -> Result<()> {
    if PRESSED.load(Ordering::SeqCst) { Err(Error::Interrupted) } else { Ok(()) }
}
