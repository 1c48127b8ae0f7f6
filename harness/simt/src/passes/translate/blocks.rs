//! The basic blocks of a function, while they are filled one after another.

use crate::passes::ir::{Block, Inst, OperandSlot, Term};
use std::collections::{BTreeSet, HashMap};

/// The blocks of a function, one of which may be open.
pub struct BlockBuilder {
    blocks: Vec<Block>,
    /// The block that is being filled; `None` after a terminator.
    open: Option<u32>,
    /// Blocks by the code that they begin with.
    starts: HashMap<u32, u32>,
    /// The 64-bit sums of 32-bit registers and offsets that are valid in the open block.
    sums: HashMap<(OperandSlot, u32), OperandSlot>,
}

impl BlockBuilder {
    /// Creates a builder without blocks.
    pub fn new() -> BlockBuilder {
        BlockBuilder { blocks: Vec::new(), open: None, starts: HashMap::new(), sums: HashMap::new() }
    }

    /// Creates an empty block for the code at each of these positions.
    pub fn add_starts(&mut self, positions: &BTreeSet<u32>) {
        for &at in positions {
            self.starting_at(at);
        }
    }

    /// Creates a new, empty block.
    pub fn add(&mut self) -> u32 {
        self.blocks.push(Block::new());
        self.blocks.len() as u32 - 1
    }

    /// Whether a block is open.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Opens a block.
    pub fn enter(&mut self, block: u32) {
        self.open = Some(block);
        self.sums.clear();
    }

    /// Closes the open block, if there is one.
    pub fn end(&mut self, term: Term, loc: u32) {
        if let Some(at) = self.open.take() {
            let block = &mut self.blocks[at as usize];
            (block.term, block.term_loc) = (term, loc);
        }
    }

    /// Opens a block, into which the open one falls through.
    pub fn fall(&mut self, to: u32, loc: u32) {
        self.end(Term::Goto(to), loc);
        self.enter(to);
    }

    /// Appends an instruction to the open block.
    pub fn push(&mut self, inst: Inst) {
        self.sums.retain(|(narrow, _), _| !inst.writes(*narrow));
        self.open().insts.push(inst);
    }

    /// Counts the PTX instruction at this position of the code as one of the open block.
    pub fn count(&mut self, at: u32, loc: u32) {
        let block = self.open();
        block.count(loc);
        block.code.push(at);
    }

    /// Returns the block of the code at a position, if a block begins there.
    pub fn start(&self, at: u32) -> Option<u32> {
        self.starts.get(&at).copied()
    }

    /// Returns the block of the code at a position, which it creates if none begins there.
    pub fn starting_at(&mut self, at: u32) -> u32 {
        if let Some(block) = self.start(at) {
            return block;
        }
        let block = self.add();
        self.starts.insert(at, block);
        block
    }

    /// Returns the sum of a 32-bit register and an offset, if the open block has computed it.
    pub fn sum(&self, narrow: OperandSlot, offset: u32) -> Option<OperandSlot> {
        self.sums.get(&(narrow, offset)).copied()
    }

    /// Remembers the sum of a 32-bit register and an offset, until the register is written or the block ends.
    pub fn remember_sum(&mut self, narrow: OperandSlot, offset: u32, sum: OperandSlot) {
        self.sums.insert((narrow, offset), sum);
    }

    /// Returns all blocks.
    pub fn finish(self) -> Vec<Block> {
        self.blocks
    }

    fn open(&mut self) -> &mut Block {
        let at = match self.open {
            Some(at) => at,
            None => {
                let at = self.add();
                self.enter(at);
                at
            }
        };
        &mut self.blocks[at as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::warp::handler::Handlers;
    use crate::instr::code::Field;
    use crate::instr::control::branch;

    #[test]
    fn a_block_falls_through_unless_it_has_ended() {
        let mut blocks = BlockBuilder::new();
        let (first, second) = (blocks.starting_at(0), blocks.starting_at(1));
        blocks.enter(first);
        blocks.fall(second, 7);
        blocks.end(Term::Exit, 8);
        blocks.end(Term::Ret, 9);
        let blocks = blocks.finish();
        assert!(matches!(blocks[0].term, Term::Goto(to) if to == second));
        assert!(matches!(blocks[1].term, Term::Exit));
        assert_eq!((blocks[0].term_loc, blocks[1].term_loc), (7, 8));
    }

    #[test]
    fn a_sum_is_valid_until_its_register_changes_or_the_block_ends() {
        let (narrow, sum) = (OperandSlot::Reg(1), OperandSlot::Reg(2));
        let Handlers { full, .. } = branch::exit().handlers;
        let writes = |reg| Inst::plain(full).write(Field::D, OperandSlot::Reg(reg));
        let mut blocks = BlockBuilder::new();
        let first = blocks.add();
        blocks.enter(first);
        blocks.remember_sum(narrow, 4, sum);
        blocks.push(writes(3));
        assert_eq!(blocks.sum(narrow, 4), Some(sum));
        assert_eq!(blocks.sum(narrow, 8), None);
        blocks.push(writes(1));
        assert_eq!(blocks.sum(narrow, 4), None);
        blocks.remember_sum(narrow, 4, sum);
        let second = blocks.add();
        blocks.fall(second, 0);
        assert_eq!(blocks.sum(narrow, 4), None);
    }
}
