//! System calls that a process gives up: none that a lab, the machine or a GPU's driver needs.
//!
//! - **Every judge and worker**: no socket that could reach anybody, no look into other processes, nothing that changes
//!   what the system has mounted or loaded.
//! - **A worker, which starts nothing**: no program, no process, no signal to another process, and no limits set for
//!   one. It ends with its judge, and leaves nothing behind.

/// The calls that a process gives up that judges, or compiles.
const REFUSED: [libc::c_long; 15] = [
    libc::SYS_socket,
    libc::SYS_io_uring_setup,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_bpf,
    libc::SYS_keyctl,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_kexec_load,
];

/// The calls that a worker gives up beside these.
const OF_A_WORKER: &[libc::c_long] = &[
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_setsid,
    libc::SYS_setpgid,
    libc::SYS_tkill,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_socketpair,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
];

/// Whether the system can refuse calls here.
pub(super) fn are_refused_here() -> bool {
    // SAFETY: a call without pointers, which fails where the kernel has no filters of calls.
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64"))
        && unsafe { libc::prctl(libc::PR_GET_SECCOMP, 0, 0, 0, 0) } >= 0
}

/// Whether the system now refuses the calls that neither a lab nor a driver needs.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) fn refuse() -> bool {
    apply(REFUSED.map(|call| (call, Vec::new())), libc::EPERM)
}

/// Whether the system now refuses the calls that a worker does not need.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) fn refuse_all() -> bool {
    use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

    let thread = libc::CLONE_THREAD as u64;
    let to_others = SeccompCmpOp::Ne;
    let mine = u64::from(std::process::id());
    let with = |call: libc::c_long, operator, value| {
        let condition = SeccompCondition::new(0, SeccompCmpArgLen::Dword, operator, value);
        Some((call, vec![SeccompRule::new(vec![condition.ok()?]).ok()?]))
    };
    let some: Option<Vec<_>> = [
        with(libc::SYS_kill, to_others.clone(), mine),
        with(libc::SYS_tgkill, to_others.clone(), mine),
        with(libc::SYS_rt_sigqueueinfo, to_others.clone(), mine),
        with(libc::SYS_rt_tgsigqueueinfo, to_others.clone(), mine),
        // Of the process itself it is 0.
        with(libc::SYS_prlimit64, to_others, 0),
        // A new thread, and no new process.
        with(libc::SYS_clone, SeccompCmpOp::MaskedEq(thread), 0),
    ]
    .into_iter()
    .collect();
    let all = REFUSED.into_iter().chain(OF_A_WORKER.iter().copied()).map(|call| (call, Vec::new()));
    // A filter cannot see what this call asks for. Where it is not there, libc takes the other one.
    let newer = apply([(libc::SYS_clone3, Vec::new())], libc::ENOSYS);
    some.is_some_and(|some| apply(all.chain(some), libc::EPERM)) && newer
}

/// Whether the system now answers these calls, each where one of its rules holds or where it has none, by `error`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn apply(calls: impl IntoIterator<Item = (libc::c_long, Vec<seccompiler::SeccompRule>)>, error: libc::c_int) -> bool {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

    let Ok(architecture) = std::env::consts::ARCH.try_into() else {
        return false;
    };
    let refusal = SeccompAction::Errno(error as u32);
    let filter = SeccompFilter::new(calls.into_iter().collect(), SeccompAction::Allow, refusal, architecture);
    let program: Result<BpfProgram, _> = filter.and_then(TryInto::try_into);
    program.is_ok_and(|program| apply_filter(&program).is_ok())
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn refuse() -> bool {
    false
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn refuse_all() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Error, ErrorKind},
        net, process, thread,
    };

    use super::*;

    /// What a worker can do to others, in a process of its own.
    #[test]
    fn a_worker_reaches_nobody_and_starts_nothing() {
        const INSIDE: &str = "WARPLAB_TEST_OF_CALLS";
        if !are_refused_here() {
            eprintln!("skipped: there are no seccomp filters here");
            return;
        }
        if std::env::var_os(INSIDE).is_none() {
            let mut again = process::Command::new(std::env::current_exe().unwrap());
            again.args(["--exact", "rights::calls::tests::a_worker_reaches_nobody_and_starts_nothing", "--nocapture"]);
            assert!(again.env(INSIDE, "1").status().unwrap().success());
            return;
        }
        // SAFETY: calls without pointers, or with null for what is neither read nor written.
        let tried = || unsafe {
            let judge = libc::getppid();
            let own = libc::getpid();
            let none = std::ptr::null::<libc::rlimit>();
            [
                ("a signal to the judge", i64::from(libc::kill(judge, 0))),
                ("a signal to its group", i64::from(libc::kill(0, 0))),
                ("a signal to a thread", libc::syscall(libc::SYS_tgkill, judge, judge, 0)),
                ("a signal by a thread's number", libc::syscall(libc::SYS_tkill, judge, 0)),
                ("a handle of the judge", libc::syscall(libc::SYS_pidfd_open, judge, 0)),
                ("its limits", i64::from(libc::prlimit(judge, libc::RLIMIT_NOFILE, none, std::ptr::null_mut()))),
                ("a group of its own", i64::from(libc::setpgid(own, own))),
                ("a session of its own", i64::from(libc::setsid())),
                ("a socket", i64::from(libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0))),
            ]
        };
        // Only the session fails by itself: the leader of a group begins none.
        let failed: Vec<_> = tried().into_iter().filter(|(_, answer)| *answer < 0).map(|(what, _)| what).collect();
        assert_eq!(failed, ["a session of its own"]);
        assert!(process::Command::new("/bin/true").status().unwrap().success());
        assert!(refuse_all());
        // Threads are started as before, and have no more rights.
        thread::scope(|scope| {
            scope.spawn(|| {
                for (what, answer) in tried() {
                    assert_eq!(answer, -1, "{what}");
                }
                let refused = |error: Error| assert_eq!(error.kind(), ErrorKind::PermissionDenied);
                refused(net::TcpStream::connect("127.0.0.1:1").unwrap_err());
                refused(net::UdpSocket::bind("127.0.0.1:0").unwrap_err());
                refused(process::Command::new("/bin/true").status().unwrap_err());
                // SAFETY: the child, if there is one, ends at once.
                unsafe {
                    let child = libc::fork();
                    if child == 0 {
                        libc::_exit(0);
                    }
                    assert_eq!(child, -1);
                    assert_eq!(libc::kill(libc::getpid(), 0), 0, "a signal to itself");
                }
            });
        });
    }
}
