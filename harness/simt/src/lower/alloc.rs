//! Places in the register file for a function's registers: those that are never alive together share one. A warp's registers
//! then stay in the host's nearest cache.

use super::ir::{Func, Inst, Opnd, Term};

/// Where a function's registers are, and what that takes.
pub struct Places {
    /// Byte offset of each register from the function's area.
    pub offset: Vec<u32>,
    /// Bytes of the area.
    pub bytes: u32,
    /// The most 32-bit registers' worth of values alive at once.
    pub pressure: u32,
}

/// Bytes that a register of this width (bytes a lane, 0: predicate) takes in the register file.
pub fn register_bytes(width: u32) -> u32 {
    match width {
        0 => 4,
        1 | 2 => 64,
        4 => 128,
        _ => 256,
    }
}

fn each(inst: &Inst, mut visit: impl FnMut(u32, bool)) {
    for at in 0..6 {
        if let Opnd::Reg(r) = inst.o[at] {
            if inst.uses & (1 << at) != 0 {
                visit(r, false);
            }
            if inst.defs & (1 << at) != 0 {
                visit(r, true);
            }
        }
    }
    for &(opnd, def) in &inst.list {
        if let Opnd::Reg(r) = opnd {
            visit(r, def);
        }
    }
}

fn each_of_term(term: &Term, mut visit: impl FnMut(u32, bool)) {
    match term {
        Term::Branch {
            pred: Opnd::Reg(r), ..
        }
        | Term::Table {
            index: Opnd::Reg(r),
            ..
        }
        | Term::CallPointer(Opnd::Reg(r), _) => visit(*r, false),
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

/// Places the registers of a function whose blocks are laid out in `order`.
pub fn place(func: &Func, order: &[u32]) -> Places {
    let n = func.regs.len();
    let blocks = &func.blocks;
    let mut used = vec![Bits::new(n); blocks.len()];
    let mut defined = vec![Bits::new(n); blocks.len()];
    for &b in order {
        let (used, defined) = (&mut used[b as usize], &mut defined[b as usize]);
        let mut guarded = false;
        let block = &blocks[b as usize];
        for inst in &block.insts {
            each(inst, |r, def| {
                if !def && !defined.has(r) {
                    used.set(r);
                }
            });
            // What is written under a guard keeps its value elsewhere.
            each(inst, |r, def| {
                if def && guarded && !defined.has(r) {
                    used.set(r);
                }
                if def {
                    defined.set(r);
                }
            });
            guarded = inst.role == super::ir::Role::Guard;
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
    }
    let mut live_in = used.clone();
    let mut live_out = vec![Bits::new(n); blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for &b in order.iter().rev() {
            let mut out = Bits::new(n);
            for s in blocks[b as usize].term.successors() {
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
    // One interval a register, over the laid-out code.
    let mut first = vec![u32::MAX; n];
    let mut last = vec![0u32; n];
    let mut touch = |r: u32, at: u32| {
        first[r as usize] = first[r as usize].min(at);
        last[r as usize] = last[r as usize].max(at);
    };
    let mut at = 0;
    let mut pressure = 0;
    let weight = |r: u32| match func.regs[r as usize] {
        0 => 0,
        8 => 2,
        _ => 1,
    };
    for &b in order {
        let block = &blocks[b as usize];
        live_in[b as usize].each(|r| touch(r, at));
        let start = at;
        for inst in &block.insts {
            at += 1;
            each(inst, |r, _| touch(r, at));
        }
        at += 1;
        each_of_term(&block.term, |r, _| touch(r, at));
        live_out[b as usize].each(|r| touch(r, at));
        // Pressure, backwards through the block.
        let mut live = live_out[b as usize].clone();
        let mut now: u32 = 0;
        live.each(|r| now += weight(r));
        pressure = pressure.max(now);
        for inst in block.insts.iter().rev() {
            each(inst, |r, def| {
                if def && live.has(r) {
                    live.clear(r);
                    now -= weight(r);
                }
            });
            each(inst, |r, def| {
                if !def && !live.has(r) {
                    live.set(r);
                    now += weight(r);
                }
            });
            pressure = pressure.max(now);
        }
        debug_assert!(at > start);
    }
    let mut by_start: Vec<u32> = (0..n as u32)
        .filter(|&r| first[r as usize] != u32::MAX)
        .collect();
    by_start.sort_by_key(|&r| (first[r as usize], r));
    // Largest widths first in the file, so that every class is aligned to its size.
    let mut offset = vec![0u32; n];
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
            // A register may take the place of one that is read last by the instruction that writes it: handlers read first.
            // Lanes are another matter (a shuffle reads its neighbours), so one instruction's distance is kept.
            active.retain(|&(end, place)| {
                let over = end < first[r as usize];
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
            active.push((last[r as usize], place));
        }
    }
    Places {
        offset,
        bytes,
        pressure,
    }
}
