//! Signals that ask this program to end while it waits for a child: they are forwarded to the child, and this program
//! cleans up after it as always. Ctrl-C reaches both automatically.
use std::{
    io,
    process::{Child, Command, ExitStatus, Output},
    sync::atomic::{AtomicI32, Ordering},
};

use harness::Error;

/// The signal that has arrived, or 0.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// The child that is waited for, or 0.
static CHILD: AtomicI32 = AtomicI32::new(0);

/// Forwards SIGTERM and SIGHUP from now on, unless they are ignored.
pub fn listen() {
    #[cfg(unix)]
    for signal in [libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: plain system calls; zeros are a valid action, and the handler does what a handler may.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0 && action.sa_sigaction != libc::SIG_IGN {
                action.sa_sigaction = pass_on as *const () as usize;
                action.sa_flags = libc::SA_RESTART;
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
    }
}

#[cfg(unix)]
extern "C" fn pass_on(signal: libc::c_int) {
    SIGNAL.store(signal, Ordering::SeqCst);
    send(signal);
}

/// Sends a signal to the child that is waited for.
#[cfg(unix)]
fn send(signal: i32) {
    let child = CHILD.load(Ordering::SeqCst);
    if child > 0 && signal > 0 {
        // SAFETY: a plain system call. The process has not been waited for, so its id has not been reused.
        unsafe { libc::kill(child, signal) };
    }
}

#[cfg(not(unix))]
fn send(_signal: i32) {}

/// Ends the work if one of the signals has arrived.
///
/// # Errors
/// [`Error::Interrupted`] if so.
pub fn check() -> Result<(), Error> {
    if SIGNAL.load(Ordering::SeqCst) == 0 { Ok(()) } else { Err(Error::Interrupted) }
}

/// Runs a program to its end; signals are forwarded to it.
///
/// # Errors
/// When it cannot be started.
pub fn status(command: &mut Command) -> io::Result<ExitStatus> {
    let mut child = command.spawn()?;
    attend(&child);
    child.wait()
}

/// Like [`status`], and returns the program's output.
///
/// # Errors
/// When it cannot be started.
pub fn output(command: &mut Command) -> io::Result<Output> {
    use std::{io::Read, process::Stdio, thread};
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    thread::scope(|scope| {
        scope.spawn(|| out.as_mut().map(|out| out.read_to_end(&mut stdout)));
        scope.spawn(|| err.as_mut().map(|err| err.read_to_end(&mut stderr)));
        attend(&child);
    });
    Ok(Output { status: child.wait()?, stdout, stderr })
}

/// Waits until a process has ended, without reaping it, so that its id is not reused meanwhile.
fn attend(child: &Child) {
    CHILD.store(child.id() as i32, Ordering::SeqCst);
    // A signal may have arrived just before.
    send(SIGNAL.load(Ordering::SeqCst));
    #[cfg(unix)]
    // SAFETY: plain system calls; zeros are valid information.
    unsafe {
        let mut information: libc::siginfo_t = std::mem::zeroed();
        while libc::waitid(libc::P_PID, child.id(), &raw mut information, libc::WEXITED | libc::WNOWAIT) != 0
            && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
        {}
    }
    CHILD.store(0, Ordering::SeqCst);
}
