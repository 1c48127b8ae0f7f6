//! A program that takes too long: it is interrupted, so that the machine can say where its kernel is, and then ended.
use std::{
    ffi::OsString,
    io,
    process::{Command as Process, ExitStatus},
    sync::atomic::{AtomicI32, Ordering},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::signals;

/// The exit code of a program that took too long, as of coreutils' `timeout`.
const LATE: u8 = 124;

/// How long an interrupted program has for its last words.
const GRACE: Duration = Duration::from_secs(5);

/// How often it is looked whether the program has ended.
const LOOK: Duration = Duration::from_millis(10);

/// The group of processes that Ctrl-C is passed on to; 0 for none.
static GROUP: AtomicI32 = AtomicI32::new(0);

/// Handles Ctrl-C: a program with a group of its own does not get it from the terminal.
pub fn pass_on_interrupt() {
    signal(GROUP.load(Ordering::Relaxed), libc::SIGINT);
}

/// Sends a signal to a group of processes, if there is one.
fn signal(group: i32, number: i32) {
    if group > 0 {
        // SAFETY: the group is that of a child which was not waited for yet, or had been when the signal came.
        unsafe { libc::kill(-group, number) };
    }
}

/// Runs a program to its end, or for as long as it may take, with all that it starts. Returns how it ended, and whether
/// it took too long.
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
    // What it has started may have outlived it.
    if interrupted.is_some() {
        signal(group, libc::SIGKILL);
    }
    GROUP.store(0, Ordering::Relaxed);
    Ok((status, is_late))
}

/// Says that the program took too long; returns the exit code.
pub fn late_code(program: &OsString, timeout: Duration) -> u8 {
    let time = humantime::format_duration(timeout);
    harness::print_error(&format!("{}: ended after {time}, as --timeout asks", program.display()));
    LATE
}
