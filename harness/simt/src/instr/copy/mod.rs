//! Asynchronous copies from global to shared memory (`cp.async`), and in bulk in either direction (`cp.async.bulk`), of
//! contiguous bytes or of boxes of tensors (`cp.async.bulk.tensor`); stores and reductions that report their completion
//! (`st.async`, `red.async`); stores that fill a range with zeros (`st.bulk`).
//!
//! The machine copies immediately, as a device may. But a program must not rely on that before the copying thread has
//! waited for the group of the copy. Until then the race check remembers the copy as pending, and any access to its
//! destination is a race. When the thread has waited, the copy counts as a write at that moment, so other threads still
//! need a barrier after it. (Writes to the *source* of a pending copy are not checked.)

mod bulk;
mod copies;
mod fill;
mod groups;
mod reduction;
mod report;
mod store;
mod tensor;

use super::row::FamilyRow;
use ptx::opcode::Opcode;

/// The instructions of this family.
pub(super) const ROWS: &[FamilyRow] = &[
    FamilyRow::new(Opcode::CpAsync, copies::lower_copy).waits(),
    FamilyRow::new(Opcode::CpAsyncBulk, bulk::copy).waits(),
    FamilyRow::new(Opcode::CpAsyncBulkCommitGroup, report::commit).waits(),
    FamilyRow::new(Opcode::CpAsyncBulkPrefetch, report::prefetch),
    FamilyRow::new(Opcode::CpAsyncBulkPrefetchTensor, tensor::prefetch),
    FamilyRow::new(Opcode::CpAsyncBulkTensor, tensor::copy).waits(),
    FamilyRow::new(Opcode::CpAsyncBulkWaitGroup, report::wait_group).waits(),
    FamilyRow::new(Opcode::CpAsyncCommitGroup, groups::lower_commit).waits(),
    FamilyRow::new(Opcode::CpAsyncMbarrierArrive, report::arrive).waits(),
    FamilyRow::new(Opcode::CpAsyncWaitAll, groups::lower_wait_all).waits(),
    FamilyRow::new(Opcode::CpAsyncWaitGroup, groups::lower_wait_group).waits(),
    FamilyRow::new(Opcode::CpReduceAsyncBulk, bulk::reduce).waits(),
    FamilyRow::new(Opcode::CpReduceAsyncBulkTensor, tensor::reduce).waits(),
    FamilyRow::new(Opcode::RedAsync, reduction::reduction).waits(),
    FamilyRow::new(Opcode::StAsync, store::store).waits(),
    FamilyRow::new(Opcode::StBulk, fill::fill),
    FamilyRow::new(Opcode::TensormapCpFenceproxy, tensor::publish).waits(),
    FamilyRow::new(Opcode::TensormapReplace, tensor::replace).waits(),
];
