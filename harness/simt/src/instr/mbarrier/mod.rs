//! Barriers in shared memory (`mbarrier`): arrivals, waits, and the copies that report to them.

mod arrive;
mod object;
mod reach;
mod wait;

use super::row::FamilyRow;
use ptx::opcode::Opcode;

/// The instructions of this family.
pub(super) const ROWS: &[FamilyRow] = &[
    FamilyRow::new(Opcode::MbarrierArrive, arrive::arrive).waits(),
    FamilyRow::new(Opcode::MbarrierArriveDrop, arrive::arrive).waits(),
    FamilyRow::new(Opcode::MbarrierCompleteTx, arrive::transfer).waits(),
    FamilyRow::new(Opcode::MbarrierExpectTx, arrive::transfer).waits(),
    FamilyRow::new(Opcode::MbarrierInit, object::init).waits(),
    FamilyRow::new(Opcode::MbarrierInval, object::inval).waits(),
    FamilyRow::new(Opcode::MbarrierPendingCount, object::pending_count),
    FamilyRow::new(Opcode::MbarrierTestWait, wait::wait).waits(),
    FamilyRow::new(Opcode::MbarrierTryWait, wait::wait).waits(),
];
