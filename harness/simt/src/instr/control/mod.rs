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

use super::row::FamilyRow;

/// The instructions of this family that the lowering does not handle itself.
pub(super) const ROWS: &[FamilyRow] = &[
    FamilyRow::new("alloca", array::alloca),
    FamilyRow::new("bar", barrier::bar).waits(),
    FamilyRow::new("barrier", barrier::bar).waits(),
    FamilyRow::new("barrier.cluster.arrive", cluster::arrive).waits(),
    FamilyRow::new("barrier.cluster.wait", cluster::wait).waits(),
    FamilyRow::new("brkpt", branch::trap),
    FamilyRow::new("getctarank", cluster::getctarank),
    FamilyRow::new("mapa", cluster::mapa),
    FamilyRow::new("stackrestore", array::restore),
    FamilyRow::new("stacksave", array::save),
    FamilyRow::new("trap", branch::trap),
];
