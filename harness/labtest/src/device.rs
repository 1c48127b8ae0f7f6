//! A lab's kernels on the emulated device, for tests that launch them.
use std::sync::{Arc, OnceLock};

use cudarc::driver::CudaStream;
use harness::{DeviceChoice, Error, Kernels, Lab, Session, SkipReason};

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
    assert!(may_skip(&error, most), "on {name}, where a block has {most} bytes of shared memory: {error}");
    eprintln!("skipped: {error}");
    None
}

/// Whether a row may end with this error on a device where a block has `most` bytes of shared memory.
fn may_skip(error: &Error, most: u32) -> bool {
    let (enough, capability) = ENOUGH;
    match error {
        Error::Skip(SkipReason::SharedMemory { needed, allowed, .. }) => {
            most < enough && *allowed == most && *needed > most
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
        let may = |needed, allowed, most| {
            may_skip(&Error::Skip(SkipReason::SharedMemory { needed, allowed, device: "T4".into() }), most)
        };
        assert!(may(74820, 65536, 65536));
        // Numbers that contradict the device; a device on which every row runs.
        assert!(!may(65536, 65536, 65536) && !may(74820, 65536, 99 << 10) && !may(200_000, 166_912, 163 << 10));
        assert!(!may_skip(&Error::skip("the device has no cooperative launch"), 65536));
        assert!(!may_skip(&Error::usage("needs 74820 bytes"), 65536));
    }

    #[test]
    fn or_one_whose_ptx_is_for_a_newer_device() {
        let may = |made, device| {
            may_skip(&Error::Kernel(kernels::Error::TooNew { file: "a.cu".into(), made, device }), 65536)
        };
        assert_eq!([may(80, 75), may(70, 75), may(90, 80)], [true, false, false]);
    }
}
