//! Loads that a compiler moved ahead of the condition under which their values are wanted.
//!
//! `i < n ? s[i] : 0` may become a load and a `selp` that discards what was loaded. Whether memory was written before
//! it is read matters only where the value is wanted. This finds the loads whose values go, through arithmetic, nowhere
//! but into instructions that may discard them, all inside one basic block. Such a load is judged at those
//! instructions.

use super::function::FnBuilder;
use super::ir::Result;
use crate::instr::system::wanted::wanted;
use crate::instr::words::has;
use crate::ptx::ast::{Base, Body, Inst, Operand, RegId};
use std::collections::{HashMap, HashSet};

/// An instruction that may discard a loaded value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The load's number among those that are judged late.
    pub load: u32,
    /// The predicate that decides.
    pub predicate: RegId,
    /// The value is wanted where the predicate does not hold.
    pub not: bool,
}

/// The loads of a function that are judged late.
#[derive(Default)]
pub struct Speculated {
    /// The numbers of the loads, by their index in the code.
    pub loads: HashMap<u32, u32>,
    /// By the index of the instruction that may discard them.
    pub uses: HashMap<u32, Vec<Use>>,
}

/// Finds them. Numbers begin with `first`.
pub fn find(body: &Body, first: u32) -> Speculated {
    let mut found = Speculated::default();
    if !body.code.iter().any(may_discard) {
        return found;
    }
    let mut reads = vec![0u32; body.regs.len()];
    let mut writes = vec![0u32; body.regs.len()];
    for inst in &body.code {
        inst.guard.iter().for_each(|(r, _)| reads[r.0 as usize] += 1);
        sources(inst, &mut |r| reads[r.0 as usize] += 1);
        destinations(inst, &mut |r| writes[r.0 as usize] += 1);
    }
    let labels: HashSet<u32> = body.labels.iter().map(|(_, at)| *at).collect();
    for (at, inst) in (0u32..).zip(&body.code) {
        let space = ["shared", "shared::cta", "global", "local"].iter().any(|space| has(&inst.op, space));
        if !inst.op.starts_with("ld.") || !space || inst.guard.is_some() {
            continue;
        }
        if let Some(uses) = follow(body, at, &labels, &reads, &writes) {
            let load = first + found.loads.len() as u32;
            found.loads.insert(at, load);
            for (at, predicate, not) in uses {
                found.uses.entry(at).or_default().push(Use { load, predicate, not });
            }
        }
    }
    found
}

/// Where the value of the load at `at` may be discarded: the instructions, each with the predicate that decides, and
/// whether the value is wanted where it does not hold. `None` if the value is also wanted elsewhere.
fn follow(
    body: &Body,
    at: u32,
    labels: &HashSet<u32>,
    reads: &[u32],
    writes: &[u32],
) -> Option<Vec<(u32, RegId, bool)>> {
    let mut tainted: HashMap<RegId, u32> = HashMap::new();
    let mut unique = true;
    let taint = |inst: &Inst, tainted: &mut HashMap<RegId, u32>, unique: &mut bool| {
        destinations(inst, &mut |r| {
            *unique &= writes[r.0 as usize] == 1;
            tainted.insert(r, reads[r.0 as usize]);
        });
    };
    taint(&body.code[at as usize], &mut tainted, &mut unique);
    let mut uses = Vec::new();
    for (index, inst) in (0u32..).zip(&body.code).skip(at as usize + 1) {
        if !unique {
            return None;
        }
        if tainted.values().all(|left| *left == 0) {
            return (!uses.is_empty()).then_some(uses);
        }
        if labels.contains(&index) {
            return None;
        }
        let mut hit = false;
        let guarded = inst.guard.is_some_and(|(r, _)| tainted.contains_key(&r));
        sources(inst, &mut |r| {
            if let Some(left) = tainted.get_mut(&r) {
                *left -= 1;
                hit = true;
            }
        });
        let base = inst.op.split('.').next().unwrap_or_default();
        if guarded || (!hit && matches!(base, "bra" | "brx" | "ret" | "exit" | "call" | "bar" | "barrier")) {
            return None;
        }
        if !hit {
            continue;
        }
        if inst.guard.is_some() {
            return None;
        }
        match decides(inst, |r| tainted.contains_key(&r)) {
            Some((predicate, not)) => uses.push((index, predicate, not)),
            None if computes(base) => taint(inst, &mut tainted, &mut unique),
            None => return None,
        }
    }
    None
}

/// Whether an instruction may discard one of its operands.
fn may_discard(inst: &Inst) -> bool {
    matches!(inst.op.split('.').next(), Some("selp")) || matches!(&*inst.op, "and.pred" | "or.pred")
}

/// If one operand of an instruction is tainted and another, a predicate, decides whether that matters: the predicate,
/// and whether it matters where that does not hold.
fn decides(inst: &Inst, tainted: impl Fn(RegId) -> bool) -> Option<(RegId, bool)> {
    let is = |operand: &Operand| match operand {
        Operand::Reg(r) | Operand::NotReg(r) | Operand::Part(r, _) => tainted(*r),
        _ => false,
    };
    let [_, sources @ ..] = inst.operands.as_slice() else {
        return None;
    };
    match (inst.op.as_str(), sources) {
        (op, [a, b, Operand::Reg(p)]) if op.starts_with("selp.") && !tainted(*p) && is(a) != is(b) => Some((*p, is(b))),
        (op @ ("and.pred" | "or.pred"), [a, b]) if is(a) != is(b) => match if is(a) { b } else { a } {
            Operand::Reg(p) => Some((*p, op == "or.pred")),
            _ => None,
        },
        _ => None,
    }
}

/// Whether an instruction only computes registers from registers, lane by lane.
fn computes(base: &str) -> bool {
    matches!(
        base,
        "abs"
            | "add"
            | "and"
            | "bfe"
            | "bfi"
            | "bfind"
            | "brev"
            | "clz"
            | "cnot"
            | "copysign"
            | "cos"
            | "cvt"
            | "div"
            | "dp2a"
            | "dp4a"
            | "ex2"
            | "fma"
            | "lg2"
            | "lop3"
            | "mad"
            | "max"
            | "min"
            | "mov"
            | "mul"
            | "neg"
            | "not"
            | "or"
            | "popc"
            | "prmt"
            | "rcp"
            | "rem"
            | "rsqrt"
            | "sad"
            | "selp"
            | "set"
            | "setp"
            | "shf"
            | "shl"
            | "shr"
            | "sin"
            | "slct"
            | "sqrt"
            | "sub"
            | "tanh"
            | "testp"
            | "xor"
    )
}

fn registers(operand: &Operand, see: &mut impl FnMut(RegId)) {
    match operand {
        Operand::Reg(r) | Operand::NotReg(r) | Operand::Part(r, _) | Operand::Mem(Base::Reg(r), _) => see(*r),
        Operand::Vec(list) => list.iter().for_each(|o| registers(o, see)),
        Operand::Pair(a, b) => {
            registers(a, see);
            registers(b, see);
        }
        _ => {}
    }
}

/// The registers that an instruction writes: those of its first operand, unless that is an address.
fn destinations(inst: &Inst, see: &mut impl FnMut(RegId)) {
    match inst.operands.first() {
        Some(Operand::Mem(..)) | None => {}
        Some(first) => registers(first, see),
    }
}

/// The registers that an instruction reads.
fn sources(inst: &Inst, see: &mut impl FnMut(RegId)) {
    let addressed = matches!(inst.operands.first(), Some(Operand::Mem(..)));
    let skip = usize::from(!addressed);
    inst.operands.iter().skip(skip).for_each(|o| registers(o, see));
}

impl FnBuilder<'_, '_> {
    /// Emits, before an instruction that may discard loaded values, the look at whether it does.
    pub fn judge_loads(&mut self) -> Result<()> {
        let Some(uses) = self.speculated.uses.get(&self.now).cloned() else {
            return Ok(());
        };
        for Use { load, predicate, not } in uses {
            let predicate = self.reg(predicate, 0)?;
            self.prepare(wanted(predicate, not, load));
        }
        Ok(())
    }
}
