//! Products of matrices by a warp, and the loads and stores of their fragments.

mod form;
mod fragment;
mod multiply;
mod rows;
mod sum;
mod tile;

use super::row::Row;

/// The instructions of this family.
pub(super) const ROWS: &[Row] = &[
    Row::new("ldmatrix", rows::ldmatrix),
    Row::new("mma", multiply::mma),
    Row::new("movmatrix", rows::movmatrix),
    Row::new("stmatrix", rows::stmatrix),
    Row::new("wmma.load", tile::load),
    Row::new("wmma.mma", multiply::wmma),
    Row::new("wmma.store", tile::store),
];
