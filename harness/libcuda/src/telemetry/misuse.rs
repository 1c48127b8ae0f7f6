//! Findings about calls of the driver: invalid copies, frees and launches, and unsupported features.

use super::error_queries::ERROR_QUERIES;
use super::report::found;
use super::stderr::say;
use crate::state::device::driver::driver;
use crate::state::device::observer::RefusedLaunch;
use crate::state::device::sync::lock;
use simt::finding::{Access, AccessKind, Allocation, Blame, Finding, FindingKind, Limit, Relation, SourcePlace, Space};
use simt::memory::{self, AccessError, FreeError};
use simt::report::Sources;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Returns whether invalid copies and frees are findings: `memcheck`.
fn enabled() -> bool {
    driver().is_ok_and(|driver| driver.settings().checks.memory)
}

/// Records a copy or fill that leaves its allocation.
pub fn bad_access(error: &AccessError) {
    if !enabled() {
        return;
    }
    let mut finding = Finding::new(FindingKind::HostCopy { bytes: error.len }, "");
    finding.allocation = error.diagnosis.freed.as_ref().map(|freed| {
        let size = freed.end - freed.start;
        allocation(freed.start, size, &freed.label, true, error.addr)
    });
    if finding.allocation.is_none()
        && let Some(near) = &error.diagnosis.before
    {
        finding.allocation = Some(allocation(near.start, near.bytes, &near.label, false, error.addr));
    }
    finding.notes.push(error.to_string());
    found(finding);
}

fn allocation(address: u64, size: u64, name: &str, freed: bool, of: u64) -> Allocation {
    Allocation { address, size, name: name.to_owned(), freed, relation: Relation::from_address(of, address, size) }
}

/// A copy of `bytes` bytes to the host that reads `unset` ones which no one has written.
pub fn unset(first: u64, unset: u64, bytes: u64) {
    let mut finding = Finding::new(FindingKind::Uninitialized { space: Space::Global }, "");
    let size = u32::try_from(unset).unwrap_or(u32::MAX);
    finding.accesses.push(Access::memory(AccessKind::Read, Space::Global, size, first, SourcePlace::default()));
    finding.allocation = driver()
        .ok()
        .and_then(|driver| driver.memory.find(first))
        .map(|live| allocation(live.start, live.bytes, &live.label, false, first));
    finding.notes.push(format!("{unset} of the {bytes} bytes that are copied to the host were never written"));
    finding.remedy = Some(
        "copy only what a kernel has written: look whether the kernel covers every element, or fill the buffer before"
            .into(),
    );
    finding.blame = Blame::Host;
    found(finding);
}

/// A use of stream-ordered memory that nothing orders after its allocation.
pub fn early_use(address: u64, of: &memory::Allocation, kernel: &str) {
    if !enabled() {
        return;
    }
    let mut finding = Finding::new(FindingKind::UseBeforeAllocation, kernel);
    finding.allocation = Some(allocation(of.start, of.bytes, &of.label, false, address));
    found(finding);
}

/// A free of what cannot be freed.
pub fn wrong_free(error: &FreeError) {
    if !enabled() {
        return;
    }
    let kind =
        if matches!(error, FreeError::DoubleFree { .. }) { FindingKind::DoubleFree } else { FindingKind::InvalidFree };
    let mut finding = Finding::new(kind, "");
    match error {
        FreeError::DoubleFree { addr, bytes, label } => {
            finding.allocation = Some(allocation(*addr, *bytes, label, true, *addr));
        }
        FreeError::Inside { addr, start, .. } => {
            if let Some(live) = driver().ok().and_then(|driver| driver.memory.find(*start)) {
                finding.allocation = Some(allocation(live.start, live.bytes, &live.label, false, *addr));
            }
        }
        FreeError::Unknown { .. } => {}
    }
    finding.notes.push(error.to_string());
    found(finding);
}

/// Records a launch that the device refuses.
pub fn refused(launch: RefusedLaunch<'_>) {
    static TOLD: Mutex<BTreeSet<(String, Limit, u64)>> = Mutex::new(BTreeSet::new());
    let RefusedLaunch { kernel, limit, asked, allowed, remedy } = launch;
    let mut finding = Finding::new(FindingKind::LaunchLimit { limit, asked, allowed }, kernel);
    finding.remedy = remedy;
    // Many clients show only the error code, so each reason is also written to standard error, once.
    if lock(&TOLD).insert((kernel.to_owned(), limit, asked)) {
        say(&simt::report::one(&finding, &Sources::default()));
    }
    ERROR_QUERIES.refused();
    found(finding);
}

/// Records the use of a feature that the machine does not model.
pub fn unsupported(what: &str) {
    found(Finding::new(FindingKind::Unsupported { what: what.to_owned() }, ""));
}
