//! A decoded program: the lowering produces it from a PTX module, and the executor runs it.

pub use super::tables::*;
use super::{Flow, Warp};
use crate::engine::costs::tables::CostTables;
use crate::finding::{CalledFrom, SourcePlace, Space};
use crate::memory;
use ptx::ast::{Inline, Loc};

/// Executes one decoded instruction for a warp.
///
/// # Safety
/// `op`'s register offsets lie inside the warp's register file, which the decoder guarantees.
pub type Handler = unsafe fn(&mut Warp<'_>, &Op) -> Flow;

/// One decoded instruction. Its address in the program is its program counter.
#[derive(Clone)]
#[repr(C)]
pub struct Op {
    /// Executes it when all live lanes of the warp run.
    pub full: Handler,
    /// Executes it for the lanes of the warp's mask only.
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

impl Op {
    /// Returns the address operand of a memory instruction: a 64-bit register, and an offset that is added in all
    /// lanes.
    #[inline(always)]
    pub fn address(&self) -> (u32, u64) {
        (self.a, self.imm)
    }
}

/// A kernel's code and everything that a launch needs to run it.
#[derive(Default)]
pub struct Program {
    /// The kernel's name.
    pub name: String,
    /// Instructions.
    pub ops: Vec<Op>,
    /// For each instruction, the index of its place in `locs`.
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
    /// What it costs.
    pub costs: CostTables,
    /// Whether it has loops that retry with the value read until no other thread was faster (compare-and-swap).
    pub retries: bool,
    /// Conditional branches, indexed by the number in the instruction.
    pub branches: Vec<BranchInfo>,
    /// Jumps back: the instruction where a loop begins, and the jump that ends it.
    pub loops: Vec<(u32, u32)>,
    /// Memory instructions.
    pub accesses: Vec<AccessInfo>,
    /// Instructions that access textures or surfaces.
    pub textures: Vec<TextureInfo>,
    /// Whether it executes warpgroup matrix products.
    pub products: bool,
    /// For each instruction, what it does with undefined values, and where its operands begin in `operands`.
    pub dataflow: Vec<(Dataflow, u32)>,
    /// The registers that instructions read and write, one instruction after another.
    pub operands: Vec<Operand>,
    /// For each of these, its number among the registers that its function declares; `u32::MAX` if the lowering made
    /// it.
    pub registers: Vec<u32>,
    /// Registers of the PTX in whose place the code reads a constant or a parameter.
    pub aliases: Vec<RegisterAlias>,
    /// Loads of which only some bytes are used, in order: the program counter, and a bit for each used byte. A compiler
    /// may load more than the source requests, as long as the bytes are accessible.
    pub used_bytes: Vec<(u32, u32)>,
    /// Warp-level synchronising instructions inside basic blocks (program counters).
    pub warp_syncs: Vec<u32>,
    /// Block barriers (program counters).
    pub barriers: Vec<u32>,
    /// For each barrier (its program counter), the first and last instructions of the basic blocks that every path from
    /// it leads through.
    pub behind: Vec<(u32, Vec<(u32, u32)>)>,
    /// Guards of instructions that are not branches (program counters).
    pub guards: Vec<u32>,
    /// The constant area.
    pub constants: Vec<Constant>,
    /// The bytes of a warp's register file.
    pub file_bytes: u32,
    /// Bytes of local memory per thread.
    pub local_bytes: u32,
    /// Whether some of its functions have frames on a stack, which follows the other local memory.
    pub recursive: bool,
    /// Whether threads allocate arrays of dynamic length (`alloca`); space for these is reserved at the end of local
    /// memory.
    pub arrays: bool,
    /// Bytes of static shared memory.
    pub static_shared: u32,
    /// Bytes that the system reserves at the start of shared memory, if the kernel asks for their location. Other
    /// kernels have nothing before their own variables.
    pub reserved_shared: u32,
    /// Alignment of the dynamic shared memory.
    pub dynamic_align: u32,
    /// Names in shared memory.
    pub shared_vars: Vec<SharedVar>,
    /// First instruction of the kernel.
    pub entry: u32,
    /// Addresses of functions that are called through pointers: `(value, program counter)`, sorted.
    pub pointers: Vec<(u64, u32)>,
    /// The arguments of the calls of `printf`, as far as they are known. An instruction refers to its entry by a number
    /// from 1.
    pub packed: Vec<Packed>,
    /// The operand lists of instructions with more than six operands (byte offsets), one after another.
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
    /// Returns an instruction's treatment of undefined values, and the registers that it reads and writes.
    pub fn dataflow_of(&self, pc: u32) -> (Dataflow, &[Operand]) {
        let (dataflow, first) = self.dataflow[pc as usize];
        let end = self.dataflow.get(pc as usize + 1).map_or(self.operands.len(), |next| next.1 as usize);
        (dataflow, &self.operands[first as usize..end])
    }

    /// Returns the registers of the PTX that an instruction writes, with their numbers in their function.
    pub fn named_writes(&self, pc: u32) -> impl Iterator<Item = (Operand, u32)> {
        let (first, end) = (self.dataflow[pc as usize].1, self.dataflow.get(pc as usize + 1));
        let range = first as usize..end.map_or(self.operands.len(), |next| next.1 as usize);
        let both = self.operands[range.clone()].iter().zip(&self.registers[range]);
        both.filter(|(operand, register)| operand.is_written() && **register != u32::MAX).map(|(o, r)| (*o, *r))
    }

    /// Returns the used bytes of a load, if not all of them are used.
    pub fn used_bytes_of(&self, pc: u32) -> Option<u32> {
        let at = self.used_bytes.binary_search_by_key(&pc, |known| known.0).ok()?;
        Some(self.used_bytes[at].1)
    }

    /// Returns the place with this index in [`Program::locs`].
    pub fn place(&self, index: u32) -> SourcePlace {
        let Some(&(loc, function)) = self.locs.get(index as usize) else {
            return SourcePlace::default();
        };
        let name = self.functions.get(function as usize).map(|f| f.name.clone());
        let mut place = SourcePlace {
            function: name.unwrap_or_default(),
            file: self.file(loc.file),
            line: loc.line,
            column: loc.column,
            ptx_line: loc.ptx_line,
            inlined_at: Vec::new(),
        };
        let mut inlined = loc.inlined;
        // The parser only creates backward references, so this loop ends. The bound guards against a cycle
        // nevertheless.
        while let Some(inline) = inlined.checked_sub(1).and_then(|i| self.inlines.get(i as usize)) {
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

    /// Returns the distance between the rows of sites (see `traffic::counts::row_of`): there are three rows if the
    /// targets of generic addresses are counted anywhere, otherwise a single one.
    pub(crate) fn row(&self) -> usize {
        let generic = self.accesses.iter().any(|access| access.space == Space::Generic);
        if generic { self.ops.len() } else { 0 }
    }

    /// Returns the bytes a lane that a load counts as: its own, or those of the load into which the assembler merges
    /// it.
    #[inline(always)]
    pub fn width(&self, op: &Op, own: u32) -> u32 {
        match self.costs.merged_bytes(op.site) {
            Some(bytes) if bytes > 0 => bytes,
            _ => own,
        }
    }

    /// Returns the place of an instruction. Where the compiler gives no line (it writes 0), this is the next line given
    /// after it, or else the last one before it.
    pub fn place_of(&self, pc: u32) -> SourcePlace {
        let loc = |pc: &u32| self.at.get(*pc as usize).and_then(|at| self.locs.get(*at as usize)).copied();
        let Some((own, function)) = loc(&pc) else {
            return SourcePlace::default();
        };
        let named = |other: &u32| loc(other).is_some_and(|(loc, of)| of == function && loc.line != 0);
        let nearest = || (pc..self.at.len() as u32).find(named).or_else(|| (0..pc).rev().find(named));
        let unnamed = own.file != 0 && own.line == 0;
        let at = unnamed.then(nearest).flatten().unwrap_or(pc);
        let place = self.place(self.at[at as usize]);
        SourcePlace { ptx_line: own.ptx_line, ..place }
    }

    /// Returns the place of the jump that closes the innermost loop around an instruction, which has the loop's
    /// condition; the instruction's own place outside of loops.
    pub fn loop_of(&self, pc: u32) -> SourcePlace {
        let around = self.loops.iter().filter(|(first, last)| (*first..=*last).contains(&pc));
        self.place_of(around.min_by_key(|(first, last)| last - first).map_or(pc, |(_, last)| *last))
    }

    fn file(&self, index: u32) -> String {
        self.files.iter().find(|(i, _)| *i == index).map(|(_, name)| name.clone()).unwrap_or_default()
    }
}

impl memory::Places for Program {
    fn place_of(&self, pc: u32) -> SourcePlace {
        Program::place_of(self, pc)
    }
}
