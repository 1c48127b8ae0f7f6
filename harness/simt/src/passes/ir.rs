//! The intermediate representation: basic blocks of instructions whose operands are still names of registers.

use crate::engine::warp::program::{Packed, Source};
use crate::finding::AccessKind;
pub use crate::instr::code::{Inst, OperandSlot, Role};
pub use crate::instr::context::Result;
use ptx::ast::Loc;
use std::collections::HashMap;

/// How a basic block ends. Blocks are named by their index in the function.
#[derive(Clone)]
pub enum Term {
    /// Continues in this block.
    Goto(u32),
    /// Branches on a predicate.
    Branch {
        /// The predicate.
        pred: OperandSlot,
        /// Whether it is negated.
        not: bool,
        /// The block for lanes in which the condition holds.
        yes: u32,
        /// The block for lanes in which it does not hold.
        no: u32,
    },
    /// Branches through a table.
    Table {
        /// The index.
        index: OperandSlot,
        /// The targets.
        targets: Vec<u32>,
    },
    /// Calls a function (by its index in the program) and continues.
    Call(usize, u32),
    /// Calls one of these functions (by their indices in the program) through a pointer and continues.
    CallPointer(OperandSlot, u32, Vec<usize>),
    /// Returns from a function.
    Ret,
    /// Ends the thread.
    Exit,
    /// Waits at a barrier, then continues.
    Barrier(Box<Inst>, u32),
    /// Never continues (after a trap).
    Never,
}

impl Term {
    /// Returns the blocks of the same function to which it may continue.
    pub fn successors(&self) -> Vec<u32> {
        match self {
            Term::Goto(to) | Term::Call(_, to) | Term::CallPointer(_, to, _) | Term::Barrier(_, to) => {
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
    /// Its terminator.
    pub term: Term,
    /// Index of the place of the terminator.
    pub term_loc: u32,
    /// The number of PTX instructions by place.
    pub lines: Vec<(u32, u32)>,
    /// Its PTX instructions, as indices into the function's body.
    pub code: Vec<u32>,
    /// The block that ends in the call after which this one restores what the caller needs, if it is such a block.
    pub resumes: Option<u32>,
}

impl Block {
    /// Whether the block, number `own`, only loops until a value that it reads has changed, as in `while (flag == 0)
    /// {}`.
    pub fn waits(&self, own: u32) -> bool {
        let writes = |inst: &Inst| matches!(inst.role, Role::Access(what, ..) if what != AccessKind::Read);
        self.term.successors().contains(&own) && !self.insts.iter().any(writes)
    }

    /// Creates an empty block.
    pub fn new() -> Block {
        Block { insts: Vec::new(), term: Term::Never, term_loc: 0, lines: Vec::new(), code: Vec::new(), resumes: None }
    }
    /// Counts a PTX instruction.
    pub fn count(&mut self, loc: u32) {
        match self.lines.iter_mut().find(|(l, _)| *l == loc) {
            Some((_, n)) => *n += 1,
            None => self.lines.push((loc, 1)),
        }
    }
}

/// Fixed registers and the constant area of a program.
#[derive(Default)]
pub struct Pools {
    /// Widths of the fixed registers: bytes a lane, 0 for a predicate.
    pub fixed: Vec<u32>,
    /// The constants, without duplicates.
    pub constants: Vec<(Source, u32)>,
    known: HashMap<(Source, u32), u32>,
}

impl Pools {
    /// Returns the constant register with this source and width.
    pub fn constant(&mut self, source: Source, width: u32) -> OperandSlot {
        let next = self.constants.len() as u32;
        let at = *self.known.entry((source, width)).or_insert(next);
        if at == next {
            self.constants.push((source, width));
        }
        OperandSlot::Const(at)
    }
    /// Returns a constant with the same bits in all lanes.
    pub fn bits(&mut self, value: u64, width: u32) -> OperandSlot {
        let value = match width {
            0 => u64::from(value != 0),
            1 | 2 => value & 0xffff,
            4 => value & 0xffff_ffff,
            _ => value,
        };
        self.constant(Source::Bits(value), width)
    }
    /// Creates a new fixed register.
    pub fn fix(&mut self, width: u32) -> OperandSlot {
        self.fixed.push(width);
        OperandSlot::Fixed(self.fixed.len() as u32 - 1)
    }
}

/// What the functions of a program share: it grows while they are translated.
pub struct Tables {
    /// Constants and fixed registers.
    pub pools: Pools,
    /// Places in the source, with the index of their function.
    pub locs: Vec<(Loc, u32)>,
    known_locs: HashMap<(Loc, u32), u32>,
    /// The arguments of calls of `printf`.
    pub packed: Vec<Packed>,
}

impl Tables {
    /// Creates tables with these constants and registers.
    pub fn with(pools: Pools) -> Tables {
        Tables { pools, locs: Vec::new(), known_locs: HashMap::new(), packed: Vec::new() }
    }

    /// Returns the index of a place in the function with this index in the program.
    pub fn loc(&mut self, loc: Loc, function: u32) -> u32 {
        let next = self.locs.len() as u32;
        let index = *self.known_locs.entry((loc, function)).or_insert(next);
        if index == next {
            self.locs.push((loc, function));
        }
        index
    }
}

/// A function as basic blocks.
pub struct Func {
    /// Its name.
    pub name: String,
    /// Widths of its registers: bytes a lane, 0 for a predicate.
    pub regs: Vec<u32>,
    /// How many of them the PTX declares; they come first.
    pub declared: u32,
    /// Declared registers that the code does not use, with the constant or parameter that it reads in their place.
    pub aliases: Vec<(u32, OperandSlot)>,
    /// Its blocks; the first is the entry.
    pub blocks: Vec<Block>,
    /// The register in which its callers leave the return address; `None` for a kernel.
    pub back: Option<OperandSlot>,
    /// Its loops that only wait for other blocks, inner loops first.
    pub idle: Vec<BlockLoop>,
}

/// A natural loop.
pub struct BlockLoop {
    /// Its first block.
    pub header: u32,
    /// Whether each block of the function belongs to it.
    pub members: Vec<bool>,
}

/// Visits each register of an instruction, and whether it is written.
pub fn each(inst: &Inst, mut visit: impl FnMut(u32, bool)) {
    for at in 0..6 {
        if let OperandSlot::Reg(r) = inst.o[at] {
            if inst.uses & (1 << at) != 0 {
                visit(r, false);
            }
            if inst.defs & (1 << at) != 0 {
                visit(r, true);
            }
        }
    }
    for &(opnd, def) in &inst.list {
        if let OperandSlot::Reg(r) = opnd {
            visit(r, def);
        }
    }
}

/// Visits each register of a block's terminator, and whether it is written.
pub fn each_of_term(term: &Term, mut visit: impl FnMut(u32, bool)) {
    match term {
        Term::Branch { pred: OperandSlot::Reg(r), .. }
        | Term::Table { index: OperandSlot::Reg(r), .. }
        | Term::CallPointer(OperandSlot::Reg(r), ..) => visit(*r, false),
        Term::Barrier(inst, _) => each(inst, visit),
        _ => {}
    }
}
