//! What a process gives up before it compiles and runs a kernel file of a stranger: writing files, but in its temporary
//! folder, and the network.
//!
//! A kernel runs on the emulated machine, which checks its every access, or on a GPU: neither lets it open a file. This
//! is the second wall, should a defect in the compiler, the machine or a driver let a kernel file run code in the
//! process.
//!
//! - **Files (Linux 5.13 and later, where Landlock is on)**: reading is allowed, writing only below the temporary
//!   folder and in `/dev` and `/proc`, where a GPU's driver writes.
//! - **TCP (Linux 6.7 and later, likewise)**: none.
//! - **System calls (Linux on x86-64 and 64-bit Arm, by seccomp)**: those of [`calls`].
//! - **Elsewhere** nothing is given up; the limits of [`crate::confine`] hold.

#[cfg(target_os = "linux")]
mod calls;

#[cfg(target_os = "linux")]
use std::path::{Path, PathBuf};

/// What a system without Landlock does not take away.
#[cfg(target_os = "linux")]
const FILES: &str = "the files of whoever runs it (the kernel has no Landlock)";
/// What a system without filters of calls does not take away.
#[cfg(target_os = "linux")]
const NETWORK: &str = "the network and other processes (there are no seccomp filters here)";

/// What this system cannot take away from a process that runs the kernels of a stranger. On a system without Landlock
/// and seccomp that is no reason not to run them on the emulated machine, which checks their every access, but whoever
/// grades should know.
#[cfg(target_os = "linux")]
pub fn kept() -> Vec<&'static str> {
    let mut kept = Vec::new();
    // SAFETY: without a ruleset and with this flag the call only tells its version.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0, 1) };
    if version < 1 {
        kept.push(FILES);
    }
    if !calls::are_refused_here() {
        kept.push(NETWORK);
    }
    kept
}

/// What this system cannot take away from a process that runs the kernels of a stranger.
#[cfg(not(target_os = "linux"))]
pub fn kept() -> Vec<&'static str> {
    vec!["the files of whoever runs it", "the network and other processes"]
}

/// Gives up the rights, for this thread and all that it starts. Says what the system could not take away.
#[cfg(target_os = "linux")]
pub(crate) fn give_up() -> Vec<&'static str> {
    let mut kept = Vec::new();
    if !files().unwrap_or(false) {
        kept.push(FILES);
    }
    if !calls::refuse() {
        kept.push(NETWORK);
    }
    kept
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn give_up() -> Vec<&'static str> {
    kept()
}

/// Gives up what is left to a worker that runs kernels for a judge ([`crate::device::apart`]): everything but reading a
/// few facts about the computer, and on a GPU what its driver needs, but never the folders of this run and of users,
/// the command lines of other processes, or starting a program or signalling one. Says what the system could not take
/// away.
#[cfg(target_os = "linux")]
pub(crate) fn give_up_all(is_emulated: bool) -> Vec<&'static str> {
    const USERS: [&str; 8] = ["/proc", "/tmp", "/var/tmp", "/home", "/root", "/srv", "/mnt", "/media"];
    const FACTS: [&str; 5] = ["/sys", "/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/proc/driver"];
    let mut read: Vec<PathBuf> = FACTS.iter().map(PathBuf::from).collect();
    if !is_emulated {
        let here = std::env::current_dir().unwrap_or_default();
        let others: Vec<PathBuf> = USERS.iter().map(PathBuf::from).chain([here, std::env::temp_dir()]).collect();
        read.extend(all_but(Path::new("/"), &others));
    }
    let write: &[&str] = if is_emulated { &[] } else { &["/dev", "/proc/self"] };
    let mut kept = Vec::new();
    if !restrict(&read, &[], write).unwrap_or(false) {
        kept.push(FILES);
    }
    if !calls::refuse_all() {
        kept.push(NETWORK);
    }
    kept
}

/// The folders below `folder` in which none of `others` lies.
#[cfg(target_os = "linux")]
fn all_but(folder: &Path, others: &[PathBuf]) -> Vec<PathBuf> {
    if others.iter().any(|other| other == folder) {
        Vec::new()
    } else if others.iter().any(|other| other.starts_with(folder)) {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.flat_map(|entry| all_but(&entry.path(), others)).collect()
    } else {
        vec![folder.into()]
    }
}

/// Whether the system now keeps the process from writing elsewhere.
#[cfg(target_os = "linux")]
fn files() -> Result<bool, landlock::RulesetError> {
    restrict(&["/".into()], &[std::env::temp_dir()], &["/dev", "/proc"])
}

/// Leaves the process the right to read in some places, all rights in others, and to write to what there is in others.
#[cfg(target_os = "linux")]
fn restrict(read: &[PathBuf], all: &[PathBuf], write: &[&str]) -> Result<bool, landlock::RulesetError> {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, path_beneath_rules,
    };

    let (every, reading) = (AccessFs::from_all(ABI::V5), AccessFs::from_read(ABI::V5));
    let status = Ruleset::default()
        .handle_access(every)?
        .handle_access(AccessNet::from_all(ABI::V5))?
        .create()?
        .add_rules(path_beneath_rules(read, reading))?
        .add_rules(path_beneath_rules(all, every))?
        .add_rules(path_beneath_rules(write, reading | AccessFs::WriteFile | AccessFs::IoctlDev))?
        .restrict_self()?;
    Ok(status.ruleset != RulesetStatus::NotEnforced)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{fs, io, net, process, thread};

    use super::*;

    /// What a process without the rights can still do. It is this test once more, in a process of its own.
    #[test]
    fn only_the_temporary_folder_is_left() {
        const INSIDE: &str = "WARPLAB_TEST_OF_RIGHTS";
        if std::env::var_os(INSIDE).is_none() {
            let (own, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let mut again = process::Command::new(std::env::current_exe().unwrap());
            again.args(["--exact", "rights::tests::only_the_temporary_folder_is_left", "--nocapture"]);
            let status = again.env(INSIDE, other.path()).env("TMPDIR", own.path()).status().unwrap();
            assert!(status.success());
            assert!(fs::read_dir(other.path()).unwrap().next().is_none());
            assert!(own.path().join("kept").exists());
            return;
        }
        let other = std::path::PathBuf::from(std::env::var_os(INSIDE).unwrap());
        assert!(net::UdpSocket::bind("127.0.0.1:0").is_ok());
        let kept = give_up();
        assert_eq!(kept, super::kept());
        fs::write(std::env::temp_dir().join("kept"), "").unwrap();
        let refused = |result: io::Result<()>| result.unwrap_err().kind() == io::ErrorKind::PermissionDenied;
        // Threads that are started afterwards have no more rights.
        thread::scope(|scope| {
            let write = || scope.spawn(|| fs::write(other.join("lost"), "")).join().unwrap();
            if !kept.contains(&FILES) {
                assert!(refused(write()));
                assert!(fs::read("/proc/self/status").is_ok());
            }
            if !kept.contains(&NETWORK) {
                assert!(refused(net::UdpSocket::bind("127.0.0.1:0").map(drop)));
                assert!(refused(net::TcpStream::connect("127.0.0.1:1").map(drop)));
            }
        });
        // The compiler can have its process: Rust starts one by a pair of sockets, which is joined to itself alone.
        let mut with_hook = process::Command::new("/bin/true");
        crate::confine::ends_with_parent(&mut with_hook);
        assert!(with_hook.status().unwrap().success());
    }

    fn refused<T: std::fmt::Debug>(what: &str, result: &io::Result<T>) {
        let kind = result.as_ref().map_err(io::Error::kind).err();
        assert_eq!(kind, Some(io::ErrorKind::PermissionDenied), "{what}: {result:?}");
    }

    /// What a worker can still read, on the emulated machine and on a GPU, in a process of its own.
    #[test]
    fn a_worker_reads_no_file_of_a_users_and_no_other_process() {
        const INSIDE: &str = "WARPLAB_TEST_OF_A_WORKER";
        let Some(device) = std::env::var_os(INSIDE) else {
            let (temporary, class) = (tempfile::tempdir().unwrap(), tempfile::tempdir_in("/var/tmp").unwrap());
            for folder in [&temporary, &class] {
                fs::write(folder.path().join("marks.csv"), "").unwrap();
            }
            for device in ["emulated", "gpu"] {
                let mut again = process::Command::new(std::env::current_exe().unwrap());
                again.args(["--exact", "rights::tests::a_worker_reads_no_file_of_a_users_and_no_other_process"]);
                again.arg("--nocapture").env(INSIDE, device).env("TMPDIR", temporary.path());
                assert!(again.current_dir(class.path()).status().unwrap().success(), "{device}");
            }
            return;
        };
        let (temporary, class) = (std::env::temp_dir(), std::env::current_dir().unwrap());
        // SAFETY: a call without pointers.
        let judge = PathBuf::from(format!("/proc/{}", unsafe { libc::getppid() }));
        let mut secret = vec![class.join("marks.csv"), temporary.join("marks.csv")];
        secret.extend(["cmdline", "environ", "maps"].map(|file| judge.join(file)));
        let is_emulated = device == "emulated";
        if is_emulated {
            secret.extend(["/etc/passwd".into(), std::env::current_exe().unwrap()]);
        }
        for file in &secret {
            fs::File::open(file).unwrap();
        }
        let kept = give_up_all(is_emulated);
        assert_eq!(kept, super::kept());
        if kept.contains(&FILES) {
            eprintln!("skipped: {FILES}");
            return;
        }
        thread::scope(|scope| {
            let look = || {
                for file in &secret {
                    refused(&file.display().to_string(), &fs::File::open(file));
                }
                for folder in [&class, &temporary, Path::new("/proc")] {
                    refused(&folder.display().to_string(), &fs::read_dir(folder));
                }
                for folder in [&class, &temporary] {
                    refused("a new file", &fs::write(folder.join("new"), ""));
                }
                for fact in ["/proc/self/status", "/proc/meminfo", "/proc/cpuinfo"] {
                    assert!(!fs::read(fact).unwrap().is_empty(), "{fact}");
                }
                assert_eq!(fs::File::open("/etc/passwd").is_ok(), !is_emulated);
            };
            scope.spawn(look).join().unwrap();
        });
    }
}
