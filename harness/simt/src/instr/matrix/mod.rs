//! Matrix products by a warp, and the loads and stores of their fragments.

mod form;
mod fragment;
mod multiply;
mod rows;
mod sparse_selection;
mod sum;
mod tile;

use super::row::FamilyRow;
use ptx::opcode::Opcode;
pub(super) use sparse_selection::SparseSelection;
#[cfg(test)]
pub(super) use sum::reference;

/// The instructions of this family.
pub(super) const ROWS: &[FamilyRow] = &[
    FamilyRow::new(Opcode::Ldmatrix, rows::ldmatrix).waits(),
    FamilyRow::new(Opcode::Mma, multiply::mma).waits(),
    FamilyRow::new(Opcode::Movmatrix, rows::movmatrix).waits(),
    FamilyRow::new(Opcode::Stmatrix, rows::stmatrix).waits(),
    FamilyRow::new(Opcode::WmmaLoad, tile::load).waits(),
    FamilyRow::new(Opcode::WmmaMma, multiply::wmma).waits(),
    FamilyRow::new(Opcode::WmmaStore, tile::store).waits(),
];
