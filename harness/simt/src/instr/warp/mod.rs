//! Operations among the lanes of a warp: synchronise, shuffle, vote, match, reduce.

mod barrier;
mod members;
mod reduce;
mod shuffle;
mod vote;

use super::row::FamilyRow;

/// The instructions of this family.
pub(super) const ROWS: &[FamilyRow] = &[
    FamilyRow::new("activemask", vote::activemask).waits(),
    FamilyRow::new("bar.warp", barrier::bar_warp).waits(),
    FamilyRow::new("elect", vote::elect).waits(),
    FamilyRow::new("match", vote::matching).waits(),
    FamilyRow::new("redux", reduce::redux).waits(),
    FamilyRow::new("shfl", shuffle::shfl).waits(),
    FamilyRow::new("vote", vote::vote).waits(),
];
