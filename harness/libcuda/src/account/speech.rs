//! What is written to standard error, for programs that do not know this driver.
//!
//! A finding is written when it is found: a program that aborts would take it along otherwise. A client that reads
//! reports gets it there, and nothing is written.

use super::sources::sources;
use simt::finding::{Findings, Kind};
use std::io::Write;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use wire::Report;

static READ: AtomicBool = AtomicBool::new(false);

/// A client fetches reports, so findings need not be written.
pub fn somebody_reads() {
    READ.store(true, Ordering::Relaxed);
}

/// Whether a client fetches reports.
pub fn is_read() -> bool {
    READ.load(Ordering::Relaxed)
}

/// Whether standard error must stay empty: `WARPLAB_QUIET` is set.
pub fn is_quiet() -> bool {
    std::env::var_os("WARPLAB_QUIET").is_some_and(|value| !value.is_empty())
}

/// Writes something, unless standard error must stay empty.
pub fn say(what: &str) {
    if !is_quiet() {
        complain(what);
    }
}

/// Writes something that must be known even where standard error should stay empty. If it is closed, there is nobody to
/// tell.
pub fn complain(what: &str) {
    let _ = writeln!(std::io::stderr().lock(), "emulated CUDA driver: {}", what.trim_end());
}

/// Writes a report as JSON to the file that `WARPLAB_REPORT` names, or to this process's own file in the folder that it
/// names, if it names one. Returns the file.
pub fn write_report(report: impl FnOnce() -> Report) -> Option<PathBuf> {
    let mut file = std::env::var_os("WARPLAB_REPORT").filter(|file| !file.is_empty()).map(PathBuf::from)?;
    if file.is_dir() {
        file.push(own_name());
    }
    if let Err(error) = std::fs::write(&file, report().to_json()) {
        complain(&format!("WARPLAB_REPORT: {}: {error}", file.display()));
    }
    Some(file)
}

/// The name of this process's report in a folder. Names sort by the time of the first report, and a process that has
/// the number of an ended one has a name of its own.
fn own_name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("{:020}-{}.json", now.as_nanos(), std::process::id())
    })
}

/// Writes new findings. A launch that is refused was already written about when it was.
pub fn say_found(findings: &Findings) {
    let sources = sources(findings);
    for finding in findings.list.iter().filter(|finding| !matches!(finding.kind, Kind::LaunchLimit { .. })) {
        say(&format!("\n{}", simt::report::one(finding, &sources)));
    }
}
