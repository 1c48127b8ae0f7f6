//! The cluster of blocks that holds a plane in its registers: its launch, and whether a device supports it.
use std::{
    ffi::{c_int, c_void},
    ptr::null_mut,
};

use cudarc::driver::{CudaFunction, LaunchConfig, sys};
use harness::Result;

/// The most points in a row, and in a column, of the plane that `cluster` holds.
pub(crate) const SIDE: u32 = 128;

/// The launch of `cluster`: one cluster of 16 blocks.
pub(crate) const LAUNCH: LaunchConfig =
    LaunchConfig { grid_dim: (16, 1, 1), block_dim: (128, 1, 1), shared_mem_bytes: 0 };

/// Looks up a driver call that neither the oldest supported driver nor its bindings have: by its name, and by the
/// version of CUDA that introduced clusters, 11.8.
fn call(name: &std::ffi::CStr) -> Result<*mut c_void> {
    let mut found = null_mut();
    // SAFETY: the name ends with a zero byte, and `found` is a live pointer.
    unsafe { sys::cuGetProcAddress(name.as_ptr(), &raw mut found, 11080, 0) }.result()?;
    if found.is_null() {
        sys::CUresult::CUDA_ERROR_NOT_FOUND.result()?;
    }
    Ok(found)
}

/// Allows a kernel clusters of more than 8 blocks, the size that every device with clusters supports.
pub(crate) fn allow_large(kernel: &CudaFunction) -> Result<()> {
    const NON_PORTABLE_CLUSTER_SIZE_ALLOWED: c_int = 14;
    type SetAttribute = unsafe extern "C" fn(sys::CUfunction, c_int, c_int) -> sys::CUresult;
    // SAFETY: this is its type: the attribute is a C enumeration.
    let set = unsafe { std::mem::transmute::<*mut c_void, SetAttribute>(call(c"cuFuncSetAttribute")?) };
    // SAFETY: the function is loaded, and stays so as long as `kernel` lives.
    Ok(unsafe { set(kernel.cu_function(), NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1) }.result()?)
}

/// Whether the device can run a cluster of this kernel, which defines the cluster's size. Clusters of more than 8
/// blocks need that many adjacent multiprocessors, which a partition of a device, or a smaller device, may lack. If the
/// driver cannot be queried, the launch will show it.
pub(crate) fn is_held(kernel: &CudaFunction) -> bool {
    /// `CUlaunchConfig`.
    #[repr(C)]
    struct Config {
        grid: [u32; 3],
        block: [u32; 3],
        shared_bytes: u32,
        stream: *mut c_void,
        attributes: *const c_void,
        attribute_count: u32,
    }
    // The result is an integer here, since the bindings do not define all of its values.
    type MaxActiveClusters = unsafe extern "C" fn(*mut c_int, sys::CUfunction, *const Config) -> c_int;
    let Ok(call) = call(c"cuOccupancyMaxActiveClusters") else {
        return true;
    };
    let (grid, block) = (LAUNCH.grid_dim, LAUNCH.block_dim);
    let config = Config {
        grid: [grid.0, grid.1, grid.2],
        block: [block.0, block.1, block.2],
        shared_bytes: LAUNCH.shared_mem_bytes,
        stream: null_mut(),
        attributes: null_mut(),
        attribute_count: 0,
    };
    // SAFETY: this is its type.
    let ask = unsafe { std::mem::transmute::<*mut c_void, MaxActiveClusters>(call) };
    let mut count = 0;
    // SAFETY: all three are live, and the configuration is laid out as cuda.h has it.
    let result = unsafe { ask(&raw mut count, kernel.cu_function(), &raw const config) };
    agrees(result, count)
}

/// Whether the driver agrees: with a count of clusters, or because it cannot be queried.
fn agrees(result: c_int, count: c_int) -> bool {
    const UNKNOWN: [c_int; 2] =
        [sys::CUresult::CUDA_ERROR_NOT_FOUND as c_int, sys::CUresult::CUDA_ERROR_NOT_SUPPORTED as c_int];
    UNKNOWN.contains(&result) || (result == 0 && count > 0)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use harness::{DeviceChoice, Kernels, Session};

    use super::*;

    #[test]
    fn sixteen_blocks_are_held_once_they_are_allowed() {
        let session = Session::open(&"emulated:h200".parse::<DeviceChoice>().unwrap()).unwrap();
        let kernels = Kernels::new("stencil", crate::LAB.kernels, &Arc::new(session), None);
        let kernel = kernels.function("jacobi_hopper.cu", "cluster").unwrap();
        assert!(!is_held(&kernel), "a size that is not portable is refused by default");
        allow_large(&kernel).unwrap();
        assert!(is_held(&kernel));
    }

    #[test]
    fn a_driver_that_cannot_be_asked_does_not_refuse() {
        const INVALID_CLUSTER_SIZE: c_int = 912;
        let answers = [(0, 1), (0, 0), (500, 0), (801, 0), (INVALID_CLUSTER_SIZE, 0), (1, 0)];
        assert_eq!(answers.map(|(result, count)| agrees(result, count)), [true, false, true, true, false, false]);
    }
}
