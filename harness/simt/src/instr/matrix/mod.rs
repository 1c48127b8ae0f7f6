//! Matrix products by a warp, and the loads and stores of their fragments.

mod form;
mod fragment;
mod multiply;
mod rows;
mod sparse_selection;
mod sum;
mod tile;

use super::row::Row;
pub(super) use sparse_selection::SparseSelection;
#[cfg(test)]
pub(super) use sum::reference;

/// The instructions of this family.
pub(super) const ROWS: &[Row] = &[
    Row::new("ldmatrix", rows::ldmatrix).waits(),
    Row::new("mma", multiply::mma).waits(),
    Row::new("movmatrix", rows::movmatrix).waits(),
    Row::new("stmatrix", rows::stmatrix).waits(),
    Row::new("wmma.load", tile::load).waits(),
    Row::new("wmma.mma", multiply::wmma).waits(),
    Row::new("wmma.store", tile::store).waits(),
];
