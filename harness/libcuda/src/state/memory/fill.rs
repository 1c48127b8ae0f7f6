//! Fills of 8, 16 and 32 bits, in one and two dimensions.

use crate::abi::error::{Error, Result};
use crate::state::contexts::context::Context;
use crate::state::device::driver::{driver, tell};
use simt::memory::Reached;
use std::sync::Arc;

/// Fills of at most this number of elements run on the calling thread.
const BRIEF: usize = 256 << 10;

/// A fill of `height` rows of `width` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    /// The address of the first element.
    pub dst: u64,
    /// Bytes from row to row; only relevant if there are several rows.
    pub pitch: usize,
    /// The value of every element, in its low bits.
    pub value: u32,
    /// Bytes per element: 1, 2 or 4.
    pub element: u32,
    /// Elements per row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

impl Fill {
    /// Creates a fill of `count` contiguous elements.
    pub fn linear(dst: u64, value: u32, element: u32, count: usize) -> Self {
        Fill { dst, pitch: 0, value, element, width: count, height: 1 }
    }

    /// Returns whether the fill may run on the calling thread.
    pub fn is_brief(&self) -> bool {
        self.width.saturating_mul(self.height) <= BRIEF
    }

    /// Returns the host address of the first byte, if all bytes exist; `None` if the fill is empty.
    fn resolve(&self) -> Result<Option<Reached>> {
        let f = self;
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
        let rows = f.pitch.checked_mul(f.height - 1).filter(|_| f.height > 1).unwrap_or(0);
        if f.height > 1 && f.pitch.checked_mul(f.height).is_none() {
            return Err(Error::INVALID_VALUE);
        }
        let span = rows.checked_add(row).ok_or(Error::INVALID_VALUE)?;
        driver()?.memory.reach(f.dst, span as u64).map(Some).map_err(|error| {
            tell(|observer| observer.bad_access(&error));
            Error::INVALID_VALUE
        })
    }

    /// Checks that the target is currently valid.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE`.
    pub fn check(&self) -> Result {
        self.resolve().map(drop)
    }

    /// Runs the fill.
    pub fn run(&self, context: Option<&Arc<Context>>) {
        let f = self;
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
                        driver.memory.wrote(row, (f.width * f.element as usize) as u64);
                    }
                    // SAFETY: `resolve` found all rows in one live allocation, aligned to the element. Kernels may use
                    // the same bytes, as on a device.
                    unsafe {
                        let row = start.pointer.add(y * f.pitch);
                        match f.element {
                            1 => row.write_bytes(f.value as u8, f.width),
                            2 => (0..f.width).for_each(|x| row.cast::<u16>().add(x).write(f.value as u16)),
                            _ => (0..f.width).for_each(|x| row.cast::<u32>().add(x).write(f.value)),
                        }
                    }
                }
                tell(|observer| observer.filled((f.width * f.height * f.element as usize) as u64));
            }
        }
    }
}
