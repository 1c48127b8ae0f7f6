//! What took part in a finding: accesses, their places in the source, and the memory they were meant for.

use serde::{Deserialize, Serialize};

use super::kind::Space;
use crate::version::required;

/// What a thread did, or waits for, at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// A load.
    Read,
    /// A store.
    Write,
    /// A read-modify-write that the hardware makes atomic.
    Atomic,
    /// The write that stored the value that an access found, or the free that released the memory.
    Earlier,
    /// An asynchronous copy (`cp.async`) that has not been waited for.
    Copy,
    /// Allocates a block of the kernels' heap: `malloc`, `new`.
    Allocate,
    /// Frees a block of the kernels' heap: `free`, `delete`.
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalledFrom {
    /// The caller's file.
    pub file: String,
    /// Line in that file, counted from 1.
    pub line: u32,
    /// Column, counted from 1; 0 when unknown.
    pub column: u32,
}

/// Where an instruction stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// Where the code was inlined to, innermost first; the JSON leaves it out when it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inlined_at: Vec<CalledFrom>,
}

/// One access, or one thread that waits: what took part in the finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// What it did.
    pub what: What,
    /// The memory space, where memory is concerned.
    #[serde(deserialize_with = "required")]
    pub space: Option<Space>,
    /// Bytes of one thread's access, 0 where no memory is concerned.
    pub size: u32,
    /// The address of the thread named below; in shared and local memory, the offset in that space.
    #[serde(deserialize_with = "required")]
    pub address: Option<u64>,
    /// The variable that the address lies in, with the offset there.
    #[serde(deserialize_with = "required")]
    pub variable: Option<(String, u64)>,
    /// The place of its instruction.
    pub place: Place,
    /// Block index, x y z.
    pub block: [u32; 3],
    /// Thread index in the block, x y z: the lowest of those that did the same at once.
    pub thread: [u32; 3],
    /// How many threads did the same (1 if it was only this thread).
    pub threads: u32,
    /// How many warps these threads belong to.
    pub warps: u32,
}

impl Place {
    /// Whether two places are the same line of the source or, without line information, of the PTX. Copies of a loop
    /// body that the compiler has unrolled share their lines.
    pub fn same_line(&self, other: &Place) -> bool {
        let known = self.line > 0;
        self.line == other.line
            && (known || self.ptx_line == other.ptx_line)
            && self.file == other.file
            && self.function == other.function
            && self.inlined_at == other.inlined_at
    }

    /// Whether the line of the source is known.
    pub fn is_known(&self) -> bool {
        self.line > 0 && !self.file.is_empty()
    }

    /// The place without the callers it was inlined into: the line of the source or, where that is unknown, of the PTX.
    /// `None` for host code.
    pub(super) fn spot(&self) -> Option<Place> {
        let mut spot = Place { function: self.function.clone(), ..Place::default() };
        if self.is_known() {
            spot.file.clone_from(&self.file);
            (spot.line, spot.column) = (self.line, self.column);
        } else if self.ptx_line > 0 {
            spot.ptx_line = self.ptx_line;
        } else {
            return None;
        }
        Some(spot)
    }
}

impl Access {
    /// An access of one thread to memory.
    pub fn memory(what: What, space: Space, size: u32, address: u64, place: Place) -> Self {
        let (space, address) = (Some(space), Some(address));
        Access { space, size, address, ..Access::at(what, place) }
    }

    /// A thread at a place, without an access to memory.
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

    /// Whether both stand at the same place, column included.
    pub fn stands_with(&self, other: &Access) -> bool {
        self.place.column == other.place.column && self.place.same_line(&other.place)
    }

    /// The same access, by a thread of a block.
    #[must_use]
    pub fn by(mut self, block: [u32; 3], thread: [u32; 3]) -> Self {
        (self.block, self.thread) = (block, thread);
        self
    }
}

/// Where an address lies as seen from an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
