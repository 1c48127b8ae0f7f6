//! Single memory words that a stream writes, or waits for.

use crate::abi::constants::wait_value_flags;
use crate::abi::error::{Error, Result};
use crate::abi::types::{Handle, MemOp};
use crate::state::device::driver::driver;
use crate::state::device::ending::has_abandoned;
use simt::memory::{MemoryKind, Reached};
use std::time::Duration;

/// The polling interval for a word.
const PAUSE: Duration = Duration::from_micros(20);

/// Returns the host address of a word in device memory; `None` if the memory does not, or no longer, exist.
fn reach(address: u64, size: u64) -> Option<Reached> {
    driver().ok()?.memory.reach(address, size).ok()
}

/// The comparison of a word with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// At least the value, in cyclic order.
    AtLeast,
    Equal,
    /// At least one bit of the value is set in the word.
    And,
    /// A bit is set neither in the word nor in the value.
    Nor,
}

impl Comparison {
    /// Returns the comparison selected by `CUstreamWaitValue_flags`.
    pub fn from_flags(flags: u32) -> Self {
        match flags & wait_value_flags::NOR {
            wait_value_flags::GEQ => Comparison::AtLeast,
            wait_value_flags::EQ => Comparison::Equal,
            wait_value_flags::AND => Comparison::And,
            _ => Comparison::Nor,
        }
    }
}

/// An operation of a stream on a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordOp {
    /// Waits until the word at an address, of `bits` bits, satisfies the comparison with a value, or is freed.
    Wait { address: u64, value: u64, comparison: Comparison, bits: u32 },
    /// Writes a value of `bits` bits.
    Write { address: u64, value: u64, bits: u32 },
    /// Makes earlier writes visible first. A stream's tasks run in order anyway.
    Barrier,
}

impl WordOp {
    /// Refuses words that are not aligned, do not exist, or are managed memory.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE`.
    pub fn check(&self) -> Result {
        let (address, size) = match *self {
            WordOp::Wait { address, bits, .. } | WordOp::Write { address, bits, .. } => (address, u64::from(bits / 8)),
            WordOp::Barrier => return Ok(()),
        };
        let found = driver()?.memory.find(address).ok_or(Error::INVALID_VALUE)?;
        if !address.is_multiple_of(size) || found.kind == MemoryKind::Managed {
            return Err(Error::INVALID_VALUE);
        }
        reach(address, size).map(drop).ok_or(Error::INVALID_VALUE)
    }

    /// Runs the operation. Does nothing if the word was freed since.
    pub fn run(&self) {
        match *self {
            WordOp::Wait { address, value, comparison, bits } => wait(address, value, comparison, bits),
            WordOp::Write { address, value, bits } => write(address, value, bits),
            WordOp::Barrier => {}
        }
    }
}

fn write(address: u64, value: u64, bits: u32) {
    let size = u64::from(bits / 8);
    let Some(host) = reach(address, size) else { return };
    // SAFETY: `host` is `size` bytes of a live allocation, aligned as the address is.
    unsafe {
        if bits == 32 {
            host.pointer.cast::<u32>().write_volatile(value as u32);
        } else {
            host.pointer.cast::<u64>().write_volatile(value);
        }
    }
    if let Ok(driver) = driver() {
        driver.memory.wrote(address, size);
    }
}

fn wait(address: u64, value: u64, comparison: Comparison, bits: u32) {
    while let Some(host) = reach(address, u64::from(bits / 8)) {
        // SAFETY: `host` is `bits` bits of a live allocation, aligned as the address is.
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
        if done || has_abandoned() {
            break;
        }
        std::thread::sleep(PAUSE);
    }
}

/// A sequence of operations on words, of a stream or a graph node.
pub struct Words {
    pub ops: Vec<WordOp>,
    /// The caller's description of the operations, and the context in it.
    pub described: Box<[MemOp]>,
    pub context: Handle,
}

impl Words {
    /// Checks all operations, as [`WordOp::check`].
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE`.
    pub fn check(&self) -> Result {
        self.ops.iter().try_for_each(WordOp::check)
    }
}
