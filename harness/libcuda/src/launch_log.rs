//! `WARPLAB_LAUNCHES=FILE`: each launch's account as a line of JSON, for programs that know nothing of the report.

use crate::driver::lock;
use serde_json::Value;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

static LOG: OnceLock<Option<Mutex<File>>> = OnceLock::new();

fn open() -> Option<Mutex<File>> {
    let name = std::env::var_os("WARPLAB_LAUNCHES").filter(|name| !name.is_empty())?;
    match append(Path::new(&name)) {
        Ok(file) => Some(Mutex::new(file)),
        Err(error) => {
            eprintln!(
                "WARPLAB_LAUNCHES: {} cannot be written: {error}",
                name.display()
            );
            None
        }
    }
}

fn append(path: &Path) -> std::io::Result<File> {
    File::options().create(true).append(true).open(path)
}

/// Adds a launch, in one write, so that lines of several processes do not mix. Each line that cannot be written is
/// told of: a log with a gap must not look whole.
pub fn add(launch: &Value) {
    let Some(file) = LOG.get_or_init(open) else {
        return;
    };
    if let Err(error) = lock(file).write_all(format!("{launch}\n").as_bytes()) {
        eprintln!("WARPLAB_LAUNCHES: a launch is missing in the log: {error}");
    }
}
