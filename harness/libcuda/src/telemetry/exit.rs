//! The end of the process: the checks and reports that are made only then.
//!
//! A client written for this driver reads `simt_report_json`. For all other programs, the leak check runs when the
//! process exits, and the report is written as JSON to the file that `WARPLAB_REPORT` names. Other findings were
//! written to standard error when they were found.

use super::error_queries::ERROR_QUERIES;
use super::stderr::{is_read, say, write_report};
use super::{leak, report};
use crate::state::contexts::context::wind_down;
use crate::state::device::driver::driver;
use crate::state::device::ending::has_abandoned;
use crate::state::device::output;
use crate::state::memory::allocation::left_now;

/// Writes the report of a program that the user has interrupted: memory that it has not freed by then is not a leak.
pub fn tell_interrupted() {
    if !is_read() {
        write_report(report::take);
    }
}

/// Returns the number of refused launches whose error the program has not received; 0 if a client reads reports.
pub fn unseen_refusals() -> u64 {
    if is_read() { 0 } else { report::refusals().saturating_sub(ERROR_QUERIES.count()) }
}

/// Checks for leaks and writes the report, unless a client reads reports.
pub fn tell() {
    if driver().is_err() {
        return;
    }
    wind_down();
    if is_read() {
        return;
    }
    if has_abandoned() {
        say(
            "the program ended while its kernels were running, so nothing is reported about them; call cudaDeviceSynchronize() before the end",
        );
    }
    if output::is_lost() {
        say("the program ended before its kernel's output was read; call cudaDeviceSynchronize() before the end");
    }
    leak::tell(&left_now());
    leak::tell_heap();
    let report = report::take();
    if report.findings_dropped > 0 {
        say(&format!("the report is full: {} more mistakes were found", report.findings_dropped));
    }
    let (kept, dropped) = (report.launches.len(), report.launches_dropped);
    // A program that requested the report for itself prints what it lacks.
    let is_ours_to_say = std::env::var_os(wire::REPORT_READER).is_none();
    if let Some(file) = write_report(|| report)
        && dropped > 0
        && is_ours_to_say
    {
        let file = file.display();
        say(&format!("WARPLAB_REPORT: {file} holds the last {kept} launches; {dropped} earlier ones were dropped"));
    }
}
