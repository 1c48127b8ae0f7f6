//! Lowers a function's body to basic blocks.

use super::cas_retry;
use super::dataflow;
use super::error::unsupported;
use super::final_sums;
use super::if_conversion;
use super::instruction_cost::{self, Flow};
use super::ir::*;
use super::load_use;
use super::pending;
use super::pointer_provenance;
use super::program::Builder;
use super::sass_fusion::fused_counts;
use crate::engine::warp::program::{Adds, Dataflow};
use crate::finding::AccessKind;
use crate::instr::context::width;
use crate::instr::control::branch;
use crate::instr::wgmma;
use crate::ptx::ast::{self, Body, Operand, RegId, Type};
use crate::ptx::modifier::Modifier;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

/// Lowers one function.
pub struct FnBuilder<'b, 'm> {
    /// The program.
    pub b: &'b mut Builder<'m>,
    /// Its index in the module.
    pub index: usize,
    /// The function.
    pub f: &'m ast::Function,
    /// Its body.
    pub body: &'m Body,
    /// Widths of its registers: bytes a lane, 0 for a predicate.
    pub regs: Vec<u32>,
    pub blocks: Vec<Block>,
    /// The block that is being filled; `None` after a terminator.
    current: Option<u32>,
    /// Blocks by the code that they begin with.
    pub starts: HashMap<u32, u32>,
    /// For each register, the number of instructions that write it, and the last of these.
    pub defs: Vec<(u32, u32)>,
    /// The constants and parameters that registers stand for.
    #[expect(clippy::option_option, reason = "not asked yet, or none, or this one")]
    pub aliases: Vec<Option<Option<OperandSlot>>>,
    /// The origin of the addresses in each register.
    pub origins: Vec<pointer_provenance::From<'m>>,
    /// For each instruction, the instructions that may be executed directly after it; computed on first use.
    pub comes_from: OnceCell<HashMap<u32, Vec<u32>>>,
    /// The current instruction's index in the body.
    pub now: u32,
    /// The index of the current instruction's place.
    pub loc: u32,
    /// Its guard.
    pub guard: Option<(RegId, bool)>,
    carry: Option<OperandSlot>,
    /// In a function with frames, where the return address is kept, and where the caller left it.
    pub home: Option<(OperandSlot, OperandSlot)>,
    /// In a function with dynamic arrays, the start of the latest one when it was called.
    pub before: Option<OperandSlot>,
    /// The loads whose value a compare-and-swap verifies.
    attempts: HashSet<u32>,
    /// Accumulators of warpgroup products.
    accumulators: HashSet<RegId>,
    /// The 64-bit sums of 32-bit registers and offsets that are valid in the current block.
    pub widened: HashMap<(OperandSlot, u32), OperandSlot>,
}

impl<'b, 'm> FnBuilder<'b, 'm> {
    /// Lowers a function with a body.
    pub fn lower(b: &'b mut Builder<'m>, index: usize, back: Option<OperandSlot>) -> Result<Func> {
        let f = &b.module.functions[index];
        let Some(body) = &f.body else {
            return Err(unsupported(
                format!("`{}`, a function without a body,", f.name),
                (f.name.as_str(), ast::Loc::default()),
            ));
        };
        let mut this = FnBuilder {
            b,
            index,
            f,
            body,
            regs: body.regs.iter().map(|r| width(r.ty)).collect(),
            blocks: Vec::new(),
            current: None,
            starts: HashMap::new(),
            defs: vec![(0, 0); body.regs.len()],
            aliases: vec![None; body.regs.len()],
            origins: pointer_provenance::trace(f, body),
            comes_from: OnceCell::new(),
            now: 0,
            loc: 0,
            guard: None,
            carry: None,
            home: None,
            before: None,
            widened: HashMap::new(),
            attempts: cas_retry::find(body),
            accumulators: pending::accumulators(body),
        };
        this.count_defs();
        this.prologue(back)?;
        this.run()?;
        this.merge_loads();
        let fused = fused_counts(body);
        let uses: Vec<_> = body.code.iter().map(ast::Inst::registers).collect();
        let read: HashSet<RegId> = uses.iter().flat_map(|(_, reads)| reads.iter().copied()).collect();
        let places = if_conversion::find(&this.blocks, body, &fused);
        let order = if_conversion::in_order(&this.blocks);
        let mut awaited = load_use::find(&this.blocks, &order, &places, body, &uses);
        let mut flows: HashMap<u32, Flow> = HashMap::new();
        for own in order {
            let (block, place) = (&mut this.blocks[own as usize], &places[own as usize]);
            let mut flow = place
                .after
                .and_then(|before| flows.remove(&before))
                .unwrap_or_else(|| Flow::new(awaited.remove(&own).unwrap_or_default()));
            let kept = block.code.len() - usize::from(place.drops_branch);
            let code = block.code[..kept].iter().map(|&at| (at, fused[at as usize]));
            block.effort =
                instruction_cost::estimate(&mut flow, place.under, body, code, |register| read.contains(&register));
            flows.insert(own, flow);
            let followers = block.insts.iter().filter(|inst| inst.merge == Merge::Follows).count() as u64;
            block.effort.pipes.memory = block.effort.pipes.memory.saturating_sub(followers);
        }
        let mut blocks = std::mem::take(&mut this.blocks);
        if f.entry {
            final_sums::mark(&mut blocks, body, |inst| this.is_unread(inst));
        }
        let declared = body.regs.len() as u32;
        Ok(Func { name: f.name.clone(), regs: this.regs, declared, blocks, back })
    }

    /// Returns the current instruction's function and place, for errors.
    pub fn at(&self) -> (&'m str, ast::Loc) {
        let loc = self.b.locs.get(self.loc as usize).map(|l| l.0).unwrap_or_default();
        (self.f.name.as_str(), loc)
    }

    /// Returns the instruction that writes a register, if there is exactly one.
    pub fn only_def(&self, reg: RegId) -> Option<&'m ast::Inst> {
        match self.defs.get(reg.0 as usize)? {
            (1, at) => self.body.code.get(*at as usize),
            _ => None,
        }
    }

    fn count_defs(&mut self) {
        for (at, inst) in (0u32..).zip(&self.body.code) {
            inst.each_written(|register| {
                if let Some(def) = self.defs.get_mut(register.0 as usize) {
                    *def = (def.0 + 1, at);
                }
            });
        }
    }

    fn run(&mut self) -> Result<()> {
        let code = &self.body.code;
        let mut targets: Vec<u32> = self.body.labels.iter().map(|(_, at)| *at).collect();
        targets.push(0);
        targets.sort_unstable();
        targets.dedup();
        for at in targets {
            let block = self.new_block();
            self.starts.insert(at, block);
        }
        for (at, inst) in code.iter().enumerate() {
            self.loc = self.b.loc(inst.loc, self.index);
            if let Some(&block) = self.starts.get(&(at as u32)) {
                self.fall(block);
            }
            if self.current.is_none() {
                // Code that no label leads to is never executed, but it is checked like any other code.
                let block = self.new_block();
                self.enter(block);
            }
            (self.now, self.guard) = (at as u32, inst.guard);
            self.instruction(inst)?;
            let used = pending::used(inst, &self.accumulators);
            if !used.is_empty() && self.current.is_some() {
                self.prepare(wgmma::look(&used));
            }
        }
        let end = code.len() as u32;
        if let Some(&block) = self.starts.get(&end) {
            self.fall(block);
        }
        // Falling off the end returns.
        if self.current.is_some() {
            if self.f.entry {
                self.end(Term::Exit);
            } else {
                self.leave()?;
            }
        }
        Ok(())
    }

    /// Creates a new, empty block.
    pub fn new_block(&mut self) -> u32 {
        self.blocks.push(Block::new());
        self.blocks.len() as u32 - 1
    }

    /// Continues in a block into which the current block falls through.
    pub fn fall(&mut self, to: u32) {
        if self.current.is_some() {
            self.end(Term::Goto(to));
        }
        self.enter(to);
    }

    /// Ends the current block.
    pub fn end(&mut self, term: Term) {
        let loc = self.loc;
        if let Some(at) = self.current.take() {
            let block = &mut self.blocks[at as usize];
            block.term = term;
            block.term_loc = loc;
        }
    }

    fn block(&mut self) -> &mut Block {
        let at = match self.current {
            Some(at) => at,
            None => {
                let at = self.new_block();
                self.enter(at);
                at
            }
        };
        &mut self.blocks[at as usize]
    }

    /// Continues in that block.
    pub fn enter(&mut self, block: u32) {
        self.current = Some(block);
        self.widened.clear();
    }

    /// Emits an instruction under the guard of the current one.
    pub fn emit(&mut self, inst: Inst) -> Result<()> {
        if let Some((reg, not)) = self.guard {
            let pred = self.reg(reg, 0)?;
            self.prepare(branch::guard(pred, not));
        }
        self.prepare(inst);
        Ok(())
    }

    /// Emits an unguarded instruction that only prepares an operand.
    pub fn prepare(&mut self, inst: Inst) {
        let loc = self.loc;
        self.widened.retain(|(narrow, _), _| !inst.writes(*narrow));
        let used_bytes = if let Role::Access(AccessKind::Read, ..) = inst.role { self.used_bytes() } else { None };
        let dataflow = match self.body.code.get(self.now as usize) {
            Some(written) => dataflow::classify(written, &inst),
            None => Dataflow::Opaque,
        };
        let (at, adds) = (self.now, self.adds(&inst));
        let mut order = inst.order;
        order.strong |= matches!(inst.role, Role::Access(AccessKind::Read, ..)) && self.attempts.contains(&self.now);
        self.block().insts.push(Inst { loc, order, at, adds, used_bytes, dataflow, ..inst });
    }

    /// Returns the bytes that the program uses of the current instruction's load, if the compiler specifies them.
    fn used_bytes(&self) -> Option<u32> {
        let known = &self.body.used_bytes;
        known.iter().find(|(at, _)| *at == self.now).map(|(_, mask)| *mask)
    }

    /// Returns what an instruction adds, if it is an atomic.
    fn adds(&self, inst: &Inst) -> Adds {
        let Role::Access(AccessKind::Atomic, ..) = inst.role else {
            return Adds::Other;
        };
        let Some(written) = self.body.code.get(self.now as usize) else {
            return Adds::Other;
        };
        if written.has_type(&[Type::F32, Type::F64, Type::F16x2, Type::Bf16x2]) {
            return Adds::Float;
        }
        let counts = written.has(Modifier::Add)
            && written.has_type(&[Type::U32, Type::S32])
            && written.operands.last() == Some(&Operand::Int(1));
        if counts && self.is_unread(written) { Adds::One } else { Adds::Other }
    }

    /// Whether no instruction of the function reads what this one writes.
    fn is_unread(&self, inst: &ast::Inst) -> bool {
        let (writes, _) = inst.registers();
        !self.body.code.iter().any(|other| writes.iter().any(|register| other.reads(*register)))
    }

    /// Creates a new register.
    pub fn temp(&mut self, width: u32) -> OperandSlot {
        self.regs.push(width);
        OperandSlot::Reg(self.regs.len() as u32 - 1)
    }

    /// Returns the hidden register of the carry flag.
    pub fn carry(&mut self) -> OperandSlot {
        match self.carry {
            Some(carry) => carry,
            None => {
                let carry = self.temp(0);
                self.carry = Some(carry);
                carry
            }
        }
    }

    /// Returns the declared width of a register.
    pub fn width_of(&self, reg: RegId) -> u32 {
        self.regs.get(reg.0 as usize).copied().unwrap_or(0)
    }

    /// Returns the block of the code after the current instruction.
    pub fn after(&mut self) -> u32 {
        let at = self.now;
        if let Some(&block) = self.starts.get(&(at + 1)) {
            return block;
        }
        let block = self.new_block();
        self.starts.insert(at + 1, block);
        block
    }

    /// Counts the current instruction.
    pub fn tick(&mut self) {
        let (loc, now) = (self.loc, self.now);
        let block = self.block();
        block.count(loc);
        block.code.push(now);
    }
}
