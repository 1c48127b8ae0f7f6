//! Estimates what a basic block costs in hardware, from its PTX: instructions by pipe, and the longest dependent chain.
//!
//! The assembler removes moves, address conversions and parameter loads, and expands a division or a 64-bit sum into
//! several instructions. It also moves loads up past instructions that they do not depend on, so the chain of a block
//! is the longest path through its data flow, whatever the order of its instructions. The weights below are from the
//! SASS that nvcc generates for compute capability 9.0.

use super::load_use::{LoadUse, copies_after};
use crate::costs::{Chain, Pipes};
use crate::engine::warp::program::Effort;
use crate::instr::opcode_modifiers::has;
use crate::ptx::ast::{Base, Body, Inst, Operand, RegId};
use std::collections::{HashMap, HashSet};

/// The counts of [`Pipes`] and of [`Chain`] to which an instruction adds, and the number of instructions it becomes.
struct Weight {
    pipe: fn(&mut Pipes) -> &mut u64,
    step: Option<fn(&mut Chain) -> &mut u64>,
    instructions: u64,
}

fn weight(pipe: fn(&mut Pipes) -> &mut u64, step: Option<fn(&mut Chain) -> &mut u64>, instructions: u64) -> Weight {
    Weight { pipe, step, instructions }
}

/// The data flow up to some point in the code.
#[derive(Default)]
pub struct Flow {
    /// The chain that leads to each register's value.
    depth: HashMap<RegId, Chain>,
    /// The longest chain so far.
    longest: Chain,
    /// The loads that are waited for elsewhere.
    awaited: LoadUse,
}

impl Flow {
    /// Creates the data flow at the start of a region.
    pub fn new(awaited: LoadUse) -> Flow {
        let wait = Chain { global: 1, ..Chain::default() };
        Flow { depth: awaited.at_start.iter().map(|&r| (r, wait)).collect(), longest: Chain::default(), awaited }
    }
}

/// Returns the effort of a block with these instructions of a body. Each has the number of instructions that it becomes
/// if the assembler fuses it with others. `is_read` returns whether any instruction reads a register. The block
/// continues `flow`, and its chain is what it adds to that; `under` is the predicate under which the assembler executes
/// all of it.
pub fn estimate(
    flow: &mut Flow,
    under: Option<RegId>,
    body: &Body,
    code: impl Iterator<Item = (u32, Option<u64>)>,
    is_read: impl Fn(RegId) -> bool,
) -> Effort {
    let mut effort = Effort::default();
    let code: Vec<_> = code.map(|(at, joined)| (at, &body.code[at as usize], joined)).collect();
    let leads = leads_to_loads(&code);
    let Flow { depth, longest, awaited } = flow;
    let before = *longest;
    let wait = Chain { global: 1, ..Chain::default() };
    if std::mem::take(&mut awaited.at_end) && wait.cycles() > longest.cycles() {
        *longest = wait;
    }
    let (mut fences, mut meanwhile, mut beside_copies) = (0, 0, 0);
    for ((at, inst, joined), leads) in code.into_iter().zip(leads) {
        let Weight { pipe, step, .. } = weigh(inst);
        let instructions = becomes(inst, joined);
        let step = step.filter(|_| joined != Some(0));
        *pipe(&mut effort.pipes) += instructions;
        fences += u64::from(is_wide_fence(inst));
        let (writes, mut reads) = split(inst);
        reads.extend(under);
        // The assembler turns an atomic whose old value is not used into a `red`, which is not waited for.
        let is_awaited = !inst.op.starts_with("atom.") || writes.iter().any(|register| is_read(*register));
        let step = step.filter(|_| is_awaited);
        if inst.op.starts_with("wgmma.mma_async") {
            // The instruction adds to its accumulators.
            reads.extend(&writes);
        }
        let mut own = match waits_for(inst) {
            Waits::Registers => longest_of(&reads, depth),
            Waits::Before => before,
            Waits::All => *longest,
        };
        awaited.copies = copies_after(inst, awaited.copies);
        if !leads && own.global == 0 {
            meanwhile += instructions;
            beside_copies += if awaited.copies > 0 { instructions } else { 0 };
        }
        if let Some(step) = step {
            // A division or a 64-bit product is itself a chain.
            *step(&mut own) += instructions.max(1);
        }
        // Instructions that only lead to a load that is waited for elsewhere cause no wait here.
        let waited = if awaited.later.contains(&at) { Chain { global: own.global - 1, ..own } } else { own };
        if waited.cycles() > longest.cycles() {
            *longest = waited;
        }
        // Under a guard the register keeps its old value in some lanes.
        let is_guarded = inst.guard.is_some() || under.is_some();
        let kept = if is_guarded { longest_of(&writes, depth) } else { Chain::default() };
        let own = if kept.cycles() > own.cycles() { kept } else { own };
        depth.extend(writes.into_iter().map(|register| (register, own)));
    }
    effort.chain = longest.beyond(&before);
    // Instructions after a fence wait for it, whatever comes before it.
    effort.chain.fences += fences;
    effort.chain.meanwhile = if longest.global > 0 || awaited.is_under_way() { meanwhile } else { beside_copies };
    effort
}

/// Returns which instructions are loads from global memory, or contribute to the address of one.
fn leads_to_loads(code: &[(u32, &Inst, Option<u64>)]) -> Vec<bool> {
    let mut needed = HashSet::new();
    let mut leads: Vec<bool> = code
        .iter()
        .rev()
        .map(|(_, inst, _)| {
            let (writes, reads) = split(inst);
            let leads = is_global_load(inst) || writes.iter().any(|register| needed.contains(register));
            if leads {
                needed.extend(reads);
            }
            leads
        })
        .collect();
    leads.reverse();
    leads
}

/// Whether it is a load from global memory, or from generic memory.
pub fn is_global_load(inst: &Inst) -> bool {
    let op = inst.op.as_str();
    op.starts_with("ld.") && !["shared", "param", "const", "local"].iter().any(|space| has(op, space))
}

/// Returns how many hardware instructions this one becomes; `joined` is that number if it is fused with others.
pub fn becomes(inst: &Inst, joined: Option<u64>) -> u64 {
    joined.unwrap_or_else(|| weigh(inst).instructions)
}

/// Whether it is a fence that other blocks can observe.
fn is_wide_fence(inst: &Inst) -> bool {
    let op = inst.op.as_str();
    let is_fence = ["fence.", "membar."].iter().any(|base| op.starts_with(base)) && !has(op, "proxy");
    is_fence && ["gpu", "gl", "sys"].iter().any(|scope| has(op, scope))
}

fn longest_of(registers: &[RegId], depth: &HashMap<RegId, Chain>) -> Chain {
    registers.iter().filter_map(|r| depth.get(r)).max_by_key(|c| c.cycles()).copied().unwrap_or_default()
}

/// The dependencies of an instruction.
enum Waits {
    /// The registers that it reads.
    Registers,
    /// Earlier blocks: pending copies, and the accesses that a fence orders.
    Before,
    /// Additionally everything before it in its own block: a barrier.
    All,
}

fn waits_for(inst: &Inst) -> Waits {
    match inst.op.split('.').next().unwrap_or_default() {
        "bar" | "barrier" => Waits::All,
        "fence" | "membar" | "nanosleep" | "cp" => Waits::Before,
        _ if inst.op.starts_with("wgmma.wait") => Waits::Before,
        _ => Waits::Registers,
    }
}

/// Returns the cost of an instruction.
fn weigh(inst: &Inst) -> Weight {
    let op = inst.op.as_str();
    let base = op.split('.').next().unwrap_or_default();
    let wide = ["s64", "u64", "b64"].iter().any(|t| has(op, t));
    let half = ["f16", "bf16", "f16x2", "bf16x2"].iter().any(|t| has(op, t));
    match base {
        // Moves are renamed registers, and parameters are operands from constant memory.
        "mov" if inst.operands.get(1).is_some_and(|o| matches!(o, Operand::Special(_))) => {
            weight(|p| &mut p.integer, Some(|c| &mut c.arithmetic), 1)
        }
        "mov" | "cvta" => weight(|p| &mut p.integer, None, 0),
        "ld" | "ldu" | "st" if has(op, "param") => weight(|p| &mut p.integer, None, 0),
        "ld" | "ldu" | "ldmatrix" | "wmma" | "tex" | "atom" | "st" | "red" | "cp" | "stmatrix" | "prefetch" => {
            memory(base, op)
        }
        "mma" => weight(|p| &mut p.tensor, Some(|c| &mut c.tensor), 1),
        "wgmma" => by_warpgroup(inst),
        "shfl" | "vote" | "match" | "redux" | "activemask" => weight(|p| &mut p.exchange, Some(|c| &mut c.exchange), 1),
        "bra" | "brx" | "call" | "ret" | "exit" | "trap" => weight(|p| &mut p.control, Some(|c| &mut c.branches), 1),
        "bar" | "barrier" => weight(|p| &mut p.control, Some(|c| &mut c.barriers), 1),
        "fence" | "membar" if is_wide_fence(inst) => weight(|p| &mut p.control, None, 1),
        "fence" | "membar" | "nanosleep" => weight(|p| &mut p.control, Some(|c| &mut c.barriers), 2),
        "ex2" | "lg2" | "sin" | "cos" | "tanh" | "rcp" | "rsqrt" | "sqrt" | "div" | "rem" => slow(base, op, wide),
        "popc" | "clz" | "bfind" | "brev" => weight(|p| &mut p.special, Some(|c| &mut c.special), 1),
        "cvt" => conversion(op),
        _ if has(op, "f64") => weight(|p| &mut p.double, Some(|c| &mut c.double), 1),
        _ if has(op, "f32") && matches!(base, "add" | "sub" | "mul" | "fma" | "mad") => {
            weight(|p| &mut p.single, Some(|c| &mut c.arithmetic), 1)
        }
        _ if half => weight(|p| &mut p.single, Some(|c| &mut c.arithmetic), 1),
        // A 32 x 32 -> 64-bit product is one instruction; a 64-bit sum is two with a carry, or one with the product.
        "mul" | "mad" if wide && !has(op, "wide") => weight(|p| &mut p.product, Some(|c| &mut c.arithmetic), 4),
        "mul" | "mad" | "mul24" | "mad24" | "dp4a" | "dp2a" => {
            weight(|p| &mut p.product, Some(|c| &mut c.arithmetic), 1)
        }
        "add" | "sub" | "and" | "or" | "xor" | "not" | "shl" | "shr" | "setp" | "selp" | "min" | "max" if wide => {
            weight(|p| &mut p.integer, Some(|c| &mut c.arithmetic), 2)
        }
        _ => weight(|p| &mut p.integer, Some(|c| &mut c.arithmetic), 1),
    }
}

/// Warpgroup products, and their ordering instructions: of a product of 64 rows, each of the four warps computes 16.
/// Whatever the type, its depth is that of `mma.sync` with 16 columns of half precision.
fn by_warpgroup(inst: &Inst) -> Weight {
    let op = inst.op.as_str();
    let columns = op.split('.').find_map(|word| word.strip_prefix("m64n")?.split_once('k')?.0.parse::<u64>().ok());
    if let Some(columns) = columns {
        return weight(|p| &mut p.warpgroup, Some(|c| &mut c.warpgroup), columns.div_ceil(8));
    }
    // If some groups may stay pending, the tensor cores stay busy. If none may, the result of the last one is waited
    // for.
    let all = has(op, "wait_group") && matches!(inst.operands.first(), Some(Operand::Int(0)));
    weight(|p| &mut p.control, if all { Some(|c| &mut c.tensor) } else { None }, 1)
}

/// Loads, stores and atomics.
fn memory(base: &str, op: &str) -> Weight {
    let step: Option<fn(&mut Chain) -> &mut u64> = match base {
        "wmma" if has(op, "mma") => return weight(|p| &mut p.tensor, Some(|c| &mut c.tensor), 4),
        "wmma" if has(op, "load") && has(op, "shared") => Some(|c| &mut c.shared),
        "ldmatrix" => Some(|c| &mut c.shared),
        "ld" | "ldu" if has(op, "shared") => Some(|c| &mut c.shared),
        "ld" if has(op, "local") => Some(|c| &mut c.local),
        "ld" if has(op, "const") => Some(|c| &mut c.shared),
        "wmma" if has(op, "load") => Some(|c| &mut c.global),
        "ld" | "ldu" | "tex" => Some(|c| &mut c.global),
        "atom" if has(op, "shared") => Some(|c| &mut c.shared),
        "atom" => Some(|c| &mut c.atomics),
        "cp" if has(op, "wait_group") || has(op, "wait_all") => Some(|c| &mut c.global),
        _ => None,
    };
    weight(|p| &mut p.memory, step, 1)
}

/// Functions and divisions: one instruction of the special function unit for an approximation, otherwise a sequence
/// that refines it.
fn slow(base: &str, op: &str, wide: bool) -> Weight {
    let approximate = has(op, "approx") || has(op, "full");
    let float = has(op, "f32") || has(op, "f16") || has(op, "f16x2") || has(op, "bf16");
    if has(op, "f64") {
        return weight(|p| &mut p.double, Some(|c| &mut c.double), if base == "rcp" { 8 } else { 14 });
    }
    match (base, approximate, float) {
        ("div", true, _) => weight(|p| &mut p.special, Some(|c| &mut c.special), 2),
        ("div", false, true) => weight(|p| &mut p.single, Some(|c| &mut c.arithmetic), 12),
        ("sqrt" | "rcp", false, true) => weight(|p| &mut p.single, Some(|c| &mut c.arithmetic), 8),
        ("div" | "rem", false, false) if wide => weight(|p| &mut p.integer, Some(|c| &mut c.arithmetic), 70),
        ("div" | "rem", false, false) => weight(|p| &mut p.integer, Some(|c| &mut c.arithmetic), 20),
        _ => weight(|p| &mut p.special, Some(|c| &mut c.special), 1),
    }
}

/// Conversions: between integer widths they are part of the instruction that uses them; those of floating-point numbers
/// use a slower pipe, even from `f32` to `f64`. Rounding to TF32 takes a comparison with infinity, a sum and a mask
/// (ptxas 13.0 for sm_90: FSETP, IADD, LOP3).
fn conversion(op: &str) -> Weight {
    if has(op, "tf32") {
        return weight(|p| &mut p.integer, Some(|c| &mut c.arithmetic), 3);
    }
    let float = ["f16", "bf16", "f32", "f64", "f16x2", "bf16x2"].iter().any(|t| has(op, t));
    if float { weight(|p| &mut p.special, Some(|c| &mut c.special), 1) } else { weight(|p| &mut p.integer, None, 0) }
}

/// Returns the registers that an instruction writes, and those that it reads.
pub fn split(inst: &Inst) -> (Vec<RegId>, Vec<RegId>) {
    let (mut writes, mut reads) = (Vec::new(), Vec::new());
    let base = inst.op.split('.').next().unwrap_or_default();
    let results = usize::from(!matches!(base, "st" | "red" | "bra" | "brx" | "bar" | "barrier" | "cp" | "stmatrix"));
    for (at, operand) in inst.operands.iter().enumerate() {
        registers(operand, if at < results { &mut writes } else { &mut reads });
        if at < results && matches!(operand, Operand::Mem(..)) {
            // `wmma.store` has its address first.
            reads.append(&mut writes);
        }
    }
    reads.extend(inst.guard.map(|(register, _)| register));
    (writes, reads)
}

/// Collects the registers in an operand.
pub fn registers(operand: &Operand, found: &mut Vec<RegId>) {
    match operand {
        Operand::Reg(r) | Operand::NotReg(r) | Operand::Part(r, _) | Operand::Mem(Base::Reg(r), _) => found.push(*r),
        Operand::Vec(list) => list.iter().for_each(|o| registers(o, found)),
        Operand::Pair(a, b) => {
            registers(a, found);
            registers(b, found);
        }
        _ => {}
    }
}
