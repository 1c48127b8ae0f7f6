//! Operations among the lanes of a warp: synchronise, shuffle, vote, match, reduce.

mod barrier;
mod members;
mod reduce;
mod shuffle;
mod vote;

use super::row::FamilyRow;
use ptx::opcode::Opcode;

/// The instructions of this family.
pub(super) const ROWS: &[FamilyRow] = &[
    FamilyRow::new(Opcode::Activemask, vote::activemask).waits(),
    FamilyRow::new(Opcode::BarWarp, barrier::bar_warp).waits(),
    FamilyRow::new(Opcode::Elect, vote::elect).waits(),
    FamilyRow::new(Opcode::Match, vote::matching).waits(),
    FamilyRow::new(Opcode::Redux, reduce::redux).waits(),
    FamilyRow::new(Opcode::Shfl, shuffle::shfl).waits(),
    FamilyRow::new(Opcode::Vote, vote::vote).waits(),
];
