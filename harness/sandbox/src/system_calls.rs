//! The system calls that each process may make.
use libc::c_long;
use seccompiler::{
    SeccompCmpArgLen::{self, Dword, Qword},
    SeccompCmpOp::{self, Eq, MaskedEq, Ne},
    SeccompCondition, SeccompRule,
};

use crate::{Refused, seccomp::Calls};

/// Calls for threads that compute, and for reading and writing open files.
const COMPUTE: &[c_long] = &[
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_close,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_fstat,
    libc::SYS_futex,
    libc::SYS_getcpu,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getpid,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_mremap,
    libc::SYS_msync,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_ppoll,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_sigaltstack,
    libc::SYS_sysinfo,
    libc::SYS_times,
    libc::SYS_uname,
    libc::SYS_write,
    libc::SYS_writev,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_dup2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_time,
];

/// A worker's calls on the socket to its judge, through which it also receives pinned memory.
const SOCKET: &[c_long] = &[libc::SYS_recvfrom, libc::SYS_recvmsg, libc::SYS_sendmsg, libc::SYS_sendto];

/// Calls of a GPU's driver after its start, besides [`COMPUTE`]: it opens its libraries and devices, and waits for
/// them. Landlock decides which files it can open; the size and times of any file can be queried.
const DRIVER: &[c_long] = &[
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fstatfs,
    libc::SYS_get_mempolicy,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_mbind,
    libc::SYS_mincore,
    libc::SYS_mprotect,
    libc::SYS_newfstatat,
    libc::SYS_openat,
    libc::SYS_pipe2,
    libc::SYS_pread64,
    libc::SYS_pselect6,
    libc::SYS_readlinkat,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_set_mempolicy,
    libc::SYS_statfs,
    libc::SYS_statx,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_access,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_epoll_wait,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lstat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_open,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_pipe,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_readlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_select,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_stat,
];

/// Calls of a process that judges, besides [`COMPUTE`], [`SOCKET`] and [`DRIVER`]: it starts programs and waits for
/// them, writes files, and gives up rights. Not included: networks, other processes' memory, the mode, owner, times and
/// attributes of files, priorities, keys, memory and messages that outlive the process, and all changes to the system.
const JUDGE: &[c_long] = &[
    // Programs.
    libc::SYS_capget,
    libc::SYS_capset,
    libc::SYS_close_range,
    libc::SYS_execve,
    libc::SYS_getitimer,
    libc::SYS_getpgid,
    libc::SYS_getppid,
    libc::SYS_getpriority,
    libc::SYS_getresgid,
    libc::SYS_getresuid,
    libc::SYS_getsid,
    libc::SYS_kill,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_restrict_self,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_prctl,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_seccomp,
    libc::SYS_set_tid_address,
    libc::SYS_setitimer,
    libc::SYS_setpgid,
    libc::SYS_setsid,
    libc::SYS_tgkill,
    libc::SYS_timer_create,
    libc::SYS_timer_delete,
    libc::SYS_timer_settime,
    libc::SYS_umask,
    libc::SYS_wait4,
    libc::SYS_waitid,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_alarm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_arch_prctl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_getpgrp,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_getrlimit,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_pause,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_setrlimit,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    // Memory.
    libc::SYS_mlock,
    libc::SYS_mmap,
    libc::SYS_memfd_create,
    libc::SYS_munlock,
    // Files.
    libc::SYS_chdir,
    libc::SYS_copy_file_range,
    libc::SYS_fadvise64,
    libc::SYS_fallocate,
    libc::SYS_fchdir,
    libc::SYS_fdatasync,
    libc::SYS_flock,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_linkat,
    libc::SYS_mkdirat,
    libc::SYS_preadv,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_sendfile,
    libc::SYS_splice,
    libc::SYS_symlinkat,
    libc::SYS_sync_file_range,
    libc::SYS_unlinkat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_getdents,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_link,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rmdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_symlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
    // Socket pairs, whose ends reach only each other.
    libc::SYS_getpeername,
    libc::SYS_getsockname,
    libc::SYS_getsockopt,
    libc::SYS_setsockopt,
    libc::SYS_shutdown,
    libc::SYS_socketpair,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_eventfd,
];

/// The arguments of `clone` that create namespaces.
const NAMESPACES: i32 = libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET;

/// The `fcntl` commands that affect only the process's own descriptors. Commands that set a descriptor's signal target,
/// or flags that it shares with the judge's copy, are not included.
const HARMLESS: &[libc::c_int] = &[libc::F_DUPFD, libc::F_DUPFD_CLOEXEC, libc::F_GETFD, libc::F_SETFD, libc::F_GETFL];

/// Conditions on a call's arguments: the argument's index, its length, the comparison, the value.
type Arguments<'a> = &'a [(u8, SeccompCmpArgLen, SeccompCmpOp, u64)];

/// Allows a call if one of `alternatives` holds.
fn allow_if(calls: &mut Calls, call: c_long, alternatives: &[Arguments<'_>]) -> Result<(), Refused> {
    for arguments in alternatives {
        let conditions = arguments.iter().map(|(number, length, operator, value)| {
            SeccompCondition::new(*number, length.clone(), operator.clone(), *value)
        });
        calls.entry(call).or_default().push(SeccompRule::new(conditions.collect::<Result<_, _>>()?)?);
    }
    Ok(())
}

/// Calls of every process that runs or reads untrusted files: computing, and using what it has open.
fn of_computing() -> Result<Calls, Refused> {
    let mut calls: Calls = COMPUTE.iter().map(|call| (*call, Vec::new())).collect();
    let own = u64::from(std::process::id());
    allow_if(&mut calls, libc::SYS_kill, &[&[(0, Dword, Eq, own)]])?;
    allow_if(&mut calls, libc::SYS_tgkill, &[&[(0, Dword, Eq, own)]])?;
    // New threads, but no new processes.
    let thread = MaskedEq((libc::CLONE_THREAD | NAMESPACES) as u32 as u64);
    allow_if(&mut calls, libc::SYS_clone, &[&[(0, Dword, thread, libc::CLONE_THREAD as u64)]])?;
    for name in [libc::PR_SET_NAME, libc::PR_GET_NAME] {
        allow_if(&mut calls, libc::SYS_prctl, &[&[(0, Dword, Eq, name as u64)]])?;
    }
    for command in HARMLESS {
        allow_if(&mut calls, libc::SYS_fcntl, &[&[(1, Dword, Eq, *command as u64)]])?;
    }
    // It may read its own limits, but not set them.
    allow_if(&mut calls, libc::SYS_prlimit64, &[&[(0, Dword, Eq, 0), (2, Qword, Eq, 0)]])?;
    Ok(calls)
}

/// Allows mapping memory that counts towards the process's memory: no shared anonymous memory, and no huge pages from
/// the system's pool.
fn allow_memory(calls: &mut Calls, is_executable: bool) -> Result<(), Refused> {
    const UNCOUNTED: i32 = libc::MAP_HUGETLB | libc::MAP_LOCKED;
    let rights = MaskedEq(if is_executable { 0 } else { libc::PROT_EXEC as u64 });
    let (anonymous, shared) = (libc::MAP_ANONYMOUS, libc::MAP_SHARED);
    let own = MaskedEq((UNCOUNTED | anonymous | shared) as u64);
    let of_file = MaskedEq((UNCOUNTED | anonymous) as u64);
    allow_if(
        calls,
        libc::SYS_mmap,
        &[
            &[(2, Dword, rights.clone(), 0), (3, Dword, own, anonymous as u64)],
            &[(2, Dword, rights.clone(), 0), (3, Dword, of_file, 0)],
        ],
    )?;
    allow_if(calls, libc::SYS_mprotect, &[&[(2, Dword, rights, 0)]])
}

/// Calls of a worker that runs the emulated machine.
pub(crate) fn of_emulated_worker() -> Result<Calls, Refused> {
    let mut calls = of_computing()?;
    calls.extend(SOCKET.iter().map(|call| (*call, Vec::new())));
    allow_memory(&mut calls, false)?;
    Ok(calls)
}

/// Calls of a worker that runs kernels on a GPU whose driver has started.
pub(crate) fn of_gpu_worker() -> Result<Calls, Refused> {
    let mut calls = of_computing()?;
    calls.extend(SOCKET.iter().chain(DRIVER).map(|call| (*call, Vec::new())));
    allow_memory(&mut calls, true)?;
    // The ioctls of NVIDIA's devices, including unified memory, but not those of terminals, disks or networks.
    for kind in [u64::from(b'F'), 0] {
        allow_if(&mut calls, libc::SYS_ioctl, &[&[(1, Dword, MaskedEq(0xff00), kind << 8)]])?;
    }
    Ok(calls)
}

/// Calls of the compiler, which has read its request and opened its reply file.
pub(crate) fn of_compiler() -> Result<Calls, Refused> {
    let mut calls = of_computing()?;
    allow_memory(&mut calls, false)?;
    // Its working folder is the root; it prepends that to names.
    calls.insert(libc::SYS_getcwd, Vec::new());
    Ok(calls)
}

/// Calls of the process that judges, and of the processes that it starts.
pub(crate) fn of_judge() -> Result<Calls, Refused> {
    let mut calls: Calls =
        [COMPUTE, SOCKET, DRIVER, JUDGE].concat().into_iter().map(|call| (call, Vec::new())).collect();
    allow_if(&mut calls, libc::SYS_clone, &[&[(0, Dword, MaskedEq(NAMESPACES as u32 as u64), 0)]])?;
    allow_if(&mut calls, libc::SYS_prlimit64, &[&[(0, Dword, Eq, 0)]])?;
    // Except those that inject input into a terminal, or take one over.
    let [types, draws, takes] = [libc::TIOCSTI, libc::TIOCLINUX, libc::TIOCCONS].map(|one| (1, Dword, Ne, one));
    allow_if(&mut calls, libc::SYS_ioctl, &[&[types, draws, takes]])?;
    for command in HARMLESS.iter().chain(&[libc::F_SETFL, libc::F_SETLK, libc::F_SETLKW, libc::F_GETLK]) {
        allow_if(&mut calls, libc::SYS_fcntl, &[&[(1, Dword, Eq, *command as u64)]])?;
    }
    for command in [libc::F_OFD_SETLK, libc::F_OFD_SETLKW, libc::F_ADD_SEALS, libc::F_GET_SEALS] {
        allow_if(&mut calls, libc::SYS_fcntl, &[&[(1, Dword, Eq, command as u64)]])?;
    }
    Ok(calls)
}
