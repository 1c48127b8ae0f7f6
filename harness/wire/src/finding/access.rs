//! The accesses that took part in a finding, their places in the source, and the memory that they address.

use serde::{Deserialize, Serialize};

use super::kind::Space;
use crate::version::required;

/// What a thread did, or is waiting for, at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessKind {
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
    /// Has passed a barrier at which others wait.
    Past,
    /// Executes a loop.
    Loop,
    /// Has returned from the kernel.
    Exit,
    /// Any other instruction.
    Execute,
}

/// One level of inlining: the place of the call that was inlined.
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

/// The place of an instruction in the source and the PTX.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourcePlace {
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
    /// The places where the code was inlined, innermost first; omitted from the JSON if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inlined_at: Vec<CalledFrom>,
}

/// One access, or one waiting thread, that took part in a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// What the thread did.
    pub what: AccessKind,
    /// The memory space, for an access to memory.
    #[serde(deserialize_with = "required")]
    pub space: Option<Space>,
    /// Bytes that one thread accessed; 0 if it did not access memory.
    pub size: u32,
    /// The address that the thread in `thread` accessed; in shared and local memory, the offset in that space.
    #[serde(deserialize_with = "required")]
    pub address: Option<u64>,
    /// The variable that contains the address, and the offset in it.
    #[serde(deserialize_with = "required")]
    pub variable: Option<(String, u64)>,
    /// The place of its instruction.
    pub place: SourcePlace,
    /// Block index (x, y, z).
    pub block: [u32; 3],
    /// Thread index in the block (x, y, z): the lowest of the threads that did the same together.
    pub thread: [u32; 3],
    /// The number of threads that did the same (1 if it was only this thread).
    pub threads: u32,
    /// The number of warps that these threads belong to.
    pub warps: u32,
}

impl SourcePlace {
    /// Whether two places are the same line of the source or, without line information, of the PTX. Unrolled copies of
    /// a loop body share their lines.
    pub fn same_line(&self, other: &SourcePlace) -> bool {
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

    /// Returns the place without its inlining: the line of the source or, if that is unknown, of the PTX. `None` for
    /// host code.
    pub(super) fn spot(&self) -> Option<SourcePlace> {
        let mut spot = SourcePlace { function: self.function.clone(), ..SourcePlace::default() };
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
    /// Returns an access of one thread to memory.
    pub fn memory(what: AccessKind, space: Space, size: u32, address: u64, place: SourcePlace) -> Self {
        let (space, address) = (Some(space), Some(address));
        Access { space, size, address, ..Access::at(what, place) }
    }

    /// Returns a thread at a place, without an access to memory.
    pub fn at(what: AccessKind, place: SourcePlace) -> Self {
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

    /// Whether both are at the same place, column included.
    pub fn stands_with(&self, other: &Access) -> bool {
        self.place.column == other.place.column && self.place.same_line(&other.place)
    }

    /// Sets the block and the thread.
    #[must_use]
    pub fn by(mut self, block: [u32; 3], thread: [u32; 3]) -> Self {
        (self.block, self.thread) = (block, thread);
        self
    }
}

/// The position of an address relative to an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// This many bytes before its first byte.
    Before(u64),
    /// This many bytes after its last byte: 1 is the first byte outside, as in sanitizers.
    After(u64),
    /// At this offset inside it.
    Inside(u64),
}

impl Relation {
    /// Returns the position of `address` relative to the `size` bytes at `start`.
    pub const fn from_address(address: u64, start: u64, size: u64) -> Self {
        if address < start {
            Relation::Before(start - address)
        } else if address - start < size {
            Relation::Inside(address - start)
        } else {
            Relation::After((address - start - size).saturating_add(1))
        }
    }

    /// As [`Relation::from_address`] for an offset in shared or local memory, where an offset below 0 is a negative
    /// number.
    pub const fn below(offset: u64, start: u64, size: u64) -> Self {
        if (offset as i64) < 0 {
            Relation::Before(start.wrapping_sub(offset))
        } else {
            Relation::from_address(offset, start, size)
        }
    }
}

/// The allocation or variable that is nearest to an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allocation {
    /// Its first byte.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// A variable's name, or the name that the host gave it; empty if it has none.
    pub name: String,
    /// Whether it was freed.
    pub freed: bool,
    /// The position of the address.
    pub relation: Relation,
}
