//! Findings: what a check found, as typed data.
//!
//! A finding says what went wrong, in which kernel, and every access that took part; [`crate::report`] alone turns it into
//! text or JSON. Nothing here is worded for people.

use serde::Serialize;

pub use crate::ptx::ast::Space;

/// Whose failure this is. The three are never mixed in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The program is wrong: the kernel, or the host code that launched it.
    Program,
    /// The program may be right: this machine does not model what it asks for.
    Machine,
    /// The program was not judged: the machine or its host failed.
    Harness,
}

/// Which part of the program has to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// One thread, and the copy that it has not waited for.
    Thread,
    /// Lanes of one warp: `__syncwarp` is missing.
    Warp,
    /// Warps of one block: `__syncthreads` is missing.
    Block,
    /// Blocks of one launch: an atomic, a fence with a flag, or a second launch is missing.
    Grid,
}

/// What was passed for an argument of `printf` that the format takes as something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Passed {
    /// No argument.
    Nothing,
    /// Four bytes: an `int`, a `char`, an `unsigned`.
    Int,
    /// Eight bytes that are no double as far as can be told: a `long long`, a pointer.
    Long,
    /// A double, which every `float` becomes.
    Double,
}

/// The kind of a launch limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
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
    /// Blocks of a cooperative launch that fit on the device at once.
    Cooperative,
    /// Bytes of parameters.
    Parameters,
    /// Bytes of arguments that the launch gives for them.
    Arguments,
}

/// What kind of mistake (or limit) was found. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    /// An access outside every allocation (or variable) of its space.
    OutOfBounds {
        /// The space of the address; generic addresses are resolved first.
        space: Space,
    },
    /// An access that leaves the variable it began from and lands in a neighbour.
    OverrunsNeighbour {
        /// The space of the address.
        space: Space,
    },
    /// A write to constant memory, to parameters, or to memory mapped for reading.
    ReadOnly {
        /// The space of the address.
        space: Space,
    },
    /// An address that is no multiple of the access's size.
    Misaligned {
        /// The space of the address.
        space: Space,
        /// What the address must be a multiple of.
        required: u32,
    },
    /// An access to global memory that was freed.
    UseAfterFree,
    /// An access to a pointer of the host that the device cannot reach.
    HostPointer,
    /// An access at or just above address 0.
    NullPointer,
    /// A read of memory that nobody has written.
    Uninitialized {
        /// The space of the address.
        space: Space,
    },
    /// Two accesses to one place, at least one a write and at least one not atomic, with nothing that orders them.
    Race {
        /// Shared or global memory.
        space: Space,
        /// How far apart the two threads are.
        scope: Scope,
    },
    /// A barrier reached by a warp while lanes of it are elsewhere.
    DivergentBarrier {
        /// Number of the barrier, 0 for `__syncthreads`.
        barrier: u32,
    },
    /// Threads of a block wait at different barriers, or with different counts, so that none can open.
    MismatchedBarrier {
        /// Number of the barrier at which the first access waits.
        barrier: u32,
    },
    /// A barrier at which threads wait for others that have returned.
    BarrierExited {
        /// Number of the barrier.
        barrier: u32,
        /// Threads waiting.
        waiting: u32,
        /// Threads that returned.
        exited: u32,
    },
    /// A barrier used with a thread count that is no multiple of the warp or exceeds the block, or a number above 15.
    InvalidBarrier {
        /// Number of the barrier.
        barrier: u32,
    },
    /// A shuffle that reads a lane which does not take part: its value is undefined.
    InactiveLane {
        /// The lane that is read.
        lane: u32,
    },
    /// A warp-wide operation executed by a lane that its own mask leaves out.
    UndeclaredLane {
        /// The mask given.
        mask: u32,
        /// The lane that executes.
        lane: u32,
    },
    /// A warp-wide operation whose mask names lanes that never come.
    MissingLanes {
        /// The mask given.
        mask: u32,
        /// The lanes that wait.
        arrived: u32,
        /// The lanes among the missing ones that have returned from the kernel.
        exited: u32,
    },
    /// Every thread that is left waits for another.
    Deadlock,
    /// The instruction budget ran out: an endless loop, or a budget too small.
    EndlessLoop {
        /// Warp instructions that the launch was allowed.
        budget: u64,
    },
    /// Device memory that was never freed.
    Leak {
        /// Allocations.
        allocations: u64,
        /// Bytes in all.
        bytes: u64,
    },
    /// A free of what was freed before.
    DoubleFree,
    /// A free of an address that no allocation begins at.
    InvalidFree,
    /// A launch that the device refuses.
    LaunchLimit {
        /// What is exceeded.
        limit: Limit,
        /// What the launch asks for.
        asked: u64,
        /// What the device, or the kernel, allows.
        allowed: u64,
    },
    /// A copy or fill on the device's memory by the host that leaves its allocation.
    HostCopy {
        /// Bytes asked for.
        bytes: u64,
    },
    /// `assert` failed in device code.
    Assert {
        /// The expression as written.
        expression: String,
    },
    /// A `printf` whose arguments are not what its format takes: that a device prints anything then is chance.
    PrintArgument {
        /// The first argument that does not fit, from 1: the one behind the format.
        argument: u32,
        /// What takes it: `%d`, `%8.3f`, or the `*` of a width.
        conversion: String,
        /// What was passed.
        passed: Passed,
    },
    /// A `printf` whose format has a conversion that C has and devices have not: what they print for it is chance.
    PrintConversion {
        /// It: `%zu`, `%.*f`.
        conversion: String,
    },
    /// `__trap()` or a trap that the compiler put where code cannot go on.
    Trap,
    /// A jump or call through a pointer that is no function.
    InvalidCall {
        /// The pointer's value.
        target: u64,
    },
    /// The stack of a lane is full.
    StackOverflow,
    /// Something that PTX defines and this machine does not model.
    Unsupported {
        /// The instruction, directive or feature.
        what: String,
    },
    /// A failure of the machine itself.
    Internal {
        /// What failed.
        what: String,
    },
}

impl Kind {
    /// Whose failure it is.
    pub const fn verdict(&self) -> Verdict {
        match self {
            Kind::Unsupported { .. } => Verdict::Machine,
            Kind::Internal { .. } => Verdict::Harness,
            _ => Verdict::Program,
        }
    }

    /// Which part of the program has to change.
    pub const fn blame(&self) -> Blame {
        match self {
            Kind::Unsupported { .. } | Kind::Internal { .. } => Blame::Nobody,
            Kind::HostPointer
            | Kind::NullPointer
            | Kind::UseAfterFree
            | Kind::Leak { .. }
            | Kind::DoubleFree
            | Kind::InvalidFree
            | Kind::HostCopy { .. }
            | Kind::LaunchLimit { .. } => Blame::Host,
            _ => Blame::Kernel,
        }
    }

    /// Which check finds it: `memcheck`, `racecheck`, `initcheck`, `synccheck`, `leakcheck`, or `launch` for what is always on.
    pub const fn check(&self) -> &'static str {
        match self {
            Kind::OutOfBounds { .. }
            | Kind::OverrunsNeighbour { .. }
            | Kind::ReadOnly { .. }
            | Kind::Misaligned { .. }
            | Kind::UseAfterFree
            | Kind::HostPointer
            | Kind::NullPointer
            | Kind::DoubleFree
            | Kind::InvalidFree
            | Kind::HostCopy { .. }
            | Kind::InvalidCall { .. }
            | Kind::PrintArgument { .. }
            | Kind::PrintConversion { .. }
            | Kind::StackOverflow => "memcheck",
            Kind::Leak { .. } => "leakcheck",
            Kind::Race { .. } => "racecheck",
            Kind::Uninitialized { .. } => "initcheck",
            Kind::DivergentBarrier { .. }
            | Kind::MismatchedBarrier { .. }
            | Kind::BarrierExited { .. }
            | Kind::InvalidBarrier { .. }
            | Kind::InactiveLane { .. }
            | Kind::UndeclaredLane { .. }
            | Kind::MissingLanes { .. }
            | Kind::Deadlock => "synccheck",
            Kind::EndlessLoop { .. }
            | Kind::LaunchLimit { .. }
            | Kind::Assert { .. }
            | Kind::Trap
            | Kind::Unsupported { .. }
            | Kind::Internal { .. } => "launch",
        }
    }
}

/// What a thread did, or waits for, at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A load.
    Read,
    /// A store.
    Write,
    /// A read-modify-write that the hardware makes atomic.
    Atomic,
    /// The write that put there what an access found, or the free that took it away.
    Earlier,
    /// An asynchronous copy (`cp.async`) that has not been waited for.
    Copy,
    /// Allocates a block of the kernels' heap: `malloc`, `new`.
    Allocate,
    /// Frees one: `free`, `delete`.
    Free,
    /// Waits at a block barrier.
    Barrier,
    /// Takes part in a shuffle.
    Shuffle,
    /// Takes part in a vote, match or reduction of a warp.
    Vote,
    /// Waits at `__syncwarp`.
    SyncWarp,
    /// Has gone past a barrier at which others wait.
    Past,
    /// Goes round a loop.
    Loop,
    /// Has returned from the kernel.
    Exit,
    /// Any other instruction.
    Execute,
}

/// One level of inlining: the function whose code stands at a place, and where it was called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct CalledFrom {
    /// The caller's file.
    pub file: String,
    /// Line there, counted from 1.
    pub line: u32,
    /// Column, counted from 1; 0 when unknown.
    pub column: u32,
}

/// Where an instruction stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Place {
    /// The function, mangled as in the PTX; empty for host code.
    pub function: String,
    /// The source file, empty when the PTX has no line information.
    pub file: String,
    /// Line in it, counted from 1; 0 when unknown.
    pub line: u32,
    /// Column, counted from 1; 0 when unknown.
    pub column: u32,
    /// Line in the PTX, counted from 1; 0 for host code.
    pub ptx_line: u32,
    /// Where the code was inlined to, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inlined_at: Vec<CalledFrom>,
}

/// One access, or one thread that waits: what took part in the finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Access {
    /// What it did.
    pub what: What,
    /// The memory space, where memory is concerned.
    pub space: Option<Space>,
    /// Bytes of one thread's access, 0 where no memory is concerned.
    pub size: u32,
    /// The address of the thread named below; in shared and local memory, the offset in that space.
    pub address: Option<u64>,
    /// The variable that the address lies in, with the offset there.
    pub variable: Option<(String, u64)>,
    /// Where it stands.
    pub place: Place,
    /// Block index, x y z.
    pub block: [u32; 3],
    /// Thread index in the block, x y z: the lowest of those that did the same at once.
    pub thread: [u32; 3],
    /// How many threads did the same (1 when only the one).
    pub threads: u32,
    /// Of how many warps they are.
    pub warps: u32,
}

impl Place {
    /// Whether two places are one line of the source; without line information, of the PTX. A loop that the compiler has unrolled
    /// is one line many times.
    pub fn same_line(&self, other: &Place) -> bool {
        let known = self.line > 0;
        self.line == other.line
            && (known || self.ptx_line == other.ptx_line)
            && self.file == other.file
            && self.function == other.function
            && self.inlined_at == other.inlined_at
    }
}

impl Access {
    /// An access of one thread to memory.
    pub fn memory(what: What, space: Space, size: u32, address: u64, place: Place) -> Self {
        let (space, address) = (Some(space), Some(address));
        Access {
            space,
            size,
            address,
            ..Access::at(what, place)
        }
    }

    /// A thread at a place, no memory concerned.
    pub fn at(what: What, place: Place) -> Self {
        Access {
            what,
            space: None,
            size: 0,
            address: None,
            variable: None,
            place,
            block: [0; 3],
            thread: [0; 3],
            threads: 1,
            warps: 1,
        }
    }

    /// The same, by a thread of a block.
    #[must_use]
    pub fn by(mut self, block: [u32; 3], thread: [u32; 3]) -> Self {
        (self.block, self.thread) = (block, thread);
        self
    }
}

/// Where an address lies as seen from an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// This many bytes before its first byte.
    Before(u64),
    /// This many bytes after its last byte: 1 is the first byte outside, as sanitizers count.
    After(u64),
    /// At this offset inside it.
    Inside(u64),
}

impl Relation {
    /// Where `address` lies as seen from the `size` bytes at `start`.
    pub const fn of(address: u64, start: u64, size: u64) -> Self {
        if address < start {
            Relation::Before(start - address)
        } else if address - start < size {
            Relation::Inside(address - start)
        } else {
            Relation::After((address - start - size).saturating_add(1))
        }
    }

    /// The same for an offset in shared or local memory, where one below 0 is a negative number.
    pub const fn below(offset: u64, start: u64, size: u64) -> Self {
        if (offset as i64) < 0 {
            Relation::Before(start.wrapping_sub(offset))
        } else {
            Relation::of(offset, start, size)
        }
    }
}

/// The allocation or variable nearest to an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Allocation {
    /// Its first byte.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// A variable's name, or what the host called it; empty when it has none.
    pub name: String,
    /// Whether it was freed.
    pub freed: bool,
    /// Where the address lies.
    pub relation: Relation,
}

/// One thing found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What kind of thing.
    #[serde(flatten)]
    pub kind: Kind,
    /// The kernel that ran, mangled; empty when no kernel is concerned (a leak).
    pub kernel: String,
    /// Every access that took part: the one that failed first, what it collided with after it.
    pub accesses: Vec<Access>,
    /// The allocation concerned, or the nearest.
    pub allocation: Option<Allocation>,
    /// What else is worth knowing, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// A better remedy than the kind's own, where the finder knows one (a launch that would fit).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// Another blame than the kind's own, where the finder knows better.
    #[serde(skip)]
    pub blame: Option<Blame>,
    /// How often it happened.
    pub count: u64,
    /// The schedule under which it happened.
    pub seed: u64,
}

impl Finding {
    /// A finding of a kernel, seen once, with no access yet.
    pub fn new(kind: Kind, kernel: impl Into<String>) -> Self {
        Finding {
            kind,
            kernel: kernel.into(),
            accesses: Vec::new(),
            allocation: None,
            notes: Vec::new(),
            remedy: None,
            blame: None,
            count: 1,
            seed: 0,
        }
    }

    /// The same with one more access.
    #[must_use]
    pub fn with(mut self, access: Access) -> Self {
        self.accesses.push(access);
        self
    }

    /// Whether two findings are one mistake: the same kind (whatever its numbers) in the same kernel on the same lines. Of a race
    /// it does not matter which of the two accesses came first, nor whether the one that is seen read or wrote: `x += 1` by two
    /// threads does both.
    pub fn same_mistake(&self, other: &Finding) -> bool {
        let same_kind = match (&self.kind, &other.kind) {
            (Kind::OutOfBounds { space: a }, Kind::OutOfBounds { space: b })
            | (Kind::Uninitialized { space: a }, Kind::Uninitialized { space: b })
            | (Kind::Race { space: a, .. }, Kind::Race { space: b, .. }) => a == b,
            (Kind::LaunchLimit { limit: a, .. }, Kind::LaunchLimit { limit: b, .. }) => a == b,
            (Kind::Unsupported { what: a }, Kind::Unsupported { what: b })
            | (Kind::Internal { what: a }, Kind::Internal { what: b }) => a == b,
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        };
        if !same_kind || self.kernel != other.kernel {
            return false;
        }
        let same = |a: &Access, b: &Access| a.place.same_line(&b.place);
        match (&self.kind, &self.accesses[..], &other.accesses[..]) {
            (Kind::Race { .. }, [a, b], [c, d]) => {
                (same(a, c) && same(b, d)) || (same(a, d) && same(b, c))
            }
            // Where the other lanes are at the time may differ.
            (Kind::DivergentBarrier { .. }, [a, ..], [b, ..]) => same(a, b),
            (_, these, those) => {
                these.len() == those.len()
                    && std::iter::zip(these, those).all(|(a, b)| a.what == b.what && same(a, b))
            }
        }
    }

    /// Which part of the program has to change.
    pub fn blame(&self) -> Blame {
        self.blame.unwrap_or(self.kind.blame())
    }

    /// How far apart the threads of a race are; none if it is no race.
    fn scope(&self) -> Option<Scope> {
        match self.kind {
            Kind::Race { scope, .. } => Some(scope),
            _ => None,
        }
    }
}

/// Findings of one run, each mistake kept once with its count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// In the order first seen.
    pub list: Vec<Finding>,
    /// Further mistakes that were not kept because the list was full.
    pub dropped: u64,
}

impl Findings {
    /// Different mistakes that are kept: past these a report helps nobody.
    pub const MOST: usize = 256;

    /// Adds a finding, or to the count of the same mistake. Of a race, the example is kept whose threads are farthest apart:
    /// what helps there helps the others.
    pub fn add(&mut self, mut finding: Finding) {
        if let Some(known) = self.list.iter_mut().find(|f| f.same_mistake(&finding)) {
            let count = known.count.saturating_add(finding.count);
            if finding.scope() > known.scope() {
                std::mem::swap(known, &mut finding);
            }
            known.count = count;
        } else if self.list.len() < Self::MOST {
            self.list.push(finding);
        } else {
            self.dropped = self.dropped.saturating_add(finding.count);
        }
    }

    /// Leaves out what only follows from another mistake: a read that came too early, since nothing orders it behind the write,
    /// may find memory that nobody has written yet.
    pub fn distill(&mut self) {
        let follows = |finding: &Finding, race: &Finding| match (finding.kind.clone(), &race.kind) {
            (Kind::Uninitialized { space: a }, Kind::Race { space: b, .. }) => {
                a == *b
                    && finding.kernel == race.kernel
                    && finding.accesses.iter().all(|read| {
                        let mut all = race.accesses.iter();
                        all.any(|access| access.place.same_line(&read.place))
                    })
            }
            _ => false,
        };
        let all = std::mem::take(&mut self.list);
        let races: Vec<Finding> = all
            .iter()
            .filter(|f| f.scope().is_some())
            .cloned()
            .collect();
        let kept = |f: &Finding| !races.iter().any(|race| follows(f, race));
        self.list = all.into_iter().filter(kept).collect();
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl Extend<Finding> for Findings {
    fn extend<I: IntoIterator<Item = Finding>>(&mut self, findings: I) {
        for finding in findings {
            self.add(finding);
        }
    }
}

#[cfg(test)]
mod tests;
