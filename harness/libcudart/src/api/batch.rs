//! Batched copies, and batched operations on ranges of managed memory.
use crate::abi::{
    edition::is_twelve,
    error::Result,
    types::{Stream, per_thread},
};
use crate::api::entry::{calls, stream_forwards};
use crate::driver::calls as driver;
use crate::state::context;
use std::{
    ffi::c_void,
    ptr::{with_exposed_provenance, with_exposed_provenance_mut},
};

/// The arrays of a batch of copies: targets, sources, sizes, and their count; attributes, the first copy of each
/// attribute, and their count.
type Copies = (*const u64, *const u64, *const usize, usize, *const c_void, *const usize, usize);

/// `cudaMemcpyBatchAsync`: CUDA 12's takes a pointer for the index of the failed copy, before the stream.
fn copies((to, from, sizes, count, how, firsts, hows): Copies, eighth: usize, ninth: Stream, own: bool) -> Result {
    context::ensure()?;
    let in_stream = |stream: Stream| if own { per_thread(stream) } else { stream };
    if is_twelve() {
        let failed = with_exposed_provenance_mut(eighth);
        return driver::cuMemcpyBatchAsync(to, from, sizes, count, how, firsts, hows, failed, in_stream(ninth));
    }
    let stream = in_stream(with_exposed_provenance_mut(eighth));
    driver::cuMemcpyBatchAsync_v2(to, from, sizes, count, how, firsts, hows, stream)
}

/// `cudaMemcpy3DBatchAsync`: CUDA 12's takes a pointer for the index of the failed copy, before the flags. The
/// structures are the driver's.
fn boxes(count: usize, ops: *const c_void, third: u64, fourth: u64, fifth: Stream, own: bool) -> Result {
    context::ensure()?;
    let in_stream = |stream: Stream| if own { per_thread(stream) } else { stream };
    if is_twelve() {
        let failed = with_exposed_provenance_mut(third as usize);
        return driver::cuMemcpy3DBatchAsync(count, ops, failed, fourth, in_stream(fifth));
    }
    let stream = in_stream(with_exposed_provenance::<c_void>(fourth as usize).cast_mut());
    driver::cuMemcpy3DBatchAsync_v2(count, ops, third, stream)
}

calls! {
    cudaMemcpyBatchAsync(to: *const u64, from: *const u64, sizes: *const usize, count: usize, how: *const c_void,
        firsts: *const usize, hows: usize, eighth: usize, ninth: Stream)
        = (|to, from, sizes, count, how, firsts, hows, eighth, ninth| {
            copies((to, from, sizes, count, how, firsts, hows), eighth, ninth, false)
        });
    cudaMemcpyBatchAsync_ptsz(to: *const u64, from: *const u64, sizes: *const usize, count: usize, how: *const c_void,
        firsts: *const usize, hows: usize, eighth: usize, ninth: Stream)
        = (|to, from, sizes, count, how, firsts, hows, eighth, ninth| {
            copies((to, from, sizes, count, how, firsts, hows), eighth, ninth, true)
        });
    cudaMemcpy3DBatchAsync(count: usize, ops: *const c_void, third: u64, fourth: u64, fifth: Stream)
        = (|count, ops, third, fourth, fifth| boxes(count, ops, third, fourth, fifth, false));
    cudaMemcpy3DBatchAsync_ptsz(count: usize, ops: *const c_void, third: u64, fourth: u64, fifth: Stream)
        = (|count, ops, third, fourth, fifth| boxes(count, ops, third, fourth, fifth, true));
}

stream_forwards! {
    cudaMemPrefetchBatchAsync cudaMemPrefetchBatchAsync_ptsz [stream] (memory: *const u64, sizes: *const usize,
        count: usize, places: *const c_void, firsts: *const usize, place_count: usize, flags: u64, stream: Stream)
        => cuMemPrefetchBatchAsync;
    cudaMemDiscardBatchAsync cudaMemDiscardBatchAsync_ptsz [stream] (memory: *const u64, sizes: *const usize,
        count: usize, flags: u64, stream: Stream) => cuMemDiscardBatchAsync;
    cudaMemDiscardAndPrefetchBatchAsync cudaMemDiscardAndPrefetchBatchAsync_ptsz [stream] (memory: *const u64,
        sizes: *const usize, count: usize, places: *const c_void, firsts: *const usize, place_count: usize, flags: u64,
        stream: Stream) => cuMemDiscardAndPrefetchBatchAsync;
}
