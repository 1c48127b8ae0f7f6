//! Types of the runtime's headers.
use cuda_abi::runtime::constants::default_stream;
pub use cuda_abi::runtime::types::*;
use std::ffi::{c_uint, c_void};

/// Any handle: a stream, an event, a graph, an array.
pub type Handle = *mut c_void;
/// A stream; null is the default one.
pub type Stream = Handle;

/// `cudaStreamPerThread`.
pub const PER_THREAD: Stream = std::ptr::without_provenance_mut(default_stream::PER_THREAD);

/// Returns the stream of a call that was compiled for a default stream per thread.
pub fn per_thread(stream: Stream) -> Stream {
    if stream.is_null() { PER_THREAD } else { stream }
}

/// Returns the driver's form of a `dim3`.
pub fn numbers(dim: Dim3) -> [c_uint; 3] {
    [dim.x, dim.y, dim.z]
}
