//! A step: one instruction that a warp executed.

/// The lanes of a warp.
pub const LANES: usize = 32;

/// A value for each lane; 0 in lanes that the step does not concern.
pub type Lanes = [u64; LANES];

/// Returns the numbers of the lanes of a mask, in ascending order.
pub fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 != 0)
}

/// One instruction that some lanes of a warp executed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The number of the block in the grid, x fastest.
    pub block: u64,
    /// The number of the warp in its block.
    pub warp: u32,
    /// The instruction: an index into [`Header::instructions`](crate::Header::instructions).
    pub instruction: u32,
    /// The lanes that executed it. Empty if the instruction's guard held in no lane.
    pub mask: u32,
    /// Whether lanes that had run separately run together again from this step on.
    pub reconverged: bool,
    /// What else happened.
    pub event: Event,
    /// The registers that it wrote, with their new values in the lanes of `mask`.
    pub changes: Vec<Change>,
    /// Its memory access.
    pub access: Option<Access>,
    /// The finding that this step caused: an index into [`Header::findings`](crate::Header::findings).
    pub finding: Option<u32>,
}

/// New values of a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The register: an index into [`Header::registers`](crate::Header::registers).
    pub register: u32,
    /// Its values; those of a predicate are 0 and 1.
    pub values: Lanes,
}

/// What happened at a step besides reading and writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Event {
    /// The lanes go on.
    #[default]
    None,
    /// The lanes go on at different instructions from here.
    Diverge,
    /// The lanes wait at the block's barrier with this number.
    WaitAtBarrier(u32),
    /// The lanes wait for other lanes of their warp.
    WaitForLanes,
    /// The lanes wait for the phase of an mbarrier.
    WaitForPhase,
    /// The lanes wait for the other blocks of their cluster.
    WaitForCluster,
    /// The lanes will execute the instruction again, after others had their turn.
    Retry,
    /// The lanes had waited at this barrier, which has opened; what it returns is in the changes.
    Released,
    /// The lanes arrived at a barrier and go on: they opened it, or it does not make them wait.
    Passed,
    /// The lanes have exited.
    Exit,
    /// The launch was stopped at this step.
    Fault,
}

impl Event {
    /// Returns the number that stands for the event in a file.
    pub(crate) const fn code(self) -> u64 {
        match self {
            Event::None => 0,
            Event::Diverge => 1,
            Event::WaitAtBarrier(number) => 2 | (number as u64) << 4,
            Event::WaitForLanes => 3,
            Event::WaitForPhase => 4,
            Event::WaitForCluster => 5,
            Event::Retry => 6,
            Event::Released => 7,
            Event::Passed => 8,
            Event::Exit => 9,
            Event::Fault => 10,
        }
    }

    /// Returns the event with this number.
    pub(crate) fn from_code(code: u64) -> Option<Event> {
        Some(match (code & 15, code >> 4) {
            (0, 0) => Event::None,
            (1, 0) => Event::Diverge,
            (2, number) => Event::WaitAtBarrier(u32::try_from(number).ok()?),
            (3, 0) => Event::WaitForLanes,
            (4, 0) => Event::WaitForPhase,
            (5, 0) => Event::WaitForCluster,
            (6, 0) => Event::Retry,
            (7, 0) => Event::Released,
            (8, 0) => Event::Passed,
            (9, 0) => Event::Exit,
            (10, 0) => Event::Fault,
            _ => return None,
        })
    }
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// It reads.
    Load,
    /// It writes.
    Store,
    /// It reads and writes as one operation.
    Atomic,
}

/// The memory that an access is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Memory of the device. Addresses are those that the kernel sees.
    Global,
    /// The block's shared memory. Addresses are offsets from its start.
    Shared,
    /// Each lane's own memory. Addresses are offsets from its start.
    Local,
    /// The parameters. Addresses are offsets.
    Parameter,
    /// Constant memory.
    Constant,
}

/// A memory access of the lanes of a step, all in the same space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// What it does.
    pub kind: AccessKind,
    /// Its space.
    pub space: Space,
    /// Bytes of each lane.
    pub bytes: u32,
    /// The first address of each lane.
    pub addresses: Lanes,
    /// What was read or written, one entry for each element of the lane's bytes, the lowest address first. For an
    /// atomic, the contents of memory after all lanes.
    pub elements: Vec<Lanes>,
    /// The sectors of 32 bytes that the request touched; the wavefronts that it took, in shared memory. As the machine
    /// counts them; 0 where it counts the request with another one.
    pub traffic: u32,
    /// The smallest number of them that could serve the same bytes.
    pub ideal: u32,
}
