//! What was launched, copied and found since the report was last taken.

use super::launch_log;
use super::launches::Launches;
use super::sources::sources;
use crate::state::device::driver::driver;
use crate::state::device::observer::Launched;
use crate::state::device::sync::lock;
use crate::state::memory::managed::{HOST_PAGE, MIGRATION_BLOCK};
use simt::finding::{Finding, Findings, Kind};
use simt::profile::occupancy;
use simt::report::demangle;
use std::sync::{LazyLock, Mutex};
use wire::{Copies, Launch, Managed, Memory, Occupancy, Told};

/// What happened since the report was last taken.
#[derive(Default)]
pub(super) struct Account {
    launches: Launches,
    findings: Findings,
    pub copies: Copies,
    pub managed: Managed,
}

/// The one account. It is kept only while there is a driver.
static ACCOUNT: LazyLock<Mutex<Account>> = LazyLock::new(Mutex::default);

/// Changes the account, if there is a driver.
pub(super) fn account(change: impl FnOnce(&mut Account)) {
    if driver().is_ok() {
        change(&mut lock(&ACCOUNT));
    }
}

/// Something was found.
pub fn found(finding: Finding) {
    account(|account| account.findings.add(finding));
}

/// The driver itself failed.
pub fn internal(place: &str, what: &str) {
    found(Finding::new(Kind::Internal { what: format!("{place}: {what}") }, ""));
}

/// Whether standard error must stay empty: `WARPLAB_QUIET` is set.
pub fn quiet() -> bool {
    std::env::var_os("WARPLAB_QUIET").is_some_and(|value| !value.is_empty())
}

/// A launch has ended.
pub fn launched(launch: Launched<'_>) {
    let Launched { kernel, profile, geometry, report, seed, took } = launch;
    let threads = geometry.block.iter().product();
    let shared = kernel.static_shared + geometry.dynamic_shared;
    let found = occupancy(profile, threads, kernel.registers, shared);
    let launch = Launch {
        kernel: kernel.name.clone(),
        kernel_name: demangle(&kernel.name),
        grid: geometry.grid,
        block: geometry.block,
        static_shared_bytes: kernel.static_shared,
        dynamic_shared_bytes: geometry.dynamic_shared,
        local_bytes: kernel.local_bytes,
        registers_estimated: kernel.registers,
        cooperative: geometry.cooperative,
        seed,
        occupancy: Occupancy {
            blocks_per_sm: found.blocks,
            warps_per_sm: found.warps,
            percent: found.percent(),
            limiter: found.limiter,
        },
        host_ms: took.as_secs_f64() * 1e3,
        fault: report.fault,
        counters: report.counters,
    };
    launch_log::add(&launch);
    account(|account| {
        account.launches.add(launch);
        account.findings.extend(report.findings);
    });
}

/// Findings with their words, which show the source.
pub fn told(findings: &Findings) -> Vec<Told> {
    let sources = sources(findings);
    let told = |finding| simt::report::told(finding, &sources);
    findings.list.iter().map(told).collect()
}

/// The findings since the account was last taken, as text, without those that were written when they were found.
pub fn findings_text() -> String {
    let mut text = String::new();
    account(|account| {
        let sources = sources(&account.findings);
        for finding in &account.findings.list {
            if !matches!(finding.kind, Kind::LaunchLimit { .. }) {
                text += &simt::report::one(finding, &sources);
                text += "\n";
            }
        }
    });
    text
}

/// Takes the account since the last call.
pub fn take() -> wire::Report {
    let Ok(driver) = driver() else {
        return wire::Report::default();
    };
    let account = std::mem::take(&mut *lock(&ACCOUNT));
    let launches_dropped = account.launches.dropped();
    wire::Report {
        version: wire::VERSION,
        profile: driver.profile.name.to_owned(),
        settings: driver.settings(),
        launches: account.launches.into_list(),
        launches_dropped,
        findings: told(&account.findings),
        findings_dropped: account.findings.dropped,
        copies: account.copies,
        managed: Managed { block_bytes: MIGRATION_BLOCK, page_bytes: HOST_PAGE, ..account.managed },
        memory: Memory { used_bytes: driver.memory.used(), total_bytes: driver.memory.total() },
    }
}
