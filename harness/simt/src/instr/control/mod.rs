//! Branches, calls, exits and barriers.
//!
//! The lowering decides how the blocks of a function follow each other, so it handles branches and calls itself and
//! takes their instructions from [`branch`].

pub(crate) mod array;
pub(crate) mod barrier;
pub(crate) mod branch;
mod cluster;
mod end;
pub(crate) mod stack;

pub(crate) use end::End;

use super::row::Row;

/// The instructions of this family that the lowering does not handle itself.
pub(super) const ROWS: &[Row] = &[
    Row::new("alloca", array::alloca),
    Row::new("bar", barrier::bar).waits(),
    Row::new("barrier", barrier::bar).waits(),
    Row::new("barrier.cluster.arrive", cluster::arrive).waits(),
    Row::new("barrier.cluster.wait", cluster::wait).waits(),
    Row::new("brkpt", branch::trap),
    Row::new("getctarank", cluster::getctarank),
    Row::new("mapa", cluster::mapa),
    Row::new("stackrestore", array::restore),
    Row::new("stacksave", array::save),
    Row::new("trap", branch::trap),
];
