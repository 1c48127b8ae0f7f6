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
//! - **System calls (Linux on x86-64 and 64-bit Arm, by seccomp)**: no socket that could reach anybody, no look
//!   into other processes, nothing that changes what the system has mounted or loaded.
//! - **Elsewhere** nothing is given up; the limits of [`crate::confine`] hold.

#[cfg(target_os = "linux")]
use std::path::{Path, PathBuf};

/// Gives up the rights, for this thread and all that it starts. Says what the system could not take away.
#[cfg(target_os = "linux")]
pub(crate) fn give_up() -> Vec<&'static str> {
    let mut kept = Vec::new();
    if !files().unwrap_or(false) {
        kept.push("writing files (the kernel has no Landlock)");
    }
    if !calls(&[]) {
        kept.push("the network (the kernel has no seccomp filters)");
    }
    kept
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn give_up() -> Vec<&'static str> {
    vec!["writing files", "the network"]
}

/// Gives up what is left to a worker that runs kernels for a judge ([`crate::device::apart`]): everything but reading a
/// few facts about the computer, and on a GPU what its driver needs, but never the folders of this run, the command
/// lines of other processes, or starting a program.
#[cfg(target_os = "linux")]
pub(crate) fn give_up_all(is_emulated: bool) {
    const FACTS: [&str; 5] = ["/sys", "/proc/self", "/proc/meminfo", "/proc/cpuinfo", "/proc/driver"];
    let mut read: Vec<PathBuf> = FACTS.iter().map(PathBuf::from).collect();
    if !is_emulated {
        let here = std::env::current_dir().unwrap_or_default();
        read.extend(all_but(Path::new("/"), &["/proc".into(), "/tmp".into(), here]));
    }
    let write: &[&str] = if is_emulated { &[] } else { &["/dev", "/proc/self"] };
    // What the system cannot take away was told by the judge, which gives up its rights likewise.
    let _ = restrict(&read, &[], write);
    calls(&WORKERS);
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

/// The calls that a worker needs no more than a judge, which starts a compiler.
#[cfg(target_os = "linux")]
const WORKERS: [libc::c_long; 4] = [libc::SYS_execve, libc::SYS_execveat, libc::SYS_pidfd_getfd, libc::SYS_socketpair];

/// Whether the system now refuses the calls that neither a lab nor a driver needs.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn calls(more: &[libc::c_long]) -> bool {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

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
    let rules = REFUSED.into_iter().chain(more.iter().copied()).map(|call| (call, Vec::new())).collect();
    let refusal = SeccompAction::Errno(libc::EPERM as u32);
    let Ok(architecture) = std::env::consts::ARCH.try_into() else {
        return false;
    };
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, architecture);
    let program: Result<BpfProgram, _> = filter.and_then(TryInto::try_into);
    program.is_ok_and(|program| apply_filter(&program).is_ok())
}

#[cfg(all(target_os = "linux", not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn calls(_: &[libc::c_long]) -> bool {
    false
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
        fs::write(std::env::temp_dir().join("kept"), "").unwrap();
        let refused = |result: io::Result<()>| result.unwrap_err().kind() == io::ErrorKind::PermissionDenied;
        // Threads that are started afterwards have no more rights.
        thread::scope(|scope| {
            let write = || scope.spawn(|| fs::write(other.join("lost"), "")).join().unwrap();
            if !kept.iter().any(|what| what.starts_with("writing")) {
                assert!(refused(write()));
                assert!(fs::read("/proc/self/status").is_ok());
            }
            if !kept.iter().any(|what| what.starts_with("the network")) {
                assert!(refused(net::UdpSocket::bind("127.0.0.1:0").map(drop)));
                assert!(refused(net::TcpStream::connect("127.0.0.1:1").map(drop)));
            }
        });
        // The compiler can have its process: Rust starts one by a pair of sockets, which is joined to itself alone.
        let mut with_hook = process::Command::new("/bin/true");
        crate::confine::ends_with_parent(&mut with_hook);
        assert!(with_hook.status().unwrap().success());
    }
}
