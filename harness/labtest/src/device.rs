//! A lab's kernels on the emulated device, for tests that launch them.
use std::sync::{Arc, OnceLock};

use cudarc::driver::CudaStream;
use harness::{DeviceChoice, Error, Kernels, Lab, Session};

/// The device requirements of all rows of all labs, except rows for one compute capability: shared memory of a block in
/// bytes (the maximum of an A100), and compute capability.
const ENOUGH: (u32, u32) = (163 << 10, 80);

/// Returns the kernels of `lab` and their stream on the emulated device, or on the device that `WARPLAB_TEST_DEVICE`
/// names (`cuda:0` runs a test on a GPU). Opened once, for all threads of the test.
///
/// # Panics
/// When the device cannot be opened, and when a test program asks for a second lab.
pub fn kernels(lab: &'static Lab) -> (&'static Kernels, &'static Arc<CudaStream>) {
    static KERNELS: OnceLock<(&str, Kernels)> = OnceLock::new();
    let (name, kernels) = KERNELS.get_or_init(|| {
        let device = std::env::var("WARPLAB_TEST_DEVICE").unwrap_or_else(|_| "emulated:a100".into());
        let session = Session::open(&device.parse::<DeviceChoice>().unwrap()).unwrap();
        (lab.name, Kernels::new(lab.name, lab.kernels, &Arc::new(session), None))
    });
    assert_eq!(*name, lab.name, "a test program has the kernels of one lab");
    // The threads of a test share the context.
    kernels.session().context.bind_to_thread().unwrap();
    (kernels, &kernels.session().stream)
}

/// Returns the lab's result; `None` if it skips the row because the device of `kernels` is too small or too old, like a
/// T4: a block has less shared memory than the row needs, or there is no PTX for its compute capability.
///
/// # Panics
/// With any other error, and when a row is skipped on a device that meets its requirements.
pub fn unless_skipped<T>(kernels: &Kernels, given: harness::Result<T>) -> Option<T> {
    let device = &kernels.session().device;
    let error = match given {
        Ok(given) => return Some(given),
        Err(error) => error,
    };
    let (name, most) = (&device.name, device.shared_bytes_per_block_optin);
    assert!(may_skip(&error, name, most), "on {name}, where a block has {most} bytes of shared memory: {error}");
    eprintln!("skipped: {error}");
    None
}

/// Whether the row may be skipped on the device `name`, where a block has `most` bytes of shared memory.
fn may_skip(error: &Error, name: &str, most: u32) -> bool {
    let (enough, capability) = ENOUGH;
    match error {
        Error::Skip(reason) => {
            let behind = format!(" bytes of shared memory a block, {name} allows {most}");
            let needs = reason.strip_prefix("needs ").and_then(|reason| reason.strip_suffix(&behind));
            most < enough && needs.and_then(|needs| needs.parse::<u32>().ok()).is_some_and(|needs| needs > most)
        }
        Error::Kernel(kernels::Error::TooNew { made, device, .. }) => device < made && *device < capability,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_row_that_lacks_shared_memory_may_be_skipped() {
        let may = |reason: &str, most| may_skip(&Error::Skip(reason.into()), "T4", most);
        assert!(may("needs 74820 bytes of shared memory a block, T4 allows 65536", 65536));
        // Another reason; numbers that contradict the device; a device on which every row runs.
        assert!(!may("the device has no cooperative launch", 65536));
        assert!(!may("needs 65536 bytes of shared memory a block, T4 allows 65536", 65536));
        assert!(!may("needs 74820 bytes of shared memory a block, T4 allows 65536", 99 << 10));
        assert!(!may("needs 200000 bytes of shared memory a block, T4 allows 166912", 163 << 10));
        assert!(!may_skip(&Error::Usage("needs 74820 bytes".into()), "T4", 65536));
    }

    #[test]
    fn or_one_whose_ptx_is_for_a_newer_device() {
        let may = |made, device| {
            may_skip(&Error::Kernel(kernels::Error::TooNew { file: "a.cu".into(), made, device }), "T4", 65536)
        };
        assert_eq!([may(80, 75), may(70, 75), may(90, 80)], [true, false, false]);
    }
}
