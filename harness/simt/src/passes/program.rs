//! Lowers a kernel and everything that it can reach to a program.

use super::calls::{frames, makes_arrays, reachable};
use super::emit::Emitter;
use super::env::Env;
use super::error::invalid;
use super::fetches;
use super::frames::{Frames, take};
use super::function::FnBuilder;
use super::ir::*;
use super::params::Slots;
use super::spin_loops::{Waiting, waiting};
use super::spins;

use crate::engine::warp::program::*;
use crate::finding::Space;
use crate::kernel::LoadError;
use crate::lane::HostVectors;
use crate::ptx::ast::{self, Base, Loc, Operand};
use std::collections::{HashMap, HashSet};

/// Maximum static shared memory of a kernel, in bytes, as in the driver's own assembler.
const MAX_SHARED: u32 = 49_152;

/// Lowers one kernel.
pub struct Builder<'m> {
    /// The module.
    pub module: &'m ast::Module,
    /// Addresses of its variables.
    pub env: &'m Env,
    /// The target processor.
    pub vectors: HostVectors,
    /// Constants and fixed registers.
    pub pools: Pools,
    /// Places of parameters.
    pub slots: Slots,
    /// The functions that may be active more than once in a thread.
    pub frames: Frames,
    /// Functions of the program (indices in the module), callees before callers; the kernel is the last.
    pub functions: Vec<usize>,
    /// Places in the source.
    pub locs: Vec<(Loc, u32)>,
    known_locs: HashMap<(Loc, u32), u32>,
    /// The arguments of calls of `printf`.
    pub packed: Vec<Packed>,
    /// The kernel's parameters and their offsets.
    pub params: HashMap<String, u32>,
    /// Shared variables by function (`None` for the module's) and name.
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

/// The kernel's program and the other data that a launch needs.
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// Estimated 32-bit registers per thread.
    pub registers: u32,
    /// Loops that wait for other threads.
    pub waiting: Waiting,
}

/// Returns the error for a local variable that is too large for any thread's memory.
fn too_large(module: &ast::Module, function: usize, var: &ast::Var) -> LoadError {
    let place = (module.functions[function].name.as_str(), Loc::default());
    invalid(format!("`{}` of {} bytes a thread", var.name, var.size), place)
}

/// Collects the names of variables and functions that an operand mentions.
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

/// Whether a function reads the location of the shared memory that the system reserves.
fn reads_reserved(function: &ast::Function) -> bool {
    let code = function.body.iter().flat_map(|body| &body.code);
    code.flat_map(|inst| &inst.operands).any(|o| matches!(o, Operand::Special(ast::Special::ReservedSmem(_))))
}

impl<'m> Builder<'m> {
    /// Lowers the kernel with this index in the module, for a device that reserves `reserved` bytes of shared memory.
    pub fn lower(module: &'m ast::Module, env: &'m Env, kernel: usize, reserved: u32) -> Result<Lowered> {
        let (functions, circle) = reachable(module, kernel, &env.pointers)?;
        let mut pools = Pools::default();
        let mut frames =
            if circle { frames(module, &functions, &env.pointers, &mut pools)? } else { Frames::default() };
        if functions.iter().any(|&f| makes_arrays(&module.functions[f])) {
            frames.arrays = Some(pools.fix(8));
        }
        let mut local_bytes = 0;
        let slots = Slots::find(module, &functions, &env.pointers, (&mut pools, &mut frames), &mut local_bytes)?;
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
            vectors: HostVectors::detect(),
            pools,
            slots,
            frames,
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
            last: ANY_BLOCK,
            ..Program::default()
        };
        if this.functions.iter().any(|&f| reads_reserved(&module.functions[f])) {
            program.reserved_shared = reserved;
        }
        this.place_variables(&mut program)?;
        let mut lowered = Vec::new();
        for i in 0..this.functions.len() {
            let index = this.functions[i];
            let back = (!module.functions[index].entry).then(|| this.pools.fix(4));
            lowered.push(FnBuilder::lower(&mut this, index, back)?);
        }
        this.frames.complete(&this.functions, &mut lowered);
        let bodies = this.functions.iter().map(|&f| module.functions[f].body.as_ref());
        let waiting: Waiting = lowered
            .iter_mut()
            .zip(bodies)
            .map(|(func, body)| {
                let written = |at: u32| body.and_then(|body| body.code.get(at as usize));
                spins::settle(func, written);
                fetches::mark(func, written);
                waiting(func, written)
            })
            .sum();
        program.retries = waiting.retries != 0;
        program.recursive = this.frames.stack.is_some();
        program.arrays = this.frames.arrays.is_some();
        let own = |f| this.functions.iter().position(|&g| g == f);
        let pointers = this.env.function_values.iter();
        let mut emitter =
            Emitter { program: &mut program, pointers: pointers.map(|&(value, f)| (value, own(f))).collect() };
        let registers = emitter.emit(&lowered, &this.pools);
        program.locs = this.locs;
        program.packed = this.packed;
        Ok(Lowered { program, registers, waiting })
    }

    /// Returns the index of a place.
    pub fn loc(&mut self, loc: Loc, function: usize) -> u32 {
        let at = self.functions.iter().position(|&f| f == function).unwrap_or(0) as u32;
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
                    Space::Local if self.frames.has(f) => {
                        let at = self.frames.take(f, var.size, var.align);
                        self.local.insert((f, var.name.clone()), at.ok_or_else(|| too_large(module, f, var))?);
                    }
                    Space::Local => {
                        let at = take(&mut self.local_bytes, var.size, var.align.clamp(1, 256));
                        self.local.insert((f, var.name.clone()), at.ok_or_else(|| too_large(module, f, var))?);
                    }
                    _ => {}
                }
            }
        }
        program.dynamic_align = 16;
        let reserved = program.reserved_shared;
        let mut end = reserved;
        for (owner, var) in shared {
            let key = (owner, var.name.clone());
            // An external array with a size is an array like any other: there is no other module to define it.
            if var.size == 0 {
                program.dynamic_align = program.dynamic_align.max(var.align);
                self.shared.insert(key, SharedPlace::Dynamic);
                continue;
            }
            let at = end.next_multiple_of(var.align.max(1));
            self.shared.insert(key, SharedPlace::At(at));
            let size = u32::try_from(var.size).unwrap_or(u32::MAX);
            end = at.saturating_add(size);
            let own = end - reserved;
            if own > MAX_SHARED {
                let what =
                    format!("{own} bytes of static shared memory, {MAX_SHARED} at most: larger arrays must be dynamic");
                return Err(invalid(what, (program.name.as_str(), Loc::default())));
            }
            program.shared_vars.push(SharedVar { name: var.name.clone(), offset: at, size });
        }
        program.static_shared = end - reserved;
        let dynamic = self.shared.iter().find(|(_, place)| matches!(place, SharedPlace::Dynamic));
        if let Some(((_, name), _)) = dynamic {
            program.shared_vars.push(SharedVar {
                name: name.clone(),
                offset: end.next_multiple_of(program.dynamic_align),
                size: 0,
            });
        }
        program.local_bytes = self.stack_start();
        Ok(())
    }

    /// Returns the offset in its frame of a local variable of a function with frames.
    pub fn frame_offset(&self, function: usize, name: &str) -> Option<u32> {
        self.local.get(&(function, name.to_string())).copied()
    }

    /// Returns the start of the stack in local memory.
    pub fn stack_start(&self) -> u32 {
        self.local_bytes.next_multiple_of(16)
    }

    /// Returns the address of a variable (of the given function, if it has one of that name) or of a function.
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
}
