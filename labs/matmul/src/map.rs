//! Tensor maps: descriptions of matrices for the tensor memory accelerator of compute capability 9.0.
use std::{ffi::c_void, ptr::null_mut};

use cudarc::driver::{
    DeviceRepr,
    sys::{CUdeviceptr, CUresult, cuGetProcAddress},
};
use harness::{Error, Result};

use crate::Element;

/// The alignment of a matrix's rows, in bytes.
pub(crate) const ALIGNED: usize = 16;

/// A tensor map, as the driver makes it: an argument of a kernel.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Map([u64; 16]);

// SAFETY: it is made of integers, and the kernel takes the same 128 bytes.
unsafe impl DeviceRepr for Map {}

/// A matrix in device memory, row-major.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stored {
    pub(crate) address: CUdeviceptr,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Elements from the start of a row to that of the next.
    pub(crate) stride: usize,
}

/// `cuTensorMapEncodeTiled`.
type Encode = unsafe extern "C" fn(
    *mut Map,
    u32,
    u32,
    *mut c_void,
    *const u64,
    *const u64,
    *const u32,
    *const u32,
    u32,
    u32,
    u32,
    u32,
) -> CUresult;

/// Finds the driver's function. The oldest driver that the lab supports does not have it, so it is not linked.
fn encode() -> Result<Encode> {
    let mut found: *mut c_void = null_mut();
    // SAFETY: the name ends with a zero byte, and `found` is a live pointer.
    let asked = unsafe { cuGetProcAddress(c"cuTensorMapEncodeTiled".as_ptr(), &raw mut found, 12000, 0) };
    if asked != CUresult::CUDA_SUCCESS || found.is_null() {
        return Err(Error::skip("the driver makes no tensor maps; one of CUDA 12.0 or later does"));
    }
    // SAFETY: this is its type since CUDA 12.0.
    Ok(unsafe { std::mem::transmute::<*mut c_void, Encode>(found) })
}

impl Map {
    /// Makes a map of `matrix` for copies of boxes with `columns` columns and `rows` rows. If a row of a box has 128
    /// bytes, the box has the swizzle of that width in shared memory; otherwise it is row-major there.
    ///
    /// # Errors
    /// [`Error::Skip`] if the driver has no tensor maps; the driver's errors.
    pub(crate) fn new<T: Element>(matrix: Stored, (columns, rows): (u32, u32)) -> Result<Self> {
        const SWIZZLE_128_BYTES: u32 = 3;
        const NO_SWIZZLE: u32 = 0;
        const PROMOTED_TO_256_BYTES: u32 = 3;
        let mut map = Self([0; 16]);
        let sizes = [matrix.columns as u64, matrix.rows as u64];
        let strides = [(matrix.stride * size_of::<T>()) as u64];
        let (box_sizes, steps) = ([columns, rows], [1, 1]);
        let swizzle = if columns as usize * size_of::<T>() == 128 { SWIZZLE_128_BYTES } else { NO_SWIZZLE };
        let encode = encode()?;
        // SAFETY: every pointer is to a live value of the length that two dimensions need; a map that does not suit the
        // matrix is refused.
        let made = unsafe {
            encode(
                &raw mut map,
                T::TENSOR,
                2,
                matrix.address as *mut c_void,
                sizes.as_ptr(),
                strides.as_ptr(),
                box_sizes.as_ptr(),
                steps.as_ptr(),
                0,
                swizzle,
                PROMOTED_TO_256_BYTES,
                0,
            )
        };
        made.result()?;
        Ok(map)
    }
}
