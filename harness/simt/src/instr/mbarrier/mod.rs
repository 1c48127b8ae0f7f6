//! Barriers in shared memory (`mbarrier`): arrivals, waits, and the copies that report to them.

mod arrive;
mod object;
mod reach;
mod wait;

use super::row::FamilyRow;

/// The instructions of this family.
pub(super) const ROWS: &[FamilyRow] = &[
    FamilyRow::new("mbarrier.arrive", arrive::arrive).waits(),
    FamilyRow::new("mbarrier.arrive_drop", arrive::arrive).waits(),
    FamilyRow::new("mbarrier.complete_tx", arrive::transfer).waits(),
    FamilyRow::new("mbarrier.expect_tx", arrive::transfer).waits(),
    FamilyRow::new("mbarrier.init", object::init).waits(),
    FamilyRow::new("mbarrier.inval", object::inval).waits(),
    FamilyRow::new("mbarrier.pending_count", object::pending_count),
    FamilyRow::new("mbarrier.test_wait", wait::wait).waits(),
    FamilyRow::new("mbarrier.try_wait", wait::wait).waits(),
];
