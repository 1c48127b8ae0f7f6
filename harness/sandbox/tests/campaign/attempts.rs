//! System calls that native code would try after breaking out of a kernel. Each attempt is one call, and is harmless if
//! it succeeds.
use std::{ffi::CString, os::unix::ffi::OsStrExt, path::Path, ptr};

use libc::{c_long, c_void};

/// The targets of the attempts.
pub struct Target {
    /// A process of the same user: the one that started this one.
    judge: libc::pid_t,
    /// A file of the same user, and names next to it.
    file: CString,
    other: CString,
    folder: CString,
    host: CString,
}

impl Target {
    /// Returns the file `marks.csv` in `folder`, and the process that started this one.
    pub fn new(folder: &Path) -> Self {
        let name = |name: &str| CString::new(folder.join(name).as_os_str().as_bytes()).unwrap();
        let mut host = vec![0_u8; 256];
        // SAFETY: calls without pointers, and with a live buffer.
        let judge = unsafe {
            libc::gethostname(host.as_mut_ptr().cast(), host.len());
            libc::getppid()
        };
        let host = CString::new(host.split(|byte| *byte == 0).next().unwrap()).unwrap();
        Self { judge, file: name("marks.csv"), other: name("other"), folder: name(""), host }
    }

    fn of_judge(&self, name: &str) -> CString {
        CString::new(format!("/proc/{}/{name}", self.judge)).unwrap()
    }
}

/// One attempt: its name, and the call, which returns the system's result: -1 and an error number if it fails.
pub type Attempt = (&'static str, fn(&Target) -> c_long);

macro_rules! call {
    ($call:ident $(, $argument:expr)*) => {
        // SAFETY: the arguments are live, or null where the system neither reads nor writes them.
        unsafe { libc::syscall(libc::$call $(, $argument)*) }
    };
}

fn open(path: &CString, flags: i32) -> c_long {
    call!(SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags, 0o600)
}

fn map(rights: i32, flags: i32) -> c_long {
    call!(SYS_mmap, ptr::null::<c_void>(), 2 << 20, rights, flags, -1, 0)
}

fn socket(family: i32, kind: i32) -> c_long {
    call!(SYS_socket, family, kind, 0)
}

const NOTHING: *const c_void = ptr::null();
const HERE: i32 = libc::AT_FDCWD;
const WRITES: i32 = libc::PROT_READ | libc::PROT_WRITE;
const OWN: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
/// Numbers that the `libc` crate does not have for every architecture; they are the same on both.
const FCHMODAT2: c_long = 452;
const SETXATTRAT: c_long = 463;
const TIOCSTI: c_long = 0x5412;
const FIOSETOWN: c_long = 0x8901;

/// All attempts.
pub const ATTEMPTS: &[(&str, &[Attempt])] = &[
    ("files", FILES),
    ("signals", SIGNALS),
    ("processes", PROCESSES),
    ("networks", NETWORKS),
    ("keys and messages", IPC),
    ("clocks and priorities", PRIORITIES),
    ("memory", MEMORY),
    ("the system", SYSTEM),
    ("its own sandbox", SANDBOX),
    ("what is open", OPEN),
];

const FILES: &[Attempt] = &[
    ("read a file", |t| open(&t.file, libc::O_RDONLY)),
    ("write a file", |t| open(&t.file, libc::O_WRONLY)),
    ("path of a file", |t| open(&t.file, libc::O_PATH)),
    ("new file", |t| open(&t.other, libc::O_CREAT | libc::O_WRONLY)),
    ("unnamed file", |t| open(&t.folder, libc::O_TMPFILE | libc::O_WRONLY)),
    ("list a folder", |t| open(&t.folder, libc::O_DIRECTORY)),
    ("open by openat2", |t| call!(SYS_openat2, HERE, t.file.as_ptr(), [0_u64; 3].as_ptr(), 24)),
    ("rename", |t| call!(SYS_renameat2, HERE, t.other.as_ptr(), HERE, t.other.as_ptr(), 0)),
    ("unlink", |t| call!(SYS_unlinkat, HERE, t.other.as_ptr(), 0)),
    ("link", |t| call!(SYS_linkat, HERE, t.file.as_ptr(), HERE, t.file.as_ptr(), 0)),
    ("symlink", |t| call!(SYS_symlinkat, t.file.as_ptr(), HERE, t.file.as_ptr())),
    ("mkdir", |t| call!(SYS_mkdirat, HERE, t.file.as_ptr(), 0o700)),
    ("mknod", |t| call!(SYS_mknodat, HERE, t.file.as_ptr(), libc::S_IFIFO | 0o600, 0)),
    ("truncate", |t| call!(SYS_truncate, t.file.as_ptr(), 5)),
    ("chmod", |t| call!(SYS_fchmodat, HERE, t.file.as_ptr(), 0o640)),
    // SAFETY: as in `call!`.
    ("chmod, newer", |t| unsafe { libc::syscall(FCHMODAT2, HERE, t.file.as_ptr(), 0o640, 0) }),
    ("chmod of what is open", |_| call!(SYS_fchmod, 2, 0o600)),
    ("chown", |t| call!(SYS_fchownat, HERE, t.file.as_ptr(), -1, -1, 0)),
    ("utime", |t| call!(SYS_utimensat, HERE, t.file.as_ptr(), NOTHING, 0)),
    ("setxattr", |t| call!(SYS_setxattr, t.file.as_ptr(), c"user.a".as_ptr(), c"b".as_ptr(), 1, 0)),
    // SAFETY: as in `call!`.
    ("setxattr, newer", |t| unsafe {
        libc::syscall(SETXATTRAT, HERE, t.file.as_ptr(), 0, c"user.a".as_ptr(), NOTHING, 0)
    }),
    ("removexattr", |t| call!(SYS_removexattr, t.file.as_ptr(), c"user.none".as_ptr())),
    ("getxattr", |t| call!(SYS_getxattr, t.file.as_ptr(), c"user.none".as_ptr(), NOTHING, 0)),
    ("stat", |t| call!(SYS_newfstatat, HERE, t.file.as_ptr(), [0_u64; 64].as_mut_ptr(), 0)),
    ("statx", |t| call!(SYS_statx, HERE, t.file.as_ptr(), 0, 0xfff, [0_u64; 64].as_mut_ptr())),
    ("statx of what is open", |_| {
        call!(SYS_statx, 1, c"".as_ptr(), libc::AT_EMPTY_PATH, 0xfff, [0_u64; 64].as_mut_ptr())
    }),
    ("access", |t| call!(SYS_faccessat, HERE, t.file.as_ptr(), 0)),
    ("readlink", |_| call!(SYS_readlinkat, HERE, c"/proc/self/exe".as_ptr(), [0_u64; 64].as_mut_ptr(), 512)),
    ("statfs", |t| call!(SYS_statfs, t.file.as_ptr(), [0_u64; 64].as_mut_ptr())),
    ("getcwd", |_| call!(SYS_getcwd, [0_u64; 512].as_mut_ptr(), 4096)),
    ("chdir", |t| call!(SYS_chdir, t.folder.as_ptr())),
    ("file handle", |t| {
        call!(SYS_name_to_handle_at, HERE, t.file.as_ptr(), [0_u32; 64].as_mut_ptr(), [0_u64].as_mut_ptr(), 0)
    }),
    ("open by handle", |_| call!(SYS_open_by_handle_at, HERE, [0_u32; 64].as_mut_ptr(), 0)),
    ("watch files", |_| call!(SYS_inotify_init1, 0)),
    ("watch file systems", |_| call!(SYS_fanotify_init, 0, 0)),
    ("memory of the judge", |t| open(&t.of_judge("mem"), libc::O_RDWR)),
    ("environment of the judge", |t| open(&t.of_judge("environ"), libc::O_RDONLY)),
    ("arguments of the judge", |t| open(&t.of_judge("cmdline"), libc::O_RDONLY)),
    ("descriptors of the judge", |t| open(&t.of_judge("fd"), libc::O_DIRECTORY)),
    ("addresses of the judge", |t| open(&t.of_judge("maps"), libc::O_RDONLY)),
    ("own memory", |_| open(&c"/proc/self/mem".into(), libc::O_RDWR)),
    ("processes", |_| open(&c"/proc".into(), libc::O_DIRECTORY)),
    ("users", |_| open(&c"/etc/passwd".into(), libc::O_RDONLY)),
    ("terminal", |_| open(&c"/dev/tty".into(), libc::O_RDWR)),
    ("shared memory", |_| open(&c"/dev/shm/warplab-campaign".into(), libc::O_RDWR)),
];

const SIGNALS: &[Attempt] = &[
    ("signal the judge", |t| call!(SYS_kill, t.judge, 0)),
    ("signal the group", |_| call!(SYS_kill, 0, 0)),
    ("signal everybody", |_| call!(SYS_kill, -1, 0)),
    ("signal a thread", |t| call!(SYS_tgkill, t.judge, t.judge, 0)),
    ("signal a thread, older", |t| call!(SYS_tkill, t.judge, 0)),
    ("queue a signal", |t| call!(SYS_rt_sigqueueinfo, t.judge, 0, [-1_i64; 16].as_ptr())),
    ("queue a thread's signal", |t| call!(SYS_rt_tgsigqueueinfo, t.judge, t.judge, 0, [-1_i64; 16].as_ptr())),
    ("pidfd", |t| call!(SYS_pidfd_open, t.judge, 0)),
    ("signal by a pidfd", |_| call!(SYS_pidfd_send_signal, 0, 0, NOTHING, 0)),
    ("descriptor of the judge", |_| call!(SYS_pidfd_getfd, 0, 0, 0)),
    ("F_SETOWN", |t| call!(SYS_fcntl, 0, libc::F_SETOWN, t.judge)),
    ("F_SETOWN_EX", |t| call!(SYS_fcntl, 0, 15, [1, t.judge].as_ptr())),
    ("F_SETSIG", |_| call!(SYS_fcntl, 0, 10, libc::SIGKILL)),
    ("F_SETLEASE", |_| call!(SYS_fcntl, 0, libc::F_SETLEASE, libc::F_RDLCK)),
    ("F_NOTIFY", |_| call!(SYS_fcntl, 0, libc::F_NOTIFY, 0)),
    ("O_ASYNC", |_| call!(SYS_fcntl, 0, libc::F_SETFL, libc::O_ASYNC)),
    ("O_NONBLOCK of the judge's output", |_| call!(SYS_fcntl, 1, libc::F_SETFL, 0)),
    ("FIOSETOWN", |t| call!(SYS_ioctl, 0, FIOSETOWN, [t.judge].as_ptr())),
    ("outlive the judge", |_| call!(SYS_prctl, libc::PR_SET_PDEATHSIG, 0, 0, 0, 0)),
    ("a timer's signal", |_| call!(SYS_timer_create, 0, NOTHING, [0_u64].as_mut_ptr())),
    ("alarm", |_| call!(SYS_setitimer, libc::ITIMER_REAL, [0_u64; 4].as_ptr(), NOTHING)),
];

const PROCESSES: &[Attempt] = &[
    ("fork", |_| {
        let child = call!(SYS_clone, libc::SIGCHLD, 0, 0, 0, 0);
        if child == 0 {
            // SAFETY: the child ends immediately.
            unsafe { libc::_exit(0) };
        }
        child
    }),
    ("clone3", |_| call!(SYS_clone3, NOTHING, 0)),
    ("execve", |_| call!(SYS_execve, c"/nowhere/true".as_ptr(), NOTHING, NOTHING)),
    ("execveat", |_| call!(SYS_execveat, HERE, c"/nowhere/true".as_ptr(), NOTHING, NOTHING, 0)),
    ("wait", |_| call!(SYS_wait4, -1, NOTHING, libc::WNOHANG, NOTHING)),
    ("ptrace", |t| call!(SYS_ptrace, libc::PTRACE_PEEKDATA, t.judge, NOTHING, NOTHING)),
    ("read the judge's memory", |t| call!(SYS_process_vm_readv, t.judge, NOTHING, 0, NOTHING, 0, 0)),
    ("write the judge's memory", |t| call!(SYS_process_vm_writev, t.judge, NOTHING, 0, NOTHING, 0, 0)),
    ("advise on memory", |_| call!(SYS_process_madvise, 0, NOTHING, 0, 0, 0)),
    ("move pages", |t| call!(SYS_move_pages, t.judge, 0, NOTHING, NOTHING, NOTHING, 0)),
    ("compare processes", |t| call!(SYS_kcmp, t.judge, t.judge, 0, 0, 0)),
    ("the judge's number", |_| call!(SYS_getppid)),
    ("group of its own", |_| call!(SYS_setpgid, 0, 0)),
    ("session of its own", |_| call!(SYS_setsid)),
    ("limits of the judge", |t| call!(SYS_prlimit64, t.judge, libc::RLIMIT_NOFILE, NOTHING, [0_u64; 2].as_mut_ptr())),
    ("limits of its own", |_| {
        let limit = [u64::MAX; 2];
        call!(SYS_prlimit64, 0, libc::RLIMIT_CORE, limit.as_ptr(), NOTHING)
    }),
    ("subreaper", |_| call!(SYS_prctl, libc::PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)),
];

const NETWORKS: &[Attempt] = &[
    ("TCP", |_| socket(libc::AF_INET, libc::SOCK_STREAM)),
    ("UDP", |_| socket(libc::AF_INET, libc::SOCK_DGRAM)),
    ("TCP of IPv6", |_| socket(libc::AF_INET6, libc::SOCK_STREAM)),
    ("Unix socket", |_| socket(libc::AF_UNIX, libc::SOCK_STREAM)),
    ("netlink", |_| socket(libc::AF_NETLINK, libc::SOCK_RAW)),
    ("vsock", |_| socket(libc::AF_VSOCK, libc::SOCK_STREAM)),
    ("packets", |_| socket(libc::AF_PACKET, libc::SOCK_RAW)),
    ("crypto", |_| socket(libc::AF_ALG, libc::SOCK_SEQPACKET)),
    ("pair of sockets", |_| call!(SYS_socketpair, libc::AF_UNIX, libc::SOCK_STREAM, 0, [0_u64].as_mut_ptr())),
    ("bind", |_| call!(SYS_bind, 0, [libc::AF_UNIX as u16, 0x6100].as_ptr(), 4)),
    ("connect", |_| call!(SYS_connect, 0, [libc::AF_UNIX as u16, 0x6100].as_ptr(), 4)),
    ("listen", |_| call!(SYS_listen, 0, 1)),
    ("io_uring", |_| call!(SYS_io_uring_setup, 1, [0_u64; 16].as_mut_ptr())),
];

const IPC: &[Attempt] = &[
    ("add a key", |_| call!(SYS_add_key, c"user".as_ptr(), c"campaign".as_ptr(), c"a".as_ptr(), 1, -2)),
    ("request a key", |_| call!(SYS_request_key, c"user".as_ptr(), c"none".as_ptr(), NOTHING, 0)),
    ("keyring", |_| call!(SYS_keyctl, 0, -3, 0, 0, 0)),
    ("System V memory", |_| call!(SYS_shmget, 0x7761_7270, 4096, 0)),
    ("System V memory, mapped", |_| call!(SYS_shmat, -1, NOTHING, 0)),
    ("System V messages", |_| call!(SYS_msgget, 0x7761_7270, 0)),
    ("System V semaphores", |_| call!(SYS_semget, 0x7761_7270, 1, 0)),
    ("POSIX messages", |_| call!(SYS_mq_open, c"campaign".as_ptr(), libc::O_RDONLY, 0, NOTHING)),
    ("memory file", |_| call!(SYS_memfd_create, c"a".as_ptr(), 0)),
    ("secret memory", |_| call!(SYS_memfd_secret, 0)),
    ("pipe", |_| call!(SYS_pipe2, [0_u64].as_mut_ptr(), 0)),
    ("event", |_| call!(SYS_eventfd2, 0, 0)),
    ("epoll", |_| call!(SYS_epoll_create1, 0)),
    ("timer", |_| call!(SYS_timerfd_create, 0, 0)),
    ("signals as a descriptor", |_| call!(SYS_signalfd4, -1, [0_u64].as_ptr(), 8, 0)),
];

const PRIORITIES: &[Attempt] = &[
    ("set the time", |_| call!(SYS_settimeofday, NOTHING, NOTHING)),
    ("set a clock", |_| call!(SYS_clock_settime, libc::CLOCK_REALTIME, NOTHING)),
    ("adjust the time", |_| call!(SYS_adjtimex, [0_u64; 32].as_mut_ptr())),
    ("adjust a clock", |_| call!(SYS_clock_adjtime, libc::CLOCK_REALTIME, [0_u64; 32].as_mut_ptr())),
    ("priority of the judge", |t| call!(SYS_setpriority, libc::PRIO_PROCESS, t.judge, 0)),
    ("own priority", |_| call!(SYS_setpriority, libc::PRIO_PROCESS, 0, 0)),
    ("processors of the judge", |t| call!(SYS_sched_setaffinity, t.judge, 8, [u64::MAX].as_ptr())),
    ("own processors", |_| call!(SYS_sched_setaffinity, 0, 8, [u64::MAX].as_ptr())),
    ("scheduling of the judge", |t| call!(SYS_sched_setscheduler, t.judge, libc::SCHED_OTHER, [0_i32].as_ptr())),
    ("scheduling parameters", |t| call!(SYS_sched_setparam, t.judge, [0_i32].as_ptr())),
    ("scheduling attributes", |t| {
        call!(SYS_sched_setattr, t.judge, [48_u32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0].as_ptr(), 0)
    }),
    ("I/O priority", |t| call!(SYS_ioprio_set, 1, t.judge, (2 << 13) | 4)),
];

const MEMORY: &[Attempt] = &[
    ("executable memory", |_| map(WRITES | libc::PROT_EXEC, OWN)),
    ("memory made executable", |_| {
        static PAGE: [u8; 1] = [0];
        let page = (&raw const PAGE) as usize & !0xffff;
        call!(SYS_mprotect, page, 0, libc::PROT_READ | libc::PROT_EXEC)
    }),
    ("shared memory without a file", |_| map(WRITES, libc::MAP_SHARED | libc::MAP_ANONYMOUS)),
    ("huge pages of the pool", |_| map(WRITES, OWN | libc::MAP_HUGETLB)),
    ("locked memory", |_| map(WRITES, OWN | libc::MAP_LOCKED)),
    ("lock memory", |_| call!(SYS_mlock, NOTHING, 0)),
    ("lock all memory", |_| call!(SYS_mlockall, libc::MCL_FUTURE | 0x100)),
    ("userfaultfd", |_| call!(SYS_userfaultfd, 1)),
    ("protection keys", |_| call!(SYS_pkey_alloc, 0, 0)),
    ("a length of what is open", |_| call!(SYS_ftruncate, 2, 0)),
    ("room for what is open", |_| call!(SYS_fallocate, 2, 0, 0, 1)),
];

const SYSTEM: &[Attempt] = &[
    ("mount", |t| call!(SYS_mount, NOTHING, t.other.as_ptr(), NOTHING, libc::MS_REMOUNT, NOTHING)),
    ("umount", |t| call!(SYS_umount2, t.other.as_ptr(), 0)),
    ("pivot_root", |t| call!(SYS_pivot_root, t.other.as_ptr(), t.other.as_ptr())),
    ("chroot", |_| call!(SYS_chroot, c"/".as_ptr())),
    ("fsopen", |_| call!(SYS_fsopen, c"tmpfs".as_ptr(), 0)),
    ("fspick", |t| call!(SYS_fspick, HERE, t.other.as_ptr(), 0)),
    ("open_tree", |_| call!(SYS_open_tree, HERE, c"/".as_ptr(), 0)),
    ("move_mount", |t| call!(SYS_move_mount, HERE, t.other.as_ptr(), HERE, t.other.as_ptr(), 0)),
    ("name of the host", |t| call!(SYS_sethostname, t.host.as_ptr(), t.host.as_bytes().len())),
    ("name of the domain", |_| call!(SYS_setdomainname, NOTHING, -1)),
    ("messages of the kernel", |_| call!(SYS_syslog, 10, NOTHING, 0)),
    ("bpf", |_| call!(SYS_bpf, 0, NOTHING, 0)),
    ("performance events", |_| call!(SYS_perf_event_open, NOTHING, 0, -1, -1, 0)),
    ("a module", |_| call!(SYS_finit_module, -1, c"".as_ptr(), 0)),
    ("another kernel", |_| call!(SYS_kexec_load, 0, 17, NOTHING, 0)),
    ("reboot", |_| call!(SYS_reboot, 0, 0, 0, NOTHING)),
    ("swap", |t| call!(SYS_swapoff, t.other.as_ptr())),
    ("accounting", |t| call!(SYS_acct, t.other.as_ptr())),
    ("quotas", |_| call!(SYS_quotactl, -1, NOTHING, 0, NOTHING)),
    ("hang up", |_| call!(SYS_ioctl, -1, 0x5437)),
    ("personality", |_| call!(SYS_personality, u32::MAX)),
    #[cfg(target_arch = "x86_64")]
    ("ports", |_| call!(SYS_iopl, 0)),
    #[cfg(target_arch = "x86_64")]
    ("segments", |_| call!(SYS_modify_ldt, 0, [0_u64; 2].as_mut_ptr(), 16)),
    // A call of the x32 ABI: `getpid`.
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a call without pointers.
    ("another ABI", |_| unsafe { libc::syscall(0x4000_0000 + libc::SYS_getpid) }),
];

const SANDBOX: &[Attempt] = &[
    ("namespace of users", |_| call!(SYS_unshare, libc::CLONE_NEWUSER)),
    ("namespace of files", |_| call!(SYS_unshare, libc::CLONE_FS)),
    ("another's namespace", |_| call!(SYS_setns, -1, 0)),
    ("filter", |_| call!(SYS_seccomp, 2, 0, [0_u32].as_ptr())),
    ("ruleset", |_| call!(SYS_landlock_create_ruleset, NOTHING, 0, 1)),
    ("capabilities", |_| call!(SYS_capset, [0x2008_0522_u32, 0].as_ptr(), [0_u32; 6].as_ptr())),
    ("user", |_| call!(SYS_setresuid, -1, -1, -1)),
    ("groups", |_| call!(SYS_setresgid, -1, -1, -1)),
    ("all groups", |_| call!(SYS_setgroups, 0, NOTHING)),
    ("be dumped", |_| call!(SYS_prctl, libc::PR_SET_DUMPABLE, 1, 0, 0, 0)),
    ("be traced", |_| call!(SYS_prctl, libc::PR_SET_PTRACER, -1, 0, 0, 0)),
    ("secure bits", |_| call!(SYS_prctl, libc::PR_GET_SECUREBITS, 0, 0, 0, 0)),
];

const OPEN: &[Attempt] = &[
    ("TIOCSTI", |_| call!(SYS_ioctl, 2, TIOCSTI, c"a".as_ptr())),
    ("size of the terminal", |_| call!(SYS_ioctl, 2, libc::TIOCGWINSZ, [0_u64].as_mut_ptr())),
    ("FIONBIO", |_| call!(SYS_ioctl, 0, libc::FIONBIO, [0_i32].as_ptr())),
    ("write elsewhere", |_| call!(SYS_pwrite64, 2, NOTHING, 0, 0)),
    ("sync", |_| call!(SYS_fsync, 2)),
    ("lock what is open", |_| call!(SYS_flock, 2, libc::LOCK_UN)),
    ("splice", |_| call!(SYS_splice, 0, NOTHING, 2, NOTHING, 0, 0)),
    ("options of the socket", |_| call!(SYS_setsockopt, 0, libc::SOL_SOCKET, libc::SO_RCVBUF, [4096_i32].as_ptr(), 4)),
];
