//! cuBLAS, NVIDIA's own library: the row that the ladder is compared with, where the library can be loaded.
use cudarc::cublas::{CudaBlas, Gemm, GemmConfig, sys};
use harness::{Error, Result, Run};

use crate::{Shape, experiment::Matrices};

/// An open cuBLAS handle on the run's stream.
pub struct Blas(CudaBlas);

impl Blas {
    /// Opens the library; `tf32` lets it use the tensor cores.
    pub fn open(run: &Run, tf32: bool) -> Result<Self> {
        if run.is_emulated() {
            return Err(Error::Skip("cuBLAS needs an NVIDIA GPU".into()));
        }
        // SAFETY: loading the library runs its initialisers, which is intended.
        if !unsafe { sys::is_culib_present() } {
            return Err(Error::Skip(
                "cuBLAS was not found; put the folder of libcublas.so (of the CUDA toolkit, or of \
                 `pip install nvidia-cublas-cu12`) on LD_LIBRARY_PATH"
                    .into(),
            ));
        }
        let refused = |e| Error::Skip(format!("cuBLAS is there but does not open: {e:?}"));
        let blas = CudaBlas::new(run.stream().clone()).map_err(refused)?;
        let mode =
            if tf32 { sys::cublasMath_t::CUBLAS_TF32_TENSOR_OP_MATH } else { sys::cublasMath_t::CUBLAS_DEFAULT_MATH };
        // SAFETY: the handle is open.
        unsafe { sys::cublasSetMathMode(*blas.handle(), mode) }.result().map_err(refused)?;
        Ok(Self(blas))
    }

    /// C = A B, all row by row.
    pub fn multiply(&self, (a, b, c): Matrices<'_>, shape: Shape) -> Result<()> {
        let (m, k, n) = (shape.m as i32, shape.k as i32, shape.n as i32);
        let no = sys::cublasOperation_t::CUBLAS_OP_N;
        // cuBLAS counts column by column, so it sees our C as its transpose: C^T = B^T A^T.
        let (alpha, beta) = (1.0, 0.0);
        let config = GemmConfig { transa: no, transb: no, m: n, n: m, k, alpha, lda: n, ldb: k, beta, ldc: n };
        // SAFETY: the sizes are those of the matrices, each side below 2^31.
        unsafe { self.0.gemm(config, b, a, c) }.map_err(|e| Error::CannotRun(format!("cuBLAS fails: {e:?}")))
    }
}
