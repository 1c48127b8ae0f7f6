//! Filters of system calls, for all threads of the process.
use std::collections::BTreeMap;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, SeccompRule, apply_filter_all_threads};

use crate::Refused;

/// System calls: each where one of its rules holds, or always where it has none.
pub(crate) type Calls = BTreeMap<i64, Vec<SeccompRule>>;

/// Whether the system has filters of system calls, and this program knows the calls of its architecture.
pub(crate) fn is_available() -> bool {
    let errno = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the system reads a live number.
    let status = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const errno) };
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) && status == 0
}

/// Has the system refuse all calls but these, by `EPERM`: a call that is missing in the list then is a case that fails.
/// A call of another architecture ends the process.
pub(crate) fn allow(mut calls: Calls) -> Result<(), Refused> {
    if !is_available() {
        return Ok(());
    }
    // A filter cannot see what clone3 asks for. libc takes clone where clone3 is not there.
    calls.insert(libc::SYS_clone3, Vec::new());
    let absent = Calls::from([(libc::SYS_clone3, Vec::new())]);
    apply(absent, SeccompAction::Allow, SeccompAction::Errno(libc::ENOSYS as u32))?;
    apply(calls, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow)
}

fn apply(calls: Calls, otherwise: SeccompAction, then: SeccompAction) -> Result<(), Refused> {
    let filter = SeccompFilter::new(calls, otherwise, then, std::env::consts::ARCH.try_into()?)?;
    let program: BpfProgram = filter.try_into()?;
    Ok(apply_filter_all_threads(&program)?)
}
