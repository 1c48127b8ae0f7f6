//! Attacks by native code in each sandbox: a program takes the place of a worker, a compiler or a judge's child, and
//! tries the calls listed in [`attempts`].
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod attempts;

use std::{
    collections::BTreeMap,
    env,
    fs::{self, File},
    io::{self, Write},
    os::{
        fd::AsRawFd,
        unix::{
            fs::MetadataExt,
            process::{CommandExt, ExitStatusExt},
        },
    },
    path::Path,
    process::{Command, Output, Stdio},
    sync::mpsc,
    thread,
};

use attempts::{ATTEMPTS, Target};

/// The environment variable with the role of a process that a test starts.
const ROLE: &str = "WARPLAB_TEST_ROLE";
/// The environment variable with the folder that contains a user's file.
const FOLDER: &str = "WARPLAB_TEST_FOLDER";
/// The test that runs as the process of a role.
const ITSELF: &str = "the_program_in_the_place_of_a_sandboxed_one";
/// The system's error for a rejected call.
const REFUSED: i32 = libc::EPERM;

/// Enters the sandbox of this role.
fn enter(role: &str) {
    let entered = match role {
        "free" => Ok(()),
        "worker" => sandbox::restrict_worker(),
        "gpu" => sandbox::restrict_driver().and_then(|()| sandbox::restrict_started_driver()),
        "compiler" => sandbox::restrict_compiler(),
        "judge" => sandbox::restrict_judge(),
        _ => panic!("no role {role}"),
    };
    entered.unwrap();
}

/// The result of each attempt of a process: 0, or the error number.
type Results = BTreeMap<(String, String), i32>;

fn try_all(target: &Target) -> Vec<(&'static str, &'static str, i32)> {
    let mut results = Vec::new();
    for (group, attempts) in ATTEMPTS {
        for (name, attempt) in *attempts {
            let answer = attempt(target);
            let error = io::Error::last_os_error().raw_os_error().unwrap_or(0);
            results.push((*group, *name, if answer == -1 { error } else { 0 }));
        }
    }
    results
}

/// The process of a role: it enters its sandbox; then a thread that existed before and a thread that is started
/// afterwards try all attempts.
#[test]
fn the_program_in_the_place_of_a_sandboxed_one() {
    let Ok(role) = env::var(ROLE) else { return };
    sandbox::process::close_inherited();
    let (enters, entered) = mpsc::channel::<()>();
    let folder = env::var_os(FOLDER).unwrap();
    let target = Target::new(Path::new(&folder));
    thread::scope(|scope| {
        let target = &target;
        // Landlock does not restrict threads that existed before. A worker has no such threads, but its filter applies
        // to them.
        let before = ["worker", "compiler"].contains(&role.as_str()).then(|| {
            scope.spawn(move || {
                entered.recv().unwrap();
                try_all(target)
            })
        });
        enter(&role);
        let _ = enters.send(());
        let after = scope.spawn(|| try_all(target)).join().unwrap();
        if let Some(before) = before {
            assert_eq!(before.join().unwrap(), after);
        }
        let mut text = String::new();
        for (group, name, error) in after {
            text += &format!("\nresult\t{group}\t{name}\t{error}");
        }
        println!("{text}\nend");
    });
}

/// A user's file, and the state that other processes can observe.
struct Desk {
    folder: tempfile::TempDir,
    /// The temporary folder of the process.
    own: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("marks.csv"), "ada,100\n").unwrap();
        Self { folder, own: tempfile::tempdir().unwrap() }
    }

    /// Everything that a process could have changed.
    fn state(&self) -> impl PartialEq + std::fmt::Debug + use<> {
        let file = self.folder.path().join("marks.csv");
        let about = fs::metadata(&file).unwrap();
        let names: Vec<_> = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        // SAFETY: calls without pointers.
        let priority = unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) };
        (names, fs::read(&file).unwrap(), about.mode(), about.mtime_nsec(), about.ctime_nsec(), about.nlink(), priority)
    }

    /// Starts a process of this role.
    fn start(&self, role: &str) -> Command {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", ITSELF, "--nocapture", "--test-threads", "1"]);
        command.env(ROLE, role).env(FOLDER, self.folder.path()).env("TMPDIR", self.own.path());
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    /// The results of the attempts of a process of this role.
    fn results(&self, role: &str) -> Results {
        let output = self.start(role).output().unwrap();
        let text = text(&output);
        let line = |line: &str| {
            let mut words = line.strip_prefix("result\t")?.split('\t').map(str::to_owned);
            Some(((words.next()?, words.next()?), words.next()?.parse().ok()?))
        };
        assert!(output.status.success() && text.contains("\nend\n"), "{role}: {text}");
        text.lines().filter_map(line).collect()
    }
}

fn text(output: &Output) -> String {
    format!(
        "{}\n{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Whether this system has no complete sandbox, so the test is skipped.
fn is_skipped() -> bool {
    let missing = sandbox::missing();
    if !missing.is_empty() {
        eprintln!("skipped: this system lacks {missing:?}");
    }
    !missing.is_empty()
}

/// The attempts in `results` whose error differs from `EPERM`, or from the error that `expected` lists for them.
fn differing(results: &Results, expected: &[(&str, i32)]) -> Vec<String> {
    let expects = |name: &str| expected.iter().find(|(other, _)| *other == name).map_or(REFUSED, |(_, error)| *error);
    let differs = |((group, name), error): (&(String, String), &i32)| {
        (expects(name) != *error).then(|| format!("{group}: {name}: {error}"))
    };
    results.iter().filter_map(differs).collect()
}

/// libc takes this error as a sign to use `clone`.
const CLONE3: (&str, i32) = ("clone3", libc::ENOSYS);

#[test]
fn native_code_in_a_worker_gets_nothing_of_the_list() {
    if is_skipped() {
        return;
    }
    let desk = Desk::new();
    let before = desk.state();
    let results = desk.results("worker");
    assert!(results.len() >= 170, "{}", results.len());
    assert_eq!(differing(&results, &[CLONE3]), [""; 0]);
    assert_eq!(desk.state(), before);
}

#[test]
fn native_code_in_the_compiler_gets_nothing_of_the_list_but_the_name_of_the_root() {
    if is_skipped() {
        return;
    }
    let desk = Desk::new();
    let before = desk.state();
    assert_eq!(differing(&desk.results("compiler"), &[CLONE3, ("getcwd", 0)]), [""; 0]);
    assert_eq!(desk.state(), before);
}

/// The driver's needs remain allowed: opening what Landlock allows, and querying files.
#[test]
fn native_code_in_a_worker_on_a_gpu_gets_little_of_the_list() {
    if is_skipped() {
        return;
    }
    let desk = Desk::new();
    let before = desk.state();
    let closed = ["read a file", "write a file", "new file", "unnamed file", "list a folder"];
    let judge =
        ["memory", "environment", "arguments", "descriptors", "addresses"].map(|what| format!("{what} of the judge"));
    let closed = closed.into_iter().chain(judge.iter().map(String::as_str)).chain(["processes", "terminal"]);
    let mut expected: Vec<(&str, i32)> = closed.map(|name| (name, libc::EACCES)).collect();
    let left = ["path of a file", "stat", "statx", "statx of what is open", "access", "readlink", "statfs", "getcwd"];
    let own = ["own memory", "users", "pipe", "event", "epoll", "executable memory", "memory made executable"];
    expected.extend(left.into_iter().chain(own).map(|name| (name, 0)));
    // The file does not exist; if it did, Landlock would deny it.
    expected.extend([CLONE3, ("shared memory", libc::ENOENT)]);
    assert_eq!(differing(&desk.results("gpu"), &expected), [""; 0]);
    assert_eq!(desk.state(), before);
}

/// It starts programs and writes its own files. Whatever it cannot do, the others cannot do either.
#[test]
fn a_judges_child_reaches_no_network_no_memory_of_others_and_changes_nothing_of_the_system() {
    if is_skipped() {
        return;
    }
    let desk = Desk::new();
    let before = desk.state();
    let results = desk.results("judge");
    let allowed: Vec<&str> =
        results.iter().filter(|(_, error)| **error != REFUSED).map(|((_, name), _)| name.as_str()).collect();
    for (group, attempts) in ATTEMPTS {
        let is_refused = |name: &&str| !allowed.contains(name);
        let refused: Vec<&str> = attempts.iter().map(|(name, _)| *name).filter(is_refused).collect();
        let expected: &[&str] = match *group {
            "files" => &[
                "chmod",
                "chmod, newer",
                "chmod of what is open",
                "chown",
                "utime",
                "setxattr",
                "setxattr, newer",
                "removexattr",
                "truncate",
                "mknod",
                "file handle",
                "open by handle",
                "watch file systems",
            ],
            "signals" => &["F_SETOWN", "F_SETOWN_EX", "F_SETSIG", "F_SETLEASE", "F_NOTIFY", "descriptor of the judge"],
            "processes" => &["ptrace", "read the judge's memory", "write the judge's memory", "limits of the judge"],
            "networks" => &["TCP", "UDP", "Unix socket", "netlink", "vsock", "packets", "bind", "connect", "io_uring"],
            "keys and messages" => &["add a key", "keyring", "System V memory", "System V messages", "POSIX messages"],
            "clocks and priorities" => &[
                "set the time",
                "set a clock",
                "adjust a clock",
                "priority of the judge",
                "processors of the judge",
                "scheduling of the judge",
                "I/O priority",
            ],
            "memory" => &["userfaultfd"],
            "the system" => &[
                "mount",
                "umount",
                "chroot",
                "fsopen",
                "name of the host",
                "messages of the kernel",
                "bpf",
                "performance events",
                "a module",
                "reboot",
                "swap",
            ],
            "its own sandbox" => &["namespace of users", "another's namespace", "user", "all groups"],
            "what is open" => &["TIOCSTI"],
            _ => panic!("{group}"),
        };
        for name in expected {
            assert!(refused.contains(name), "{name} is not among {refused:?}");
        }
    }
    let closed = |name: &str| results.iter().find(|((_, other), _)| other == name).map(|(_, error)| *error);
    assert_eq!((closed("write a file"), closed("new file")), (Some(libc::EACCES), Some(libc::EACCES)));
    assert_eq!(desk.state(), before);
}

#[test]
fn a_judges_child_writes_in_its_temporary_folder_and_starts_programs_there() {
    const INSIDE: &str = "WARPLAB_TEST_JUDGE";
    if env::var_os(INSIDE).is_none() {
        let own = tempfile::tempdir().unwrap();
        let mut again = Command::new(env::current_exe().unwrap());
        again.args(["--exact", "a_judges_child_writes_in_its_temporary_folder_and_starts_programs_there"]);
        let output = again.env(INSIDE, "1").env("TMPDIR", own.path()).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        assert_eq!(fs::read(own.path().join("kept")).unwrap(), b"kept");
        return;
    }
    enter("judge");
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().write_all(b"kept").unwrap();
    file.persist(env::temp_dir().join("kept")).unwrap();
    assert!(!fs::read("/proc/self/status").unwrap().is_empty());
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "exit $(cat $TMPDIR/kept | wc -c)"]);
    sandbox::process_limits::ends_with_parent(&mut command);
    assert_eq!(command.status().unwrap().code(), Some(4));
    // A process that it starts can enter its own sandbox.
    assert!(thread::spawn(|| enter("worker")).join().is_ok());
}

/// Proves that the campaign can fail: without a sandbox most attempts succeed for any user's process, and are detected.
#[test]
fn without_a_sandbox_most_of_the_list_succeeds() {
    let desk = Desk::new();
    let results = desk.results("free");
    let differing = differing(&results, &[CLONE3]);
    assert!(differing.len() > results.len() / 2, "{differing:?}");
    let succeeds = |name: &str| results.iter().any(|((_, other), error)| other == name && *error == 0);
    for name in [
        "read a file",
        "write a file",
        "new file",
        "chmod",
        "chown",
        "utime",
        "stat",
        "statx",
        "chdir",
        "users",
        "environment of the judge",
        "signal the judge",
        "pidfd",
        "F_SETOWN",
        "F_SETSIG",
        "outlive the judge",
        "fork",
        "limits of the judge",
        "TCP",
        "UDP",
        "Unix socket",
        "netlink",
        "pair of sockets",
        "memory file",
        "pipe",
        "event",
        "processors of the judge",
        "own processors",
        "executable memory",
        "memory made executable",
        "shared memory without a file",
        "ruleset",
        "be dumped",
        "personality",
        "the judge's number",
        "getcwd",
    ] {
        assert!(succeeds(name), "{name}: {results:?}");
    }
}

/// A 32-bit call has other numbers: 20 is `getpid` there, and `writev` here.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_call_of_another_architecture_ends_the_process() {
    if is_skipped() {
        return;
    }
    let old = || {
        let answer: i64;
        // SAFETY: the call takes nothing; the system leaves all other registers.
        unsafe { std::arch::asm!("int 0x80", inlateout("rax") 20_i64 => answer, options(nostack)) };
        answer
    };
    if let Ok(role) = env::var(ROLE) {
        enter(&role);
        println!("{}", old());
        return;
    }
    let mut again = Command::new(env::current_exe().unwrap());
    again.args(["--exact", "a_call_of_another_architecture_ends_the_process"]);
    for role in ["worker", "gpu", "compiler", "judge"] {
        let output = again.env(ROLE, role).output().unwrap();
        assert_eq!(output.status.signal(), Some(libc::SIGSYS), "{role}: {}", text(&output));
    }
}

/// A descriptor that a parent left open would give access to the parent's files.
#[test]
fn a_process_has_no_descriptors_of_its_parents_but_the_three_that_it_was_given() {
    const AT: i32 = 57;
    const INSIDE: &str = "WARPLAB_TEST_DESCRIPTORS";
    let open = || -> Vec<i32> {
        // SAFETY: the call reads no memory.
        (3..1024).filter(|descriptor| unsafe { libc::fcntl(*descriptor, libc::F_GETFD) } >= 0).collect()
    };
    if env::var_os(INSIDE).is_some() {
        assert!(open().contains(&AT));
        sandbox::process::close_inherited();
        assert_eq!(open(), [0; 0]);
        return;
    }
    let file = tempfile::tempfile().unwrap();
    let number = file.as_raw_fd();
    let mut again = Command::new(env::current_exe().unwrap());
    again.args(["--exact", "a_process_has_no_descriptors_of_its_parents_but_the_three_that_it_was_given"]);
    let leak = move || {
        // SAFETY: a call on an open descriptor.
        if unsafe { libc::dup2(number, AT) } < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    };
    // SAFETY: the closure makes one system call.
    let output = unsafe { again.env(INSIDE, "1").pre_exec(leak) }.output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

/// Page tables are memory too: a process that only reads memory that it never wrote holds nothing else.
#[test]
fn memory_that_is_not_the_processs_own_pages_counts() {
    use sandbox::process_limits::{Limits, Stopped, run};
    const INSIDE: &str = "WARPLAB_TEST_TABLES";
    const LIMITS: Limits = Limits { seconds: 60, memory: 64 << 20, output: 1 << 20 };
    let mut again = Command::new(env::current_exe().unwrap());
    again.args(["--exact", "memory_that_is_not_the_processs_own_pages_counts"]);
    if env::var_os(INSIDE).is_none() {
        assert_eq!(run(again.env(INSIDE, "1"), &LIMITS).unwrap().stopped, Some(Stopped::Memory(LIMITS.memory)));
        return;
    }
    // A table of 4 KiB for each 2 MiB, and 128 MiB of tables.
    const STEP: usize = 2 << 20;
    const ALL: usize = STEP << 15;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: reads bytes of a new mapping.
    unsafe {
        let start = libc::mmap(std::ptr::null_mut(), ALL, libc::PROT_READ, flags, -1, 0);
        assert_ne!(start, libc::MAP_FAILED);
        libc::madvise(start, ALL, libc::MADV_NOHUGEPAGE);
        for at in (0..ALL).step_by(STEP) {
            start.cast::<u8>().add(at).read_volatile();
        }
    }
    thread::sleep(std::time::Duration::from_secs(1));
}

/// A worker's needs are met in its sandbox: memory, threads, time, its output, and an exit with a message.
#[test]
fn a_sandboxed_process_computes_as_before() {
    const INSIDE: &str = "WARPLAB_TEST_COMPUTING";
    let name = "a_sandboxed_process_computes_as_before";
    let Ok(role) = env::var(INSIDE) else {
        for role in ["worker", "gpu", "compiler"] {
            let mut again = Command::new(env::current_exe().unwrap());
            let output = again.args(["--exact", name, "--nocapture"]).env(INSIDE, role).output().unwrap();
            let text = text(&output);
            assert_eq!(output.status.signal(), Some(libc::SIGABRT), "{role}: {text}");
            assert!(text.contains("sum 499500") && text.contains("last words"), "{role}: {text}");
        }
        return;
    };
    let mut file = File::from(std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned().unwrap());
    enter(&role);
    let sum: usize = thread::scope(|scope| {
        let add = |from: usize| (from..from + 100).collect::<Vec<_>>().into_iter().sum::<usize>();
        let named =
            |from: usize| thread::Builder::new().name(format!("adds {from}")).spawn_scoped(scope, move || add(from));
        let threads: Vec<_> = (0..1000).step_by(100).map(|from| named(from).unwrap()).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(vec![1_u8; 64 << 20].iter().all(|byte| *byte == 1));
    let began = std::time::Instant::now();
    thread::sleep(std::time::Duration::from_millis(1));
    assert!(began.elapsed().as_micros() >= 1000);
    let thrown = std::panic::catch_unwind(|| panic!("a panic that is caught"));
    assert!(thrown.is_err());
    writeln!(file, "sum {sum}").unwrap();
    eprintln!("last words");
    std::process::abort();
}
