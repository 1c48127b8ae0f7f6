//! Limits of a context: stack, printf buffer, heap. They can be set and read; only the stack and the buffer affect
//! launches.

use crate::abi::constants::limit::{
    DEV_RUNTIME_PENDING_LAUNCH_COUNT, DEV_RUNTIME_SYNC_DEPTH, LAST, MALLOC_HEAP_SIZE, MAX_L2_FETCH_GRANULARITY,
    PERSISTING_L2_CACHE_SIZE, PRINTF_FIFO_SIZE, SHMEM_SIZE, STACK_SIZE,
};
use crate::abi::error::{Error, Result};
use gpu::{LOCAL_BYTES, Part};

/// The granularity of a thread's stack, which lies in its local memory, in bytes (as measured on an H200).
const STACK_UNIT: usize = 16;
/// The range of the L2 cache's fetch granularity, in bytes.
const FETCH: (usize, usize) = (32, 128);

/// The values by `CUlimit`, for the limits of a context without graphics.
pub struct ContextLimits([usize; PERSISTING_L2_CACHE_SIZE as usize + 1]);

impl Default for ContextLimits {
    /// Returns the driver's initial values.
    fn default() -> Self {
        let mut limits = [0; PERSISTING_L2_CACHE_SIZE as usize + 1];
        limits[STACK_SIZE as usize] = 1024;
        limits[PRINTF_FIFO_SIZE as usize] = 1 << 20;
        limits[MALLOC_HEAP_SIZE as usize] = 8 << 20;
        limits[DEV_RUNTIME_SYNC_DEPTH as usize] = 2;
        limits[DEV_RUNTIME_PENDING_LAUNCH_COUNT as usize] = 2048;
        limits[MAX_L2_FETCH_GRANULARITY as usize] = 64;
        ContextLimits(limits)
    }
}

/// Returns the index of a limit. Refuses numbers that are not a limit, and limits that are for graphics.
fn known(limit: i32) -> Result<usize> {
    match limit {
        STACK_SIZE..=PERSISTING_L2_CACHE_SIZE => Ok(limit as usize),
        SHMEM_SIZE..=LAST => Err(Error::UNSUPPORTED_LIMIT),
        _ => Err(Error::INVALID_VALUE),
    }
}

impl ContextLimits {
    /// The value of a limit.
    ///
    /// # Errors
    /// `CUDA_ERROR_UNSUPPORTED_LIMIT` for limits of graphics, `CUDA_ERROR_INVALID_VALUE` for numbers that are not a
    /// limit.
    pub fn get(&self, limit: i32) -> Result<usize> {
        Ok(self.0[known(limit)?])
    }

    /// Returns the stack size of each thread of a launch, in bytes.
    pub fn stack_bytes(&self) -> u32 {
        u32::try_from(self.0[STACK_SIZE as usize]).unwrap_or(u32::MAX)
    }

    /// Returns the number of bytes that a launch may print before the oldest text is dropped.
    pub fn print_bytes(&self) -> usize {
        self.0[PRINTF_FIFO_SIZE as usize]
    }

    /// Sets a limit, within the range of the part.
    ///
    /// # Errors
    /// As [`Self::get`]; `CUDA_ERROR_UNSUPPORTED_LIMIT` also for a limit that the part no longer has, and
    /// `CUDA_ERROR_INVALID_VALUE` for a stack that is too large.
    pub fn set(&mut self, limit: i32, value: usize, profile: &Part) -> Result {
        let index = known(limit)?;
        self.0[index] = match limit {
            // The new runtime for launches from kernels, introduced with CUDA 12 and parts of 9.0, has no such limit.
            DEV_RUNTIME_SYNC_DEPTH if profile.at_least(9, 0) => {
                return Err(Error::UNSUPPORTED_LIMIT);
            }
            STACK_SIZE if value > LOCAL_BYTES as usize => return Err(Error::INVALID_VALUE),
            STACK_SIZE => value.next_multiple_of(STACK_UNIT),
            MAX_L2_FETCH_GRANULARITY => value.clamp(FETCH.0, FETCH.1).next_power_of_two(),
            PERSISTING_L2_CACHE_SIZE => value.min(profile.l2_persisting_bytes as usize),
            _ => value,
        };
        Ok(())
    }
}
