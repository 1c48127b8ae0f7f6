//! Barriers in shared memory (`mbarrier`): arrivals, waits, and the copies that report to them.

mod arrive;
mod object;
mod reach;
mod wait;

use super::row::Row;

/// The instructions of this family.
pub(super) const ROWS: &[Row] = &[
    Row::new("mbarrier.arrive", arrive::arrive).waits(),
    Row::new("mbarrier.arrive_drop", arrive::arrive).waits(),
    Row::new("mbarrier.complete_tx", arrive::transfer).waits(),
    Row::new("mbarrier.expect_tx", arrive::transfer).waits(),
    Row::new("mbarrier.init", object::init).waits(),
    Row::new("mbarrier.inval", object::inval).waits(),
    Row::new("mbarrier.pending_count", object::pending_count),
    Row::new("mbarrier.test_wait", wait::wait).waits(),
    Row::new("mbarrier.try_wait", wait::wait).waits(),
];
