//! The kinds of findings: what went wrong.

use super::judge::{Judged, harness, machine, program};
use crate::checks::Check;
use serde::{Deserialize, Serialize};

/// The memory that an address lies in: a state space of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// A generic address: the instruction names no space.
    Generic,
    /// `.global`
    Global,
    /// `.shared` (also `.shared::cta`)
    Shared,
    /// `.local`
    Local,
    /// `.const`
    Const,
    /// `.param`
    Param,
}

/// Whose failure this is. The three are never mixed in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailureOf {
    /// The program is wrong: the kernel, or the host code that launched it.
    Program,
    /// The program may be right: this machine does not model a feature that it uses.
    Machine,
    /// The program was not judged: the machine or its host failed.
    Harness,
}

/// Which part of the program has to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Blame {
    /// Device code.
    Kernel,
    /// Host code: its launch, its allocations, its arguments.
    Host,
    /// Nothing in the program.
    Nobody,
}

/// How far apart the threads of a race are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// One thread, and an asynchronous copy that it has not waited for.
    Thread,
    /// Lanes of one warp: `__syncwarp` is missing.
    Warp,
    /// Warps of one block: `__syncthreads` is missing.
    Block,
    /// Blocks of one launch: an atomic, a fence with a flag, or a second launch is missing.
    Grid,
}

/// What was passed for an argument of `printf` whose conversion expects another type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Passed {
    /// No argument.
    Nothing,
    /// Four bytes: an `int`, a `char`, an `unsigned`.
    Int,
    /// Eight bytes that do not look like a double: a `long long`, a pointer.
    Long,
    /// A double; every `float` argument becomes one.
    Double,
}

/// What is wrong with the use of an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MbarrierMisuse {
    /// It was never initialised, or was invalidated or overwritten by other data.
    NotInitialised,
    /// Its arrival count is 0 or above 2^20 - 1.
    Count,
    /// More arrivals than its phase waits for.
    Arrivals,
    /// More bytes expected, or completed, than its transaction count can hold.
    Bytes,
}

/// What is wrong with the use of a tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TensorMapMisuse {
    /// Its address is not a multiple of 64.
    Misaligned,
    /// It lies in shared or local memory.
    Space,
    /// The 128 bytes there were not encoded by the driver.
    NotAMap,
    /// Its number of dimensions differs from the instruction's.
    Rank {
        /// Dimensions of the map.
        map: u32,
        /// Dimensions that the instruction names.
        asked: u32,
    },
    /// It was encoded for tiles and is used in `im2col` mode, or the other way round.
    Mode,
    /// The reduction is not available for the type of its elements.
    Operation,
    /// The innermost coordinate of a copy is not a multiple of 16 bytes.
    Coordinate {
        /// The coordinate, in elements.
        at: i32,
        /// Bytes of an element.
        bytes: u32,
    },
    /// A store or a reduction begins before the tensor, or its pixels may.
    Before {
        /// The coordinate, or that of the lower corner, in elements.
        at: i32,
    },
    /// The first pixel of a copy lies outside the corners of the map.
    Corners {
        /// The coordinate, in pixels.
        at: i32,
        /// The first pixel between the corners in that dimension.
        first: i64,
        /// The last one.
        last: i64,
    },
    /// A field is replaced by an invalid value.
    Field,
}

/// What is wrong with the use of a warpgroup (`wgmma`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarpgroupMisuse {
    /// The block has fewer than the four warps of a warpgroup.
    Incomplete,
    /// Its warps execute different products.
    Apart,
    /// One of its warps has exited without executing a product that the others execute.
    Exited,
    /// There is no `wgmma.fence` before the first product.
    Unfenced,
    /// A register of a pending product is used.
    Pending,
    /// Shared memory was written without a `fence.proxy.async` before a product reads it.
    OtherProxy,
}

/// The kind of a launch limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// A dimension of the grid, or the grid, is zero.
    EmptyGrid,
    /// A dimension of the block, or the block, is zero.
    EmptyBlock,
    /// A dimension of the grid.
    Grid,
    /// A dimension of the block.
    Block,
    /// Threads in a block.
    ThreadsPerBlock,
    /// Threads in a block under the kernel's `__launch_bounds__`.
    LaunchBounds,
    /// The exact block size that the kernel requires.
    RequiredBlock,
    /// Registers of a block.
    Registers,
    /// Shared memory of a block, static and dynamic, in bytes.
    SharedMemory,
    /// Local memory of a thread, in bytes: its arrays and what its calls keep.
    LocalMemory,
    /// Blocks of a cooperative launch that are resident together.
    Cooperative,
    /// Blocks of a cluster.
    Cluster,
    /// Bytes of parameters.
    Parameters,
    /// Bytes of arguments that the launch passes.
    Arguments,
    /// An existing stream.
    Stream,
    /// Code of the kernel that the device can run.
    Image,
}

impl Limit {
    /// Which part of the program has to change: the kernel, if it sets the limit itself, else the launch.
    const fn blame(self) -> Blame {
        match self {
            Self::LaunchBounds | Self::RequiredBlock | Self::LocalMemory => Blame::Kernel,
            Self::EmptyGrid
            | Self::EmptyBlock
            | Self::Grid
            | Self::Block
            | Self::ThreadsPerBlock
            | Self::Registers
            | Self::SharedMemory
            | Self::Cooperative
            | Self::Cluster
            | Self::Parameters
            | Self::Arguments
            | Self::Stream
            | Self::Image => Blame::Host,
        }
    }
}

/// Declares the kinds, one row each, with their fields and attributes.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident $({ $($(#[$about:meta])* $field:ident: $type:ty,)* })? => $judged:expr;)*) => {
        /// The kind of mistake (or limit). Sizes are in bytes.
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
        pub enum FindingKind {
            $($(#[$doc])* $name $({ $($(#[$about])* $field: $type,)* })?,)*
        }

        impl FindingKind {
            #[allow(unused_variables, reason = "a row may look at its fields")]
            #[allow(clippy::match_same_arms, reason = "a table, a row for each kind")]
            pub(super) const fn judged(&self) -> Judged {
                use Blame::{Host, Kernel};
                use Check::{Initcheck, Launch, Leakcheck, Memcheck, Racecheck, Synccheck};
                match self {
                    $(Self::$name $({ $($field,)* })? => $judged,)*
                }
            }
        }
    };
}

kinds! {
    /// An access outside every allocation (or variable) of its space.
    OutOfBounds {
        /// The space of the address; generic addresses are resolved first.
        space: Space,
    } => program(Kernel, Memcheck, Some(*space));
    /// An access that leaves the variable that its pointer was derived from and hits a neighbour.
    OverrunsNeighbour {
        /// The space of the address.
        space: Space,
    } => program(Kernel, Memcheck, Some(*space));
    /// A write to constant memory, to parameters, or to memory mapped read-only.
    ReadOnly {
        /// The space of the address.
        space: Space,
    } => program(Kernel, Memcheck, Some(*space));
    /// An address that is not a multiple of the access's size.
    Misaligned {
        /// The space of the address.
        space: Space,
        /// The alignment that the access needs.
        required: u32,
    } => program(Kernel, Memcheck, Some(*space));
    /// An access to global memory that was freed.
    UseAfterFree => program(Host, Memcheck, Some(Space::Global));
    /// A use of stream-ordered memory (`cudaMallocAsync`) in another stream, where nothing orders it behind its
    /// allocation.
    UseBeforeAllocation => program(Host, Memcheck, Some(Space::Global));
    /// An access to a pointer of the host that the device cannot reach.
    HostPointer => program(Host, Memcheck, Some(Space::Global));
    /// An access at or just above address 0.
    NullPointer => program(Host, Memcheck, Some(Space::Global));
    /// A read of memory that was never written.
    Uninitialized {
        /// The space of the address.
        space: Space,
    } => program(Kernel, Initcheck, Some(*space));
    /// Two unordered accesses to the same memory, at least one of them a write and at least one not atomic.
    Race {
        /// Shared or global memory.
        space: Space,
        /// How far apart the two threads are.
        scope: Scope,
    } => program(Kernel, Racecheck, Some(*space));
    /// A barrier reached by a warp while some of its lanes are elsewhere.
    DivergentBarrier {
        /// Number of the barrier, 0 for `__syncthreads`.
        barrier: u32,
    } => program(Kernel, Synccheck, None);
    /// Threads of a block wait at different barriers, or with different counts, so that no barrier can open.
    MismatchedBarrier {
        /// Number of the barrier at which the first access waits.
        barrier: u32,
    } => program(Kernel, Synccheck, None);
    /// A barrier at which threads wait for others that have returned.
    BarrierExited {
        /// Number of the barrier.
        barrier: u32,
        /// Threads waiting.
        waiting: u32,
        /// Threads that returned.
        exited: u32,
    } => program(Kernel, Synccheck, None);
    /// A barrier whose thread count is not a multiple of the warp size or exceeds the block, or whose number is above
    /// 15.
    InvalidBarrier {
        /// Number of the barrier.
        barrier: u32,
    } => program(Kernel, Synccheck, None);
    /// A misused mbarrier.
    InvalidMbarrier {
        /// What is wrong.
        misuse: MbarrierMisuse,
    } => program(Kernel, Synccheck, None);
    /// A misused tensor map.
    InvalidTensorMap {
        /// What is wrong.
        misuse: TensorMapMisuse,
    } => program(Kernel, Memcheck, None);
    /// A misused warpgroup matrix product.
    InvalidWarpgroup {
        /// What is wrong.
        misuse: WarpgroupMisuse,
    } => program(Kernel, Synccheck, None);
    /// An access to the shared memory of a cluster's block that has returned.
    BlockLeft {
        /// The block's rank in the cluster.
        rank: u32,
    } => program(Kernel, Memcheck, Some(Space::Shared));
    /// A shuffle that reads an inactive lane: the value is undefined.
    InactiveLane {
        /// The lane that the shuffle reads.
        lane: u32,
    } => program(Kernel, Synccheck, None);
    /// A warp-wide operation executed by a lane that is not in its own mask.
    UndeclaredLane {
        /// The mask given.
        mask: u32,
        /// The lane that executes.
        lane: u32,
    } => program(Kernel, Synccheck, None);
    /// A warp-wide operation whose mask names lanes that never arrive.
    MissingLanes {
        /// The mask given.
        mask: u32,
        /// The lanes that wait.
        arrived: u32,
        /// The lanes among the missing ones that have returned from the kernel.
        exited: u32,
    } => program(Kernel, Synccheck, None);
    /// A warp-wide instruction (`mma`, `wmma`, `ldmatrix`) that only a part of the warp executes: its result is
    /// undefined.
    PartialWarp {
        /// The lanes that execute it.
        arrived: u32,
        /// The lanes among the missing ones that have returned from the kernel.
        exited: u32,
    } => program(Kernel, Synccheck, None);
    /// All remaining threads wait for each other.
    Deadlock => program(Kernel, Synccheck, None);
    /// The instruction budget ran out: an infinite loop, or a budget that is too small.
    EndlessLoop {
        /// Warp instructions that the launch was allowed.
        budget: u64,
    } => program(Kernel, Launch, None);
    /// Device memory that was never freed.
    Leak {
        /// Allocations.
        allocations: u64,
        /// Bytes in all.
        bytes: u64,
    } => program(Host, Leakcheck, None);
    /// A free of memory that was freed before.
    DoubleFree => program(Host, Memcheck, None);
    /// A free of an address at which no allocation begins.
    InvalidFree => program(Host, Memcheck, None);
    /// A launch that the device rejects.
    LaunchLimit {
        /// The limit that is exceeded.
        limit: Limit,
        /// The value that the launch requests.
        asked: u64,
        /// The value that the device, or the kernel, allows.
        allowed: u64,
    } => program(limit.blame(), Launch, None);
    /// A host copy or fill of device memory that leaves its allocation.
    HostCopy {
        /// Bytes of the copy or fill.
        bytes: u64,
    } => program(Host, Memcheck, Some(Space::Global));
    /// An integer division by zero: a device continues, and the result is undefined (all ones on current GPUs).
    DivisionByZero {
        /// Whether the operation is a remainder.
        remainder: bool,
    } => program(Kernel, Initcheck, None);
    /// `assert` failed in device code.
    Assert {
        /// The expression as written.
        expression: String,
    } => program(Kernel, Launch, None);
    /// A `printf` whose arguments do not match its format: a device's output is then undefined.
    PrintArgument {
        /// The first argument that does not fit; 1 is the one after the format.
        argument: u32,
        /// The conversion that consumes it: `%d`, `%8.3f`, or the `*` of a width.
        conversion: String,
        /// What was passed.
        passed: Passed,
    } => program(Kernel, Memcheck, None);
    /// A `printf` whose format has a conversion of C that devices do not support: their output for it is undefined.
    PrintConversion {
        /// The conversion: `%zu`, `%.*f`.
        conversion: String,
    } => program(Kernel, Memcheck, None);
    /// `__trap()`, or a trap that the compiler inserted in unreachable code.
    Trap => program(Kernel, Launch, None);
    /// A jump or call through a pointer that does not point to a function.
    InvalidCall {
        /// The pointer's value.
        target: u64,
    } => program(Kernel, Memcheck, None);
    /// A jump through a table (`brx.idx`) with an index outside the table.
    InvalidBranch {
        /// The index.
        index: u32,
        /// The number of targets in the table.
        targets: u32,
    } => program(Kernel, Memcheck, None);
    /// A handle that is not a texture or a surface.
    InvalidObject {
        /// The handle.
        handle: u64,
        /// Whether a surface was expected.
        surface: bool,
        /// Whether the handle belonged to an object that has been destroyed.
        gone: bool,
    } => program(Host, Memcheck, None);
    /// An access outside of a surface by an instruction that traps in that case.
    OutsideSurface {
        /// Bytes into the row, the row, and the slice.
        at: [i32; 3],
        /// Bytes of a row, rows, and slices.
        extent: [u32; 3],
    } => program(Kernel, Memcheck, None);
    /// A thread's stack is full: recursion is too deep, or arrays of run-time length (`alloca`) are too long.
    StackOverflow {
        /// The number of active calls of functions with frames, including the one that does not fit; 0 for an array.
        depth: u32,
        /// Bytes of the stack.
        stack_bytes: u32,
    } => program(Kernel, Memcheck, None);
    /// A PTX feature that this machine does not model.
    Unsupported {
        /// The instruction, directive or feature.
        what: String,
    } => machine();
    /// A failure of the machine itself.
    Internal {
        /// What failed.
        what: String,
    } => harness();
}
