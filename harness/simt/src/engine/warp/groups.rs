//! Groups of lanes, their states, and the reasons for which they stop running.

/// What to do after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Flow {
    /// Go on with the next one.
    Next,
    /// Continue at the warp's program counter.
    Jump,
    /// Skip the next instruction.
    Skip,
    /// Give control back to the scheduler.
    Stop,
}

/// Why control returned to the scheduler, and the state of the running group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The group is ready at the warp's program counter, but another group may come first.
    Choose,
    /// The group is ready, but has used up its time slice.
    TimeSlice,
    /// The group no longer runs: its lanes have exited, or it has been moved to the waiting groups.
    Gone,
    /// A fault was recorded.
    Fault,
}

/// What a group that does not run waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Its turn.
    Ready,
    /// Its turn, after the other groups, because it has spun or used up its time slice.
    Deferred,
    /// A block barrier.
    Barrier(u32),
    /// Other lanes of the warp, at a warp-level instruction with this mask.
    Lanes(u32),
    /// All other lanes of the warp, at an instruction that takes the whole warp.
    Whole,
    /// The end of a phase of the mbarrier at this offset in the block's shared memory; of any mbarrier if it is
    /// `u32::MAX`.
    Phase(u32),
    /// The other blocks of the cluster.
    Cluster,
    /// Other lanes of the warp at `bar.warp.sync`, with this mask. The lanes may wait at different instructions of this
    /// kind.
    Warp(u32),
}

/// A set of lanes at one program counter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub pc: u32,
    pub mask: u32,
    pub state: State,
}

/// The state of a warp, as the scheduler of its block sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Has not started.
    New,
    /// Has a group that can run.
    Ready,
    /// All groups wait.
    Blocked,
    /// All lanes have exited.
    Done,
}

/// How a warp's turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Done,
    Blocked,
    /// It spins, or has used up its time slice.
    Yield,
    Fault,
}
