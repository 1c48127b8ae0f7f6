//! The launches, copies and findings since the report was last taken.

use super::command;
use super::error_queries::ERROR_QUERIES;
use super::launch_log;
use super::launches::Launches;
use super::sources::sources;
use super::stderr::{is_read, say_found, write_report};
use crate::state::device::driver::driver;
use crate::state::device::observer::Launched;
use crate::state::device::sync::lock;
use crate::state::memory::managed::{HOST_PAGE, MIGRATION_BLOCK};
use simt::finding::{Finding, FindingKind, Findings};
use simt::occupancy::occupancy;
use std::sync::{LazyLock, Mutex};
use wire::demangle;
use wire::{Copies, Launch, Managed, Memory, Occupancy, RenderedFinding};

/// The events since the report was last taken.
#[derive(Default)]
pub(super) struct Telemetry {
    launches: Launches,
    findings: Findings,
    pub copies: Copies,
    pub managed: Managed,
}

/// The telemetry of this process. It is kept only while there is a driver.
static TELEMETRY: LazyLock<Mutex<Telemetry>> = LazyLock::new(Mutex::default);

/// Changes the telemetry, if there is a driver.
pub(super) fn update(change: impl FnOnce(&mut Telemetry)) {
    if driver().is_ok() {
        change(&mut lock(&TELEMETRY));
    }
}

/// Records a finding.
pub fn found(finding: Finding) {
    all_found([finding]);
}

/// Records findings. Mistakes that were not known yet are also written to standard error.
fn all_found(findings: impl IntoIterator<Item = Finding>) {
    let mut new = Findings::default();
    update(|telemetry| {
        for finding in findings {
            let known = telemetry.findings.list.len();
            telemetry.findings.add(finding);
            new.list.extend(telemetry.findings.list.get(known).cloned());
        }
    });
    if !new.is_empty() && !is_read() {
        say_found(&new);
        // The program may end without another call of this driver.
        write_report(without_launches);
    }
}

/// Returns the current telemetry with all findings, but without the launches, which stay in the telemetry.
fn without_launches() -> wire::Report {
    let mut present = Telemetry::default();
    update(|telemetry| {
        present.launches.drop_all(telemetry.launches.count());
        present.findings = telemetry.findings.clone();
        present.copies = telemetry.copies;
        present.managed = telemetry.managed;
    });
    report_of(present)
}

/// Returns the number of refused launches.
pub fn refusals() -> u64 {
    let mut refusals = 0;
    update(|telemetry| {
        let refused = |finding: &&Finding| matches!(finding.kind, FindingKind::LaunchLimit { .. });
        refusals = telemetry.findings.list.iter().filter(refused).map(|finding| finding.count).sum();
    });
    refusals
}

/// Records a failure of the driver itself.
pub fn internal(place: &str, what: &str) {
    found(Finding::new(FindingKind::Internal { what: format!("{place}: {what}") }, ""));
}

/// Records a launch that has ended.
pub fn launched(launch: Launched<'_>) {
    let Launched { kernel, profile, geometry, report, seed, issued, took } = launch;
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
        waiting_loops: kernel.waiting_loops,
        locking_loops: kernel.locking_loops,
        retrying_loops: kernel.retrying_loops,
        fetching_loops: kernel.fetching_loops,
        same_values: report.same_values,
        cooperative: geometry.cooperative,
        seed,
        issue: issued.number,
        stream: issued.stream,
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
    update(|telemetry| telemetry.launches.add(launch));
    all_found(report.findings);
}

/// Renders findings with excerpts of the source.
pub fn told(findings: &Findings) -> Vec<RenderedFinding> {
    let sources = sources(findings);
    let told = |finding| simt::report::told(finding, &sources);
    findings.list.iter().map(told).collect()
}

/// Takes the telemetry since the last call.
pub fn take() -> wire::Report {
    let mut taken = Telemetry::default();
    update(|telemetry| taken = std::mem::take(telemetry));
    report_of(taken)
}

/// Converts telemetry to a report.
fn report_of(telemetry: Telemetry) -> wire::Report {
    let Ok(driver) = driver() else {
        return wire::Report::default();
    };
    let launches_dropped = telemetry.launches.dropped();
    wire::Report {
        version: wire::VERSION,
        profile: driver.profile.name.to_owned(),
        settings: driver.settings(),
        process: std::process::id(),
        command: command::line(),
        launches: telemetry.launches.into_list(),
        launches_dropped,
        findings: told(&telemetry.findings),
        findings_dropped: telemetry.findings.dropped,
        refusals_answered: ERROR_QUERIES.count(),
        assertion_named: false,
        copies: telemetry.copies,
        managed: Managed { block_bytes: MIGRATION_BLOCK, page_bytes: HOST_PAGE, ..telemetry.managed },
        memory: Memory { used_bytes: driver.memory.used(), total_bytes: driver.memory.total() },
    }
}
