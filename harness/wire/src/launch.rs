//! A launch: its shape, its resources, how it ended, and its counters.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::counters::Counters;
use crate::finding::SourcePlace;
use crate::version::required;

/// Why a kernel was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// An access outside every allocation.
    IllegalAddress,
    /// An address that is not a multiple of the access's size.
    MisalignedAddress,
    /// An address of the wrong space for the instruction.
    InvalidAddressSpace,
    /// An invalid instruction for these operands.
    IllegalInstruction,
    /// A jump or call to something that is not code.
    InvalidPc,
    /// A device-side assertion failed.
    Assert,
    /// `trap`.
    Trap,
    /// The instruction budget was exhausted.
    LaunchTimeout,
    /// Every thread waits for another.
    Deadlock,
    /// A thread's stack is full.
    HardwareStackError,
    /// The machine itself failed; the finding has the reason.
    LaunchFailed,
}

/// The resource that limits the blocks on an SM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limiter {
    /// The SM's resident threads (warps).
    Threads,
    /// The SM's resident blocks.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    #[serde(rename = "shared memory")]
    SharedMemory,
}

impl fmt::Display for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limiter::Threads => "threads",
            Limiter::Blocks => "blocks",
            Limiter::Registers => "registers",
            Limiter::SharedMemory => "shared memory",
        })
    }
}

/// The occupancy of an SM.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Occupancy {
    /// Resident blocks; 0 if not even one fits.
    pub blocks_per_sm: u32,
    /// Their warps.
    pub warps_per_sm: u32,
    /// Resident warps in per cent of the maximum of the SM.
    pub percent: f64,
    /// The resource that limits the occupancy.
    pub limiter: Limiter,
}

/// A completed launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// The kernel, mangled as in the PTX.
    pub kernel: String,
    /// The kernel as the source declares it.
    pub kernel_name: String,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Shared memory of a block that the kernel declares, in bytes.
    pub static_shared_bytes: u32,
    /// Shared memory of a block that the launch asks for, in bytes.
    pub dynamic_shared_bytes: u32,
    /// Local memory of a thread, in bytes.
    pub local_bytes: u32,
    /// Registers of a thread, as the machine estimates them from the PTX.
    pub registers_estimated: u32,
    /// The number of loops that wait for other threads. The counters of such a kernel depend on the order of its
    /// threads.
    pub waiting_loops: u32,
    /// The number of loops that try to take a lock: of these loops, and of those whose lock is in shared memory.
    pub locking_loops: u32,
    /// The number of these loops that retry with the value they have read (compare-and-swap) until no other thread
    /// interferes.
    pub retrying_loops: u32,
    /// The number of loops that fetch pieces of work by a counter until none is left; 0 if unknown.
    #[serde(default)]
    pub fetching_loops: u32,
    /// Where threads stored a value that another thread had stored there, without an order between the two: allowed,
    /// unless the race check is strict. Empty without the race check; omitted from the JSON if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same_values: Vec<SourcePlace>,
    /// Whether all blocks were resident together.
    pub cooperative: bool,
    /// The order of warps and blocks; 0 is the natural one.
    pub seed: u64,
    /// The number of the process's launch call that issued it, counted from 1; 0 if unknown. All kernels of a graph
    /// have the number of the graph's launch, and a kernel that is launched by another kernel has that kernel's number.
    #[serde(default)]
    pub issue: u64,
    /// The stream that it was issued to, as `cuStreamGetId` numbers it; 0 if unknown.
    #[serde(default)]
    pub stream: u64,
    /// The occupancy of an SM.
    pub occupancy: Occupancy,
    /// How long the emulation took, in milliseconds; it says nothing about a GPU's time.
    pub host_ms: f64,
    /// Why it was stopped, if it did not run to its end.
    #[serde(deserialize_with = "required")]
    pub fault: Option<Fault>,
    /// What was counted.
    pub counters: Counters,
}

impl Launch {
    /// A launch on the default stream that ran to its end, one block on each SM: what is not named here is zero.
    pub fn new(kernel: &str, grid: [u32; 3], block: [u32; 3], counters: Counters) -> Self {
        Self {
            kernel: kernel.into(),
            kernel_name: kernel.into(),
            grid,
            block,
            static_shared_bytes: 0,
            dynamic_shared_bytes: 0,
            local_bytes: 0,
            registers_estimated: 0,
            waiting_loops: 0,
            locking_loops: 0,
            retrying_loops: 0,
            fetching_loops: 0,
            same_values: Vec::new(),
            cooperative: false,
            seed: 0,
            issue: 1,
            stream: 1,
            occupancy: Occupancy { blocks_per_sm: 1, warps_per_sm: 1, percent: 1.0, limiter: Limiter::Blocks },
            host_ms: 0.0,
            fault: None,
            counters,
        }
    }

    /// The launch as JSON on one line, without a line break.
    pub fn to_json(&self) -> String {
        crate::json(self)
    }
}
