//! The types that the whole machine shares: kernels, launches, settings, checks, faults and reports.

use crate::counters::Counters;
use crate::finding::{FailureOf, Finding, Place};
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub use crate::ptx::ast::ClusterNeeds;
pub use wire::{Checks, Fault, Settings};

/// Why a module could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The text is not valid PTX.
    #[error("{0}")]
    Syntax(String),
    /// Something in it is not supported by this machine.
    #[error("{what} ({place}) is not supported by the emulated device")]
    Unsupported {
        /// The instruction or feature.
        what: String,
        /// Function and lines.
        place: String,
    },
    /// It is PTX, but it is wrong.
    #[error("{what} ({place})")]
    Invalid {
        /// What is wrong.
        what: String,
        /// Function and lines.
        place: String,
    },
    /// Its variables do not fit into the device's memory.
    #[error("the module's variables do not fit: {0}")]
    Memory(String),
}

impl LoadError {
    /// Whose failure it is. What the machine does not support may be a right program, or text that no device knows: it
    /// has not been judged.
    pub const fn verdict(&self) -> FailureOf {
        match self {
            LoadError::Unsupported { .. } => FailureOf::Machine,
            LoadError::Syntax(_) | LoadError::Invalid { .. } | LoadError::Memory(_) => FailureOf::Program,
        }
    }
}

/// One parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Offset in the parameter block, in bytes.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// Alignment in bytes.
    pub align: u32,
}

/// What is known of a kernel before it runs. `Code` is a pointer to its code, which the lowering makes and the engine
/// runs; this layer knows nothing about it. Users of the machine have [`crate::machine::Kernel`].
#[derive(Clone, Debug)]
pub struct Kernel<Code> {
    /// Name as in the PTX (mangled).
    pub name: String,
    /// Its parameters, in order.
    pub params: Vec<Param>,
    /// Bytes of the parameter block.
    pub param_bytes: u32,
    /// Bytes of statically allocated shared memory.
    pub static_shared: u32,
    /// Bytes of local memory a thread.
    pub local_bytes: u32,
    /// Bytes of constant memory that its module uses.
    pub const_bytes: u32,
    /// 32-bit registers a thread, estimated from the largest number of values alive at once; at most what `.maxnreg` or
    /// the launch bounds allow, or the largest block if there are none.
    pub registers: u32,
    /// Loops that end only when another thread has written something, or has not been faster. How often they go round
    /// depends on the order of the threads, and with it what is counted.
    pub waiting_loops: u32,
    /// How many of them try to take a lock.
    pub locking_loops: u32,
    /// How many of them try again with what they have read until no other thread was faster.
    pub retrying_loops: u32,
    /// Threads a block may have (`__launch_bounds__`).
    pub max_threads: Option<u32>,
    /// Block size that the kernel requires.
    pub required_threads: Option<[u32; 3]>,
    /// What it says of clusters.
    pub cluster: ClusterNeeds,
    /// `.target` of the module, as major * 10 + minor: 75.
    pub target: u32,
    /// PTX version of the module, as major * 10 + minor: 78.
    pub ptx_version: u32,
    /// Its code.
    pub(crate) code: Code,
}

/// The shape of a launch: its grid, its blocks, and what a block gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of each block.
    pub dynamic_shared: u32,
    /// Whether all blocks are resident at once, so that they may wait for each other.
    pub cooperative: bool,
    /// Blocks of a cluster in x, y, z, if the launch has clusters. They divide the grid.
    pub cluster: Option<[u32; 3]>,
}

impl Geometry {
    /// A grid of blocks, without dynamic shared memory.
    pub fn new(grid: [u32; 3], block: [u32; 3]) -> Geometry {
        Geometry { grid, block, dynamic_shared: 0, cooperative: false, cluster: None }
    }

    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&n| u64::from(n)).product()
    }

    /// Threads of a block.
    pub fn threads(&self) -> u64 {
        self.block.iter().map(|&n| u64::from(n)).product()
    }
}

/// One launch of a kernel. The caller checks the limits of the device, as launch errors are the driver's task. Users of
/// the machine have [`crate::machine::Launch`].
#[derive(Debug)]
pub struct Launch<'a, Code> {
    /// The kernel.
    pub kernel: &'a Kernel<Code>,
    /// Its grid and blocks.
    pub geometry: Geometry,
    /// The parameter block, `Kernel::param_bytes` long.
    pub params: &'a [u8],
}

impl<Code> Clone for Launch<'_, Code> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Code> Copy for Launch<'_, Code> {}

/// How far a launch is that still runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How long it has run.
    pub elapsed: Duration,
    /// Blocks that have ended, as far as is known: a worker counts several at once.
    pub ended: u64,
    /// Blocks that have begun or will begin next, ended ones included.
    pub begun: u64,
    /// Blocks of the grid.
    pub blocks: u64,
}

/// A thread that calls the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Caller {
    /// The number of its block in the grid.
    pub block: u64,
    /// Its number in the block.
    pub thread: u32,
}

/// How many words a call of the runtime passes.
pub const WORDS: usize = 12;

/// What kernels may ask while they run of whoever launched them: CUDA's runtime on the device. PTX calls it as
/// `__simt_runtime(call, words)`: a number, and the address of [`WORDS`] words of 64 bits. What they mean is agreed
/// between the caller and the runtime. The threads of a launch may call it at the same time.
pub trait Runtime: Sync {
    /// The answer to a call.
    fn call(&self, caller: Caller, call: u32, words: &[u64; WORDS]) -> u64;
}

/// How whoever launches a kernel follows it while it runs.
#[derive(Clone, Copy)]
pub struct Watch<'w> {
    /// Set, it stops the launch.
    pub cancel: &'w AtomicBool,
    /// After how long `slow` is told, and how long after that again.
    pub patience: Duration,
    /// Is told how far the launch is, on one of the threads that run it.
    pub slow: &'w (dyn Fn(Progress) + Sync),
    /// Is told where a warp was when `cancel` stopped it, on each of the threads that run the launch.
    pub stopped: &'w (dyn Fn(&Place) + Sync),
    /// Answers what the kernel asks; without it every answer is 0.
    pub runtime: Option<&'w dyn Runtime>,
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("cancel", &self.cancel).field("patience", &self.patience).finish_non_exhaustive()
    }
}

/// What a launch left behind.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What was counted.
    pub counters: Counters,
    /// What was found, each mistake once.
    pub findings: Vec<Finding>,
    /// What stopped the kernel, if it did not run to its end.
    pub fault: Option<Fault>,
    /// What failed assertions wrote, which is not printed with the rest: it belongs to standard error.
    pub asserted: Vec<u8>,
}
