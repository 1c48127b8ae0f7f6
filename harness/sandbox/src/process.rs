//! Limits that a process sets for itself. Each function makes system calls only, so it may also be called between
//! `fork` and `exec`.
use std::io;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
type Resource = libc::c_int;

/// Makes this process, which `parent` started, end when `parent` ends. (Linux only; elsewhere it does nothing.)
///
/// # Errors
/// When the parent has already ended, or with the system's reason.
#[cfg(target_os = "linux")]
pub fn end_with(parent: u32) -> io::Result<()> {
    // SAFETY: these calls take and return plain numbers.
    let (status, now) = unsafe { (libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL), libc::getppid()) };
    if status != 0 {
        return Err(io::Error::last_os_error());
    }
    // The parent may have ended before the signal was requested.
    if now as u32 == parent { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
}

#[cfg(not(target_os = "linux"))]
#[allow(missing_docs, reason = "as above")]
pub fn end_with(_parent: u32) -> io::Result<()> {
    Ok(())
}

/// Closes all descriptors except the three standard ones, in case the parent left any open.
pub fn close_inherited() {
    const FIRST: libc::c_uint = 3;
    #[cfg(target_os = "linux")]
    // SAFETY: the process has just started, and nothing in it owns a descriptor yet.
    let is_done = unsafe { libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, 0) } == 0;
    #[cfg(not(target_os = "linux"))]
    let is_done = false;
    if !is_done {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the limit is a live value; for the calls, see above.
        unsafe {
            libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit);
            for descriptor in FIRST..limit.rlim_cur.min(1 << 16) as libc::c_uint {
                libc::close(descriptor as libc::c_int);
            }
        }
    }
}

/// Lowers a resource limit: the soft limit to `soft`, the hard limit to `hard`. A limit that is already lower stays.
///
/// # Errors
/// The system's reason.
pub fn lower(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is a live value.
    if unsafe { libc::getrlimit(resource, &raw mut limit) } != 0 {
        return Err(io::Error::last_os_error());
    }
    limit.rlim_max = limit.rlim_max.min(hard as libc::rlim_t);
    limit.rlim_cur = limit.rlim_max.min(soft as libc::rlim_t);
    // SAFETY: as above.
    let status = unsafe { libc::setrlimit(resource, &raw const limit) };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
