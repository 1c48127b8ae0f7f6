//! Register allocation: assigns a function's registers to places in the register file. Registers that are never live at
//! the same time share a place, so that a warp's registers stay in the host's nearest cache.

use super::compute_liveness::{Liveness, RegisterSet, compute_liveness};
use super::ir::{Func, each, each_of_term};

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

/// Returns the number of 32-bit registers that a value of this register needs.
fn weight(func: &Func, register: u32) -> u32 {
    match func.regs[register as usize] {
        0 => 0,
        8 => 2,
        _ => 1,
    }
}

/// Returns the maximum number of 32-bit registers that are simultaneously live in a block.
fn pressure(func: &Func, block: u32, live_out: &RegisterSet) -> u32 {
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

/// Assigns places to the registers of functions whose blocks are laid out in `orders`.
pub fn assign_registers(functions: &[Func], orders: &[Vec<u32>]) -> Vec<Places> {
    functions.iter().zip(orders).map(|(func, order)| assign(func, order)).collect()
}

fn assign(func: &Func, order: &[u32]) -> Places {
    let alive = compute_liveness(func, order);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::ir::Term;
    use crate::passes::testing::{computes, graph};

    fn places(insts: Vec<crate::passes::ir::Inst>, widths: &[u32]) -> Places {
        let mut func = graph([Term::Exit], widths.len());
        func.regs = widths.to_vec();
        func.blocks[0].insts = insts;
        assign_registers(&[func], &[vec![0]]).remove(0)
    }

    #[test]
    fn registers_share_a_place_if_an_instruction_lies_between_their_uses() {
        let insts = vec![computes(0, &[]), computes(1, &[0]), computes(2, &[1]), computes(3, &[2])];
        let Places { offset, bytes, pressure } = places(insts, &[4; 4]);
        assert_eq!(offset, [0, 128, 0, 128]);
        assert_eq!((bytes, pressure), (256, 1));
    }

    #[test]
    fn registers_that_are_live_together_have_places_of_their_own_and_wide_ones_come_first() {
        let insts = vec![computes(0, &[]), computes(1, &[]), computes(2, &[]), computes(3, &[0, 1, 2])];
        let Places { offset, bytes, pressure } = places(insts, &[4, 8, 0, 2]);
        assert_eq!(offset, [256, 0, 448, 384]);
        assert_eq!((bytes, pressure), (452, 3));
    }
}
