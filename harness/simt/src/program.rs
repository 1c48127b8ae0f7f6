//! A decoded program: what the lowering makes of a PTX module and the executor runs.

use crate::finding::{CalledFrom, Place, Space, What};
use crate::isa::dispatch::Handler;
use crate::ptx::ast::{Inline, Loc, Special};

/// One decoded instruction. Its address in the program is its program counter.
#[derive(Clone)]
#[repr(C)]
pub struct Op {
    /// Executes it with all 32 lanes live.
    pub full: Handler,
    /// Executes it under the warp's mask.
    pub part: Handler,
    /// Destination: byte offset in the register file.
    pub d: u32,
    /// First source.
    pub a: u32,
    /// Second source.
    pub b: u32,
    /// Third source.
    pub c: u32,
    /// Fourth source.
    pub e: u32,
    /// Second destination.
    pub d2: u32,
    /// An immediate: address offset, branch target, constant.
    pub imm: u64,
    /// Index of the instruction in its program: for counters, caches and findings.
    pub site: u32,
}

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

/// When a special register's value changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// Never in a launch.
    Launch,
    /// With the block.
    Block,
    /// With the warp.
    Warp,
}

impl Source {
    /// When it has to be filled again.
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
    /// PTX instructions in it, those included that the lowering removed.
    pub instructions: u32,
    /// The same by place: index into [`Program::locs`] and count.
    pub lines: Vec<(u32, u32)>,
}

/// How a memory instruction orders memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Volatile, relaxed or stronger: made to be seen by other threads.
    pub strong: bool,
    /// Volatile, and nobody waits in it for a change: strong, but what code has that relies on lanes in lockstep.
    pub volatile: bool,
    /// Everything before it is seen before it.
    pub release: bool,
    /// All that only inside the thread's block (`.cta`).
    pub narrow: bool,
    /// The write of an asynchronous copy.
    pub asynchronous: bool,
}

/// Where the addresses of a memory instruction begin, whatever the way that they were computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// That cannot be told.
    #[default]
    Unknown,
    /// At a variable in shared memory: its first offset, and one past its last.
    Shared(u64, u64),
    /// At a variable of the module: its first address, and one past its last.
    Global(u64, u64),
    /// At what the kernel's parameter with this offset points to.
    Param(u32),
}

/// What the memory instruction at a site does; for counters and findings.
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
    /// How it orders memory.
    pub order: Order,
    /// Where its addresses begin.
    pub origin: Origin,
}

/// What an argument of `printf` is, as far as the store tells that packs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// An integer or a pointer.
    Whole,
    /// A double.
    Double,
    /// A constant: of 8 bytes it may be a double, or two neighbours that the compiler stores at once.
    Constant,
}

/// An argument that a call of `printf` was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// From where the arguments begin.
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

/// A kernel's code and all that a launch needs to run it.
#[derive(Default)]
pub struct Program {
    /// The kernel's name.
    pub name: String,
    /// Instructions.
    pub ops: Vec<Op>,
    /// For each instruction, its place: index into `locs`.
    pub at: Vec<u32>,
    /// Places, with the index of their function.
    pub locs: Vec<(Loc, u32)>,
    /// Functions.
    pub functions: Vec<FunctionInfo>,
    /// `.file` directives of the module.
    pub files: Vec<(u32, String)>,
    /// Call sites of inlined code of the module.
    pub inlines: Vec<Inline>,
    /// Basic blocks.
    pub blocks: Vec<BlockInfo>,
    /// Conditional branches; their number is in the instruction.
    pub branches: Vec<BranchInfo>,
    /// Memory instructions.
    pub accesses: Vec<AccessInfo>,
    /// Warp-level synchronising instructions inside blocks (program counters).
    pub warp_syncs: Vec<u32>,
    /// Block barriers (program counters).
    pub barriers: Vec<u32>,
    /// For barriers (program counters): the first and last instructions of blocks that every way on leads through.
    pub behind: Vec<(u32, Vec<(u32, u32)>)>,
    /// Guards of instructions that are no branches (program counters).
    pub guards: Vec<u32>,
    /// The constant area.
    pub constants: Vec<Constant>,
    /// Bytes of a warp's register file.
    pub file_bytes: u32,
    /// Bytes of local memory a thread.
    pub local_bytes: u32,
    /// Bytes of static shared memory.
    pub static_shared: u32,
    /// Alignment of the dynamic shared memory.
    pub dynamic_align: u32,
    /// Names in shared memory.
    pub shared_vars: Vec<SharedVar>,
    /// First instruction of the kernel.
    pub entry: u32,
    /// Addresses of functions that are called through pointers: `(value, program counter)`, sorted.
    pub pointers: Vec<(u64, u32)>,
    /// What calls of `printf` were given, as far as that is known; their number, from 1, is in the instruction.
    pub packed: Vec<Packed>,
    /// Operand lists of instructions with more than six (byte offsets), one after another.
    pub lists: Vec<u32>,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("name", &self.name)
            .field("ops", &self.ops.len())
            .field("file_bytes", &self.file_bytes)
            .finish_non_exhaustive()
    }
}

impl Program {
    /// The place with this index in [`Program::locs`].
    pub fn place(&self, index: u32) -> Place {
        let Some(&(loc, function)) = self.locs.get(index as usize) else {
            return Place::default();
        };
        let name = self
            .functions
            .get(function as usize)
            .map(|f| f.name.clone());
        let mut place = Place {
            function: name.unwrap_or_default(),
            file: self.file(loc.file),
            line: loc.line,
            column: loc.column,
            ptx_line: loc.ptx_line,
            inlined_at: Vec::new(),
        };
        let mut inlined = loc.inlined;
        // The parser refers only backwards, so this ends; the bound guards against a circle all the same.
        while let Some(inline) = inlined
            .checked_sub(1)
            .and_then(|i| self.inlines.get(i as usize))
        {
            place.inlined_at.push(CalledFrom {
                file: self.file(inline.at.file),
                line: inline.at.line,
                column: inline.at.column,
            });
            if place.inlined_at.len() > 64 {
                break;
            }
            inlined = inline.at.inlined;
        }
        place
    }

    /// The place of an instruction.
    pub fn place_of(&self, pc: u32) -> Place {
        self.at
            .get(pc as usize)
            .map(|&at| self.place(at))
            .unwrap_or_default()
    }

    fn file(&self, index: u32) -> String {
        self.files
            .iter()
            .find(|(i, _)| *i == index)
            .map(|(_, name)| name.clone())
            .unwrap_or_default()
    }
}
