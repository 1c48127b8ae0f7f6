//! The modes, and what each must be able to do.
use cudarc::driver::{CudaFunction, CudaStream, LaunchConfig, PushKernelArg, sys::CUdeviceptr};
use harness::{Coverage, Result, Run};

use crate::{copied::Copied, managed::Managed, mapped::Mapped, overlapped::Overlapped};

/// A way of getting the vectors to the kernel and its sum back.
pub trait Transfer {
    /// Writes the inputs into the memory that the host sees.
    fn touch(&mut self, x: &[f32], y: &[f32]) -> Result<()>;
    /// Makes every old sum unusable, wherever it lies, so that a pass that writes none is found out.
    fn poison(&mut self) -> Result<()>;
    /// Makes what fresh memory of the device happens to hold unusable: it may be the sum of the mode before. The
    /// host's side stays untouched, because the first touch is measured.
    fn poison_device(&mut self) -> Result<()> {
        Ok(())
    }
    /// Queues the way to the device.
    fn to_device(&mut self) -> Result<()>;
    /// Queues the kernel.
    fn add(&mut self) -> Result<()>;
    /// Queues the way back.
    fn to_host(&mut self) -> Result<()>;
    /// The sum as the host sees it; all work must be done.
    fn sum(&mut self) -> Result<&[f32]>;
    /// All three as this mode does them when nobody measures between.
    fn pass(&mut self) -> Result<()> {
        self.to_device()?;
        self.add()?;
        self.to_host()
    }
    /// Whether the sum moves only when the host reads it, so that reading is part of a pass.
    fn moves_when_read(&self) -> bool {
        false
    }
}

/// A mode: its name among the variants, and how to allocate for it.
pub struct Mode {
    /// The variant's name.
    pub name: &'static str,
    needs: Needs,
    /// Whether a pass uses both directions of the link at once.
    pub both_ways: bool,
    /// Allocates for vectors of the length that `Add` was made for.
    pub allocate: for<'a> fn(&'a Add<'a>) -> Result<Box<dyn Transfer + 'a>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    Managed,
    Migration,
    Mapping,
}

/// All modes, in the order of the handout.
pub static MODES: &[Mode] = &[
    Mode {
        name: "pageable",
        needs: Needs::Nothing,
        both_ways: false,
        allocate: |a| Ok(Box::new(Copied::pageable(a)?)),
    },
    Mode {
        name: "pinned",
        needs: Needs::Nothing,
        both_ways: false,
        allocate: |a| Ok(Box::new(Copied::pinned(a)?)),
    },
    Mode {
        name: "pinned-async",
        needs: Needs::Nothing,
        both_ways: false,
        allocate: |a| Ok(Box::new(Copied::queued(a)?)),
    },
    Mode {
        name: "overlapped",
        needs: Needs::Nothing,
        both_ways: true,
        allocate: |a| Ok(Box::new(Overlapped::new(a)?)),
    },
    Mode {
        name: "write-combined",
        needs: Needs::Nothing,
        both_ways: false,
        allocate: |a| Ok(Box::new(Copied::write_combined(a)?)),
    },
    Mode {
        name: "unified",
        needs: Needs::Managed,
        both_ways: false,
        allocate: |a| Ok(Box::new(Managed::plain(a)?)),
    },
    Mode {
        name: "unified-prefetch",
        needs: Needs::Migration,
        both_ways: false,
        allocate: |a| Ok(Box::new(Managed::prefetched(a)?)),
    },
    Mode {
        name: "unified-advise",
        needs: Needs::Migration,
        both_ways: false,
        allocate: |a| Ok(Box::new(Managed::advised(a)?)),
    },
    Mode {
        name: "zero-copy",
        needs: Needs::Mapping,
        both_ways: true,
        allocate: |a| Ok(Box::new(Mapped::new(a)?)),
    },
];

impl Mode {
    /// Why this device cannot run the mode at length `n`; none when it can.
    pub fn lacking(&self, run: &Run, n: usize) -> Result<Option<String>> {
        let device = &run.session().device;
        let (free, _) = run.session().context.mem_get_info()?;
        let bytes = 3 * n * size_of::<f32>();
        let managed = matches!(self.needs, Needs::Managed | Needs::Migration);
        Ok(match self.needs {
            Needs::Managed | Needs::Migration if !device.managed_memory => Some("the device has no managed memory".into()),
            Needs::Migration if !device.concurrent_managed_access => {
                Some("pages do not move on demand here (no concurrent managed access), so there is nothing to prefetch or advise".into())
            }
            Needs::Mapping if !device.can_map_host_memory => Some("the device cannot map host memory".into()),
            // A machine whose managed memory is overcommitted pages itself to a standstill.
            _ if managed && bytes > free / 4 => {
                Some(format!("{bytes} bytes of managed memory are more than a quarter of the {free} free on the device"))
            }
            _ if bytes > free / 10 * 9 => Some(format!("three vectors are {bytes} bytes, the device has {free} free")),
            _ => None,
        })
    }
}

/// Threads of a block, unless asked for.
pub const THREADS: u32 = 256;

/// The kernel, ready to launch.
pub struct Add<'a> {
    /// The run, for its stream and device.
    pub run: &'a Run,
    /// Elements.
    pub n: usize,
    /// Blocks and threads.
    pub launch: LaunchConfig,
    kernel: CudaFunction,
    coverage: Coverage,
}

impl<'a> Add<'a> {
    /// For vectors of `n` elements, with the grid that the options ask for.
    pub fn new(run: &'a Run, n: usize) -> Result<Self> {
        let coverage = crate::coverage(run);
        let launch = run.launch_for(n, THREADS, coverage)?;
        let name = if coverage == Coverage::GridStride {
            "vecadd_stride"
        } else {
            "vecadd"
        };
        Ok(Self {
            run,
            n,
            launch,
            kernel: run.function("vecadd.cu", name)?,
            coverage,
        })
    }

    /// Queues the kernel on `stream` for `n` elements at three device addresses.
    ///
    /// # Safety
    /// Each address must be that of `n` floats that the device can reach until the kernel is done, the last
    /// one writable.
    pub unsafe fn launch(
        &self,
        stream: &CudaStream,
        [x, y, z]: [CUdeviceptr; 3],
        n: usize,
    ) -> Result<()> {
        let mut launch = self.launch;
        if self.coverage == Coverage::OnePerThread {
            launch.grid_dim.0 = launch
                .grid_dim
                .0
                .min(n.div_ceil(launch.block_dim.0 as usize) as u32);
        }
        let n = n as u64;
        // SAFETY: the kernel takes three pointers and a count; the caller vouches for the pointers.
        unsafe {
            stream
                .launch_builder(&self.kernel)
                .arg(&x)
                .arg(&y)
                .arg(&z)
                .arg(&n)
                .launch(launch)
        }?;
        Ok(())
    }

    /// How many threads of the grid have nothing to do, in words.
    pub fn idle(&self) -> String {
        let (blocks, threads) = (self.launch.grid_dim.0, self.launch.block_dim.0);
        let total = blocks as usize * threads as usize;
        let idle = total.saturating_sub(self.n);
        format!(
            "n = {}: {blocks} blocks of {threads} threads are {total} threads, {idle} of them idle",
            self.n
        )
    }
}
