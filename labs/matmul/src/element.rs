//! The types of the elements of A and B. Those of C are floats.
use cudarc::{cublas::sys::cudaDataType_t, driver::DeviceRepr};

/// A type of elements.
pub trait Element: DeviceRepr + Copy + Clone + 'static {
    /// Its type in cuBLAS.
    const CUBLAS: cudaDataType_t;
    /// Its type in a tensor map (`CUtensorMapDataType`).
    const TENSOR: u32;

    /// The element nearest to `x`.
    fn of(x: f32) -> Self;

    /// Its value.
    fn value(self) -> f32;
}

impl Element for f32 {
    const CUBLAS: cudaDataType_t = cudaDataType_t::CUDA_R_32F;
    const TENSOR: u32 = 7;

    fn of(x: f32) -> Self {
        x
    }

    fn value(self) -> f32 {
        self
    }
}

/// A bfloat16: the first half of a float.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(transparent)]
pub struct Bf16(half::bf16);

// SAFETY: it is 16 bits, and all of their values are numbers.
unsafe impl DeviceRepr for Bf16 {}

impl Element for Bf16 {
    const CUBLAS: cudaDataType_t = cudaDataType_t::CUDA_R_16BF;
    const TENSOR: u32 = 9;

    fn of(x: f32) -> Self {
        Self(half::bf16::from_f32(x))
    }

    fn value(self) -> f32 {
        self.0.to_f32()
    }
}
