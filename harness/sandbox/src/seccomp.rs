//! System call filters for all threads of the process.
use std::collections::BTreeMap;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, SeccompRule, apply_filter_all_threads};

use crate::Refused;

/// Allowed system calls, each with its rules: the call is allowed if one of them holds, or always if there are none.
pub(crate) type Calls = BTreeMap<i64, Vec<SeccompRule>>;

/// Whether the system supports system call filters, and this program knows its architecture's calls.
pub(crate) fn is_available() -> bool {
    let errno = libc::SECCOMP_RET_ERRNO;
    // SAFETY: the system reads a live number.
    let status = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const errno) };
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) && status == 0
}

/// Makes the system reject all other calls with `EPERM`, so a call that is missing from the list shows up as a failed
/// case. A call of another architecture kills the process.
pub(crate) fn allow(mut calls: Calls) -> Result<(), Refused> {
    if !is_available() {
        return Ok(());
    }
    // A filter cannot see the arguments of clone3. libc falls back to clone if clone3 is missing.
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
