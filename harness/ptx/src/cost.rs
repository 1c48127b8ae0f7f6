//! What instructions cost in hardware: the pipe that executes them, the latency that they add to a chain of dependent
//! instructions, and the number of machine instructions that they become.
//!
//! The costs are from the SASS that nvcc generates for compute capability 9.0. Moves are renamed registers there, and
//! parameters are operands from constant memory, so both cost nothing.

use crate::ast::{Inst, Operand, Type};
use crate::modifier::Modifier;
use crate::opcode::Opcode;

/// The pipe that executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipe {
    /// Single precision, and half precision in pairs.
    Single,
    /// Integer additions, logic, comparisons, selections.
    Integer,
    /// Integer multiplications.
    Product,
    /// Double precision.
    Double,
    /// Functions of the special function unit, conversions, and bit counts.
    Special,
    /// Matrix products by a warp.
    Tensor,
    /// Matrix products by a warpgroup, counted in products of 16 rows by 8 columns for each of its warps.
    Warpgroup,
    /// Loads, stores and atomics of every space.
    Memory,
    /// Shuffles, votes, matches and reductions of a warp.
    Exchange,
    /// Branches, calls, barriers.
    Control,
}

/// What an instruction that depends on another one waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latency {
    /// A result of ordinary arithmetic.
    Arithmetic,
    /// A result of double precision.
    Double,
    /// A result of the special function unit.
    Special,
    /// A result of the tensor cores.
    Tensor,
    /// A product by a warpgroup that accumulates into the same sums.
    Warpgroup,
    /// A load from shared memory.
    Shared,
    /// An exchange between the lanes.
    Exchange,
    /// A load from global memory.
    Global,
    /// A load from local memory.
    Local,
    /// The value that an atomic returns.
    Atomic,
    /// A jump.
    Branch,
    /// A barrier of the block.
    Barrier,
}

/// The cost of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The pipe that executes it.
    pub pipe: Pipe,
    /// The latency of each of its machine instructions; `None` if nothing waits for it.
    pub latency: Option<Latency>,
    /// The number of machine instructions that it becomes.
    pub instructions: u64,
}

const fn cost(pipe: Pipe, latency: Latency, instructions: u64) -> Cost {
    Cost { pipe, latency: Some(latency), instructions }
}

/// The cost of an instruction that nothing waits for.
const fn unawaited(pipe: Pipe, instructions: u64) -> Cost {
    Cost { pipe, latency: None, instructions }
}

const HALF: [Type; 4] = [Type::F16, Type::F16x2, Type::Bf16, Type::Bf16x2];
const WIDE: [Type; 3] = [Type::B64, Type::S64, Type::U64];

/// Whether it computes with 64-bit integers.
pub fn is_wide(inst: &Inst) -> bool {
    inst.has_type(&WIDE)
}

/// Whether it is a fence that other blocks can observe.
pub fn is_wide_fence(inst: &Inst) -> bool {
    matches!(inst.opcode, Opcode::Fence | Opcode::Membar)
        && !inst.has(Modifier::Proxy)
        && inst.has_any(&[Modifier::Gpu, Modifier::Gl, Modifier::Sys])
}

/// Whether it is a load from global memory, or from generic memory.
pub fn is_global_load(inst: &Inst) -> bool {
    let is_elsewhere = inst.is_of_shared() || inst.is_of_params() || inst.has_any(&[Modifier::Const, Modifier::Local]);
    inst.opcode == Opcode::Ld && !is_elsewhere
}

/// `n` integer instructions.
const fn integers(n: u64) -> Cost {
    cost(Pipe::Integer, Latency::Arithmetic, n)
}

/// The cost of an instruction of floating-point types; `None` for other types.
fn floating(inst: &Inst) -> Option<Cost> {
    match inst {
        _ if inst.has_type(&[Type::F64]) => Some(cost(Pipe::Double, Latency::Double, 1)),
        _ if inst.has_type(&HALF) => Some(single(1)),
        _ => None,
    }
}

/// `n` instructions of single precision.
const fn single(n: u64) -> Cost {
    cost(Pipe::Single, Latency::Arithmetic, n)
}

/// An instruction without a pipe of its own.
pub fn plain(inst: &Inst) -> Cost {
    floating(inst).unwrap_or(integers(1))
}

/// No instruction at all: the operand is read in place of the result.
pub fn free(_: &Inst) -> Cost {
    unawaited(Pipe::Integer, 0)
}

/// Moves are free, but those of special registers.
pub fn moved(inst: &Inst) -> Cost {
    match inst.operands.get(1) {
        Some(Operand::Special(_)) => integers(1),
        _ => free(inst),
    }
}

/// Logic, comparisons and selections: two instructions for 64-bit integers.
pub fn logic(inst: &Inst) -> Cost {
    floating(inst).unwrap_or(integers(if is_wide(inst) { 2 } else { 1 }))
}

/// Sums: a 64-bit integer sum takes two instructions, with a carry.
pub fn sum(inst: &Inst) -> Cost {
    if inst.has_type(&[Type::F32]) && !inst.has_type(&[Type::F64]) { single(1) } else { logic(inst) }
}

/// Products: one of 32 x 32 -> 64 bits is a single instruction.
pub fn product(inst: &Inst) -> Cost {
    let instructions = if is_wide(inst) && !inst.has(Modifier::Wide) { 4 } else { 1 };
    match floating(inst) {
        Some(cost) => cost,
        None if inst.has_type(&[Type::F32]) => single(1),
        None => cost(Pipe::Product, Latency::Arithmetic, instructions),
    }
}

/// Bit counts.
pub fn bit_count(_: &Inst) -> Cost {
    special(1)
}

const fn special(n: u64) -> Cost {
    cost(Pipe::Special, Latency::Special, n)
}

/// Functions and divisions: one instruction of the special function unit for an approximation, otherwise a sequence
/// that refines it.
pub fn function(inst: &Inst) -> Cost {
    use Opcode::{Div, Rcp, Rem, Sqrt};
    let is_approximate = inst.has_any(&[Modifier::Approx, Modifier::Full]);
    let is_float = inst.has_type(&[Type::F32, Type::F16, Type::F16x2, Type::Bf16]);
    if inst.has_type(&[Type::F64]) {
        return cost(Pipe::Double, Latency::Double, if inst.opcode == Rcp { 8 } else { 14 });
    }
    match (inst.opcode, is_approximate, is_float) {
        (Div, true, _) => special(2),
        (Div, false, true) => single(12),
        (Sqrt | Rcp, false, true) => single(8),
        (Div | Rem, false, false) => integers(if is_wide(inst) { 70 } else { 20 }),
        _ => special(1),
    }
}

/// Conversions: between integer widths they are part of the instruction that uses them; those of floating-point numbers
/// use a slower pipe, even from `f32` to `f64`. Rounding to TF32 takes a comparison with infinity, a sum and a mask
/// (ptxas 13.0 for sm_90: FSETP, IADD, LOP3).
pub fn conversion(inst: &Inst) -> Cost {
    match inst {
        _ if inst.has(Modifier::Tf32) => integers(3),
        _ if inst.has_type(&HALF) || inst.has_type(&[Type::F32, Type::F64]) => special(1),
        _ => free(inst),
    }
}

fn memory(latency: Option<Latency>) -> Cost {
    Cost { pipe: Pipe::Memory, latency, instructions: 1 }
}

/// Loads, by their space.
pub fn load(inst: &Inst) -> Cost {
    match inst {
        _ if inst.is_of_params() => free(inst),
        _ if inst.is_of_shared() => memory(Some(Latency::Shared)),
        _ if inst.has(Modifier::Local) => memory(Some(Latency::Local)),
        _ if inst.has(Modifier::Const) => memory(Some(Latency::Shared)),
        _ => memory(Some(Latency::Global)),
    }
}

/// Fetches from textures and loads from surfaces.
pub fn fetch(_: &Inst) -> Cost {
    memory(Some(Latency::Global))
}

/// Stores: nothing waits for them.
pub fn store(inst: &Inst) -> Cost {
    if inst.is_of_params() { free(inst) } else { memory(None) }
}

/// Instructions of the memory pipe that nothing waits for.
pub fn sent(_: &Inst) -> Cost {
    memory(None)
}

/// Atomics that return the old value.
pub fn atomic(inst: &Inst) -> Cost {
    if inst.is_of_shared() { memory(Some(Latency::Shared)) } else { memory(Some(Latency::Atomic)) }
}

/// The end of a wait for asynchronous copies.
pub fn copy_wait(_: &Inst) -> Cost {
    memory(Some(Latency::Global))
}

/// Fragments from shared memory.
pub fn fragment_load(_: &Inst) -> Cost {
    memory(Some(Latency::Shared))
}

/// Fragments from the memory that `wmma.load` names.
pub fn tile_load(inst: &Inst) -> Cost {
    if inst.is_of_shared() { fragment_load(inst) } else { fetch(inst) }
}

/// Products of fragments by a warp.
pub fn mma_product(_: &Inst) -> Cost {
    cost(Pipe::Tensor, Latency::Tensor, 1)
}

/// Products of tiles by a warp: four of fragments.
pub fn tile_product(_: &Inst) -> Cost {
    cost(Pipe::Tensor, Latency::Tensor, 4)
}

/// Products by a warpgroup: of 64 rows, each of the four warps computes 16. Whatever the type, the depth is that of
/// `mma.sync` with 16 columns of half precision.
pub fn wgmma_product(inst: &Inst) -> Cost {
    let columns = |modifier: &Modifier| match modifier {
        Modifier::Columns(columns, _) => Some(u64::from(*columns)),
        _ => None,
    };
    let columns = inst.modifiers().iter().find_map(columns).unwrap_or(0);
    cost(Pipe::Warpgroup, Latency::Warpgroup, columns.div_ceil(8))
}

/// The order of products by a warpgroup. If some groups may stay pending, the tensor cores stay busy. If none may, the
/// result of the last one is waited for.
pub fn warpgroup_wait(inst: &Inst) -> Cost {
    match inst.operands.first() {
        Some(Operand::Int(0)) => cost(Pipe::Control, Latency::Tensor, 1),
        _ => control(inst),
    }
}

/// Instructions that only order others.
pub fn control(_: &Inst) -> Cost {
    unawaited(Pipe::Control, 1)
}

/// Shuffles, votes, matches and reductions of a warp.
pub fn exchange(_: &Inst) -> Cost {
    cost(Pipe::Exchange, Latency::Exchange, 1)
}

/// Branches, calls and exits.
pub fn branch(_: &Inst) -> Cost {
    cost(Pipe::Control, Latency::Branch, 1)
}

/// Barriers of a block or a cluster.
pub fn barrier(_: &Inst) -> Cost {
    cost(Pipe::Control, Latency::Barrier, 1)
}

/// Fences: one that other blocks can observe is counted as a fence; others take about as long as two barriers.
pub fn fence(inst: &Inst) -> Cost {
    if is_wide_fence(inst) { control(inst) } else { pause(inst) }
}

/// A pause of the thread.
pub fn pause(_: &Inst) -> Cost {
    cost(Pipe::Control, Latency::Barrier, 2)
}

/// The cost of an instruction that the machine does not execute.
pub fn unmodelled(inst: &Inst) -> Cost {
    free(inst)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    /// Returns the cost of an instruction.
    fn cost_of(line: &str) -> Cost {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
             .reg .f64 %fd<9>;\n{line}\nret;\n}}\n"
        );
        let module = parse(&text).unwrap();
        module.functions[0].body.as_ref().unwrap().code[0].cost()
    }

    #[test]
    fn products_with_a_carry_are_products() {
        let product = cost_of("mad.lo.u32 %r1, %r2, %r3, %r4;");
        assert_eq!((product.pipe, product.instructions), (Pipe::Product, 1));
        assert_eq!(cost_of("madc.hi.u32 %r1, %r2, %r3, %r4;"), product);
    }

    #[test]
    fn shared_memory_of_the_own_block_has_two_names() {
        let load = cost_of("ld.shared.u32 %r1, [%r2];");
        assert_eq!(load.latency, Some(Latency::Shared));
        assert_eq!(cost_of("ld.shared::cta.u32 %r1, [%r2];"), load);
        assert_ne!(cost_of("ld.global.u32 %r1, [%rd2];"), load);
    }

    #[test]
    fn texture_gathers_and_surfaces_are_accesses_to_memory() {
        let fetch = cost_of("tex.2d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5, %r6}];");
        assert_eq!(fetch, cost(Pipe::Memory, Latency::Global, 1));
        assert_eq!(cost_of("suld.b.1d.b32.trap %r1, [%rd1, {%r2}];"), fetch);
        assert_eq!(cost_of("sust.b.1d.b32.trap [%rd1, {%r2}], %r1;"), unawaited(Pipe::Memory, 1));
    }

    #[test]
    fn a_division_costs_by_its_type() {
        assert_eq!(cost_of("div.rn.f64 %fd1, %fd2, %fd3;"), cost(Pipe::Double, Latency::Double, 14));
        assert_eq!(cost_of("div.u32 %r1, %r2, %r3;").instructions, 20);
        assert_eq!(cost_of("div.u64 %rd1, %rd2, %rd3;").instructions, 70);
    }
}
