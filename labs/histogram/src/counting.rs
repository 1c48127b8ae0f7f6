//! A method of counting: what its launch needs, and how it is queued on a stream.
use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DevicePtr, LaunchConfig, PushKernelArg};
use harness::{Result, Row};

use crate::Bins;

/// A method of counting. Its kernels in `histogram.cu` are its name with `_letters` and `_bytes`.
#[derive(Debug, Clone, Copy)]
pub struct Counting {
    /// Threads of a block, unless another number is asked for.
    pub threads: u32,
    /// The number of copies of the counts that a block keeps in shared memory, by its number of threads.
    pub copies: fn(u32) -> u32,
    /// Whether each copy has an eighth bin beside the 7 of letters, for bytes that are not letters.
    pub eighth_bin: bool,
    /// Whether blocks count in 32 bits; otherwise all counts have 64.
    pub in_32_bits: bool,
    /// The bins that it can count.
    pub bins: &'static [Bins],
}

impl Counting {
    /// Dynamic shared memory of a block, in bytes: its copies of the counts.
    pub fn shared_bytes(&self, bins: Bins, threads: u32) -> u32 {
        let rows = if self.eighth_bin && bins == Bins::Letters { 8 } else { bins.count() };
        (self.copies)(threads) * (rows * size_of::<u32>()) as u32
    }

    /// Checks that no count overflows when `n` bytes go over `blocks` blocks of `threads`. A block counts in 32 bits;
    /// the totals have 64. A block sees whole tiles of 64 bytes for each thread, and a stride over the rest.
    ///
    /// # Errors
    /// Returns a message with the number of blocks that would suffice.
    pub fn fits(&self, n: u64, blocks: u32, threads: u32) -> Result<(), String> {
        let tile = 64 * u64::from(threads);
        let rest = tile.div_ceil(blocks.into()) + u64::from(threads);
        let seen = n.div_ceil(u64::from(blocks) * tile).saturating_mul(tile).saturating_add(rest);
        if !self.in_32_bits || seen < 1 << 32 {
            return Ok(());
        }
        let enough = (n >> 31) + 1;
        Err(format!(
            "one of {blocks} blocks would see {seen} bytes, but counts them in 32 bits; use --blocks {enough} or more"
        ))
    }
}

/// The name of a method's kernel for these bins.
pub fn kernel(row: &Row<Counting>, bins: Bins) -> String {
    format!("{}_{}", row.name().replace('-', "_"), bins.name())
}

/// Queues a method of counting on the stream. The counts, one for each bin, are set to 0 and then to those of the first
/// `n` bytes of `text`, which begins on a 16-byte boundary and holds at least `n` bytes.
///
/// # Errors
/// The driver's.
pub fn launch_on(
    stream: &Arc<CudaStream>,
    kernel: &CudaFunction,
    config: LaunchConfig,
    text: &impl DevicePtr<u8>,
    n: usize,
    counts: &mut CudaSlice<u64>,
) -> Result<()> {
    stream.memset_zeros(counts)?;
    let ((text, _in_use), n) = (text.device_ptr(stream), n as u64);
    // SAFETY: arguments as the kernels declare them; the buffers are as long as said above.
    unsafe { stream.launch_builder(kernel).arg(&text).arg(counts).arg(&n).launch(config) }?;
    Ok(())
}
