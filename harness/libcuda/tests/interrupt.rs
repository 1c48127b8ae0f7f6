//! A program that is interrupted: its kernel ends, regardless of how long it would have run. Nothing runs in the
//! process after that, so this test has a process of its own.

mod common;
#[path = "common/kernels.rs"]
mod kernels;
use common::*;
use cudarc::driver::sys::{self, CUresult::*};
use kernels::*;

#[test]
fn an_interrupt_ends_an_endless_kernel_and_those_after_it() {
    own_context();
    // If nothing stops the kernel, its budget does.
    let configure: unsafe extern "C" fn(*const std::ffi::c_char) -> std::ffi::c_int = symbol("simt_configure");
    assert_eq!(unsafe { configure(c"{\"budget\": 1000000000}".as_ptr()) }, 0);
    let spin = function(module(PTX), "spin");
    ok(launch(spin, [4, 1, 1], [64, 1, 1], 0, &mut []));
    let interrupt: unsafe extern "C" fn() = symbol("simt_interrupt");
    unsafe {
        interrupt();
        fails(sys::cuCtxSynchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
    }
    own_context();
    let count = function(module(PTX), "count");
    ok(launch(count, [64, 1, 1], [32, 1, 1], 0, &mut []));
    fails(unsafe { sys::cuCtxSynchronize() }, CUDA_ERROR_LAUNCH_TIMEOUT);
    let report = report();
    assert_eq!(report["findings"], serde_json::json!([]), "it is not the kernel's mistake");
    for launch in report["launches"].as_array().unwrap() {
        assert_eq!(launch["fault"], "launch_timeout");
    }
}
