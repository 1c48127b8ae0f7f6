//! Matrix products by a warp, and the loads and stores of their fragments.

mod form;
mod fragment;
mod kept;
mod multiply;
mod rows;
mod sum;
mod tile;

use super::row::Row;
pub(super) use kept::Kept;
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
