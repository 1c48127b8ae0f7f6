//! Operations among the lanes of a warp: synchronise, shuffle, vote, match, reduce.

mod barrier;
mod members;
mod reduce;
mod shuffle;
mod vote;

use super::row::Row;

/// The instructions of this family.
pub(super) const ROWS: &[Row] = &[
    Row::new("activemask", vote::activemask).waits(),
    Row::new("bar.warp", barrier::bar_warp).waits(),
    Row::new("elect", vote::elect).waits(),
    Row::new("match", vote::matching).waits(),
    Row::new("redux", reduce::redux).waits(),
    Row::new("shfl", shuffle::shfl).waits(),
    Row::new("vote", vote::vote).waits(),
];
