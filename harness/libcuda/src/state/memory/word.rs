//! Single words of memory that a stream writes, or waits for.

use crate::abi::constants::wait_value_flags;
use crate::abi::error::{Error, Result};
use crate::state::device::driver::driver;
use simt::memory::Reached;
use std::time::Duration;

/// The time between two reads of a word that a stream waits for.
const PAUSE: Duration = Duration::from_micros(20);

/// The host's address of a word in device memory; `None` if the memory does not exist (any more).
fn reach(address: u64, size: u64) -> Option<Reached> {
    driver().ok()?.memory.reach(address, size).ok()
}

/// Refuses words that are not aligned or do not exist.
fn check(address: u64, size: u64) -> Result {
    if !address.is_multiple_of(size) {
        return Err(Error::INVALID_VALUE);
    }
    reach(address, size).map(drop).ok_or(Error::INVALID_VALUE)
}

/// A function that writes a word, to be run in a stream's order.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a word that is not aligned or does not exist now.
pub fn writing<T: Copy + Send + Sync + 'static>(address: u64, value: T) -> Result<impl Fn() + Send + Sync> {
    let size = size_of::<T>() as u64;
    check(address, size)?;
    Ok(move || {
        if let Some(host) = reach(address, size) {
            // SAFETY: `host` is `size` bytes of a live allocation, aligned as the address is.
            unsafe { host.pointer.cast::<T>().write_volatile(value) };
            if let Ok(driver) = driver() {
                driver.memory.wrote(address, size);
            }
        }
    })
}

/// How a word is compared with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// At least the value, in cyclic order.
    AtLeast,
    Equal,
    /// A bit of the value is set.
    And,
    /// A bit is set neither in the word nor in the value.
    Nor,
}

impl Comparison {
    /// The comparison that `CUstreamWaitValue_flags` name.
    pub fn from_flags(flags: u32) -> Self {
        match flags & wait_value_flags::COMPARISON {
            wait_value_flags::GEQ => Comparison::AtLeast,
            wait_value_flags::EQ => Comparison::Equal,
            wait_value_flags::AND => Comparison::And,
            _ => Comparison::Nor,
        }
    }
}

/// A function that waits until a word of 32 or 64 bits compares as asked, or is freed.
///
/// # Errors
/// `CUDA_ERROR_INVALID_VALUE` for a word that is not aligned or does not exist now.
pub fn waiting(address: u64, value: u64, comparison: Comparison, bits: u32) -> Result<impl Fn() + Send + Sync> {
    let size = u64::from(bits / 8);
    check(address, size)?;
    Ok(move || {
        while let Some(host) = reach(address, size) {
            // SAFETY: `host` is `size` bytes of a live allocation, aligned as the address is.
            let (now, reached) = unsafe {
                if bits == 32 {
                    let now = host.pointer.cast::<u32>().read_volatile();
                    (u64::from(now), now.wrapping_sub(value as u32) as i32 >= 0)
                } else {
                    let now = host.pointer.cast::<u64>().read_volatile();
                    (now, now.wrapping_sub(value) as i64 >= 0)
                }
            };
            let mask = if bits == 32 { u64::from(u32::MAX) } else { u64::MAX };
            let done = match comparison {
                Comparison::AtLeast => reached,
                Comparison::Equal => now == value & mask,
                Comparison::And => now & value != 0,
                Comparison::Nor => !(now | value) & mask != 0,
            };
            if done {
                break;
            }
            std::thread::sleep(PAUSE);
        }
    })
}
