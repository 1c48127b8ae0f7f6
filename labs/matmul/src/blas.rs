//! cuBLAS, NVIDIA's own library: the baseline of the ladder, if the library can be loaded.
use std::{ffi::c_void, sync::Arc};

use cudarc::{
    cublas::{CudaBlas, result, sys},
    driver::{CudaStream, DevicePtr, DevicePtrMut},
};
use harness::{Error, Result, Run};

use crate::{Element, Shape, problem::Matrices};

/// An open cuBLAS handle on the run's stream.
pub struct Blas(CudaBlas, Arc<CudaStream>);

impl Blas {
    /// Opens the library; `tf32` lets it use the tensor cores.
    pub fn open(run: &Run, tf32: bool) -> Result<Self> {
        if run.is_emulated() {
            return Err(Error::skip("cuBLAS needs an NVIDIA GPU"));
        }
        // SAFETY: loading the library runs its initialisers, which is intended.
        if !unsafe { sys::is_culib_present() } {
            return Err(Error::skip(
                "cuBLAS was not found; put the folder of libcublas.so (of the CUDA toolkit, or of \
                 `pip install nvidia-cublas-cu12`) on LD_LIBRARY_PATH",
            ));
        }
        let refused = |e| Error::skip(format!("cuBLAS is there but does not open: {e:?}"));
        let blas = CudaBlas::new(run.stream().clone()).map_err(refused)?;
        let mode =
            if tf32 { sys::cublasMath_t::CUBLAS_TF32_TENSOR_OP_MATH } else { sys::cublasMath_t::CUBLAS_DEFAULT_MATH };
        // SAFETY: the handle is open.
        unsafe { sys::cublasSetMathMode(*blas.handle(), mode) }.result().map_err(refused)?;
        Ok(Self(blas, run.stream().clone()))
    }

    /// C = A B, all row-major.
    pub fn multiply<T: Element>(&self, (a, b, c): Matrices<'_, T>, shape: Shape) -> Result<()> {
        let (m, k, n) = (shape.m as i32, shape.k as i32, shape.n as i32);
        let no = sys::cublasOperation_t::CUBLAS_OP_N;
        let (alpha, beta) = (1.0f32, 0.0f32);
        let ((a, _reads_a), (b, _reads_b)) = (a.device_ptr(&self.1), b.device_ptr(&self.1));
        let (c, _writes_c) = c.device_ptr_mut(&self.1);
        let (handle, is_float) = (*self.0.handle(), size_of::<T>() == size_of::<f32>());
        // cuBLAS is column-major, so it sees our C as its transpose: C^T = B^T A^T. SAFETY: the sizes are those of the
        // matrices, each side below 2^31.
        let done = unsafe {
            if is_float {
                let (a, b, c) = (a as *const f32, b as *const f32, c as *mut f32);
                result::sgemm(handle, no, no, n, m, k, &raw const alpha, b, n, a, k, &raw const beta, c, n)
            } else {
                let (alpha, beta) = ((&raw const alpha).cast(), (&raw const beta).cast());
                let (a, b, c) = (a as *const c_void, b as *const c_void, c as *mut c_void);
                let sums = sys::cublasComputeType_t::CUBLAS_COMPUTE_32F;
                let usual = sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT;
                let (of_ab, of_c) = (T::CUBLAS, f32::CUBLAS);
                result::gemm_ex(handle, no, no, n, m, k, alpha, b, of_ab, n, a, of_ab, k, beta, c, of_c, n, sums, usual)
            }
        };
        done.map_err(|e| Error::CannotRun(format!("cuBLAS fails: {e:?}")))
    }
}
