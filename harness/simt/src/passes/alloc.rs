//! Register allocation: assigns a function's registers to places in the register file. Registers that are never live at
//! the same time share a place, so that a warp's registers stay in the host's nearest cache.

use super::ir::{Func, Inst, OperandSlot, Role, Term};

/// The places of a function's registers, and the size of their area.
pub struct Places {
    /// Byte offset of each register from the function's area.
    pub offset: Vec<u32>,
    /// Bytes of the area.
    pub bytes: u32,
    /// The register pressure: the maximum number of 32-bit registers that simultaneously live values need.
    pub pressure: u32,
}

/// Returns the bytes that a register of this width (bytes per lane, 0 for a predicate) occupies in the register file.
pub fn register_bytes(width: u32) -> u32 {
    match width {
        0 => 4,
        1 | 2 => 64,
        4 => 128,
        _ => 256,
    }
}

/// Visits each register of an instruction, and whether it is written.
pub fn each(inst: &Inst, mut visit: impl FnMut(u32, bool)) {
    for at in 0..6 {
        if let OperandSlot::Reg(r) = inst.o[at] {
            if inst.uses & (1 << at) != 0 {
                visit(r, false);
            }
            if inst.defs & (1 << at) != 0 {
                visit(r, true);
            }
        }
    }
    for &(opnd, def) in &inst.list {
        if let OperandSlot::Reg(r) = opnd {
            visit(r, def);
        }
    }
}

/// Visits each register of a block's terminator, and whether it is written.
pub fn each_of_term(term: &Term, mut visit: impl FnMut(u32, bool)) {
    match term {
        Term::Branch { pred: OperandSlot::Reg(r), .. }
        | Term::Table { index: OperandSlot::Reg(r), .. }
        | Term::CallPointer(OperandSlot::Reg(r), ..) => visit(*r, false),
        Term::Barrier(inst, _) => each(inst, visit),
        _ => {}
    }
}

#[derive(Clone, PartialEq)]
struct Bits(Vec<u64>);
impl Bits {
    fn new(n: usize) -> Bits {
        Bits(vec![0; n.div_ceil(64)])
    }
    fn set(&mut self, i: u32) {
        self.0[i as usize / 64] |= 1 << (i % 64);
    }
    fn clear(&mut self, i: u32) {
        self.0[i as usize / 64] &= !(1 << (i % 64));
    }
    fn has(&self, i: u32) -> bool {
        self.0[i as usize / 64] & (1 << (i % 64)) != 0
    }
    fn each(&self, mut visit: impl FnMut(u32)) {
        for (w, &word) in self.0.iter().enumerate() {
            let mut bits = word;
            while bits != 0 {
                visit(w as u32 * 64 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }
}

/// The registers that are live at the beginning and end of each block.
struct Liveness {
    live_in: Vec<Bits>,
    live_out: Vec<Bits>,
}

/// Returns the registers that a block uses before it defines them, and the registers that it defines.
fn used_and_defined(func: &Func, block: u32) -> (Bits, Bits) {
    let n = func.regs.len();
    let (mut used, mut defined) = (Bits::new(n), Bits::new(n));
    let mut guarded = false;
    let block = &func.blocks[block as usize];
    for inst in &block.insts {
        each(inst, |r, def| {
            if !def && !defined.has(r) {
                used.set(r);
            }
        });
        // A register written under a guard keeps its value where the guard does not hold.
        each(inst, |r, def| {
            if def && guarded && !defined.has(r) {
                used.set(r);
            }
            if def {
                defined.set(r);
            }
        });
        guarded = inst.role == Role::Guard;
    }
    each_of_term(&block.term, |r, def| {
        if !def && !defined.has(r) {
            used.set(r);
        }
    });
    each_of_term(&block.term, |r, def| {
        if def {
            defined.set(r);
        }
    });
    (used, defined)
}

/// Computes liveness by backward data flow through the blocks, up to the fixed point.
fn liveness(func: &Func, order: &[u32]) -> Liveness {
    let n = func.regs.len();
    let none = vec![Bits::new(n); func.blocks.len()];
    let (mut used, mut defined) = (none.clone(), none.clone());
    for &b in order {
        (used[b as usize], defined[b as usize]) = used_and_defined(func, b);
    }
    let mut live_in = used.clone();
    let mut live_out = none;
    let mut changed = true;
    while changed {
        changed = false;
        for &b in order.iter().rev() {
            let mut out = Bits::new(n);
            for s in func.blocks[b as usize].term.successors() {
                for (o, i) in out.0.iter_mut().zip(&live_in[s as usize].0) {
                    *o |= i;
                }
            }
            for w in 0..out.0.len() {
                let new = used[b as usize].0[w] | (out.0[w] & !defined[b as usize].0[w]);
                if live_in[b as usize].0[w] != new {
                    live_in[b as usize].0[w] = new;
                    changed = true;
                }
            }
            live_out[b as usize] = out;
        }
    }
    Liveness { live_in, live_out }
}

/// Returns, for each block of a function, the registers that are live at its beginning.
pub fn live_at_starts(func: &Func) -> Vec<Vec<u32>> {
    let order: Vec<u32> = (0..func.blocks.len() as u32).collect();
    let listed = |bits: &Bits| {
        let mut list = Vec::new();
        bits.each(|r| list.push(r));
        list
    };
    liveness(func, &order).live_in.iter().map(listed).collect()
}

/// Returns the number of 32-bit registers that a value of this register needs.
fn weight(func: &Func, register: u32) -> u32 {
    match func.regs[register as usize] {
        0 => 0,
        8 => 2,
        _ => 1,
    }
}

/// Returns the maximum number of 32-bit registers that are simultaneously live in a block.
fn pressure(func: &Func, block: u32, live_out: &Bits) -> u32 {
    let mut live = live_out.clone();
    let mut now: u32 = 0;
    live.each(|r| now += weight(func, r));
    let mut most = now;
    for inst in func.blocks[block as usize].insts.iter().rev() {
        each(inst, |r, def| {
            if def && live.has(r) {
                live.clear(r);
                now -= weight(func, r);
            }
        });
        each(inst, |r, def| {
            if !def && !live.has(r) {
                live.set(r);
                now += weight(func, r);
            }
        });
        most = most.max(now);
    }
    most
}

/// Returns, for each register, the first and last position in the laid-out code at which it is live. The first is
/// `u32::MAX` if the register is never used.
fn intervals(func: &Func, order: &[u32], alive: &Liveness) -> Vec<(u32, u32)> {
    let mut intervals = vec![(u32::MAX, 0u32); func.regs.len()];
    let mut touch = |r: u32, at: u32| {
        let (first, last) = &mut intervals[r as usize];
        (*first, *last) = ((*first).min(at), (*last).max(at));
    };
    let mut at = 0;
    for &b in order {
        let block = &func.blocks[b as usize];
        alive.live_in[b as usize].each(|r| touch(r, at));
        for inst in &block.insts {
            at += 1;
            each(inst, |r, _| touch(r, at));
        }
        at += 1;
        each_of_term(&block.term, |r, _| touch(r, at));
        alive.live_out[b as usize].each(|r| touch(r, at));
    }
    intervals
}

/// Assigns places to the registers of a function whose blocks are laid out in `order`.
pub fn place(func: &Func, order: &[u32]) -> Places {
    let alive = liveness(func, order);
    let of_block = |&b: &u32| pressure(func, b, &alive.live_out[b as usize]);
    let pressure = order.iter().map(of_block).max().unwrap_or(0);
    let intervals = intervals(func, order, &alive);
    let mut by_start: Vec<u32> = (0..func.regs.len() as u32).filter(|&r| intervals[r as usize].0 != u32::MAX).collect();
    by_start.sort_by_key(|&r| (intervals[r as usize].0, r));
    // The largest widths come first in the file, so that every class is aligned to its size.
    let mut offset = vec![0u32; func.regs.len()];
    let mut bytes = 0u32;
    for class in [8u32, 4, 2, 0] {
        let size = register_bytes(class);
        bytes = bytes.next_multiple_of(size.min(64));
        let mut active: Vec<(u32, u32)> = Vec::new();
        let mut free: Vec<u32> = Vec::new();
        for &r in &by_start {
            let width = match func.regs[r as usize] {
                1 => 2,
                w => w,
            };
            if width != class {
                continue;
            }
            let (first, last) = intervals[r as usize];
            // A handler reads its lanes before it writes them, so a register could take the place of one whose last use
            // is in the same instruction. But some handlers read other lanes (a shuffle does), so there must be an
            // instruction between the two uses.
            active.retain(|&(end, place)| {
                let over = end < first;
                if over {
                    free.push(place);
                }
                !over
            });
            let place = free.pop().unwrap_or_else(|| {
                let place = bytes;
                bytes += size;
                place
            });
            offset[r as usize] = place;
            active.push((last, place));
        }
    }
    Places { offset, bytes, pressure }
}
