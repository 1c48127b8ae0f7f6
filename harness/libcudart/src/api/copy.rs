//! One-dimensional copies, between the host, the device, symbols and peers.
use crate::abi::{
    error::{Error, Result},
    types::{PER_THREAD, Stream},
};
use crate::api::entry::{calls, stream_calls};
use crate::driver::calls as driver;
use crate::state::{context, variable};
use cuda_abi::runtime::constants::copy_kind;
use std::ffi::{c_int, c_void};

fn address(pointer: *const c_void) -> u64 {
    pointer.expose_provenance() as u64
}

/// Checks a direction.
///
/// # Errors
/// `cudaErrorInvalidMemcpyDirection`.
pub fn check(direction: c_int) -> Result {
    if (copy_kind::HOST_TO_HOST..=copy_kind::DEFAULT).contains(&direction) {
        Ok(())
    } else {
        Err(Error::INVALID_MEMCPY_DIRECTION)
    }
}

fn copy(dst: *mut c_void, src: *const c_void, bytes: usize, direction: c_int) -> Result {
    context::ensure()?;
    if bytes == 0 {
        return Ok(());
    }
    check(direction)?;
    match direction {
        copy_kind::HOST_TO_DEVICE => driver::cuMemcpyHtoD_v2(address(dst), src, bytes),
        copy_kind::DEVICE_TO_HOST => driver::cuMemcpyDtoH_v2(dst, address(src), bytes),
        copy_kind::DEVICE_TO_DEVICE => driver::cuMemcpyDtoD_v2(address(dst), address(src), bytes),
        _ => driver::cuMemcpy(address(dst), address(src), bytes),
    }
}

/// Queues a copy in a stream.
///
/// # Errors
/// `cudaErrorInvalidMemcpyDirection`, and the driver's errors.
pub fn copy_async(dst: *mut c_void, src: *const c_void, bytes: usize, direction: c_int, stream: Stream) -> Result {
    context::ensure()?;
    if bytes == 0 {
        return Ok(());
    }
    check(direction)?;
    match direction {
        copy_kind::HOST_TO_DEVICE => driver::cuMemcpyHtoDAsync_v2(address(dst), src, bytes, stream),
        copy_kind::DEVICE_TO_HOST => driver::cuMemcpyDtoHAsync_v2(dst, address(src), bytes, stream),
        copy_kind::DEVICE_TO_DEVICE => driver::cuMemcpyDtoDAsync_v2(address(dst), address(src), bytes, stream),
        _ => driver::cuMemcpyAsync(address(dst), address(src), bytes, stream),
    }
}

/// Runs work in the thread's own default stream, and waits for it.
///
/// # Errors
/// Those of the work.
pub fn in_own_stream(work: impl FnOnce(Stream) -> Result) -> Result {
    work(PER_THREAD)?;
    driver::cuStreamSynchronize(PER_THREAD)
}

fn copy_own(dst: *mut c_void, src: *const c_void, bytes: usize, direction: c_int) -> Result {
    in_own_stream(|stream| copy_async(dst, src, bytes, direction, stream))
}

/// Returns the address of a part of a symbol, for a copy of this direction to or from it.
///
/// # Errors
/// `cudaErrorInvalidSymbol`; `cudaErrorInvalidValue` when the part is not within the variable;
/// `cudaErrorInvalidMemcpyDirection` for a direction that is not one of `directions`.
pub fn part(
    symbol: *const c_void,
    bytes: usize,
    offset: usize,
    direction: c_int,
    directions: [c_int; 3],
) -> Result<*mut c_void> {
    let (start, size) = variable::find(symbol)?;
    if !directions.contains(&direction) {
        return Err(Error::INVALID_MEMCPY_DIRECTION);
    }
    match offset.checked_add(bytes) {
        Some(end) if end <= size => Ok(std::ptr::with_exposed_provenance_mut(start as usize + offset)),
        _ => Err(Error::INVALID_VALUE),
    }
}

/// The directions to a symbol.
pub const TO: [c_int; 3] = [copy_kind::HOST_TO_DEVICE, copy_kind::DEVICE_TO_DEVICE, copy_kind::DEFAULT];
/// The directions from a symbol.
pub const FROM: [c_int; 3] = [copy_kind::DEVICE_TO_HOST, copy_kind::DEVICE_TO_DEVICE, copy_kind::DEFAULT];

type To = (*const c_void, *const c_void, usize, usize, c_int);

/// Returns the address at which a copy to or from a symbol begins: like [`part`], but a copy of zero bytes does not
/// look up the symbol.
fn place(
    symbol: *const c_void,
    bytes: usize,
    offset: usize,
    direction: c_int,
    directions: [c_int; 3],
) -> Result<*mut c_void> {
    if bytes == 0 { Ok(std::ptr::null_mut()) } else { part(symbol, bytes, offset, direction, directions) }
}

fn to(symbol: *const c_void, src: *const c_void, bytes: usize, offset: usize, direction: c_int) -> Result {
    copy(place(symbol, bytes, offset, direction, TO)?, src, bytes, direction)
}

fn to_async((symbol, src, bytes, offset, direction): To, stream: Stream) -> Result {
    copy_async(place(symbol, bytes, offset, direction, TO)?, src, bytes, direction, stream)
}

type From = (*mut c_void, *const c_void, usize, usize, c_int);

fn from(dst: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, direction: c_int) -> Result {
    copy(dst, place(symbol, bytes, offset, direction, FROM)?, bytes, direction)
}

fn from_async((dst, symbol, bytes, offset, direction): From, stream: Stream) -> Result {
    copy_async(dst, place(symbol, bytes, offset, direction, FROM)?, bytes, direction, stream)
}

fn peer(dst: *mut c_void, dst_device: c_int, src: *const c_void, src_device: c_int, bytes: usize) -> Result {
    context::ensure()?;
    if bytes == 0 {
        return Ok(());
    }
    let (to, from) = (context::primary(dst_device)?, context::primary(src_device)?);
    driver::cuMemcpyPeer(address(dst), to, address(src), from, bytes)
}

fn peer_async(
    dst: *mut c_void,
    dst_device: c_int,
    src: *const c_void,
    src_device: c_int,
    bytes: usize,
    stream: Stream,
) -> Result {
    context::ensure()?;
    if bytes == 0 {
        return Ok(());
    }
    let (to, from) = (context::primary(dst_device)?, context::primary(src_device)?);
    driver::cuMemcpyPeerAsync(address(dst), to, address(src), from, bytes, stream)
}

fn symbol_address(out: *mut *mut c_void, symbol: *const c_void) -> Result {
    let (address, _) = variable::find(symbol)?;
    crate::abi::pointers::put(out, std::ptr::with_exposed_provenance_mut(address as usize))
}

fn symbol_size(out: *mut usize, symbol: *const c_void) -> Result {
    crate::abi::pointers::put(out, variable::find(symbol)?.1)
}

calls! {
    cudaMemcpy(dst: *mut c_void, src: *const c_void, bytes: usize, direction: c_int) = copy;
    cudaMemcpy_ptds(dst: *mut c_void, src: *const c_void, bytes: usize, direction: c_int) = copy_own;
    cudaMemcpyToSymbol(symbol: *const c_void, src: *const c_void, bytes: usize, offset: usize, direction: c_int) = to;
    cudaMemcpyToSymbol_ptds(symbol: *const c_void, src: *const c_void, bytes: usize, offset: usize, direction: c_int)
        = (|symbol, src, bytes, offset, direction| {
            in_own_stream(|stream| to_async((symbol, src, bytes, offset, direction), stream))
        });
    cudaMemcpyFromSymbol(dst: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, direction: c_int)
        = from;
    cudaMemcpyFromSymbol_ptds(dst: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, direction: c_int)
        = (|dst, symbol, bytes, offset, direction| {
            in_own_stream(|stream| from_async((dst, symbol, bytes, offset, direction), stream))
        });
    cudaMemcpyPeer(dst: *mut c_void, dst_device: c_int, src: *const c_void, src_device: c_int, bytes: usize) = peer;
    cudaMemcpyPeerAsync(dst: *mut c_void, dst_device: c_int, src: *const c_void, src_device: c_int, bytes: usize,
        stream: Stream) = peer_async;
    cudaGetSymbolAddress(out: *mut *mut c_void, symbol: *const c_void) = symbol_address;
    cudaGetSymbolSize(out: *mut usize, symbol: *const c_void) = symbol_size;
}

stream_calls! {
    cudaMemcpyAsync cudaMemcpyAsync_ptsz [stream] (dst: *mut c_void, src: *const c_void, bytes: usize,
        direction: c_int, stream: Stream) = copy_async;
    cudaMemcpyToSymbolAsync cudaMemcpyToSymbolAsync_ptsz [stream] (symbol: *const c_void, src: *const c_void,
        bytes: usize, offset: usize, direction: c_int, stream: Stream)
        = (|symbol, src, bytes, offset, direction, stream| to_async((symbol, src, bytes, offset, direction), stream));
    cudaMemcpyFromSymbolAsync cudaMemcpyFromSymbolAsync_ptsz [stream] (dst: *mut c_void, symbol: *const c_void,
        bytes: usize, offset: usize, direction: c_int, stream: Stream)
        = (|dst, symbol, bytes, offset, direction, stream| from_async((dst, symbol, bytes, offset, direction), stream));
}
