//! The major version of CUDA that this library implements: 13, unless its name has been changed to that of 12.
//!
//! The library is built once, as `libcudart.so.13`. To write it as `libcudart.so.12`, every occurrence of its name in
//! the file is replaced, including this one. Calls whose arguments or structures differ check it.

/// The library's name, with a terminating zero.
#[used]
#[unsafe(no_mangle)]
static SIMT_CUDART_NAME: [u8; 16] = *b"libcudart.so.13\0";

/// Returns whether this is CUDA 12's library.
pub fn is_twelve() -> bool {
    // SAFETY: a static; volatile, because the file may have been changed after compilation.
    let name = unsafe { std::ptr::read_volatile(&raw const SIMT_CUDART_NAME) };
    name[14] == b'2'
}

/// Returns the result of `cudaRuntimeGetVersion`: 1000 times the major version, plus 10 times the minor.
pub fn version() -> i32 {
    if is_twelve() { 12090 } else { 13000 }
}
