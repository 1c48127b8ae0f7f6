//! cuBLAS, NVIDIA's own library: the row that the ladder is measured against, where it can be loaded.
use std::sync::Arc;

use cudarc::cublas::{CudaBlas, Gemm, GemmConfig, sys};
use cudarc::driver::{CudaSlice, CudaStream};
use harness::{Error, Result, Run};

use crate::ladder::Shape;

/// An open cuBLAS handle on the run's stream.
pub struct Blas(CudaBlas);

impl Blas {
    /// Opens the library; `tf32` lets it use the tensor cores.
    ///
    /// # Errors
    /// [`Error::Skip`] with the reason, when there is no GPU, no library, or it does not open.
    pub fn open(run: &Run, tf32: bool) -> Result<Self> {
        if run.is_emulated() {
            return Err(Error::Skip("cuBLAS needs an NVIDIA GPU".into()));
        }
        // SAFETY: loading the library runs its initialisers, which is what is asked for.
        if !unsafe { sys::is_culib_present() } {
            return Err(Error::Skip(
                "cuBLAS was not found; put the folder of libcublas.so (of the CUDA toolkit, or of \
                 `pip install nvidia-cublas-cu12`) on LD_LIBRARY_PATH"
                    .into(),
            ));
        }
        let stream: Arc<CudaStream> = run.stream().clone();
        let refused = |e| Error::Skip(format!("cuBLAS is there but does not open: {e:?}"));
        let blas = CudaBlas::new(stream).map_err(refused)?;
        let mode = if tf32 {
            sys::cublasMath_t::CUBLAS_TF32_TENSOR_OP_MATH
        } else {
            sys::cublasMath_t::CUBLAS_DEFAULT_MATH
        };
        // SAFETY: the handle is open.
        unsafe { sys::cublasSetMathMode(*blas.handle(), mode) }
            .result()
            .map_err(refused)?;
        Ok(Self(blas))
    }

    /// C = A B, all row by row.
    ///
    /// # Errors
    /// [`Error::CannotRun`] with the library's code.
    pub fn multiply(
        &self,
        a: &CudaSlice<f32>,
        b: &CudaSlice<f32>,
        c: &mut CudaSlice<f32>,
        shape: Shape,
    ) -> Result<()> {
        let (m, k, n) = (shape.m as i32, shape.k as i32, shape.n as i32);
        let normal = sys::cublasOperation_t::CUBLAS_OP_N;
        // cuBLAS counts column by column, so to it our C is its transpose: C^T = B^T A^T.
        let config = GemmConfig {
            transa: normal,
            transb: normal,
            m: n,
            n: m,
            k,
            alpha: 1.0_f32,
            lda: n,
            ldb: k,
            beta: 0.0,
            ldc: n,
        };
        // SAFETY: the sizes are those of the matrices, each side below 2^31.
        unsafe { self.0.gemm(config, b, a, c) }
            .map_err(|e| Error::CannotRun(format!("cuBLAS fails: {e:?}")))
    }
}
