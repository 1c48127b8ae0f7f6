//! A method of counting: the requirements of its launch, and its queueing on a stream.
use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DevicePtr, LaunchConfig, PushKernelArg};
use harness::{Kernels, Result, Row, launch_1d, poison};

use crate::Bins;

/// A method of counting. Its kernels in `histogram.cu` are its name with `_letters` and `_bytes`.
#[derive(Debug, Clone, Copy)]
pub struct Counting {
    /// The default number of threads of a block.
    pub threads: u32,
    /// The number of copies of the counts that a block keeps in shared memory, by its number of threads.
    pub copies: fn(u32) -> u32,
    /// Whether each copy has an eighth bin besides the 7 of letters, for bytes that are not letters.
    pub eighth_bin: bool,
    /// Whether blocks count in 32 bits; otherwise all counts have 64.
    pub in_32_bits: bool,
    /// Whether blocks store their counts, which a second launch adds up; otherwise they add them to the result.
    pub second_launch: bool,
    /// The kinds of bins that it can count.
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

/// One method for one kind of bins and one launch, with its kernels loaded.
#[derive(Debug)]
pub struct Counter {
    stream: Arc<CudaStream>,
    kernel: CudaFunction,
    config: LaunchConfig,
    bins: Bins,
    /// The second launch, if there is one: its kernel, and the counts of each block.
    join: Option<(CudaFunction, CudaSlice<u32>)>,
}

impl Counter {
    /// Loads the kernels of `row`, and allocates what they need in addition to the text and the counts.
    ///
    /// # Errors
    /// Those of [`Kernels::function_with_shared`], and the driver's.
    pub fn new(kernels: &Kernels, row: &Row<Counting>, bins: Bins, config: LaunchConfig) -> Result<Self> {
        let stream = kernels.session().stream.clone();
        let kernel = kernels.function_with_shared("histogram.cu", &kernel(row, bins), config.shared_mem_bytes)?;
        let join = if row.second_launch {
            // SAFETY: poisoned before the kernels read it.
            let mut partial = unsafe { stream.alloc(bins.count() * config.grid_dim.0 as usize) }?;
            poison(&stream, &mut partial)?;
            Some((kernels.function("histogram.cu", "join")?, partial))
        } else {
            None
        };
        Ok(Self { stream, kernel, config, bins, join })
    }

    /// Queues the counting on the stream. The counts, one for each bin, are set to those of the first `n` bytes of
    /// `text`, which begins on a 16-byte boundary and holds at least `n` bytes.
    ///
    /// # Errors
    /// The driver's.
    pub fn launch(&mut self, text: &impl DevicePtr<u8>, n: usize, counts: &mut CudaSlice<u64>) -> Result<()> {
        let stream = self.stream.clone();
        let ((text, _in_use), n) = (text.device_ptr(&stream), n as u64);
        let mut first = stream.launch_builder(&self.kernel);
        first.arg(&text);
        let Some((join, partial)) = &mut self.join else {
            stream.memset_zeros(counts)?;
            // SAFETY: arguments as the kernels declare them; the buffers are as long as said above.
            unsafe { first.arg(counts).arg(&n).launch(self.config) }?;
            return Ok(());
        };
        // SAFETY: as above; `partial` has a word for each bin of each block.
        unsafe { first.arg(&mut *partial).arg(&n).launch(self.config) }?;
        let mut second = stream.launch_builder(join);
        let one_warp_a_bin = launch_1d(self.bins.count() as u32, 32);
        // SAFETY: as above.
        unsafe { second.arg(&*partial).arg(counts).arg(&self.config.grid_dim.0).launch(one_warp_a_bin) }?;
        Ok(())
    }
}
