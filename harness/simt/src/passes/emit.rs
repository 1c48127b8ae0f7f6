//! Emits the decoded program: gives every register its place in the file, and every block its program counter.

use super::assign_registers::{Places, register_bytes};
use super::find_barrier_paths::find_barrier_paths;
use super::ir::*;
use super::plan::Plan;
use crate::engine::warp::program::{
    AccessInfo, BlockInfo, BranchInfo, Constant, Dataflow, FunctionInfo, Operand, Order, Program, Refresh,
    RegisterAlias, TextureInfo,
};
use crate::instr::code::Field;
use crate::instr::control::{End, branch};

/// The layout of a program's registers and blocks.
struct Layout<'f> {
    functions: &'f [Func],
    /// The functions' blocks in layout order.
    orders: &'f [Vec<u32>],
    /// The start of each function's blocks; `u32::MAX` if a block is never executed.
    starts: Vec<Vec<u32>>,
    /// Places of the constants in the register file.
    constants: Vec<u32>,
    /// Places of the fixed registers in the register file.
    fixed: Vec<u32>,
    /// Bytes a lane of the fixed registers and of the constants, 0 for a predicate.
    widths: Vec<u32>,
    constant_widths: Vec<u32>,
    /// Places of each function's own registers, relative to its base.
    places: &'f [Places],
    bases: Vec<u32>,
}

impl<'f> Layout<'f> {
    /// Lays out the code and the register file: first the constants, then the fixed registers, then each function's
    /// own.
    fn new(code: &Code<'f>, pools: &Pools, program: &mut Program) -> Layout<'f> {
        let &Code { functions, orders, places } = code;
        let mut bytes = 0u32;
        let mut take = |width: u32| {
            let size = register_bytes(width);
            let at = bytes.next_multiple_of(size.min(64));
            bytes = at + size;
            at
        };
        let mut constants = vec![0u32; pools.constants.len()];
        // Registers of the same width are contiguous, and those that change most often come first.
        let mut by_use: Vec<usize> = (0..constants.len()).collect();
        by_use.sort_by_key(|&i| {
            let (source, width) = pools.constants[i];
            let changes = match source.refresh() {
                Refresh::Warp => 0,
                Refresh::Block => 1,
                Refresh::Launch => 2,
            };
            (width == 0, changes)
        });
        for i in by_use {
            let (source, width) = pools.constants[i];
            constants[i] = take(width);
            program.constants.push(Constant {
                offset: constants[i],
                width: if width == 1 { 2 } else { width },
                source,
            });
        }
        let fixed: Vec<u32> = pools.fixed.iter().map(|&w| take(w)).collect();
        let mut at = bytes.next_multiple_of(64);
        let bases = places.iter().map(|p| {
            let base = at;
            at = (at + p.bytes).next_multiple_of(64);
            base
        });
        let bases = bases.collect();
        // A vector access may read slightly past a predicate.
        program.file_bytes = at + 64;
        let widths = pools.fixed.clone();
        let constant_widths = pools.constants.iter().map(|constant| constant.1).collect();
        Layout {
            functions,
            starts: starts(functions, orders),
            orders,
            constants,
            fixed,
            widths,
            constant_widths,
            places,
            bases,
        }
    }

    /// Returns the place of an operand of a function.
    fn place(&self, function: usize, opnd: OperandSlot) -> u32 {
        match opnd {
            OperandSlot::None => 0,
            OperandSlot::Reg(r) => self.bases[function] + self.places[function].offset[r as usize],
            OperandSlot::Fixed(r) => self.fixed[r as usize],
            OperandSlot::Const(c) => self.constants[c as usize],
            OperandSlot::Raw(value) => value,
        }
    }

    /// Returns the bytes a lane of a register, 0 for a predicate.
    fn width(&self, function: usize, opnd: OperandSlot) -> Option<u32> {
        match opnd {
            OperandSlot::Reg(r) => Some(self.functions[function].regs[r as usize]),
            OperandSlot::Fixed(r) => Some(self.widths[r as usize]),
            OperandSlot::Const(c) => Some(self.constant_widths[c as usize]),
            _ => None,
        }
    }

    /// Returns the program counter of a function's first instruction.
    fn entry(&self, function: usize) -> u32 {
        self.starts[function][0]
    }
}

/// Returns the program counters at which each function's blocks begin.
fn starts(functions: &[Func], orders: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut pc = 0u32;
    let starts = functions.iter().zip(orders).map(|(f, order)| {
        let mut start = vec![u32::MAX; f.blocks.len()];
        for (i, &b) in order.iter().enumerate() {
            start[b as usize] = pc;
            let block = &f.blocks[b as usize];
            pc += block.insts.len() as u32 + 1;
            pc += u32::from(jumps_on(&block.term, order.get(i + 1)).is_some());
        }
        start
    });
    starts.collect()
}

/// Returns the target of the jump that must follow a terminator that can only fall through; `None` if no jump is
/// needed.
fn jumps_on(term: &Term, next: Option<&u32>) -> Option<u32> {
    match term {
        Term::Barrier(_, then) if next != Some(then) => Some(*then),
        _ => None,
    }
}

/// The functions of a program, the last of which is the kernel.
#[derive(Clone, Copy)]
pub struct Code<'f> {
    /// The functions.
    pub functions: &'f [Func],
    /// The order of their blocks.
    pub orders: &'f [Vec<u32>],
    /// The places of their registers.
    pub places: &'f [Places],
}

/// Where the blocks of a function lie in the program.
#[derive(Default)]
pub struct Placement {
    /// For each block, its index in the program, and its first instruction; `None` for blocks that are never executed.
    blocks: Vec<Option<(u32, u32)>>,
}

impl Placement {
    /// Returns the index in the program and the first instruction of a block, unless that is never executed.
    pub fn of(&self, block: usize) -> Option<(usize, usize)> {
        self.blocks[block].map(|(index, start)| (index as usize, start as usize))
    }
}

/// Emits a program, and returns it with the placement of each function.
pub fn emit(plan: &Plan<'_>, code: Code<'_>, tables: Tables) -> (Program, Vec<Placement>) {
    let variables = &plan.variables;
    let mut program = Program {
        name: code.functions.last().map(|kernel| kernel.name.clone()).unwrap_or_default(),
        files: plan.module.files.clone(),
        inlines: plan.module.inlines.clone(),
        reserved_shared: variables.reserved_shared,
        static_shared: variables.static_shared,
        dynamic_align: variables.dynamic_align,
        shared_vars: variables.shared_vars.clone(),
        local_bytes: variables.stack_start(),
        recursive: plan.frames.stack.is_some(),
        arrays: plan.frames.arrays.is_some(),
        ..Program::default()
    };
    let layout = Layout::new(&code, &tables.pools, &mut program);
    let mut emitter = Emitter { program: &mut program, pointers: plan.pointers() };
    let placements = (0..code.functions.len()).map(|function| emitter.function(&layout, function)).collect();
    let pointers = emitter.pointers.iter().map(|&(value, function)| {
        let entry = function.map_or(u32::MAX, |function| layout.entry(function));
        (value, entry)
    });
    program.pointers = pointers.collect();
    program.entry = layout.entry(code.functions.len() - 1);
    (program.locs, program.packed) = (tables.locs, tables.packed);
    (program, placements)
}

/// Writes a program.
struct Emitter<'p> {
    /// The program.
    program: &'p mut Program,
    /// The values of pointers to functions in ascending order, each with the function's index in the program if it is
    /// part of the program.
    pointers: Vec<(u64, Option<usize>)>,
}

impl Emitter<'_> {
    /// Writes a function. Returns where its blocks lie.
    fn function(&mut self, layout: &Layout<'_>, function: usize) -> Placement {
        let f = &layout.functions[function];
        let (order, starts) = (&layout.orders[function], &layout.starts[function]);
        let entry = self.pc();
        let mut placement = Placement { blocks: vec![None; f.blocks.len()] };
        for (i, &b) in order.iter().enumerate() {
            placement.blocks[b as usize] = Some((self.program.blocks.len() as u32, starts[b as usize]));
            self.block(layout, function, b);
            let block = &f.blocks[b as usize];
            if let Some(to) = jumps_on(&block.term, order.get(i + 1)) {
                let start = self.pc();
                self.end(
                    layout,
                    function,
                    &Inst { dataflow: Dataflow::Decides, ..branch::goto(starts[to as usize]) },
                    BlockInfo { start, ..BlockInfo::default() },
                );
                self.program.at.push(block.term_loc);
            }
        }
        let range = |b: u32| {
            let start = starts[b as usize];
            (start, start + f.blocks[b as usize].insts.len() as u32)
        };
        for (barrier, behind) in find_barrier_paths(&f.blocks) {
            if starts[barrier as usize] != u32::MAX {
                let ranges = behind.into_iter().map(range).collect();
                self.program.behind.push((range(barrier).1, ranges));
            }
        }
        let alias = |&(number, slot): &(u32, OperandSlot)| {
            let width = layout.width(function, slot)?;
            let operand = Operand::new(layout.place(function, slot), width, true, false);
            Some(RegisterAlias { function: function as u32, number, operand })
        };
        self.program.aliases.extend(f.aliases.iter().filter_map(alias));
        let end = self.pc();
        self.program.functions.push(FunctionInfo { name: f.name.clone(), entry, end });
        placement
    }

    /// Returns the program counter of the next instruction.
    fn pc(&self) -> u32 {
        self.program.ops.len() as u32
    }

    fn block(&mut self, layout: &Layout<'_>, function: usize, number: u32) {
        let func = &layout.functions[function];
        let block = &func.blocks[number as usize];
        let spins = func.idle.iter().any(|idle| idle.members[number as usize]);
        let start = self.pc();
        // Code that waits for a change does not rely on lanes in lockstep.
        let waits = block.waits(number);
        for inst in &block.insts {
            self.describe(function, inst, (waits, spins));
            self.inst(layout, function, inst);
            self.program.at.push(inst.loc);
        }
        let info = BlockInfo {
            start,
            end: 0,
            instructions: block.lines.iter().map(|l| l.1).sum(),
            lines: block.lines.clone(),
        };
        let mut term = self.term(layout, function, &block.term);
        term.dataflow = match block.term {
            Term::Call(..) => Dataflow::Call,
            Term::Ret => Dataflow::Return,
            _ => Dataflow::Decides,
        };
        self.end(layout, function, &term, info);
        self.program.at.push(block.term_loc);
    }

    /// Records what the counters and checks need to know about an instruction.
    fn describe(&mut self, function: usize, inst: &Inst, (waits, spins): (bool, bool)) {
        let pc = self.pc();
        let program = &mut *self.program;
        match inst.role {
            Role::Plain => {}
            Role::WarpSync | Role::Tile(..) => program.warp_syncs.push(pc),
            Role::Product => {
                program.warp_syncs.push(pc);
                program.products = true;
            }
            Role::Guard => program.guards.push(pc),
            Role::Access(..) => {}
        }
        program.textures.extend(inst.texels.map(|(what, surface)| TextureInfo { pc, what, surface }));
        program.used_bytes.extend(inst.used_bytes.map(|mask| (pc, mask)));
        if let Role::Access(what, space, size) | Role::Tile(what, space, size) = inst.role {
            program.accesses.push(AccessInfo {
                pc,
                what,
                space,
                size,
                element: inst.element,
                adds: inst.adds,
                spins,
                order: Order { volatile: inst.order.volatile && !waits, ..inst.order },
                origin: inst.origin,
                named: (number_of(function, inst.o[Field::A as usize]), inst.imm),
            });
        }
    }

    /// Records which registers an instruction reads and writes, and how it treats their values.
    fn operands(&mut self, layout: &Layout<'_>, function: usize, inst: &Inst) {
        let program = &mut *self.program;
        program.dataflow.push((inst.dataflow, program.operands.len() as u32));
        let accesses = matches!(inst.role, Role::Access(..));
        let fields = inst.o.iter().enumerate().flat_map(|(at, &opnd)| {
            let is_address = accesses && at == Field::A as usize;
            let read = (inst.uses & (1 << at) != 0).then_some((opnd, false, is_address));
            read.into_iter().chain((inst.defs & (1 << at) != 0).then_some((opnd, true, false)))
        });
        let listed = inst.list.iter().map(|&(opnd, written)| (opnd, written, false));
        for (opnd, written, is_address) in fields.chain(listed) {
            if let Some(width) = layout.width(function, opnd) {
                program.operands.push(Operand::new(layout.place(function, opnd), width, written, is_address));
                let declared = layout.functions[function].declared;
                program.registers.push(match opnd {
                    OperandSlot::Reg(register) if register < declared => register,
                    _ => u32::MAX,
                });
            }
        }
    }

    fn inst(&mut self, layout: &Layout<'_>, function: usize, inst: &Inst) {
        let place = |opnd| layout.place(function, opnd);
        let mut imm = inst.imm;
        if !inst.list.is_empty() {
            imm = self.program.lists.len() as u64;
            let list = inst.list.iter().map(|l| place(l.0));
            self.program.lists.extend(list);
        }
        self.operands(layout, function, inst);
        let op = inst.decoded(imm, self.pc(), place);
        self.program.ops.push(op);
    }

    /// Writes the instruction that ends a block.
    fn end(&mut self, layout: &Layout<'_>, function: usize, inst: &Inst, mut info: BlockInfo) {
        info.end = self.pc();
        let end = End { block: self.program.blocks.len() as u32, length: info.instructions };
        let inst = end.fill(inst.clone());
        self.inst(layout, function, &inst);
        self.program.blocks.push(info);
    }

    /// Returns the instruction for a block's terminator.
    fn term(&mut self, layout: &Layout<'_>, function: usize, term: &Term) -> Inst {
        let to = |b: u32| layout.starts[function][b as usize];
        let end = self.pc();
        let back = term.successors().into_iter().map(to).filter(|start| *start <= end);
        self.program.loops.extend(back.map(|start| (start, end)));
        match term {
            Term::Goto(next) => branch::goto(to(*next)),
            Term::Branch { pred, not, yes, no } => {
                let number = self.program.branches.len() as u32;
                self.program.branches.push(BranchInfo { pc: end, block: self.program.blocks.len() as u32 });
                branch::branch(*pred, *not, number, (to(*yes), to(*no)))
            }
            Term::Table { index, targets } => {
                let list = self.program.lists.len() as u64;
                let places = targets.iter().map(|b| to(*b));
                self.program.lists.extend(places);
                branch::table(*index, targets.len() as u32, list)
            }
            Term::Call(callee, then) => {
                let back = layout.functions[*callee].back.unwrap_or(OperandSlot::None);
                branch::call(back, (layout.entry(*callee), to(*then)))
            }
            Term::CallPointer(pointer, then, targets) => {
                let list = self.program.lists.len() as u32;
                let backs = self.pointers.iter().map(|&(_, callee)| {
                    // Frames and saved registers are only correct if no other function is called here.
                    let callee = callee.filter(|callee| targets.contains(callee));
                    let back = callee.and_then(|callee| layout.functions[callee].back);
                    back.map_or(u32::MAX, |back| layout.place(function, back))
                });
                self.program.lists.extend(backs);
                branch::call_pointer(*pointer, list, to(*then))
            }
            Term::Ret => {
                let back = layout.functions[function].back;
                branch::ret(back.unwrap_or(OperandSlot::None))
            }
            Term::Exit => branch::exit(),
            Term::Never => branch::never(),
            Term::Barrier(inst, _) => {
                self.program.barriers.push(end);
                (**inst).clone()
            }
        }
    }
}

/// Returns a number for a register of a function that is unique in the program.
fn number_of(function: usize, opnd: OperandSlot) -> u64 {
    let (kind, number) = match opnd {
        OperandSlot::Reg(r) => (function as u64 + 2, r),
        OperandSlot::Const(c) => (0, c),
        OperandSlot::Fixed(r) | OperandSlot::Raw(r) => (1, r),
        OperandSlot::None => (1, u32::MAX),
    };
    kind << 32 | u64::from(number)
}
