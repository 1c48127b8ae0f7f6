//! One submission at a time on a GPU, across all processes and users: a lock that ends with the process that holds it.
use std::{
    env,
    fs::{File, OpenOptions},
    path::Path,
};

use harness::{DeviceChoice, Error, Result};

/// Waits for the lock of the chosen GPU; `None` for the emulated device.
///
/// # Errors
/// [`Error::Io`].
pub fn acquire(choice: &DeviceChoice) -> Result<Option<File>> {
    let DeviceChoice::Cuda(ordinal) = choice else {
        return Ok(None);
    };
    let visible = env::var("CUDA_VISIBLE_DEVICES").unwrap_or_default();
    take(&env::temp_dir(), &name(&visible, *ordinal)).map(Some)
}

/// A name for the GPU that does not depend on which GPUs are visible: an index among the visible ones is not its index
/// in the computer.
fn name(visible: &str, ordinal: usize) -> String {
    let named = visible.split(',').nth(ordinal).map(str::trim).filter(|name| !name.is_empty());
    let name = named.map_or_else(|| ordinal.to_string(), str::to_owned);
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

fn take(folder: &Path, name: &str) -> Result<File> {
    let path = folder.join(format!("warplab-gpu-{name}.lock"));
    let io = |source| Error::Io { action: "lock", path: path.clone(), source };
    // Another user's file can be locked too, but not written.
    let made = OpenOptions::new().create(true).append(true).open(&path);
    let file = made.or_else(|_| File::open(&path)).map_err(io)?;
    file.lock().map_err(io)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_called_as_the_computer_calls_it() {
        assert_eq!(name("", 1), "1");
        assert_eq!(name("3,5", 1), "5");
        assert_eq!(name("GPU-8f/x", 0), "GPU-8f_x");
    }

    #[test]
    fn a_lock_is_held_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let held = take(folder.path(), "0").unwrap();
        let other = File::open(folder.path().join("warplab-gpu-0.lock")).unwrap();
        assert!(other.try_lock().is_err());
        drop(held);
        assert!(other.try_lock().is_ok());
    }
}
