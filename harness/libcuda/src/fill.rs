//! Fills (`cuMemset*`) of 8, 16 and 32 bits, in one and two dimensions.

use crate::abi::{DevicePtr, FillNode, Handle};
use crate::context::{Context, current_uncaptured};
use crate::driver::driver;
use crate::error::{Error, Result};
use crate::task::Task;
use crate::{capture, report, stream};
use std::sync::Arc;

/// Fills up to this size are made by the caller itself.
const BRIEF: usize = 256 << 10;

/// One fill of `height` rows of `width` elements.
#[derive(Clone, Copy)]
pub struct Fill(pub FillNode);

impl Fill {
    fn new(dst: u64, pitch: usize, value: u32, element: u32, width: usize, height: usize) -> Self {
        Fill(FillNode {
            dst,
            pitch,
            value,
            element,
            width,
            height,
        })
    }

    /// Whether the caller may as well make it itself.
    pub fn is_brief(&self) -> bool {
        self.0.width.saturating_mul(self.0.height) <= BRIEF
    }

    /// Where the first byte lies, all being there.
    fn resolve(&self) -> Result<Option<*mut u8>> {
        let Fill(f) = self;
        let element = f.element as usize;
        if !matches!(element, 1 | 2 | 4) || !f.dst.is_multiple_of(element as u64) {
            return Err(Error::INVALID_VALUE);
        }
        if f.width == 0 || f.height == 0 {
            return Ok(None);
        }
        let row = f.width.checked_mul(element).ok_or(Error::INVALID_VALUE)?;
        if f.height > 1 && (f.pitch < row || !f.pitch.is_multiple_of(element)) {
            return Err(Error::INVALID_VALUE);
        }
        let rows = f
            .pitch
            .checked_mul(f.height - 1)
            .filter(|_| f.height > 1)
            .unwrap_or(0);
        if f.height > 1 && f.pitch.checked_mul(f.height).is_none() {
            return Err(Error::INVALID_VALUE);
        }
        let span = rows.checked_add(row).ok_or(Error::INVALID_VALUE)?;
        driver()?
            .memory
            .host(f.dst, span as u64)
            .map(Some)
            .map_err(|error| {
                report::bad_copy(&error);
                Error::INVALID_VALUE
            })
    }

    /// Checks the target as it is now.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE`.
    pub fn check(&self) -> Result {
        self.resolve().map(drop)
    }

    /// Makes it.
    pub fn run(&self, context: Option<&Arc<Context>>) {
        let Fill(f) = self;
        match self.resolve() {
            Err(_) => {
                if let Some(context) = context {
                    context.fail(Error::ILLEGAL_ADDRESS);
                }
            }
            Ok(None) => {}
            Ok(Some(start)) => {
                for y in 0..f.height {
                    if let Ok(driver) = driver() {
                        let row = f.dst + (y * f.pitch) as u64;
                        driver
                            .memory
                            .wrote(row, (f.width * f.element as usize) as u64);
                    }
                    // SAFETY: `resolve` found all rows in one live allocation, aligned to the element. Kernels may be at the
                    // same bytes, as on the device.
                    unsafe {
                        let row = start.add(y * f.pitch);
                        match f.element {
                            1 => row.write_bytes(f.value as u8, f.width),
                            2 => (0..f.width)
                                .for_each(|x| row.cast::<u16>().add(x).write(f.value as u16)),
                            _ => (0..f.width).for_each(|x| row.cast::<u32>().add(x).write(f.value)),
                        }
                    }
                }
                report::filled((f.width * f.height * f.element as usize) as u64);
            }
        }
    }
}

fn now(fill: Fill) -> Result {
    let context = current_uncaptured()?;
    capture::forbid_on(&context.legacy)?;
    fill.check()?;
    stream::enqueue(&context.legacy, Task::Fill(fill))?;
    context.legacy.finish();
    context.check()
}

fn later(handle: Handle, fill: Fill) -> Result {
    let stream = stream::find(handle)?;
    fill.check()?;
    stream::enqueue(&stream, Task::Fill(fill))
}

fn d8(dst: DevicePtr, value: u8, count: usize) -> Result {
    now(Fill::new(dst, 0, value.into(), 1, count, 1))
}
fn d16(dst: DevicePtr, value: u16, count: usize) -> Result {
    now(Fill::new(dst, 0, value.into(), 2, count, 1))
}
fn d32(dst: DevicePtr, value: u32, count: usize) -> Result {
    now(Fill::new(dst, 0, value, 4, count, 1))
}
fn d8_async(dst: DevicePtr, value: u8, count: usize, stream: Handle) -> Result {
    later(stream, Fill::new(dst, 0, value.into(), 1, count, 1))
}
fn d16_async(dst: DevicePtr, value: u16, count: usize, stream: Handle) -> Result {
    later(stream, Fill::new(dst, 0, value.into(), 2, count, 1))
}
fn d32_async(dst: DevicePtr, value: u32, count: usize, stream: Handle) -> Result {
    later(stream, Fill::new(dst, 0, value, 4, count, 1))
}
fn d2d8(dst: DevicePtr, pitch: usize, value: u8, width: usize, height: usize) -> Result {
    now(Fill::new(dst, pitch, value.into(), 1, width, height))
}
fn d2d16(dst: DevicePtr, pitch: usize, value: u16, width: usize, height: usize) -> Result {
    now(Fill::new(dst, pitch, value.into(), 2, width, height))
}
fn d2d32(dst: DevicePtr, pitch: usize, value: u32, width: usize, height: usize) -> Result {
    now(Fill::new(dst, pitch, value, 4, width, height))
}
fn d2d8_async(
    dst: DevicePtr,
    pitch: usize,
    value: u8,
    width: usize,
    height: usize,
    stream: Handle,
) -> Result {
    later(
        stream,
        Fill::new(dst, pitch, value.into(), 1, width, height),
    )
}
fn d2d16_async(
    dst: DevicePtr,
    pitch: usize,
    value: u16,
    width: usize,
    height: usize,
    stream: Handle,
) -> Result {
    later(
        stream,
        Fill::new(dst, pitch, value.into(), 2, width, height),
    )
}
fn d2d32_async(
    dst: DevicePtr,
    pitch: usize,
    value: u32,
    width: usize,
    height: usize,
    stream: Handle,
) -> Result {
    later(stream, Fill::new(dst, pitch, value, 4, width, height))
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
