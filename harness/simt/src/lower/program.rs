//! A kernel and all it can reach to a program.

use super::alloc::{Places, place, register_bytes};
use super::function::{FnBuilder, both};
use super::ir::*;
use super::params::{Callee, Slots, callee, signature};
use super::{Env, invalid, order};
use crate::exec::{control, sync};
use crate::finding::Space;
use crate::isa::dispatch::{Handlers, Isa};
use crate::machine::LoadError;
use crate::program::*;
use crate::ptx::ast::{self, Base, Loc, Operand};
use std::collections::{HashMap, HashSet};

/// Lowers one kernel.
pub struct Builder<'m> {
    /// The module.
    pub module: &'m ast::Module,
    /// Addresses of its variables.
    pub env: &'m Env,
    /// For which processor.
    pub isa: Isa,
    /// Constants and fixed registers.
    pub pools: Pools,
    /// Places of parameters.
    pub slots: Slots,
    /// Functions of the program (indices in the module), callees before callers; the kernel is the last.
    pub functions: Vec<usize>,
    /// Places in the source.
    pub locs: Vec<(Loc, u32)>,
    known_locs: HashMap<(Loc, u32), u32>,
    /// What calls of `printf` were given.
    pub packed: Vec<Packed>,
    /// The kernel's parameters and their offsets.
    pub params: HashMap<String, u32>,
    /// Shared variables: by function (none: the module's) and name.
    shared: HashMap<(Option<usize>, String), SharedPlace>,
    /// Local variables.
    local: HashMap<(usize, String), u32>,
    /// Bytes of local memory so far.
    local_bytes: u32,
}

#[derive(Clone, Copy)]
enum SharedPlace {
    At(u32),
    Dynamic,
}

/// The kernel's program and what else its launch needs to know.
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// 32-bit registers a thread, estimated.
    pub registers: u32,
}

fn is_call(inst: &ast::Inst) -> bool {
    inst.op == "call" || inst.op.starts_with("call.")
}

/// Functions that a kernel reaches, callees first. A circle is an error.
fn reachable(module: &ast::Module, kernel: usize, pointers: &HashSet<usize>) -> Result<Vec<usize>> {
    fn visit(
        module: &ast::Module,
        at: usize,
        pointers: &HashSet<usize>,
        path: &mut Vec<usize>,
        done: &mut Vec<usize>,
    ) -> Result<()> {
        if done.contains(&at) {
            return Ok(());
        }
        if let Some(start) = path.iter().position(|&f| f == at) {
            let mut names: Vec<&str> = path[start..]
                .iter()
                .map(|&f| module.functions[f].name.as_str())
                .collect();
            names.push(&module.functions[at].name);
            return Err(LoadError::Recursion {
                cycle: names.join(" -> "),
            });
        }
        path.push(at);
        let function = &module.functions[at];
        for inst in function
            .body
            .iter()
            .flat_map(|b| &b.code)
            .filter(|i| is_call(i))
        {
            match callee(module, function, inst)?.0 {
                Callee::Direct(to) => {
                    if module.functions[to].body.is_some() {
                        visit(module, to, pointers, path, done)?;
                    }
                }
                Callee::Signature(wanted) => {
                    let mut targets: Vec<usize> = pointers.iter().copied().collect();
                    targets.sort_unstable();
                    for to in targets {
                        let f = &module.functions[to];
                        if f.body.is_some() && signature(&f.returns, &f.params) == wanted {
                            visit(module, to, pointers, path, done)?;
                        }
                    }
                }
            }
        }
        path.pop();
        done.push(at);
        Ok(())
    }
    let mut done = Vec::new();
    visit(module, kernel, pointers, &mut Vec::new(), &mut done)?;
    Ok(done)
}

/// Names of variables and functions that an operand mentions.
fn names<'o>(operand: &'o Operand, found: &mut Vec<&'o str>) {
    match operand {
        Operand::Sym(name, _) | Operand::Mem(Base::Sym(name), _) => found.push(name),
        Operand::Vec(list) => list.iter().for_each(|o| names(o, found)),
        Operand::Pair(a, b) => {
            names(a, found);
            names(b, found);
        }
        _ => {}
    }
}

impl<'m> Builder<'m> {
    /// Lowers the kernel with this index in the module.
    pub fn lower(module: &'m ast::Module, env: &'m Env, kernel: usize) -> Result<Lowered> {
        let functions = reachable(module, kernel, &env.pointers)?;
        let mut pools = Pools::default();
        let mut local_bytes = 0;
        let slots = Slots::find(
            module,
            &functions,
            &env.pointers,
            &mut pools,
            &mut local_bytes,
        )?;
        let mut params = HashMap::new();
        let mut end = 0u32;
        for param in &module.functions[kernel].params {
            let at = end.next_multiple_of(param.align.max(1));
            params.insert(param.name.clone(), at);
            end = at + param.size as u32;
        }
        let mut this = Builder {
            module,
            env,
            isa: Isa::detect(),
            pools,
            slots,
            functions,
            locs: Vec::new(),
            known_locs: HashMap::new(),
            packed: Vec::new(),
            params,
            shared: HashMap::new(),
            local: HashMap::new(),
            local_bytes,
        };
        let mut program = Program {
            name: module.functions[kernel].name.clone(),
            files: module.files.clone(),
            inlines: module.inlines.clone(),
            ..Program::default()
        };
        this.place_variables(&mut program)?;
        let mut lowered = Vec::new();
        for i in 0..this.functions.len() {
            let index = this.functions[i];
            let back = (!module.functions[index].entry).then(|| this.pools.fix(4));
            lowered.push(FnBuilder::lower(&mut this, index, back)?);
        }
        let registers = this.emit(&lowered, &mut program)?;
        Ok(Lowered { program, registers })
    }

    /// The index of a place.
    pub fn loc(&mut self, loc: Loc, function: usize) -> u32 {
        let at = self
            .functions
            .iter()
            .position(|&f| f == function)
            .unwrap_or(0) as u32;
        let next = self.locs.len() as u32;
        let index = *self.known_locs.entry((loc, at)).or_insert(next);
        if index == next {
            self.locs.push((loc, at));
        }
        index
    }

    /// Lays out shared and local memory.
    fn place_variables(&mut self, program: &mut Program) -> Result<()> {
        let module = self.module;
        let mut used = HashSet::new();
        for &f in &self.functions {
            for inst in module.functions[f].body.iter().flat_map(|b| &b.code) {
                let mut found = Vec::new();
                inst.operands.iter().for_each(|o| names(o, &mut found));
                used.extend(found);
            }
        }
        let mut shared: Vec<(Option<usize>, &ast::Var)> = module
            .vars
            .iter()
            .filter(|v| v.space == Space::Shared && used.contains(v.name.as_str()))
            .map(|v| (None, v))
            .collect();
        for &f in &self.functions {
            for var in module.functions[f].body.iter().flat_map(|b| &b.vars) {
                match var.space {
                    Space::Shared => shared.push((Some(f), var)),
                    Space::Local => {
                        let at = self.local_bytes.next_multiple_of(var.align.clamp(1, 256));
                        self.local.insert((f, var.name.clone()), at);
                        let end = u64::from(at) + var.size;
                        self.local_bytes = u32::try_from(end).map_err(|_| {
                            invalid(
                                format!("`{}` of {} bytes a thread", var.name, var.size),
                                (module.functions[f].name.as_str(), Loc::default()),
                            )
                        })?;
                    }
                    _ => {}
                }
            }
        }
        program.dynamic_align = 16;
        let mut end = 0u32;
        for (owner, var) in shared {
            let key = (owner, var.name.clone());
            if var.external || var.size == 0 {
                program.dynamic_align = program.dynamic_align.max(var.align);
                self.shared.insert(key, SharedPlace::Dynamic);
                continue;
            }
            let at = end.next_multiple_of(var.align.max(1));
            self.shared.insert(key, SharedPlace::At(at));
            let size = u32::try_from(var.size).unwrap_or(u32::MAX);
            end = at.checked_add(size).ok_or_else(|| {
                invalid(
                    format!("`{}` of {} bytes of shared memory", var.name, var.size),
                    (program.name.as_str(), Loc::default()),
                )
            })?;
            program.shared_vars.push(SharedVar {
                name: var.name.clone(),
                offset: at,
                size,
            });
        }
        program.static_shared = end;
        let dynamic = self
            .shared
            .iter()
            .find(|(_, place)| matches!(place, SharedPlace::Dynamic));
        if let Some(((_, name), _)) = dynamic {
            program.shared_vars.push(SharedVar {
                name: name.clone(),
                offset: end.next_multiple_of(program.dynamic_align),
                size: 0,
            });
        }
        program.local_bytes = self.local_bytes.next_multiple_of(16);
        Ok(())
    }

    /// The address of a variable (of a function, if it is one of its own) or function.
    pub fn symbol(&self, owner: Option<usize>, name: &str, offset: i64) -> Option<Source> {
        let with = |at: u32| Some(Source::Bits((i64::from(at) + offset) as u64));
        if let Some(f) = owner
            && let Some(&at) = self.local.get(&(f, name.to_string()))
        {
            return with(at);
        }
        for owner in [owner, None] {
            match self.shared.get(&(owner, name.to_string())) {
                Some(SharedPlace::At(at)) => return with(*at),
                Some(SharedPlace::Dynamic) => {
                    return Some(Source::DynamicShared(i32::try_from(offset).ok()?));
                }
                None => {}
            }
        }
        let address = self.env.addresses.get(name)?;
        Some(Source::Bits(address.wrapping_add(offset as u64)))
    }

    /// Writes the program out.
    #[expect(
        clippy::unnecessary_wraps,
        reason = "a step of the lowering like the others"
    )]
    fn emit(&mut self, functions: &[Func], program: &mut Program) -> Result<u32> {
        // The register file: constants, then fixed registers, then each function's own.
        let mut bytes = 0u32;
        let mut take = |width: u32| {
            let size = register_bytes(width);
            let at = bytes.next_multiple_of(size.min(64));
            bytes = at + size;
            at
        };
        let mut constants = vec![0u32; self.pools.constants.len()];
        // Those of one width side by side; what changes most often first.
        let mut by_use: Vec<usize> = (0..constants.len()).collect();
        by_use.sort_by_key(|&i| {
            let (source, width) = self.pools.constants[i];
            let changes = match source.refresh() {
                Refresh::Warp => 0,
                Refresh::Block => 1,
                Refresh::Launch => 2,
            };
            (width == 0, changes)
        });
        for i in by_use {
            let (source, width) = self.pools.constants[i];
            constants[i] = take(width);
            program.constants.push(Constant {
                offset: constants[i],
                width: if width == 1 { 2 } else { width },
                source,
            });
        }
        let fixed: Vec<u32> = self.pools.fixed.iter().map(|&w| take(w)).collect();
        let mut at = bytes.next_multiple_of(64);
        let orders: Vec<Vec<u32>> = functions.iter().map(|f| order::layout(&f.blocks)).collect();
        let places: Vec<Places> = functions
            .iter()
            .zip(&orders)
            .map(|(f, order)| place(f, order))
            .collect();
        let bases: Vec<u32> = places
            .iter()
            .map(|p| {
                let base = at;
                at = (at + p.bytes).next_multiple_of(64);
                base
            })
            .collect();
        // A vector may read a little past a predicate.
        program.file_bytes = at + 64;
        // Where each block will be.
        let mut starts: Vec<Vec<u32>> = Vec::new();
        let mut pc = 0u32;
        for (f, order) in functions.iter().zip(&orders) {
            let mut start = vec![u32::MAX; f.blocks.len()];
            for (i, &b) in order.iter().enumerate() {
                start[b as usize] = pc;
                let block = &f.blocks[b as usize];
                pc += block.insts.len() as u32 + 1;
                if let Term::Barrier(_, then) = &block.term
                    && order.get(i + 1) != Some(then)
                {
                    pc += 1;
                }
            }
            starts.push(start);
        }
        for (index, (f, order)) in functions.iter().zip(&orders).enumerate() {
            let entry = program.ops.len() as u32;
            let place = |opnd: Opnd| match opnd {
                Opnd::None => 0,
                Opnd::Reg(r) => bases[index] + places[index].offset[r as usize],
                Opnd::Fixed(r) => fixed[r as usize],
                Opnd::Const(c) => constants[c as usize],
                Opnd::Raw(value) => value,
            };
            for (i, &b) in order.iter().enumerate() {
                let block = &f.blocks[b as usize];
                let number = program.blocks.len() as u32;
                let start = program.ops.len() as u32;
                // Who waits does not rely on lanes in lockstep.
                let waits = block.waits(b);
                let instructions: u32 = block.lines.iter().map(|l| l.1).sum();
                for inst in &block.insts {
                    let pc = program.ops.len() as u32;
                    if let Role::Tile(..) = inst.role {
                        program.warp_syncs.push(pc);
                    }
                    match inst.role {
                        Role::Plain => {}
                        Role::Access(what, space, size) | Role::Tile(what, space, size) => {
                            program.accesses.push(AccessInfo {
                                pc,
                                what,
                                space,
                                size,
                                order: Order {
                                    volatile: inst.order.volatile && !waits,
                                    ..inst.order
                                },
                                origin: inst.origin,
                            });
                        }
                        Role::WarpSync => program.warp_syncs.push(pc),
                        Role::Guard => program.guards.push(pc),
                    }
                    let mut imm = inst.imm;
                    if !inst.list.is_empty() {
                        imm = program.lists.len() as u64;
                        program.lists.extend(inst.list.iter().map(|l| place(l.0)));
                    }
                    let mut op = op(inst.handlers, imm, pc);
                    [op.d, op.d2, op.a, op.b, op.c, op.e] = inst.o.map(place);
                    program.ops.push(op);
                    program.at.push(inst.loc);
                }
                let end = program.ops.len() as u32;
                let to = |b: u32| u64::from(starts[index][b as usize]);
                let mut more = None;
                let simple = |handler| op(both(handler), 0, end);
                let mut term = match &block.term {
                    Term::Goto(next) => Op {
                        imm: to(*next),
                        ..simple(control::goto)
                    },
                    Term::Branch { pred, not, yes, no } => {
                        let branch = program.branches.len() as u32;
                        program.branches.push(BranchInfo {
                            pc: end,
                            block: number,
                        });
                        Op {
                            a: place(*pred),
                            b: if *not { u32::MAX } else { 0 },
                            d: branch,
                            imm: to(*yes) | (to(*no) << 32),
                            ..simple(control::branch)
                        }
                    }
                    Term::Table { index: at, targets } => {
                        let list = program.lists.len() as u64;
                        program.lists.extend(targets.iter().map(|b| to(*b) as u32));
                        Op {
                            a: place(*at),
                            b: targets.len() as u32,
                            imm: list,
                            ..simple(control::branch_table)
                        }
                    }
                    Term::Call(callee, then) => {
                        let back = functions[*callee].back.unwrap_or(Opnd::None);
                        Op {
                            d: place(back),
                            imm: u64::from(starts[*callee][0]) | (to(*then) << 32),
                            ..simple(control::call)
                        }
                    }
                    Term::CallPointer(pointer, then) => {
                        let list = program.lists.len() as u32;
                        let wanted: Vec<u32> = self
                            .env
                            .function_values
                            .iter()
                            .map(|&(_, f)| {
                                let at = self.functions.iter().position(|&g| g == f);
                                let back = at.and_then(|at| functions[at].back);
                                back.map_or(u32::MAX, place)
                            })
                            .collect();
                        program.lists.extend(wanted);
                        Op {
                            a: place(*pointer),
                            b: list,
                            imm: to(*then),
                            ..simple(control::call_pointer)
                        }
                    }
                    Term::Ret => Op {
                        a: f.back.map_or(0, place),
                        ..simple(control::ret)
                    },
                    Term::Exit => simple(control::exit),
                    Term::Never => simple(control::never),
                    Term::Barrier(inst, then) => {
                        program.barriers.push(end);
                        if order.get(i + 1) != Some(then) {
                            more = Some(*then);
                        }
                        let mut op = op(both(sync::barrier), inst.imm, end);
                        [op.d, op.d2, op.a, op.b, ..] = inst.o.map(place);
                        op
                    }
                };
                (term.e, term.c) = (number, instructions);
                program.ops.push(term);
                program.at.push(block.term_loc);
                program.blocks.push(BlockInfo {
                    start,
                    end,
                    instructions,
                    lines: block.lines.clone(),
                });
                if let Some(then) = more {
                    let number = program.blocks.len() as u32;
                    let at = end + 1;
                    let mut goto = op(both(control::goto), to(then), at);
                    (goto.e, goto.c) = (number, 0);
                    program.ops.push(goto);
                    program.at.push(block.term_loc);
                    program.blocks.push(BlockInfo {
                        start: at,
                        end: at,
                        ..BlockInfo::default()
                    });
                }
            }
            let range = |b: u32| {
                let start = starts[index][b as usize];
                (start, start + f.blocks[b as usize].insts.len() as u32)
            };
            for (barrier, behind) in order::behind(&f.blocks) {
                if starts[index][barrier as usize] != u32::MAX {
                    let ranges = behind.into_iter().map(range).collect();
                    program.behind.push((range(barrier).1, ranges));
                }
            }
            program.functions.push(FunctionInfo {
                name: f.name.clone(),
                entry,
                end: program.ops.len() as u32,
            });
        }
        let last = functions.len() - 1;
        program.entry = starts[last][0];
        program.pointers = self
            .env
            .function_values
            .iter()
            .map(|&(value, f)| {
                let at = self.functions.iter().position(|&g| g == f);
                (value, at.map_or(u32::MAX, |at| starts[at][0]))
            })
            .collect();
        program.locs = std::mem::take(&mut self.locs);
        program.packed = std::mem::take(&mut self.packed);
        let pressure = places.iter().map(|p| p.pressure).max().unwrap_or(0);
        Ok(pressure)
    }
}

fn op(handlers: Handlers, imm: u64, site: u32) -> Op {
    Op {
        full: handlers.full,
        part: handlers.part,
        d: 0,
        a: 0,
        b: 0,
        c: 0,
        e: 0,
        d2: 0,
        imm,
        site,
    }
}
