//! Fills of memory with a byte.
use crate::abi::{
    error::{Error, Result},
    types::{Extent, PER_THREAD, PitchedPtr, Stream},
};
use crate::api::entry::{calls, stream_calls};
use crate::driver::calls as driver;
use crate::state::context;
use std::ffi::{c_int, c_void};

/// Rows of bytes in memory.
#[derive(Clone, Copy)]
struct Rows {
    memory: u64,
    pitch: usize,
    width: usize,
    height: usize,
}

impl Rows {
    fn new(memory: *mut c_void, pitch: usize, width: usize, height: usize) -> Self {
        Self { memory: memory.expose_provenance() as u64, pitch, width, height }
    }
}

/// The stream of a fill; `None` is the default stream, which is synchronised as the driver does.
type Where = Option<Stream>;

fn rows(rows: Rows, value: c_int, stream: Where) -> Result {
    context::ensure()?;
    let Rows { memory, pitch, width, height } = rows;
    if width == 0 || height == 0 {
        return Ok(());
    }
    if height > 1 && width > pitch {
        return Err(Error::INVALID_VALUE);
    }
    let value = value as u8;
    match (stream, height) {
        (None, 1) => driver::cuMemsetD8_v2(memory, value, width),
        (None, _) => driver::cuMemsetD2D8_v2(memory, pitch, value, width, height),
        (Some(stream), 1) => driver::cuMemsetD8Async(memory, value, width, stream),
        (Some(stream), _) => driver::cuMemsetD2D8Async(memory, pitch, value, width, height, stream),
    }
}

fn slices(memory: PitchedPtr, value: c_int, extent: Extent, stream: Where) -> Result {
    context::ensure()?;
    if extent.width == 0 || extent.height == 0 || extent.depth == 0 {
        return Ok(());
    }
    let slice = memory.pitch * memory.ysize;
    let all = Rows::new(memory.ptr, memory.pitch, extent.width, extent.height);
    if extent.height == memory.ysize {
        return rows(Rows { height: extent.height * extent.depth, ..all }, value, stream);
    }
    (0..extent.depth).try_for_each(|z| rows(Rows { memory: all.memory + (z * slice) as u64, ..all }, value, stream))
}

fn own(work: impl FnOnce(Where) -> Result) -> Result {
    work(Some(PER_THREAD))?;
    driver::cuStreamSynchronize(PER_THREAD)
}

fn line(memory: *mut c_void, value: c_int, bytes: usize, stream: Where) -> Result {
    rows(Rows::new(memory, bytes, bytes, 1), value, stream)
}

fn plane(memory: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize, stream: Where) -> Result {
    rows(Rows::new(memory, pitch, width, height), value, stream)
}

calls! {
    cudaMemset(memory: *mut c_void, value: c_int, bytes: usize) = (|m, v, n| line(m, v, n, None));
    cudaMemset_ptds(memory: *mut c_void, value: c_int, bytes: usize) = (|m, v, n| own(|s| line(m, v, n, s)));
    cudaMemset2D(memory: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize)
        = (|m, p, v, w, h| plane(m, p, v, w, h, None));
    cudaMemset2D_ptds(memory: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize)
        = (|m, p, v, w, h| own(|s| plane(m, p, v, w, h, s)));
    cudaMemset3D(memory: PitchedPtr, value: c_int, extent: Extent) = (|m, v, e| slices(m, v, e, None));
    cudaMemset3D_ptds(memory: PitchedPtr, value: c_int, extent: Extent) = (|m, v, e| own(|s| slices(m, v, e, s)));
}

stream_calls! {
    cudaMemsetAsync cudaMemsetAsync_ptsz [stream] (memory: *mut c_void, value: c_int, bytes: usize, stream: Stream)
        = (|m, v, n, s| line(m, v, n, Some(s)));
    cudaMemset2DAsync cudaMemset2DAsync_ptsz [stream] (memory: *mut c_void, pitch: usize, value: c_int, width: usize,
        height: usize, stream: Stream) = (|m, p, v, w, h, s| plane(m, p, v, w, h, Some(s)));
    cudaMemset3DAsync cudaMemset3DAsync_ptsz [stream] (memory: PitchedPtr, value: c_int, extent: Extent,
        stream: Stream) = (|m, v, e, s| slices(m, v, e, Some(s)));
}
