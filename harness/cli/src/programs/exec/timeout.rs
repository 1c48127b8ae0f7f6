//! The time limit of a program: it is interrupted, so that the machine can report where its kernel is, and then killed.
use std::{
    ffi::OsString,
    io,
    process::{Command as Process, ExitStatus},
    sync::atomic::{AtomicI32, Ordering},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::shared::signals;

/// The exit status of a program that took too long, as in coreutils' `timeout`.
const LATE: u8 = 124;

/// The time that an interrupted program has to report.
const GRACE: Duration = Duration::from_secs(5);

/// The interval at which the program is polled.
const LOOK: Duration = Duration::from_millis(10);

/// The process group to which Ctrl-C is forwarded; 0 for none.
static GROUP: AtomicI32 = AtomicI32::new(0);

/// Forwards Ctrl-C: a program in a separate process group does not get it from the terminal.
pub fn pass_on_interrupt() {
    signal(GROUP.load(Ordering::Relaxed), libc::SIGINT);
}

/// Sends a signal to a process group, if there is one.
fn signal(group: i32, number: i32) {
    if group > 0 {
        // SAFETY: the group is that of a child that has not been waited for, at least when the signal arrived.
        unsafe { libc::kill(-group, number) };
    }
}

/// Runs a program with all that it starts, to its end or to the time limit. Returns its exit status, and whether it
/// took too long.
pub fn run(mut process: Process, timeout: Option<Duration>) -> io::Result<(ExitStatus, bool)> {
    let Some(timeout) = timeout else {
        return Ok((signals::status(&mut process)?, false));
    };
    std::os::unix::process::CommandExt::process_group(&mut process, 0);
    let mut child = process.spawn()?;
    let group = i32::try_from(child.id()).unwrap_or_default();
    GROUP.store(group, Ordering::Relaxed);
    let began = Instant::now();
    let (mut interrupted, mut is_late) = (None, false);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        let is_asked = signals::check().is_err();
        match interrupted {
            None if is_asked || began.elapsed() >= timeout => {
                is_late = !is_asked;
                signal(group, libc::SIGINT);
                interrupted = Some(Instant::now());
            }
            Some(since) if Instant::elapsed(&since) >= GRACE => {
                signal(group, libc::SIGKILL);
                break child.wait()?;
            }
            _ => sleep(LOOK),
        }
    };
    // Processes that it has started may still be running.
    if interrupted.is_some() {
        signal(group, libc::SIGKILL);
    }
    GROUP.store(0, Ordering::Relaxed);
    Ok((status, is_late))
}

/// Reports that the program took too long; returns the exit status.
pub fn late_code(program: &OsString, timeout: Duration) -> u8 {
    let time = humantime::format_duration(timeout);
    harness::print_error(&format!("{}: ended after {time}, as --timeout asks", program.display()));
    LATE
}
