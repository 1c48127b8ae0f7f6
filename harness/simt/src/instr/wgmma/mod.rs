//! Matrix products by a warpgroup, with factors in shared memory: `wgmma`.
//!
//! # How four warps work together
//! They need not synchronise. Each row of a product is the work of one warp: the warp of rank `i` in its warpgroup
//! holds rows `16 * i` to `16 * i + 15` of the accumulator, provides or reads the same rows of A, and reads all of B.
//! `.sync` waits only for the lanes of the warp. So each warp computes its rows immediately when it executes the
//! instruction, and does not wait for the other warps. Real programs rely on that: a warp that has written its own rows
//! of A itself multiplies them without a barrier of the warpgroup. That all four warps execute the same instructions in
//! the same order is a rule for programs; [`Warpgroup`](crate::engine::warp::warpgroup::Warpgroup) records which warp
//! executed what, and a finding reports a difference.
//!
//! A device may compute a product at any time until `wgmma.wait_group`. Here its result is in the registers
//! immediately. The vendor's assembler inserts waits where code uses an accumulator too early, so that a device does
//! not show old values either; but PTX leaves the value undefined.
//!
//! # What is known, and what is a guess
//! - The layouts of fragments and of matrices in shared memory are those of the PTX manual and of the vendor's library.
//! - Sums are those of `mma` on the same device: products and accumulator are truncated 25 bits below the leading bit
//!   of the largest. For FP8 they are truncated 13 bits below it, and an f32 result keeps 13 bits of its mantissa, as
//!   is published; the subnormal factors of FP8 are not normalised. An H200 gives the same bits for every recorded
//!   form.
//! - The base offset of a descriptor shifts the rows of the swizzle by that many rows of 128 bytes: a guess from its
//!   description.

mod descriptor;
mod factor;
mod form;
mod lower;
mod pending;
mod run;
mod scratch;
mod sum;
mod unpack;
mod wait;

pub(crate) use pending::look;

use super::row::FamilyRow;
use ptx::opcode::Opcode;

/// The instructions of this family.
pub(super) const ROWS: &[FamilyRow] = &[
    FamilyRow::new(Opcode::WgmmaCommitGroup, wait::commit).waits(),
    FamilyRow::new(Opcode::WgmmaFence, wait::fence).waits(),
    FamilyRow::new(Opcode::WgmmaMmaAsync, lower::mma_async).waits(),
    FamilyRow::new(Opcode::WgmmaWaitGroup, wait::wait_group).waits(),
];
