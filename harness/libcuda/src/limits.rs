//! Limits of a context: stack, printf buffer, heap. They are kept and given back; only shared memory and the like bind here.

use crate::abi::put;
use crate::context::current;
use crate::driver::lock;
use crate::error::{Error, Result};
use std::ffi::c_int;

const COUNT: usize = 11;

/// The values by `CUlimit`.
pub struct Limits([usize; COUNT]);

impl Default for Limits {
    /// What the driver starts with: 1 KiB of stack a thread, 1 MiB for printf, 8 MiB of heap, ...
    fn default() -> Self {
        let mut limits = [0; COUNT];
        limits[0] = 1024;
        limits[1] = 1 << 20;
        limits[2] = 8 << 20;
        limits[3] = 2;
        limits[4] = 2048;
        limits[5] = 64;
        Limits(limits)
    }
}

fn index(limit: c_int) -> Result<usize> {
    let index = usize::try_from(limit).map_err(|_| Error::INVALID_VALUE)?;
    if index >= COUNT {
        Err(Error::INVALID_VALUE)
    } else {
        Ok(index)
    }
}

fn get(out: *mut usize, limit: c_int) -> Result {
    let context = current()?;
    let index = index(limit)?;
    if index >= 7 {
        return Err(Error::UNSUPPORTED_LIMIT);
    }
    let value = lock(&context.limits).0[index];
    put(out, value)
}

fn set(limit: c_int, value: usize) -> Result {
    let context = current()?;
    let index = index(limit)?;
    let value = match index {
        // Launches from kernels went with CUDA 12's new runtime of them, on parts since 9.0.
        3 if crate::driver::driver()?.profile.at_least(9, 0) => {
            return Err(Error::UNSUPPORTED_LIMIT);
        }
        0 if value > 512 << 10 => return Err(Error::INVALID_VALUE),
        5 => value.clamp(32, 128).next_power_of_two(),
        6 => value.min(crate::driver::driver()?.profile.l2_persisting_bytes as usize),
        7.. => return Err(Error::UNSUPPORTED_LIMIT),
        _ => value,
    };
    lock(&context.limits).0[index] = value;
    Ok(())
}

entry_points! {
    cuCtxGetLimit(out: *mut usize, limit: c_int) = get;
    cuCtxSetLimit(limit: c_int, value: usize) = set;
}
