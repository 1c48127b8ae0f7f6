//! `WARPLAB_LAUNCHES=FILE`: each launch as a line of JSON, for programs that do not read the report.

use super::stderr::complain;
use crate::state::device::sync::lock;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, OnceLock};
use wire::Launch;

static LOG: OnceLock<Option<Mutex<File>>> = OnceLock::new();

fn open() -> Option<Mutex<File>> {
    let name = std::env::var_os("WARPLAB_LAUNCHES").filter(|name| !name.is_empty())?;
    match append(Path::new(&name)) {
        Ok(file) => Some(Mutex::new(file)),
        Err(error) => {
            complain(&format!("WARPLAB_LAUNCHES: {} cannot be written: {error}", name.display()));
            None
        }
    }
}

fn append(path: &Path) -> std::io::Result<File> {
    File::options().create(true).append(true).open(path)
}

/// Adds a launch in one write, so that lines of several processes do not mix. A failed write is reported on standard
/// error: a log with a gap must not look complete.
pub fn add(launch: &Launch) {
    let Some(file) = LOG.get_or_init(open) else {
        return;
    };
    if let Err(error) = lock(file).write_all((launch.to_json() + "\n").as_bytes()) {
        complain(&format!("WARPLAB_LAUNCHES: a launch is missing in the log: {error}"));
    }
}
