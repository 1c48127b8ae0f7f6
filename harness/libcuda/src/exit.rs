//! The end of the process: what no client asked for is said then.
//!
//! A client that knows this driver reads `simt_report_json`. Any other hears of findings, leaks among them, when it exits: on
//! standard error unless `WARPLAB_QUIET` is set, and as JSON in the file that `WARPLAB_REPORT` names.

use crate::driver::driver;
use crate::{leak, report};
use std::sync::atomic::{AtomicBool, Ordering};

static READ: AtomicBool = AtomicBool::new(false);

/// The report is fetched by somebody, who hears of all that way.
pub fn somebody_reads() {
    READ.store(true, Ordering::Relaxed);
}

/// Has the end of the process announced.
pub fn register() {
    // SAFETY: the function lives as long as this library, which takes its handlers along when it is unloaded.
    let rc = unsafe { libc::atexit(at_exit) };
    if rc != 0 {
        report::internal("exit", "no room for a handler of the process's end");
    }
}

extern "C" fn at_exit() {
    // Nothing may leave this function but by its end.
    let _ = std::panic::catch_unwind(tell);
}

fn tell() {
    if driver().is_err() || READ.load(Ordering::Relaxed) {
        return;
    }
    leak::tell(&leak::left_now());
    if !report::quiet() {
        let findings = report::findings_text();
        if !findings.is_empty() {
            eprintln!("emulated CUDA driver:\n{}", findings.trim_end());
        }
    }
    let file = std::env::var_os("WARPLAB_REPORT").filter(|file| !file.is_empty());
    if let Some(file) = file
        && let Err(error) = std::fs::write(&file, report::take())
    {
        eprintln!(
            "emulated CUDA driver: WARPLAB_REPORT: {}: {error}",
            file.display()
        );
    }
}
