//! Output on standard error, for programs that were not written for this driver.
//!
//! A finding is written when it is found, because it would be lost if the program aborts. If a client reads reports, it
//! gets the finding there, and nothing is written.

use super::sources::sources;
use simt::finding::{FindingKind, Findings};
use std::io::Write;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use wire::Report;

static READ: AtomicBool = AtomicBool::new(false);

/// Records that a client fetches reports, so findings need not be written.
pub fn somebody_reads() {
    READ.store(true, Ordering::Relaxed);
}

/// Returns whether a client fetches reports.
pub fn is_read() -> bool {
    READ.load(Ordering::Relaxed)
}

/// Whether standard error must stay empty: `WARPLAB_QUIET` is set.
pub fn is_quiet() -> bool {
    std::env::var_os("WARPLAB_QUIET").is_some_and(|value| !value.is_empty())
}

/// Writes a message, unless standard error must stay empty.
pub fn say(what: &str) {
    if !is_quiet() {
        complain(what);
    }
}

/// Writes a message that is needed even if standard error should stay empty. Does nothing if standard error is closed.
pub fn complain(what: &str) {
    let _ = writeln!(std::io::stderr().lock(), "emulated CUDA driver: {}", what.trim_end());
}

/// Writes a report as JSON to the file that `WARPLAB_REPORT` names, or to this process's own file if it names a folder.
/// Returns the file.
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

/// Returns the name of this process's report in a folder. Names sort by the time of the first report, and a process
/// that reuses the number of an ended one gets a different name.
fn own_name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("{:020}-{}.json", now.as_nanos(), std::process::id())
    })
}

/// Writes new findings, unless the reader of the report shows them. A refused launch is skipped, because it was already
/// reported when it was refused.
pub fn say_found(findings: &Findings) {
    if std::env::var_os(wire::REPORT_READER).is_some_and(|reader| reader == wire::SHOWING_READER) {
        return;
    }
    let sources = sources(findings);
    for finding in findings.list.iter().filter(|finding| !matches!(finding.kind, FindingKind::LaunchLimit { .. })) {
        say(&format!("\n{}", simt::report::one(finding, &sources)));
    }
}
