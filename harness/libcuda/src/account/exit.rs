//! The end of the process: findings that no client has asked for are reported then.
//!
//! A client that knows this driver reads `simt_report_json`. For all others, the findings (leaks among them) are
//! written when the process exits: to standard error unless `WARPLAB_QUIET` is set, and as JSON to the file that
//! `WARPLAB_REPORT` names.

use super::{leak, report};
use crate::state::device::driver::driver;
use crate::state::memory::allocation::left_now;
use std::sync::atomic::{AtomicBool, Ordering};

static READ: AtomicBool = AtomicBool::new(false);

/// A client fetches the report, so nothing needs to be written at exit.
pub fn somebody_reads() {
    READ.store(true, Ordering::Relaxed);
}

/// Writes the findings, unless a client reads reports.
pub fn tell() {
    if driver().is_err() || READ.load(Ordering::Relaxed) {
        return;
    }
    leak::tell(&left_now());
    if !report::quiet() {
        let findings = report::findings_text();
        if !findings.is_empty() {
            eprintln!("emulated CUDA driver:\n{}", findings.trim_end());
        }
    }
    let file = std::env::var_os("WARPLAB_REPORT").filter(|file| !file.is_empty());
    let Some(file) = file else {
        return;
    };
    let report = report::take();
    if report.launches_dropped > 0 && !report::quiet() {
        eprintln!(
            "emulated CUDA driver: WARPLAB_REPORT: {} holds the last {} launches; {} earlier ones were dropped",
            file.display(),
            report.launches.len(),
            report.launches_dropped
        );
    }
    if let Err(error) = std::fs::write(&file, report.to_json()) {
        eprintln!("emulated CUDA driver: WARPLAB_REPORT: {}: {error}", file.display());
    }
}
