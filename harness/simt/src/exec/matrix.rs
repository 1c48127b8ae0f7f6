//! Matrix instructions: `mma` on whole warps, and `ldmatrix`.
//!
//! The hardware does not say how it rounds inside: here products are exact, a row's sum with the accumulator is kept in f64 and
//! rounded once. Fragments lie as the PTX manual draws them: lane `l` is row `l / 4`, place `l % 4`.

use super::access::{Pointers, Request};
use super::control::lanes;
use super::{Exec, Flow, Warp};
use crate::finding::{Space, What};
use crate::lane::{Bf16, F16, LANES};
use crate::program::Op;

/// Kinds of input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    /// One number a register.
    Tf32,
    /// Two numbers a register.
    F16,
    /// Two numbers a register.
    Bf16,
}

/// `imm` of [`Mma`]: index into the program's lists (low half), kind of input, depth, and whether the accumulators are f16.
pub(crate) fn packed(input: Input, depth: u32, c_half: bool, d_half: bool) -> u32 {
    input as u32 | (depth << 8) | (u32::from(c_half) << 16) | (u32::from(d_half) << 17)
}

/// How many registers the A, B, C and D fragments take.
pub(crate) fn registers(input: Input, depth: u32, c_half: bool, d_half: bool) -> [usize; 4] {
    let numbers = if input == Input::Tf32 { 1 } else { 2 };
    let a = 16 * depth as usize / LANES / numbers;
    let out = |half| if half { 2 } else { 4 };
    [a, a / 2, out(c_half), out(d_half)]
}

/// `mma` of 16 x 8 x depth: registers of D, A, B, C in the program's lists from `imm`; what it is in `b`.
pub(crate) struct Mma;
impl Exec for Mma {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        let input = match op.b & 0xff {
            0 => Input::Tf32,
            1 => Input::F16,
            _ => Input::Bf16,
        };
        let depth = (op.b >> 8) & 0xff;
        let (c_half, d_half) = (op.b & (1 << 16) != 0, op.b & (1 << 17) != 0);
        let [na, nb, nc, nd] = registers(input, depth, c_half, d_half);
        let depth = depth as usize;
        let mut list = [0u32; 16];
        let start = op.imm as usize;
        let count = na + nb + nc + nd;
        list[..count].copy_from_slice(&warp.program().lists[start..start + count]);
        // SAFETY: the lowering puts 32-bit registers into the list.
        unsafe {
            let register = |i: usize| *warp.reg::<[u32; LANES]>(list[i]);
            let half = |bits: u16| match input {
                Input::Bf16 => Bf16(bits).to_f32(),
                _ => F16(bits).to_f32(),
            };
            let mut a = [[0f64; 16]; 16];
            let mut b = [[0f64; 8]; 16];
            let mut c = [[0f64; 8]; 16];
            for i in 0..na {
                let values = register(nd + i);
                for (lane, &bits) in values.iter().enumerate() {
                    let row = lane / 4 + 8 * (i % 2);
                    if input == Input::Tf32 {
                        let column = lane % 4 + 4 * (i / 2);
                        a[row][column] = f64::from(f32::from_bits(bits & 0xffff_e000));
                    } else {
                        let column = lane % 4 * 2 + 8 * (i / 2);
                        a[row][column] = f64::from(half(bits as u16));
                        a[row][column + 1] = f64::from(half((bits >> 16) as u16));
                    }
                }
            }
            for i in 0..nb {
                let values = register(nd + na + i);
                for (lane, &bits) in values.iter().enumerate() {
                    let column = lane / 4;
                    if input == Input::Tf32 {
                        b[lane % 4 + 4 * i][column] = f64::from(f32::from_bits(bits & 0xffff_e000));
                    } else {
                        let row = lane % 4 * 2 + 8 * i;
                        b[row][column] = f64::from(half(bits as u16));
                        b[row + 1][column] = f64::from(half((bits >> 16) as u16));
                    }
                }
            }
            for i in 0..nc {
                let values = register(nd + na + nb + i);
                for (lane, &bits) in values.iter().enumerate() {
                    if c_half {
                        let (row, column) = (lane / 4 + 8 * i, lane % 4 * 2);
                        c[row][column] = f64::from(F16(bits as u16).to_f32());
                        c[row][column + 1] = f64::from(F16((bits >> 16) as u16).to_f32());
                    } else {
                        let (row, column) = (lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2);
                        c[row][column] = f64::from(f32::from_bits(bits));
                    }
                }
            }
            for row in 0..16 {
                for k in 0..depth {
                    let left = a[row][k];
                    for column in 0..8 {
                        c[row][column] += left * b[k][column];
                    }
                }
            }
            let mask = warp.mask();
            for i in 0..nd {
                let to = &mut *warp.reg::<[u32; LANES]>(list[i]);
                for lane in lanes(mask) {
                    to[lane] = if d_half {
                        let (row, column) = (lane / 4 + 8 * i, lane % 4 * 2);
                        let low = F16::nearest(c[row][column] as f32).0;
                        let high = F16::nearest(c[row][column + 1] as f32).0;
                        u32::from(low) | (u32::from(high) << 16)
                    } else {
                        let (row, column) = (lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2);
                        (c[row][column] as f32).to_bits()
                    };
                }
            }
        }
        Flow::Next
    }
}

/// `ldmatrix`: rows' addresses in `a` plus `imm`, matrices to `d`, `d2`, `b`, `c`: how many in the low byte of `e`, above it
/// whether they are transposed.
pub(crate) unsafe fn load(warp: &mut Warp, op: &Op) -> Flow {
    let (count, transposed) = (op.e & 0xff, op.e >> 8 != 0);
    let mask = warp.mask();
    let request = Request {
        space: Space::Shared,
        size: 16,
        what: What::Read,
    };
    let mut at: Pointers = [0; LANES];
    // SAFETY: registers of 32 bits; the rows' addresses are checked before they are read.
    unsafe {
        let givers = if count == 4 {
            u32::MAX
        } else {
            (1 << (8 * count)) - 1
        };
        warp.set_mask(givers);
        let resolve = warp.worker().resolve;
        let fine = resolve(warp, op, request, &mut at);
        warp.set_mask(mask);
        if !fine {
            return Flow::Stop;
        }
        for (i, register) in [op.d, op.d2, op.b, op.c][..count as usize]
            .iter()
            .enumerate()
        {
            let to = &mut *warp.reg::<[u32; LANES]>(*register);
            let half =
                |row: usize, column: usize| u32::from(*(at[i * 8 + row] as *const u16).add(column));
            for lane in lanes(mask) {
                let (place, pair) = (lane / 4, lane % 4 * 2);
                to[lane] = if transposed {
                    half(pair, place) | (half(pair + 1, place) << 16)
                } else {
                    half(place, pair) | (half(place, pair + 1) << 16)
                };
            }
        }
    }
    Flow::Next
}
