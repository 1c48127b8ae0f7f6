//! Launch rules: the number of blocks and threads of a kernel for n elements.
use cudarc::driver::{CudaFunction, LaunchConfig};
use record::DeviceInfo;

use crate::{
    device::{choice::check_launch, launch::launch_1d},
    error::{Error, Result},
    options::common::Options,
};

/// How the grid is chosen, unless `--blocks` gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grid {
    /// Enough blocks to cover n; fewer are rejected.
    Covering,
    /// Enough blocks to cover n; with fewer the threads stride over the grid.
    Striding,
    /// One block, which loops over n.
    OneBlock,
    /// The blocks that are resident on the device together, or fewer if that gives every thread this many elements.
    OneWave(usize),
}

/// Dynamic shared memory of a block.
#[derive(Debug, Clone, Copy)]
enum Shared {
    Bytes(u32),
    ByThreads(fn(u32) -> u32),
}

/// How a kernel is launched: a row's rule, which yields a launch once n, the options and the device are known.
///
/// `--threads` and `--blocks` take precedence over the rule. A launch that the device does not support is rejected, and
/// the error names the limit.
#[derive(Debug, Clone, Copy)]
pub struct Launch {
    grid: Grid,
    threads: u32,
    each: usize,
    whole_warps: bool,
    shared: Shared,
    fixed: Option<LaunchConfig>,
    is_resident: bool,
}

impl Launch {
    const fn new(grid: Grid, threads: u32) -> Self {
        Self { grid, threads, each: 1, whole_warps: false, shared: Shared::Bytes(0), fixed: None, is_resident: false }
    }

    /// One element a thread, in blocks of `threads`: a grid that is too small for n is rejected.
    pub const fn covering(threads: u32) -> Self {
        Self::new(Grid::Covering, threads)
    }

    /// One element a thread, but the kernel strides over the grid: any grid will do.
    pub const fn striding(threads: u32) -> Self {
        Self::new(Grid::Striding, threads)
    }

    /// One block of `threads`, for any n.
    pub const fn one_block(threads: u32) -> Self {
        Self::new(Grid::OneBlock, threads)
    }

    /// The blocks that are resident on the device together; the kernel strides over the grid.
    pub const fn one_wave(threads: u32) -> Self {
        Self::new(Grid::OneWave(1), threads)
    }

    /// The blocks of `grid`, or fewer if they are not all resident on the device together: for a kernel whose blocks
    /// wait for each other. The x dimension is limited first, then y; z stays.
    pub fn resident(grid: LaunchConfig) -> Self {
        Self { is_resident: true, ..Self::from(grid) }
    }

    /// Sets the `elements` of a thread, if the grid covers n.
    #[must_use]
    pub const fn each(mut self, elements: usize) -> Self {
        self.each = elements;
        self
    }

    /// Uses fewer blocks than a wave if a thread would otherwise have fewer elements than this.
    #[must_use]
    pub const fn at_least(mut self, elements: usize) -> Self {
        if let Grid::OneWave(_) = self.grid {
            self.grid = Grid::OneWave(elements);
        }
        self
    }

    /// Uses only whole warps: `--threads` is rounded up.
    #[must_use]
    pub const fn whole_warps(mut self) -> Self {
        self.whole_warps = true;
        self
    }

    /// Sets the dynamic shared memory of a block, in bytes.
    #[must_use]
    pub const fn shared(mut self, bytes: u32) -> Self {
        self.shared = Shared::Bytes(bytes);
        self
    }

    /// Sets the dynamic shared memory of a block in bytes, as a function of its threads.
    #[must_use]
    pub const fn shared_by_threads(mut self, bytes: fn(u32) -> u32) -> Self {
        self.shared = Shared::ByThreads(bytes);
        self
    }

    /// Returns the threads of a block: `--threads`, or the rule's own, but never more than the device allows by
    /// default.
    pub fn threads(&self, options: &Options, device: &DeviceInfo) -> u32 {
        let threads = options.threads.unwrap_or(self.threads.min(device.max_threads_per_block));
        if self.whole_warps { threads.next_multiple_of(device.warp_size) } else { threads }
    }

    /// Returns the launch for `n` elements. For a grid of one wave, queries the occupancy of `kernel`.
    ///
    /// # Errors
    /// [`Error::Usage`] when `--blocks` and `--threads` are too few for n and the kernel does not stride, or when the
    /// number of blocks exceeds every grid; [`Error::Limit`] when the device cannot launch it; those of `kernel` and of
    /// the driver.
    pub fn resolve(
        &self,
        n: usize,
        options: &Options,
        device: &DeviceInfo,
        kernel: impl FnOnce() -> Result<CudaFunction>,
    ) -> Result<LaunchConfig> {
        if let Some(mut fixed) = self.fixed {
            check_launch(device, fixed)?;
            if self.is_resident {
                let ((x, y, z), shared) = (fixed.block_dim, fixed.shared_mem_bytes as usize);
                let each = kernel()?.occupancy_max_active_blocks_per_multiprocessor(x * y * z, shared, None)?;
                let most = (each * device.multiprocessors).max(1);
                fixed.grid_dim.0 = fixed.grid_dim.0.min(most);
                fixed.grid_dim.1 = fixed.grid_dim.1.min((most / fixed.grid_dim.0).max(1));
            }
            return Ok(fixed);
        }
        let threads = self.threads(options, device);
        let mut launch = launch_1d(1, threads);
        launch.shared_mem_bytes = match self.shared {
            Shared::Bytes(bytes) => bytes,
            Shared::ByThreads(bytes) => bytes(threads),
        };
        check_launch(device, launch)?;
        let needed = n.div_ceil(self.each).div_ceil(threads as usize);
        launch.grid_dim.0 = match (options.blocks, self.grid) {
            (_, Grid::OneBlock) => 1,
            (Some(blocks), _) => blocks,
            (None, Grid::OneWave(elements)) => {
                let shared = launch.shared_mem_bytes as usize;
                let resident = kernel()?.occupancy_max_active_blocks_per_multiprocessor(threads, shared, None)?;
                let most = n.div_ceil(elements * threads as usize).max(1);
                (device.multiprocessors * resident.max(1)).min(u32::try_from(most).unwrap_or(u32::MAX))
            }
            (None, Grid::Covering | Grid::Striding) => u32::try_from(needed).map_err(|_| {
                Error::usage(format!(
                    "{n} elements need {needed} blocks of {threads} threads, more than any grid has; \
                     choose a smaller --n or larger --threads"
                ))
            })?,
        };
        check_launch(device, launch)?;
        let blocks = launch.grid_dim.0;
        if self.grid == Grid::Covering && (blocks as usize) < needed {
            let each = if self.each == 1 { "one a thread".into() } else { format!("{} a thread", self.each) };
            return Err(Error::usage(format!(
                "{blocks} blocks of {threads} threads are {} threads, too few for {n} elements at {each}; \
                 use --blocks {needed} or more, or a smaller --n",
                u64::from(blocks) * u64::from(threads)
            )));
        }
        Ok(launch)
    }
}

impl From<LaunchConfig> for Launch {
    /// Exactly this launch, for any n and options.
    fn from(fixed: LaunchConfig) -> Self {
        Self { fixed: Some(fixed), ..Self::covering(1) }
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};

    use super::*;
    use crate::device::choice::tests::device;

    /// Returns the launch of `rule` for n elements with these options; no grid depends on the kernel.
    fn launch(rule: Launch, n: usize, options: &[&str]) -> Result<LaunchConfig> {
        let command = Options::augment_args(Command::new("lab").no_binary_name(true));
        let options = Options::from_arg_matches(&command.get_matches_from(options)).unwrap();
        rule.resolve(n, &options, &device(), || unreachable!("only a grid of one wave asks for the kernel"))
    }

    fn grid_and_block(rule: Launch, n: usize, options: &[&str]) -> (u32, u32) {
        let launch = launch(rule, n, options).unwrap();
        (launch.grid_dim.0, launch.block_dim.0)
    }

    #[test]
    fn a_grid_covers_its_elements() {
        let rule = Launch::covering(256);
        assert_eq!(grid_and_block(rule, 1000, &[]), (4, 256));
        assert_eq!(grid_and_block(rule, 1025, &[]), (5, 256));
        assert_eq!(grid_and_block(Launch::covering(1024).each(2), 1 << 30, &[]), (1 << 19, 1024));
        assert_eq!(grid_and_block(Launch::one_block(256), 1 << 30, &["--blocks", "7"]), (1, 256));
    }

    #[test]
    fn options_come_before_the_rule_and_the_device_before_both() {
        assert_eq!(grid_and_block(Launch::covering(2048), 4096, &[]), (4, 1024));
        assert_eq!(grid_and_block(Launch::covering(256), 1000, &["--threads", "100"]), (10, 100));
        assert_eq!(grid_and_block(Launch::covering(256).whole_warps(), 1000, &["--threads", "100"]), (8, 128));
        assert_eq!(grid_and_block(Launch::striding(256), 1000, &["--blocks", "2"]), (2, 256));
        let shared = Launch::covering(256).shared_by_threads(|threads| 4 * threads);
        assert_eq!(launch(shared, 1000, &["--threads", "64"]).unwrap().shared_mem_bytes, 256);
        assert!(matches!(launch(Launch::covering(256), 1000, &["--threads", "2048"]), Err(Error::Limit { .. })));
    }

    #[test]
    fn what_no_grid_covers_is_refused_with_what_to_do() {
        for (rule, n, options, words) in [
            (Launch::covering(32).each(2), usize::MAX, &[][..], "more than any grid has; choose a smaller --n"),
            (
                Launch::covering(256),
                1000,
                &["--blocks", "3"],
                "too few for 1000 elements at one a thread; use --blocks 4",
            ),
            (Launch::covering(256).each(2), 1025, &["--blocks", "2"], "at 2 a thread; use --blocks 3 or more"),
        ] {
            match launch(rule, n, options) {
                Err(Error::Usage(said)) => assert!(said.contains(words), "{said}"),
                other => panic!("{other:?}"),
            }
        }
    }
}
