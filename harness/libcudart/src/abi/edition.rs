//! The major version of CUDA that this library stands for: 13, unless its name has been changed to that of 12.
//!
//! The library is built once, as `libcudart.so.13`. Where it is written out as `libcudart.so.12`, every place that
//! holds its name is changed, this one too, and the calls whose arguments or structures differ look here.

/// The library's name, with a zero at its end.
#[used]
#[unsafe(no_mangle)]
static SIMT_CUDART_NAME: [u8; 16] = *b"libcudart.so.13\0";

/// Whether this is CUDA 12's library.
pub fn is_twelve() -> bool {
    // SAFETY: a static; volatile, because the file may have been changed since it was compiled.
    let name = unsafe { std::ptr::read_volatile(&raw const SIMT_CUDART_NAME) };
    name[14] == b'2'
}

/// What `cudaRuntimeGetVersion` answers: 1000 times the major version, plus 10 times the minor.
pub fn version() -> i32 {
    if is_twelve() { 12090 } else { 13000 }
}
