//! Asynchronous copies from global to shared memory (`cp.async`), and in bulk in either direction (`cp.async.bulk`), of
//! contiguous bytes or of boxes of tensors (`cp.async.bulk.tensor`); stores and reductions that report their completion
//! (`st.async`, `red.async`).
//!
//! The machine copies immediately, as a device may. But a program must not rely on that before the copying thread has
//! waited for the group of the copy. Until then the race check remembers the copy as pending, and any access to its
//! destination is a race. When the thread has waited, the copy counts as a write at that moment, so other threads still
//! need a barrier after it. (Writes to the *source* of a pending copy are not checked.)

mod bulk;
mod copies;
mod groups;
mod reduction;
mod report;
mod store;
mod tensor;

use super::row::FamilyRow;

/// The instructions of this family.
pub(super) const ROWS: &[FamilyRow] = &[
    FamilyRow::new("cp.async", copies::lower_copy).waits(),
    FamilyRow::new("cp.async.bulk", bulk::copy).waits(),
    FamilyRow::new("cp.async.bulk.commit_group", report::commit).waits(),
    FamilyRow::new("cp.async.bulk.prefetch", report::prefetch),
    FamilyRow::new("cp.async.bulk.prefetch.tensor", tensor::prefetch),
    FamilyRow::new("cp.async.bulk.tensor", tensor::copy).waits(),
    FamilyRow::new("cp.async.bulk.wait_group", report::wait_group).waits(),
    FamilyRow::new("cp.async.commit_group", groups::lower_commit).waits(),
    FamilyRow::new("cp.async.mbarrier.arrive", report::arrive).waits(),
    FamilyRow::new("cp.async.wait_all", groups::lower_wait_all).waits(),
    FamilyRow::new("cp.async.wait_group", groups::lower_wait_group).waits(),
    FamilyRow::new("cp.reduce.async.bulk", bulk::reduce).waits(),
    FamilyRow::new("cp.reduce.async.bulk.tensor", tensor::reduce).waits(),
    FamilyRow::new("red.async", reduction::reduction).waits(),
    FamilyRow::new("st.async", store::store).waits(),
    FamilyRow::new("tensormap.cp_fenceproxy", tensor::publish).waits(),
    FamilyRow::new("tensormap.replace", tensor::replace).waits(),
];
