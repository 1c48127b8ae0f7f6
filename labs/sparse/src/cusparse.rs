//! cuSPARSE, NVIDIA's own library: the peer of the ladder, if the library can be loaded.
use std::{
    ffi::{c_int, c_void},
    ptr::null_mut,
};

use cudarc::driver::{CudaSlice, DevicePtr, DevicePtrMut};
use harness::{Error, Result, Run};
use libloading::{Library, Symbol};

use crate::Csr;

/// The names of the library, the newest first.
const NAMES: [&str; 3] = ["libcusparse.so.12", "libcusparse.so.11", "libcusparse.so"];

type Handle = *mut c_void;
/// Enumerations of `cusparse.h`.
const INDEX_32: c_int = 2;
const BASE_ZERO: c_int = 0;
const REAL_32: c_int = 0;
const NOT_TRANSPOSED: c_int = 0;

type CreateCsr = unsafe extern "C" fn(
    *mut Handle,
    i64,
    i64,
    i64,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    c_int,
    c_int,
    c_int,
    c_int,
) -> c_int;
type CreateVector = unsafe extern "C" fn(*mut Handle, i64, *mut c_void, c_int) -> c_int;
type Multiply = unsafe extern "C" fn(
    Handle,
    c_int,
    *const c_void,
    Handle,
    Handle,
    *const c_void,
    Handle,
    c_int,
    c_int,
    *mut c_void,
) -> c_int;
type BufferSize = unsafe extern "C" fn(
    Handle,
    c_int,
    *const c_void,
    Handle,
    Handle,
    *const c_void,
    Handle,
    c_int,
    c_int,
    *mut usize,
) -> c_int;

/// A product that is ready to be queued: y = A x on the run's stream.
pub struct Cusparse<'a> {
    library: Library,
    handle: Handle,
    matrix: Handle,
    x: Handle,
    y: Handle,
    algorithm: c_int,
    buffer: CudaSlice<u8>,
    /// The arrays that the descriptors name.
    _arrays: [&'a dyn std::any::Any; 4],
}

/// The result of a call.
fn done(status: c_int, call: &str) -> Result<()> {
    match status {
        0 => Ok(()),
        status => Err(Error::CannotRun(format!("cuSPARSE fails: {call} returns {status}"))),
    }
}

/// The arrays of a CSR matrix on the device, and x.
pub struct OnDevice<'a> {
    /// Where rows start.
    pub start: &'a CudaSlice<u32>,
    /// Columns of entries.
    pub column: &'a CudaSlice<u32>,
    /// Values of entries.
    pub value: &'a CudaSlice<f32>,
    /// The vector.
    pub x: &'a CudaSlice<f32>,
}

impl<'a> Cusparse<'a> {
    /// Opens the library, describes the matrix, and lets the library look at it once (`cusparseSpMV_preprocess`, where
    /// there is such a call). `algorithm` is 2 or 3 for the CSR form; only 3 gives the same bits each time.
    pub fn new(run: &Run, a: &Csr, on: &OnDevice<'a>, y: &mut CudaSlice<f32>, algorithm: c_int) -> Result<Self> {
        if run.is_emulated() {
            return Err(Error::skip("cuSPARSE needs an NVIDIA GPU"));
        }
        // SAFETY: loading the library runs its initialisers, which is intended.
        let library = NAMES.iter().find_map(|name| unsafe { Library::new(*name) }.ok()).ok_or_else(|| {
            Error::skip(
                "cuSPARSE was not found; put the folder of libcusparse.so (of the CUDA toolkit, or of \
                 `pip install nvidia-cusparse-cu12`) on LD_LIBRARY_PATH",
            )
        })?;
        let stream = run.stream();
        let address = |pointer: u64| pointer as *mut c_void;
        let (start, reads_start) = on.start.device_ptr(stream);
        let (column, reads_column) = on.column.device_ptr(stream);
        let (value, reads_value) = on.value.device_ptr(stream);
        let (x, reads_x) = on.x.device_ptr(stream);
        let (y, writes_y) = y.device_ptr_mut(stream);
        let mut made = Self {
            handle: null_mut(),
            matrix: null_mut(),
            x: null_mut(),
            y: null_mut(),
            algorithm,
            buffer: stream.alloc_zeros(1)?,
            _arrays: [on.start, on.column, on.value, on.x],
            library,
        };
        // SAFETY: the functions have the types that `cusparse.h` declares; the arrays are as long as said.
        unsafe {
            let create: Symbol<'_, unsafe extern "C" fn(*mut Handle) -> c_int> = made.get("cusparseCreate")?;
            let mut handle = null_mut();
            done(create(&raw mut handle), "cusparseCreate")?;
            let set: Symbol<'_, unsafe extern "C" fn(Handle, *mut c_void) -> c_int> = made.get("cusparseSetStream")?;
            done(set(handle, stream.cu_stream().cast()), "cusparseSetStream")?;
            let csr: Symbol<'_, CreateCsr> = made.get("cusparseCreateCsr")?;
            let (rows, columns, entries) = (a.rows as i64, a.columns as i64, a.entries() as i64);
            let (start, column, value) = (address(start), address(column), address(value));
            let (index, base) = (INDEX_32, BASE_ZERO);
            let mut matrix = null_mut();
            let status =
                csr(&raw mut matrix, rows, columns, entries, start, column, value, index, index, base, REAL_32);
            done(status, "cusparseCreateCsr")?;
            let vector: Symbol<'_, CreateVector> = made.get("cusparseCreateDnVec")?;
            let (mut of_x, mut of_y) = (null_mut(), null_mut());
            done(vector(&raw mut of_x, columns, address(x), REAL_32), "cusparseCreateDnVec")?;
            done(vector(&raw mut of_y, rows, address(y), REAL_32), "cusparseCreateDnVec")?;
            (made.handle, made.matrix, made.x, made.y) = (handle, matrix, of_x, of_y);
            made.buffer = stream.alloc_zeros(made.buffer_bytes()?.max(1))?;
        }
        drop((reads_start, reads_column, reads_value, reads_x, writes_y));
        if let Ok(look) = made.get::<Multiply>("cusparseSpMV_preprocess") {
            let look = *look;
            made.call(look, stream, "cusparseSpMV_preprocess")?;
        }
        Ok(made)
    }

    /// A function of the library.
    fn get<T>(&self, name: &str) -> Result<Symbol<'_, T>> {
        // SAFETY: the callers give the type that `cusparse.h` declares.
        unsafe { self.library.get(name) }.map_err(|_| {
            Error::skip(format!("this cuSPARSE is too old: it has no {name}; install that of CUDA 11.4 or later"))
        })
    }

    /// Bytes that the library wants for its own use.
    fn buffer_bytes(&self) -> Result<usize> {
        let size = self.get::<BufferSize>("cusparseSpMV_bufferSize")?;
        let (one, zero, mut bytes) = (1.0f32, 0.0f32, 0);
        // SAFETY: all descriptors were made.
        let status = unsafe {
            size(
                self.handle,
                NOT_TRANSPOSED,
                (&raw const one).cast(),
                self.matrix,
                self.x,
                (&raw const zero).cast(),
                self.y,
                REAL_32,
                self.algorithm,
                &raw mut bytes,
            )
        };
        done(status, "cusparseSpMV_bufferSize")?;
        Ok(bytes)
    }

    fn call(
        &mut self,
        function: Multiply,
        stream: &std::sync::Arc<cudarc::driver::CudaStream>,
        name: &str,
    ) -> Result<()> {
        let (buffer, _in_use) = self.buffer.device_ptr_mut(stream);
        let (one, zero) = (1.0f32, 0.0f32);
        // SAFETY: all descriptors were made, and the buffer is as long as the library wants.
        let status = unsafe {
            function(
                self.handle,
                NOT_TRANSPOSED,
                (&raw const one).cast(),
                self.matrix,
                self.x,
                (&raw const zero).cast(),
                self.y,
                REAL_32,
                self.algorithm,
                buffer as *mut c_void,
            )
        };
        done(status, name)
    }

    /// Queues the product. y is the vector that was given to [`Cusparse::new`].
    pub fn multiply(&mut self, run: &Run) -> Result<()> {
        let multiply = *self.get::<Multiply>("cusparseSpMV")?;
        self.call(multiply, run.stream(), "cusparseSpMV")
    }
}

impl Drop for Cusparse<'_> {
    fn drop(&mut self) {
        type Destroy = unsafe extern "C" fn(Handle) -> c_int;
        let all = [
            ("cusparseDestroyDnVec", self.x),
            ("cusparseDestroyDnVec", self.y),
            ("cusparseDestroySpMat", self.matrix),
            ("cusparseDestroy", self.handle),
        ];
        for (name, made) in all.into_iter().filter(|(_, made)| !made.is_null()) {
            if let Ok(destroy) = self.get::<Destroy>(name) {
                // SAFETY: it was made by the library, and is not used again.
                unsafe { destroy(made) };
            }
        }
    }
}
