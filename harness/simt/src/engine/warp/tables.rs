//! What a program knows about its instructions beside their code: constants, blocks, accesses, arguments of `printf`,
//! names.

use crate::costs::{Chain, Pipes};
use crate::finding::{Space, What};
use crate::lane::LANES;
use crate::ptx::ast::Special;

/// How one register of the constant area is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The same bits in all lanes.
    Bits(u64),
    /// Bytes of the parameter block.
    Param {
        /// Offset of the first.
        offset: u32,
        /// How many: 1, 2, 4 or 8.
        size: u32,
        /// Extended by sign.
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
    /// What it holds.
    pub source: Source,
}

/// How often a register of the constant area must be filled again.
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
    /// How often it must be filled again.
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

/// What one execution of a basic block by a warp costs in hardware.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// Instructions by pipe.
    pub pipes: Pipes,
    /// Its longest dependent chain.
    pub chain: Chain,
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
    /// The same for each place: an index into `Program::locs`, and a number of instructions.
    pub lines: Vec<(u32, u32)>,
    /// What one execution costs.
    pub effort: Effort,
    /// If it ends in a barrier of the whole block, or ends the thread: the first and one past the last of the blocks
    /// that a warp may execute between the barrier before, or its start, and this one. As many as there can be, if that
    /// is not known.
    pub since: (u32, u32),
}

/// Any block of a program, in [`BlockInfo::since`].
pub const ANY_BLOCK: (u32, u32) = (0, u32::MAX);

/// How a memory instruction orders memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// It is volatile, relaxed or stronger, so that other threads see it.
    pub strong: bool,
    /// It is volatile, and no loop waits for a change with it. Such an access is strong, but it is what code contains
    /// that relies on lanes in lockstep.
    pub volatile: bool,
    /// It is a release: whoever sees it sees everything before it.
    pub release: bool,
    /// All of that holds only inside the thread's block (`.cta`).
    pub narrow: bool,
    /// It is the write of an asynchronous copy.
    pub asynchronous: bool,
    /// It is a bulk copy.
    pub bulk: bool,
}

/// The array or allocation from which the addresses of a memory instruction were computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// It is not known.
    #[default]
    Unknown,
    /// A variable in shared memory: its first offset, and one past its last.
    Shared(u64, u64),
    /// A variable of the module: its first address, and one past its last.
    Global(u64, u64),
    /// The allocation that the kernel's parameter with this offset points to.
    Param(u32),
}

/// What an atomic adds, as far as its time depends on that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Adds {
    /// Integers, or it does something else.
    #[default]
    Other,
    /// Floating-point numbers, or it compares them.
    Float,
    /// One to a 32-bit word whose old value nobody reads. In shared memory the hardware counts the lanes that meet.
    One,
}

/// What a memory instruction does, for counters and findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessInfo {
    /// Its program counter.
    pub pc: u32,
    /// Load, store or atomic.
    pub what: What,
    /// Its declared space.
    pub space: Space,
    /// Bytes a thread.
    pub size: u32,
    /// Bytes of the pieces of which each is uninitialised only if none of its bytes was written: a compiler loads a
    /// structure in words, whatever it has between its members. 1 where every byte counts.
    pub element: u32,
    /// What it adds, if it is an atomic.
    pub adds: Adds,
    /// It belongs to a loop that does nothing but wait for other blocks.
    pub spins: bool,
    /// How it orders memory.
    pub order: Order,
    /// Where its addresses begin.
    pub origin: Origin,
    /// The address as the program names it: a number of the register, and the offset. Places in the register file do
    /// not tell registers apart, as several share one.
    pub named: (u64, u64),
}

/// What an instruction does that accesses a texture or a surface, for counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureInfo {
    /// Its program counter.
    pub pc: u32,
    /// Fetch or load, store or atomic.
    pub what: What,
    /// It is a surface.
    pub surface: bool,
}

/// The type of an argument of `printf`, as far as the store that packs it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// An integer or a pointer.
    Whole,
    /// A double.
    Double,
    /// A constant. One of 8 bytes may be a double, or two neighbours that the compiler stores at once.
    Constant,
}

/// An argument that a call of `printf` was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its offset from the start of the arguments.
    pub offset: u32,
    /// Bytes: 4 or 8.
    pub size: u32,
    /// What it is.
    pub value: Value,
}

/// All that a call of `printf` was given, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// The arguments behind the format.
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

/// What an instruction does with values of which some bits are not defined, as nobody has written them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dataflow {
    /// It computes registers from registers and does nothing else, so that it may be executed again.
    Pure,
    /// It writes registers that depend on those that it reads.
    Opaque,
    /// It loads registers, which are extended by sign if that is set.
    Load {
        /// The elements are signed.
        signed: bool,
    },
    /// It stores registers.
    Store,
    /// It guards the next instruction.
    Guard,
    /// What it does depends on the values that it reads, and other threads may see it.
    Decides,
}

/// A register that an instruction reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand(u32);

impl Operand {
    /// A register at this place in the register file, of `width` bytes a lane, 0 for a predicate. Whether it is
    /// written, and whether it is the address of a memory instruction.
    pub fn new(place: u32, width: u32, is_written: bool, is_address: bool) -> Operand {
        let width = match width {
            0 => 0,
            1 | 2 => 1,
            4 => 2,
            _ => 3,
        };
        // Places are multiples of four.
        Operand(place << 2 | width << 2 | u32::from(is_address) << 1 | u32::from(is_written))
    }
    /// Its place in the register file.
    pub fn place(self) -> u32 {
        self.0 >> 4 << 2
    }
    /// Its bytes a lane, 0 for a predicate.
    pub fn width(self) -> u32 {
        [0, 2, 4, 8][(self.0 >> 2 & 3) as usize]
    }
    /// Its bytes in the register file.
    pub fn bytes(self) -> usize {
        if self.width() == 0 { 4 } else { self.width() as usize * LANES }
    }
    /// Whether the instruction writes it; otherwise it reads it.
    pub fn is_written(self) -> bool {
        self.0 & 1 != 0
    }
    /// Whether it is the address of a memory instruction.
    pub fn is_address(self) -> bool {
        self.0 & 2 != 0
    }
}
