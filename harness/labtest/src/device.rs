//! A lab's kernels on the emulated device, for tests that launch them.
use std::sync::{Arc, OnceLock};

use cudarc::driver::CudaStream;
use harness::{DeviceChoice, Kernels, Lab, Session};

/// The kernels of `lab` on the emulated device, or the one that `WARPLAB_TEST_DEVICE` names (`cuda:0` runs a test on a
/// GPU), and its stream; opened once, for all threads of the test.
///
/// # Panics
/// When the device cannot be opened, and when a second lab is asked for in one test program.
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
