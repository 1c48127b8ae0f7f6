//! Loads from shared memory that the assembler merges into one: four adjacent words, from one base register whose value
//! it knows to be a multiple of 16, without a write to shared memory between them. They are executed one by one here,
//! and counted as one: the first of them as a load of 16 bytes, and the others not at all.
//!
//! Observed in Nsight Compute's counts for the matmul lab's kernels on an H200 (`reports/agreement`). Rows of 40 bytes,
//! whose starts are multiples of only 8, stayed separate loads there.

use crate::engine::warp::program::Source;
use crate::finding::{AccessKind, Space};
use crate::instr::code;
use crate::passes::ir::{Block, Role};
use crate::passes::plan::{Member, Plan};
use ptx::ast::{Base, Inst, Operand, RegId};
use ptx::modifier::Modifier;
use ptx::opcode::{Opcode, OpcodeKind};
use std::collections::HashMap;

/// Bytes of a merged load.
const WIDE: u32 = 16;
/// Bytes of a load that may become part of a merged one.
const WORD: i64 = 4;
/// The initial assumption for every number: it is a multiple of 2 to this power.
const MOST: u32 = 16;

/// The loads from each base register that are still mergeable: their offsets and positions.
type Open = HashMap<RegId, Vec<(i64, u32)>>;

/// Whether the assembler merges a load with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// This load is counted for all of them, as a load of this many bytes.
    Leads(u32),
    /// Another load is counted for it.
    Follows,
}

/// The merged loads of a function, by their indices in its body.
#[derive(Default)]
pub struct MergedLoads(HashMap<u32, Merge>);

impl MergedLoads {
    /// Returns how an instruction is merged, if it is.
    pub fn of(&self, inst: &code::Inst) -> Option<Merge> {
        let is_load = matches!(inst.role, Role::Access(AccessKind::Read, Space::Shared, _));
        self.0.get(&inst.at).copied().filter(|_| is_load)
    }

    /// Returns the number of loads of a block for which others are counted.
    pub fn followers(&self, block: &Block) -> u64 {
        block.insts.iter().filter(|inst| self.of(inst) == Some(Merge::Follows)).count() as u64
    }
}

/// Finds the loads of a function that are merged, in these blocks.
pub fn merge_loads(plan: &Plan<'_>, own: Member<'_>, blocks: &[Block]) -> MergedLoads {
    if !own.body.code.iter().any(|inst| word_from_shared(inst).is_some()) {
        return MergedLoads::default();
    }
    let search = Search { plan, own };
    let powers = search.powers();
    let mut marks = HashMap::new();
    for block in blocks {
        search.find_merges(&block.code, &powers, &mut marks);
    }
    MergedLoads(marks)
}

/// A function in which loads are merged.
struct Search<'p, 'm> {
    plan: &'p Plan<'m>,
    own: Member<'m>,
}

impl Search<'_, '_> {
    /// Finds the loads of a block that are merged.
    fn find_merges(&self, code: &[u32], powers: &[u32], marks: &mut HashMap<u32, Merge>) {
        let mut open = Open::new();
        for &at in code {
            let inst = &self.own.body.code[at as usize];
            match word_from_shared(inst) {
                Some((base, offset)) if powers[base.0 as usize] >= WIDE.ilog2() => {
                    open.entry(base).or_default().push((offset, at));
                }
                _ if comes_between(inst) => {
                    for (_, loads) in open.drain() {
                        close(loads, marks);
                    }
                }
                _ => {}
            }
            let mut changed = Vec::new();
            inst.each_written(|register| changed.push(register));
            for loads in changed.iter().filter_map(|register| open.remove(register)) {
                close(loads, marks);
            }
        }
        for (_, loads) in open {
            close(loads, marks);
        }
    }

    /// Returns, for each register, the power of two of which its value is known to be a multiple.
    fn powers(&self) -> Vec<u32> {
        let mut all = vec![MOST; self.own.body.regs.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for inst in &self.own.body.code {
                let mut to = Vec::new();
                inst.each_written(|register| to.push(register));
                let power = self.power_of(inst, &all);
                for register in to {
                    let known = &mut all[register.0 as usize];
                    changed |= power < *known;
                    *known = power.min(*known);
                }
            }
        }
        all
    }

    /// Returns the power of two of which the result of an instruction is a multiple.
    fn power_of(&self, inst: &Inst, all: &[u32]) -> u32 {
        use Opcode::{Add, And, Cvt, Cvta, Mad, Max, Min, Mov, Mul, Or, Selp, Shl, Sub};
        let value = |operand: &Operand| match operand {
            Operand::Reg(r) => all[r.0 as usize],
            Operand::Int(v) => v.trailing_zeros().min(MOST),
            Operand::Sym(name, offset) => self.power_of_symbol(name, *offset),
            _ => 0,
        };
        let power = match (inst.opcode, inst.operands.get(1..).unwrap_or_default()) {
            (Mov | Cvta | Cvt, [from]) => value(from),
            (Add | Sub | Or | Min | Max, [a, b]) | (Selp, [a, b, _]) => value(a).min(value(b)),
            (And, [a, b]) => value(a).max(value(b)),
            (Shl, [a, Operand::Int(by)]) => value(a) + u32::try_from(*by).unwrap_or(0),
            (Mul, [a, b]) if !inst.has(Modifier::Hi) => value(a) + value(b),
            (Mad, [a, b, c]) if !inst.has(Modifier::Hi) => (value(a) + value(b)).min(value(c)),
            _ => 0,
        };
        power.min(MOST)
    }

    /// The same for the address of a variable in shared memory.
    fn power_of_symbol(&self, name: &str, offset: i64) -> u32 {
        let own = self.own.body.vars.iter().any(|v| v.name == name);
        match self.plan.symbol(own.then_some(self.own.index), name, offset) {
            Some(Source::Bits(address)) => address.trailing_zeros().min(MOST),
            Some(Source::DynamicShared(offset)) => (offset | 1 << WIDE.ilog2()).trailing_zeros(),
            _ => 0,
        }
    }
}

/// Returns the base register and offset of a load of one word from shared memory that the assembler may merge.
fn word_from_shared(inst: &Inst) -> Option<(RegId, i64)> {
    let shared = inst.is_of_shared();
    let ordered = inst.has_any(&[Modifier::Volatile, Modifier::Relaxed, Modifier::Acquire]);
    let plain = inst.opcode == Opcode::Ld && shared && inst.guard.is_none();
    let (1, ty) = inst.element()? else {
        return None;
    };
    match inst.operands.as_slice() {
        [_, Operand::Mem(Base::Reg(base), offset)] if plain && !ordered && i64::from(ty.size()) == WORD => {
            Some((*base, *offset))
        }
        _ => None,
    }
}

/// Whether a load may not be moved past an instruction.
fn comes_between(inst: &Inst) -> bool {
    let elsewhere = inst.has_any(&[Modifier::Global, Modifier::Local, Modifier::Param]);
    match inst.opcode.kind() {
        OpcodeKind::Barrier | OpcodeKind::Call | OpcodeKind::Fence | OpcodeKind::Copy => true,
        OpcodeKind::Store | OpcodeKind::Atomic => !elsewhere,
        OpcodeKind::Matrix => {
            use Opcode::{Stmatrix, WmmaLoad, WmmaMma, WmmaStore};
            matches!(inst.opcode, Stmatrix | WmmaLoad | WmmaMma | WmmaStore) && !elsewhere
        }
        _ => false,
    }
}

/// Marks the adjacent loads from one base.
fn close(mut loads: Vec<(i64, u32)>, marks: &mut HashMap<u32, Merge>) {
    loads.sort_unstable();
    loads.dedup_by_key(|load| load.0);
    for four in loads.windows(4) {
        let first = four[0].0;
        if first % i64::from(WIDE) == 0 && (0..).zip(four).all(|(k, load)| load.0 == first + k * WORD) {
            for load in four {
                // They are counted at the load of the lowest address, wherever that is.
                let mark = if load.0 == first { Merge::Leads(WIDE) } else { Merge::Follows };
                marks.insert(load.1, mark);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::translated;

    /// Returns how the loads of a kernel are merged.
    fn merged(code: &str) -> Vec<Option<Merge>> {
        translated("", code, |plan, members, functions| {
            let found = merge_loads(plan, members[0], &functions[0].blocks);
            let insts = functions[0].blocks.iter().flat_map(|block| &block.insts);
            let loads = insts.filter(|inst| matches!(inst.role, Role::Access(AccessKind::Read, ..)));
            loads.map(|inst| found.of(inst)).collect()
        })
    }

    const FOUR: &str = "ld.shared.f32 %f1, [%rd2]; ld.shared.f32 %f2, [%rd2+4];
        ld.shared.f32 %f3, [%rd2+12]; ld.shared.f32 %f4, [%rd2+8];";
    const ROWS_OF_16: &str =
        "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, 16; mov.u64 %rd3, tile; add.s64 %rd2, %rd3, %rd1;";

    #[test]
    fn four_adjacent_words_of_an_aligned_row_are_one_load() {
        use Merge::{Follows, Leads};
        let wanted = [Some(Leads(16)), Some(Follows), Some(Follows), Some(Follows)];
        assert_eq!(merged(&format!("{ROWS_OF_16} {FOUR}")), wanted);
    }

    #[test]
    fn loads_that_are_not_aligned_adjacent_or_undisturbed_stay_separate() {
        let second = "; ld.shared.f32 %f2";
        for code in [
            format!("{} {FOUR}", ROWS_OF_16.replace("16;", "8;")),
            format!("{ROWS_OF_16} {}", FOUR.replace("+12", "+16")),
            format!("{ROWS_OF_16} {}", FOUR.replace(second, &format!("; bar.sync 0{second}"))),
            format!("{ROWS_OF_16} {}", FOUR.replace(second, &format!("; st.shared.f32 [%rd3], %f1{second}"))),
        ] {
            assert_eq!(merged(&code), [None; 4], "{code}");
        }
    }
}
