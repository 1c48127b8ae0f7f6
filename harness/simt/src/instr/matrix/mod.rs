//! Matrix products by a warp, and the loads and stores of their fragments.

mod form;
mod fragment;
mod multiply;
mod rows;
mod sparse_selection;
mod sum;
mod tile;

use super::row::FamilyRow;
pub(super) use sparse_selection::SparseSelection;
#[cfg(test)]
pub(super) use sum::reference;

/// The instructions of this family.
pub(super) const ROWS: &[FamilyRow] = &[
    FamilyRow::new("ldmatrix", rows::ldmatrix).waits(),
    FamilyRow::new("mma", multiply::mma).waits(),
    FamilyRow::new("movmatrix", rows::movmatrix).waits(),
    FamilyRow::new("stmatrix", rows::stmatrix).waits(),
    FamilyRow::new("wmma.load", tile::load).waits(),
    FamilyRow::new("wmma.mma", multiply::wmma).waits(),
    FamilyRow::new("wmma.store", tile::store).waits(),
];
