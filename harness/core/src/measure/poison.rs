//! Poison: the contents of an output before a kernel writes it.
use cudarc::driver::{CudaStream, DevicePtrMut};

use crate::error::Result;

/// Fills a device buffer with bytes 0xFF on `stream`: NaN as a float, -1 as an integer. An element that the kernel does
/// not write is then detected as wrong.
///
/// # Errors
/// The driver's errors.
pub fn poison<T>(stream: &CudaStream, buffer: &mut impl DevicePtrMut<T>) -> Result<()> {
    let bytes = buffer.len() * size_of::<T>();
    let (pointer, _in_use) = buffer.device_ptr_mut(stream);
    // SAFETY: the buffer's memory is `bytes` long and stays alive until `_in_use` is dropped.
    unsafe { cudarc::driver::result::memset_d8_async(pointer, 0xFF, bytes, stream.cu_stream()) }?;
    Ok(())
}
