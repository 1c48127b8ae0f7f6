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
use ptx::opcode::Opcode;

/// The instructions of this family that the lowering does not handle itself.
pub(super) const ROWS: &[FamilyRow] = &[
    FamilyRow::new(Opcode::Alloca, array::alloca),
    FamilyRow::new(Opcode::Bar, barrier::bar).waits(),
    FamilyRow::new(Opcode::Barrier, barrier::bar).waits(),
    FamilyRow::new(Opcode::BarrierClusterArrive, cluster::arrive).waits(),
    FamilyRow::new(Opcode::BarrierClusterWait, cluster::wait).waits(),
    FamilyRow::new(Opcode::Brkpt, branch::trap),
    FamilyRow::new(Opcode::Getctarank, cluster::getctarank),
    FamilyRow::new(Opcode::Mapa, cluster::mapa),
    FamilyRow::new(Opcode::Stackrestore, array::restore),
    FamilyRow::new(Opcode::Stacksave, array::save),
    FamilyRow::new(Opcode::Trap, branch::trap),
];
