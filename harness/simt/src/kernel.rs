//! The types that the whole machine shares: kernels, launches, settings, checks, faults and reports.

use crate::counters::Counters;
use crate::finding::{FailureOf, Finding, SourcePlace};
use recording::{Allocation, BlockRange, Encoded, SharedVariable};
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub use ptx::ast::ClusterNeeds;
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
    /// The text parses, but the module is invalid.
    #[error("{what} ({place})")]
    Invalid {
        /// The mistake.
        what: String,
        /// Function and lines.
        place: String,
    },
    /// The module's variables do not fit into the device's memory.
    #[error("the module's variables do not fit: {0}")]
    Memory(String),
}

impl LoadError {
    /// Returns whose failure it is. A module that the machine does not support may be a correct program or invalid on
    /// every device: it has not been judged.
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

/// The properties of a kernel that are known before it runs. `Code` is a pointer to its code, which the lowering
/// produces and the engine runs; this layer does not depend on it. Users of the machine have
/// [`crate::machine::Kernel`].
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
    /// Bytes of local memory per thread.
    pub local_bytes: u32,
    /// Bytes of constant memory that its module uses.
    pub const_bytes: u32,
    /// 32-bit registers per thread, estimated from the largest number of values alive at the same time. It is at most
    /// what `.maxnreg` or the launch bounds allow, or else the largest block.
    pub registers: u32,
    /// Whether `registers` are those that NVIDIA's assembler reports, instead of an estimate.
    pub has_assembled_registers: bool,
    /// The number of loops that end only when another thread has written something, or was not faster. Their trip
    /// counts depend on the order of the threads, and so do the counters.
    pub waiting_loops: u32,
    /// The number of loops that try to take a lock: of these loops, and of those whose lock is in shared memory.
    pub locking_loops: u32,
    /// The number of these loops that retry an update with the value they read until no other thread was faster.
    pub retrying_loops: u32,
    /// The number of loops that fetch pieces of work by a counter until none is left.
    pub fetching_loops: u32,
    /// The maximum number of threads per block (`__launch_bounds__`).
    pub max_threads: Option<u32>,
    /// The block size that the kernel requires.
    pub required_threads: Option<[u32; 3]>,
    /// The kernel's requirements for clusters.
    pub cluster: ClusterNeeds,
    /// The module's `.target`, as major * 10 + minor: 75.
    pub target: u32,
    /// The module's PTX version, as major * 10 + minor: 78.
    pub ptx_version: u32,
    /// Its code.
    pub(crate) code: Code,
}

/// The shape of a launch: its grid, its blocks, and the resources of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of each block.
    pub dynamic_shared: u32,
    /// Whether all blocks are resident together, so that they may wait for each other.
    pub cooperative: bool,
    /// Blocks of a cluster in x, y, z, if the launch has clusters. They divide the grid.
    pub cluster: Option<[u32; 3]>,
}

impl Geometry {
    /// Creates a grid of blocks without dynamic shared memory.
    pub fn new(grid: [u32; 3], block: [u32; 3]) -> Geometry {
        Geometry { grid, block, dynamic_shared: 0, cooperative: false, cluster: None }
    }

    /// Returns the number of blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&n| u64::from(n)).product()
    }

    /// Returns the number of threads of a block.
    pub fn threads(&self) -> u64 {
        self.block.iter().map(|&n| u64::from(n)).product()
    }
}

/// One launch of a kernel. The caller checks the limits of the device, because launch errors are the driver's task.
/// Users of the machine have [`crate::machine::Launch`].
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

/// The progress of a launch that still runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How long it has run.
    pub elapsed: Duration,
    /// Blocks known to have ended; a worker reports several together.
    pub ended: u64,
    /// Blocks that have begun or will begin next, including those that have ended.
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

/// The number of words that a runtime call passes.
pub const WORDS: usize = 12;

/// The requests that a running kernel may make to the launcher: CUDA's device runtime. PTX calls it as
/// `__simt_runtime(call, words)`: a number, and the address of [`WORDS`] words of 64 bits. Their meaning is a contract
/// between the caller and the runtime. The threads of a launch may call it concurrently.
pub trait Runtime: Sync {
    /// Returns the answer to a call.
    fn call(&self, caller: Caller, call: u32, words: &[u64; WORDS]) -> u64;
}

/// Hooks with which the launcher follows a running kernel.
#[derive(Clone, Copy)]
pub struct Watch<'w> {
    /// Stops the launch when set.
    pub cancel: &'w AtomicBool,
    /// The time after which `slow` is called, and the interval between further calls.
    pub patience: Duration,
    /// Called with the launch's progress, on one of the threads that run it.
    pub slow: &'w (dyn Fn(Progress) + Sync),
    /// Called with the location of a warp that `cancel` stopped, on each of the threads that run the launch.
    pub stopped: &'w (dyn Fn(&SourcePlace) + Sync),
    /// Answers the kernel's runtime calls; without it every answer is 0.
    pub runtime: Option<&'w dyn Runtime>,
    /// What to record of the launch, which then runs on one thread.
    pub record: Option<RecordRequest>,
}

/// The blocks of a launch to record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordRequest {
    /// The blocks.
    pub blocks: BlockRange,
    /// The bytes that the steps may take; further ones are not kept.
    pub limit: usize,
}

/// A register of the PTX, by its number in its function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedRegister {
    /// The function.
    pub function: String,
    /// Its number: see [`crate::machine::register_names`].
    pub number: u32,
    /// Its bytes; 0 for a predicate.
    pub bytes: u32,
}

/// What was recorded of a launch.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// The steps.
    pub steps: Encoded,
    /// The places of the instructions, by the numbers that the steps give them.
    pub instructions: Vec<SourcePlace>,
    /// The registers, by the numbers that the steps give them.
    pub registers: Vec<RecordedRegister>,
    /// The bytes of each block's shared memory.
    pub shared_bytes: u32,
    /// The named parts of shared memory.
    pub shared: Vec<SharedVariable>,
    /// The allocations that the recorded blocks accessed.
    pub allocations: Vec<Allocation>,
    /// The findings, by the numbers that the steps give them.
    pub findings: Vec<Finding>,
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("cancel", &self.cancel).field("patience", &self.patience).finish_non_exhaustive()
    }
}

/// The results of a launch.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The counters.
    pub counters: Counters,
    /// The findings, each mistake once.
    pub findings: Vec<Finding>,
    /// Where threads stored, without order, a value that another thread had stored there; in the order of the PTX.
    pub same_values: Vec<SourcePlace>,
    /// The fault that stopped the kernel, if it did not run to its end.
    pub fault: Option<Fault>,
    /// The output of failed assertions, which is kept separate from other output because it belongs on standard error.
    pub asserted: Vec<u8>,
    /// What was recorded, if that was requested.
    pub recorded: Option<Recorded>,
}
