//! What lowering works on: basic blocks of instructions whose operands are still names of registers.

use crate::finding::{Space, What};
use crate::isa::dispatch::Handlers;
pub use crate::machine::LoadError;
use crate::program::Source;
pub use crate::program::{Order, Origin};
use std::collections::HashMap;

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opnd {
    /// None.
    None,
    /// A register of the function.
    Reg(u32),
    /// A register with a place of its own: parameters and return addresses of functions.
    Fixed(u32),
    /// A register of the constant area.
    Const(u32),
    /// A number, as it is.
    Raw(u32),
}

/// Index of `Op::d` in [`Inst::o`].
pub const D: usize = 0;
/// Index of `Op::d2`.
pub const D2: usize = 1;
/// Index of `Op::a`.
pub const A: usize = 2;
/// Index of `Op::b`.
pub const B: usize = 3;
/// Index of `Op::c`.
pub const C: usize = 4;
/// Index of `Op::e`.
pub const E: usize = 5;

/// What the counters have to know of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Nothing.
    Plain,
    /// It accesses memory: what for, the space, bytes a lane.
    Access(What, Space, u32),
    /// It joins lanes of the warp.
    WarpSync,
    /// Lanes join in it to access memory: what for, the space, bytes a lane at once.
    Tile(What, Space, u32),
    /// It guards the next one.
    Guard,
}

/// An instruction.
#[derive(Clone)]
pub struct Inst {
    /// Executes it.
    pub handlers: Handlers,
    /// Operands, by the constants above.
    pub o: [Opnd; 6],
    /// Which of them are written (a bit each).
    pub defs: u8,
    /// Which of them are read.
    pub uses: u8,
    /// The immediate.
    pub imm: u64,
    /// Index of its place.
    pub loc: u32,
    /// For the counters.
    pub role: Role,
    /// For the checks.
    pub order: Order,
    pub origin: Origin,
    /// Further operands that are read, or written if the flag is set: they go to the program's lists, `imm` to their index.
    pub list: Vec<(Opnd, bool)>,
}

impl Inst {
    /// An instruction without operands.
    pub fn new(handlers: Handlers, loc: u32) -> Inst {
        Inst {
            handlers,
            o: [Opnd::None; 6],
            defs: 0,
            uses: 0,
            imm: 0,
            loc,
            role: Role::Plain,
            order: Order::default(),
            origin: Origin::Unknown,
            list: Vec::new(),
        }
    }
    /// With a destination.
    pub fn def(mut self, at: usize, opnd: Opnd) -> Inst {
        self.o[at] = opnd;
        self.defs |= 1 << at;
        self
    }
    /// With a source.
    pub fn use_(mut self, at: usize, opnd: Opnd) -> Inst {
        self.o[at] = opnd;
        self.uses |= 1 << at;
        self
    }
    /// With a number.
    pub fn raw(mut self, at: usize, value: u32) -> Inst {
        self.o[at] = Opnd::Raw(value);
        self
    }
    /// With an immediate.
    pub fn imm(mut self, value: u64) -> Inst {
        self.imm = value;
        self
    }
    /// With where its addresses begin.
    pub fn from(mut self, origin: Origin) -> Inst {
        self.origin = origin;
        self
    }
    /// With how it orders memory.
    pub fn order(mut self, order: Order) -> Inst {
        self.order = order;
        self
    }
    /// With something for the counters.
    pub fn role(mut self, role: Role) -> Inst {
        self.role = role;
        self
    }
}

/// How a basic block ends. Blocks are named by their index in the function.
#[derive(Clone)]
pub enum Term {
    /// Goes on there.
    Goto(u32),
    /// On a predicate, negated if the flag is set.
    Branch {
        /// The predicate.
        pred: Opnd,
        /// Whether it is negated.
        not: bool,
        /// Where it holds.
        yes: u32,
        /// Where it does not.
        no: u32,
    },
    /// Through a table.
    Table {
        /// The index.
        index: Opnd,
        /// The targets.
        targets: Vec<u32>,
    },
    /// Calls a function (index in the program) and goes on.
    Call(usize, u32),
    /// Calls through a pointer and goes on.
    CallPointer(Opnd, u32),
    /// Returns from a function.
    Ret,
    /// Ends the thread.
    Exit,
    /// A barrier, then goes on.
    Barrier(Box<Inst>, u32),
    /// Never goes on (behind a trap).
    Never,
}

impl Term {
    /// Where it may go in the same function.
    pub fn successors(&self) -> Vec<u32> {
        match self {
            Term::Goto(to)
            | Term::Call(_, to)
            | Term::CallPointer(_, to)
            | Term::Barrier(_, to) => {
                vec![*to]
            }
            Term::Branch { yes, no, .. } => vec![*yes, *no],
            Term::Table { targets, .. } => targets.clone(),
            Term::Ret | Term::Exit | Term::Never => Vec::new(),
        }
    }
}

/// A basic block.
#[derive(Clone)]
pub struct Block {
    /// Its instructions.
    pub insts: Vec<Inst>,
    /// How it ends.
    pub term: Term,
    /// Index of the end's place.
    pub term_loc: u32,
    /// PTX instructions by place.
    pub lines: Vec<(u32, u32)>,
}

impl Block {
    /// Whether it, block number `own`, only goes round until what it reads has changed, as in `while (flag == 0) {}`.
    pub fn waits(&self, own: u32) -> bool {
        let writes =
            |inst: &Inst| matches!(inst.role, Role::Access(what, ..) if what != What::Read);
        self.term.successors().contains(&own) && !self.insts.iter().any(writes)
    }

    /// An empty one.
    pub fn new() -> Block {
        Block {
            insts: Vec::new(),
            term: Term::Never,
            term_loc: 0,
            lines: Vec::new(),
        }
    }
    /// Counts a PTX instruction.
    pub fn count(&mut self, loc: u32) {
        match self.lines.iter_mut().find(|(l, _)| *l == loc) {
            Some((_, n)) => *n += 1,
            None => self.lines.push((loc, 1)),
        }
    }
}

/// Registers with a place of their own and the constant area of a program.
#[derive(Default)]
pub struct Pools {
    /// Widths of the fixed registers: bytes a lane, 0 for a predicate.
    pub fixed: Vec<u32>,
    /// The constants, each once.
    pub constants: Vec<(Source, u32)>,
    known: HashMap<(Source, u32), u32>,
}

impl Pools {
    /// The constant register with this source and width.
    pub fn constant(&mut self, source: Source, width: u32) -> Opnd {
        let next = self.constants.len() as u32;
        let at = *self.known.entry((source, width)).or_insert(next);
        if at == next {
            self.constants.push((source, width));
        }
        Opnd::Const(at)
    }
    /// The same bits in all lanes.
    pub fn bits(&mut self, value: u64, width: u32) -> Opnd {
        let value = match width {
            0 => u64::from(value != 0),
            1 | 2 => value & 0xffff,
            4 => value & 0xffff_ffff,
            _ => value,
        };
        self.constant(Source::Bits(value), width)
    }
    /// A new fixed register.
    pub fn fix(&mut self, width: u32) -> Opnd {
        self.fixed.push(width);
        Opnd::Fixed(self.fixed.len() as u32 - 1)
    }
}

/// A function, lowered.
pub struct Func {
    /// Its name.
    pub name: String,
    /// Widths of its registers: bytes a lane, 0 for a predicate.
    pub regs: Vec<u32>,
    /// Its blocks; the first is the entry.
    pub blocks: Vec<Block>,
    /// Where its callers leave the return address; none for a kernel.
    pub back: Option<Opnd>,
}

/// Shorthand.
pub type Result<T> = std::result::Result<T, LoadError>;
