//! A program's tables besides its code: constants, blocks, accesses, arguments of `printf`, names.

use crate::engine::costs::tables::Adds;
use crate::finding::{AccessKind, Space};
use crate::lane::LANES;
use ptx::ast::Special;

/// How one register of the constant area is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The same bits in all lanes.
    Bits(u64),
    /// Bytes of the parameter block.
    Param {
        /// Offset of the first byte.
        offset: u32,
        /// The number of bytes: 1, 2, 4 or 8.
        size: u32,
        /// Whether it is sign-extended.
        signed: bool,
    },
    /// A special register that does not change while a warp runs.
    Special(Special),
    /// Address in generic space of this offset in the parameter block.
    ParamAddress(u32),
    /// Address in shared memory of this offset in the dynamic part.
    DynamicShared(i32),
}

/// A register of the constant area, filled before a warp starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constant {
    /// Byte offset in the register file.
    pub offset: u32,
    /// Bytes a lane: 2, 4 or 8; 0 for a predicate.
    pub width: u32,
    /// Its value.
    pub source: Source,
}

/// When a register of the constant area must be refilled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// Once for a launch.
    Launch,
    /// For each block.
    Block,
    /// For each warp.
    Warp,
}

impl Source {
    /// Returns when it must be refilled.
    pub fn refresh(self) -> Refresh {
        match self {
            Source::Special(s) => match s {
                Special::Ctaid(_)
                | Special::SmId
                | Special::ClusterId(_)
                | Special::ClusterCtaid(_)
                | Special::ClusterCtaRank => Refresh::Block,
                Special::Tid(_) | Special::WarpId => Refresh::Warp,
                _ => Refresh::Launch,
            },
            _ => Refresh::Launch,
        }
    }
}

/// A basic block of the program.
#[derive(Clone, Debug, Default)]
pub struct BlockInfo {
    /// Its first instruction.
    pub start: u32,
    /// Its terminator.
    pub end: u32,
    /// The number of PTX instructions in it, including those that the lowering removed.
    pub instructions: u32,
    /// The same count for each place: an index into `Program::locs`, and a number of instructions.
    pub lines: Vec<(u32, u32)>,
}

/// How a memory instruction orders memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Whether it is volatile, relaxed or stronger, so that other threads see it.
    pub strong: bool,
    /// Whether it is volatile, without a loop that waits for a change with it. Such an access is strong, but it is
    /// typical of code that relies on lanes in lockstep.
    pub volatile: bool,
    /// Whether it is a release: a thread that sees it also sees everything before it.
    pub release: bool,
    /// Whether these apply only inside the thread's block (`.cta`).
    pub narrow: bool,
    /// Whether it is the write of an asynchronous copy.
    pub asynchronous: bool,
    /// Whether it is a bulk copy.
    pub bulk: bool,
    /// Whether each lane accesses a range of any size, which the instruction walks itself.
    pub range: bool,
}

/// The array or allocation from which the addresses of a memory instruction were computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// Not known.
    #[default]
    Unknown,
    /// A variable in shared memory: its first offset, and one past its last.
    Shared(u64, u64),
    /// A variable of the module: its first address, and one past its last.
    Global(u64, u64),
    /// The allocation that the kernel's parameter with this offset points to.
    Param(u32),
}

/// What a memory instruction does, for counters and findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessInfo {
    /// Its program counter.
    pub pc: u32,
    /// Load, store or atomic.
    pub what: AccessKind,
    /// Its declared space.
    pub space: Space,
    /// Bytes per thread.
    pub size: u32,
    /// The size of the elements that are checked as a unit: an element is uninitialised only if none of its bytes was
    /// written, since a compiler loads a structure in words, including the padding between its members. 1 where every
    /// byte is checked.
    pub element: u32,
    /// What it adds, if it is an atomic.
    pub adds: Adds,
    /// Whether it belongs to a loop that only waits for other blocks.
    pub spins: bool,
    /// How it orders memory.
    pub order: Order,
    /// The array from which its addresses were computed.
    pub origin: Origin,
    /// The address as the program names it: a register number, and the offset. Positions in the register file do not
    /// identify registers, as several registers share one.
    pub named: (u64, u64),
}

/// What an instruction does that accesses a texture or a surface, for counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureInfo {
    /// Its program counter.
    pub pc: u32,
    /// Fetch or load, store or atomic.
    pub what: AccessKind,
    /// Whether it is a surface.
    pub surface: bool,
}

/// The type of an argument of `printf`, as far as it can be derived from the store that packs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// An integer or a pointer.
    Whole,
    /// A double.
    Double,
    /// A constant. One of 8 bytes may be a double, or two neighbours that the compiler stores together.
    Constant,
}

/// An argument of a call of `printf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its offset from the start of the arguments.
    pub offset: u32,
    /// Bytes: 4 or 8.
    pub size: u32,
    /// Its type.
    pub value: Value,
}

/// All arguments of a call of `printf`, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// The arguments after the format.
    pub pieces: Vec<Piece>,
}

/// A conditional branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchInfo {
    /// Its program counter.
    pub pc: u32,
    /// Its basic block.
    pub block: u32,
}

/// A function of the program.
#[derive(Clone, Debug, Default)]
pub struct FunctionInfo {
    /// Name as in the PTX.
    pub name: String,
    /// Its first instruction.
    pub entry: u32,
    /// One past its last.
    pub end: u32,
}

/// A named piece of shared memory.
#[derive(Clone, Debug)]
pub struct SharedVar {
    /// Its name.
    pub name: String,
    /// Offset in the block's shared memory.
    pub offset: u32,
    /// Size in bytes; 0 for the dynamic part.
    pub size: u32,
}

/// What an instruction does with values of which some bits are undefined, because they come from unwritten memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dataflow {
    /// It only computes registers from registers, so that it may be executed again.
    Pure,
    /// It writes registers that depend on those that it reads.
    Opaque,
    /// It compares registers. That an undefined value and its alternative compare alike may be by chance.
    Compare,
    /// It loads registers, with sign extension if `signed` is set.
    Load {
        /// The elements are signed.
        signed: bool,
    },
    /// It stores registers.
    Store,
    /// It guards the next instruction.
    Guard,
    /// It copies a register of one lane to another lane.
    Shuffle,
    /// It has an effect that depends on the values that it reads, and other threads may see it.
    Decides,
    /// It calls a function, at the first of its two targets, which returns to the second.
    Call,
    /// It returns from a function.
    Return,
}

/// A register of the PTX in whose place the code reads a constant or a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterAlias {
    /// Its function's index in the program.
    pub function: u32,
    /// Its number in its function.
    pub number: u32,
    /// What is read in its place.
    pub operand: Operand,
}

/// A register that an instruction reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand(u32);

impl Operand {
    /// Creates a register at this position in the register file, of `width` bytes a lane, 0 for a predicate. The flags
    /// say whether it is written, and whether it is the address of a memory instruction.
    pub fn new(place: u32, width: u32, is_written: bool, is_address: bool) -> Operand {
        let width = match width {
            0 => 0,
            1 | 2 => 1,
            4 => 2,
            _ => 3,
        };
        // Positions are multiples of four.
        Operand(place << 2 | width << 2 | u32::from(is_address) << 1 | u32::from(is_written))
    }
    /// Returns its position in the register file.
    pub fn place(self) -> u32 {
        self.0 >> 4 << 2
    }
    /// Returns its bytes a lane, 0 for a predicate.
    pub fn width(self) -> u32 {
        [0, 2, 4, 8][(self.0 >> 2 & 3) as usize]
    }
    /// Returns its bytes in the register file.
    pub fn bytes(self) -> usize {
        if self.width() == 0 { 4 } else { self.width() as usize * LANES }
    }
    /// Whether the instruction writes it; otherwise the instruction reads it.
    pub fn is_written(self) -> bool {
        self.0 & 1 != 0
    }
    /// Whether it is the address of a memory instruction.
    pub fn is_address(self) -> bool {
        self.0 & 2 != 0
    }
}
