//! Fills (`cuMemset*`) of 8, 16 and 32 bits, in one and two dimensions.

use crate::abi::error::Result;
use crate::abi::types::{DevicePtr, Handle};
use crate::state::contexts::streams;
use crate::state::graphs::transfer::{fill_in, fill_now};
use crate::state::memory::fill::Fill;

fn later(handle: Handle, fill: Fill) -> Result {
    fill_in(&streams::find(handle)?, fill)
}

/// Creates a fill of several rows.
fn rows(dst: DevicePtr, pitch: usize, value: u32, element: u32, (width, height): (usize, usize)) -> Fill {
    Fill { dst, pitch, value, element, width, height }
}

fn d8(dst: DevicePtr, value: u8, count: usize) -> Result {
    fill_now(Fill::linear(dst, value.into(), 1, count))
}
fn d16(dst: DevicePtr, value: u16, count: usize) -> Result {
    fill_now(Fill::linear(dst, value.into(), 2, count))
}
fn d32(dst: DevicePtr, value: u32, count: usize) -> Result {
    fill_now(Fill::linear(dst, value, 4, count))
}
fn d8_async(dst: DevicePtr, value: u8, count: usize, stream: Handle) -> Result {
    later(stream, Fill::linear(dst, value.into(), 1, count))
}
fn d16_async(dst: DevicePtr, value: u16, count: usize, stream: Handle) -> Result {
    later(stream, Fill::linear(dst, value.into(), 2, count))
}
fn d32_async(dst: DevicePtr, value: u32, count: usize, stream: Handle) -> Result {
    later(stream, Fill::linear(dst, value, 4, count))
}
fn d2d8(dst: DevicePtr, pitch: usize, value: u8, width: usize, height: usize) -> Result {
    fill_now(rows(dst, pitch, value.into(), 1, (width, height)))
}
fn d2d16(dst: DevicePtr, pitch: usize, value: u16, width: usize, height: usize) -> Result {
    fill_now(rows(dst, pitch, value.into(), 2, (width, height)))
}
fn d2d32(dst: DevicePtr, pitch: usize, value: u32, width: usize, height: usize) -> Result {
    fill_now(rows(dst, pitch, value, 4, (width, height)))
}
fn d2d8_async(dst: DevicePtr, pitch: usize, value: u8, width: usize, height: usize, stream: Handle) -> Result {
    later(stream, rows(dst, pitch, value.into(), 1, (width, height)))
}
fn d2d16_async(dst: DevicePtr, pitch: usize, value: u16, width: usize, height: usize, stream: Handle) -> Result {
    later(stream, rows(dst, pitch, value.into(), 2, (width, height)))
}
fn d2d32_async(dst: DevicePtr, pitch: usize, value: u32, width: usize, height: usize, stream: Handle) -> Result {
    later(stream, rows(dst, pitch, value, 4, (width, height)))
}

entry_points! {
    cuMemsetD8(dst: DevicePtr, value: u8, count: usize) = d8;
    cuMemsetD8_v2(dst: DevicePtr, value: u8, count: usize) = d8;
    cuMemsetD8_v2_ptds(dst: DevicePtr, value: u8, count: usize) = d8;
    cuMemsetD16(dst: DevicePtr, value: u16, count: usize) = d16;
    cuMemsetD16_v2(dst: DevicePtr, value: u16, count: usize) = d16;
    cuMemsetD16_v2_ptds(dst: DevicePtr, value: u16, count: usize) = d16;
    cuMemsetD32(dst: DevicePtr, value: u32, count: usize) = d32;
    cuMemsetD32_v2(dst: DevicePtr, value: u32, count: usize) = d32;
    cuMemsetD32_v2_ptds(dst: DevicePtr, value: u32, count: usize) = d32;
    cuMemsetD8Async(dst: DevicePtr, value: u8, count: usize, stream: Handle) = d8_async;
    cuMemsetD8Async_ptsz(dst: DevicePtr, value: u8, count: usize, stream: Handle) = d8_async;
    cuMemsetD16Async(dst: DevicePtr, value: u16, count: usize, stream: Handle) = d16_async;
    cuMemsetD16Async_ptsz(dst: DevicePtr, value: u16, count: usize, stream: Handle) = d16_async;
    cuMemsetD32Async(dst: DevicePtr, value: u32, count: usize, stream: Handle) = d32_async;
    cuMemsetD32Async_ptsz(dst: DevicePtr, value: u32, count: usize, stream: Handle) = d32_async;
    cuMemsetD2D8(dst: DevicePtr, pitch: usize, value: u8, width: usize, height: usize) = d2d8;
    cuMemsetD2D8_v2(dst: DevicePtr, pitch: usize, value: u8, width: usize, height: usize) = d2d8;
    cuMemsetD2D16(dst: DevicePtr, pitch: usize, value: u16, width: usize, height: usize) = d2d16;
    cuMemsetD2D16_v2(dst: DevicePtr, pitch: usize, value: u16, width: usize, height: usize) = d2d16;
    cuMemsetD2D32(dst: DevicePtr, pitch: usize, value: u32, width: usize, height: usize) = d2d32;
    cuMemsetD2D32_v2(dst: DevicePtr, pitch: usize, value: u32, width: usize, height: usize) = d2d32;
    cuMemsetD2D8Async(dst: DevicePtr, pitch: usize, value: u8, width: usize, height: usize, stream: Handle)
        = d2d8_async;
    cuMemsetD2D16Async(dst: DevicePtr, pitch: usize, value: u16, width: usize, height: usize, stream: Handle)
        = d2d16_async;
    cuMemsetD2D32Async(dst: DevicePtr, pitch: usize, value: u32, width: usize, height: usize, stream: Handle)
        = d2d32_async;
}
