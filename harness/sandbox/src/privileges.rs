//! A process's other privileges: capabilities, and the namespaces that it shares with others.
use std::{io, ptr};

use crate::Refused;

/// Moves the process, which must have one thread, into its own user, network, IPC and UTS namespaces. Many systems
/// forbid it, mostly in containers; the process then keeps its namespaces, and relies on the system call filter.
///
/// A PID namespace would apply to children only, and a process that has requested one cannot start threads.
pub(crate) fn isolate() {
    let own = libc::CLONE_NEWUSER | libc::CLONE_NEWNET | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
    // SAFETY: a call without pointers.
    unsafe { libc::unshare(own) };
}

/// The header of `capget` and `capset`.
#[repr(C)]
struct Header {
    version: u32,
    process: i32,
}

/// The 64 capabilities, in two halves.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Half {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// Drops all capabilities of the calling thread and of the threads that it starts, that is, root's privileges.
pub(crate) fn drop_capabilities() -> Result<(), Refused> {
    const VERSION_3: u32 = 0x2008_0522;
    // No change of the user ID restores capabilities: SECBIT_NOROOT, NO_SETUID_FIXUP, NO_CAP_AMBIENT_RAISE, each
    // locked.
    const LOCKED: libc::c_ulong = 0b1100_1111;
    let mut header = Header { version: VERSION_3, process: 0 };
    let none = [Half::default(); 2];
    // SAFETY: the calls take numbers, and live values with the layout of <linux/capability.h>.
    let status = unsafe {
        // This needs CAP_SETPCAP, and only processes with that capability need it.
        libc::prctl(libc::PR_SET_SECUREBITS, LOCKED, 0, 0, 0);
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 {
            libc::syscall(libc::SYS_capset, &raw mut header, ptr::from_ref(&none))
        } else {
            -1
        }
    };
    if status == 0 { Ok(()) } else { Err(format!("capabilities: {}", io::Error::last_os_error()).into()) }
}
