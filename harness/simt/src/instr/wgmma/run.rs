//! Executes `wgmma.mma_async`: a warp computes its rows of the product.

use super::form::{Element, Sum, WgmmaForm};
use super::scratch::{self, Scratch, TOGETHER};
use super::{factor, sum};
use crate::engine::warp::handler::Exec;
use crate::engine::warp::program::Op;
use crate::engine::warp::{Flow, Warp};
use crate::instr::operands::{Register, operands};
use crate::lane::lanes;

operands! {
    /// Operands of a product.
    pub(super) struct Product {
        /// The descriptor of A, if it is not in registers.
        a: maybe_read(u64) in a,
        /// The descriptor of B.
        b: read(u64) in b,
        /// Whether the accumulators are added, if a predicate decides.
        accumulates: maybe_read(bool) in c,
        /// Whether they are added otherwise.
        always: number(bool) in d2,
        /// Its shape and types.
        form: number(WgmmaForm) in e,
        /// The registers of the accumulators, then those of A, and the one with the metadata.
        registers: pool in imm,
    }
}

/// Executes `wgmma.mma_async`.
pub(super) struct Run;

impl Exec for Run {
    #[inline(always)]
    unsafe fn exec<const W: u8>(warp: &mut Warp, op: &Op) -> Flow {
        if let Err(flow) = warp.gather_all(op) {
            return flow;
        }
        let product = Product::unpack(op);
        let lane = warp.mask().trailing_zeros() as usize & 31;
        if warp.launch().sync_check {
            warp.in_warpgroup(op, lane, (product.registers as u32, product.form.sums() as u32));
        }
        // SAFETY: the registers were unpacked from this instruction. All lanes must have the same values.
        let (a, b, accumulates) = unsafe {
            let accumulates = product.accumulates.map(|register| *register.bits(warp) >> lane & 1 != 0);
            let a = product.a.map(|a| (*a.lanes(warp))[lane]);
            (a, (*product.b.lanes(warp))[lane], accumulates.unwrap_or(product.always))
        };
        let mut scratch = scratch::take();
        // SAFETY: as above.
        let done =
            unsafe { rows(warp, op, &product.form, (a, b), (product.registers as usize, accumulates), &mut scratch) };
        scratch::put(scratch);
        match done {
            Ok(()) => Flow::Next,
            Err(flow) => flow,
        }
    }
}

/// Computes the warp's rows of the product. `registers` is the index of the first register in the program's lists.
///
/// # Safety
/// They are those of an instruction of this form.
#[inline(always)]
unsafe fn rows(
    warp: &mut Warp,
    op: &Op,
    form: &WgmmaForm,
    (a, b): (Option<u64>, u64),
    (registers, accumulates): (usize, bool),
    scratch: &mut Scratch,
) -> Result<(), Flow> {
    let lists = &warp.launch().program.lists[registers..];
    let (sums, rest) = lists.split_at(form.sums());
    match a {
        Some(bits) => factor::a(warp, op, form, bits, scratch)?,
        // SAFETY: the caller's contract: those of A follow.
        None => unsafe { factor::from_registers(warp, form, &rest[..factor::REGISTERS], scratch) },
    }
    factor::b(warp, op, form, b, &mut scratch.b)?;
    if let Some(kept) = form.kept {
        let metadata = rest[if a.is_some() { 0 } else { factor::REGISTERS }];
        // SAFETY: the caller's contract: the metadata follows A.
        let words = unsafe { (*Register::<u32>::at(metadata).lanes(warp)).map(u64::from) };
        let (depth, bits) = (form.depth_of_b(), form.factors[0].bits() as u32);
        for (row, places) in scratch.places.iter_mut().enumerate() {
            *places = kept.places(row, depth, bits, &words);
        }
    }
    if form.negative[0] != form.negative[1] {
        let sign = form.factors[0].format().sign() as u32;
        scratch.a.as_flattened_mut().iter_mut().for_each(|bits| *bits ^= sign);
    }
    // SAFETY: the caller's contract.
    unsafe { accumulators(warp, form, sums, accumulates, scratch) };
    match form.factors[0] {
        Element::S8 | Element::U8 => sum::integers(form, scratch),
        Element::B1 => sum::bits(form, scratch),
        _ => sum::floats(form, scratch),
    }
    let mask = warp.mask();
    for (at, &register) in sums.iter().enumerate() {
        // SAFETY: the caller's contract.
        let to = unsafe { &mut *Register::<u32>::at(register).lanes(warp) };
        for lane in lanes(mask) {
            let (row, column) = form.place(at, lane);
            let found = *scratch.sum(row, column);
            to[lane] = match form.sum {
                Sum::F16 => found & 0xffff | *scratch.sum(row, column + 1) << 16,
                _ => found,
            };
        }
    }
    Ok(())
}

/// Reads the accumulators from their registers, or sets them to zero.
///
/// # Safety
/// They are 32-bit registers of the program that the warp runs.
#[inline(always)]
unsafe fn accumulators(warp: &Warp, form: &WgmmaForm, registers: &[u32], accumulates: bool, scratch: &mut Scratch) {
    if !accumulates {
        let together = form.columns().div_ceil(TOGETHER);
        scratch.sums[..together].as_flattened_mut().as_flattened_mut().fill(0);
        return;
    }
    for (at, &register) in registers.iter().enumerate() {
        // SAFETY: the caller's contract.
        let from = unsafe { &*Register::<u32>::at(register).lanes(warp) };
        for (lane, &value) in from.iter().enumerate() {
            let (row, column) = form.place(at, lane);
            match form.sum {
                Sum::F16 => {
                    *scratch.sum(row, column) = value & 0xffff;
                    *scratch.sum(row, column + 1) = value >> 16;
                }
                _ => *scratch.sum(row, column) = value,
            }
        }
    }
}
