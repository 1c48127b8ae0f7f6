//! Landlock: restricts a process's access to files, TCP ports and, through signals and abstract sockets, other
//! processes.
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetStatus, Scope, path_beneath_rules,
};

use crate::Refused;

/// The newest version of Landlock that is requested; a kernel with an older version enforces what it supports.
const VERSION: ABI = ABI::V6;

/// Whether the system supports Landlock.
pub(crate) fn is_available() -> bool {
    // SAFETY: without a ruleset and with this flag, the call only returns its version.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0, 1) };
    version > 0
}

/// Denies access to all files, ports and processes.
pub(crate) fn restrict_all() -> Result<(), Refused> {
    restrict(&[], &[], &[], Scope::from_all(VERSION))
}

/// Allows reading all files, and writing in the temporary folder. The process signals processes that it started before,
/// so signals are not restricted.
pub(crate) fn restrict_judge() -> Result<(), Refused> {
    restrict(&["/".into()], &[std::env::temp_dir()], &["/dev".into(), "/proc".into()], BitFlags::EMPTY)
}

/// Allows what a GPU's driver needs: reading the system's files, its devices, and a few facts about the computer.
/// Denies the folders of this run and of users, and other processes.
pub(crate) fn restrict_gpu_worker() -> Result<(), Refused> {
    const OTHERS: [&str; 10] =
        ["/proc", "/dev", "/run", "/tmp", "/var/tmp", "/home", "/root", "/srv", "/mnt", "/media"];
    const FACTS: [&str; 11] = [
        "/proc/cmdline",
        "/proc/cpuinfo",
        "/proc/devices",
        "/proc/driver",
        "/proc/filesystems",
        "/proc/meminfo",
        "/proc/modules",
        "/proc/self",
        "/proc/stat",
        "/proc/sys",
        "/proc/version",
    ];
    const DEVICES: [&str; 5] = ["nvidia", "dri", "dxg", "null", "zero"];
    let here = std::env::current_dir().unwrap_or_default();
    let others: Vec<PathBuf> = OTHERS.iter().map(PathBuf::from).chain([here, std::env::temp_dir()]).collect();
    let mut read = all_but(Path::new("/"), &others);
    read.extend(FACTS.iter().map(PathBuf::from));
    read.extend(["/dev/random".into(), "/dev/urandom".into()]);
    let is_device = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        DEVICES.iter().any(|device| name.starts_with(device))
    };
    let mut write: Vec<PathBuf> = entries(Path::new("/dev")).filter(is_device).collect();
    write.push("/proc/self".into());
    restrict(&read, &[], &write, Scope::from_all(VERSION))
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// The folders below `folder` that contain none of `others`.
fn all_but(folder: &Path, others: &[PathBuf]) -> Vec<PathBuf> {
    if others.iter().any(|other| other == folder) {
        Vec::new()
    } else if others.iter().any(|other| other.starts_with(folder)) {
        entries(folder).flat_map(|entry| all_but(&entry, others)).collect()
    } else {
        vec![folder.into()]
    }
}

/// Allows reading in the folders `read`, everything in the folders `all`, and writing to existing files in `write`.
fn restrict(read: &[PathBuf], all: &[PathBuf], write: &[PathBuf], scope: BitFlags<Scope>) -> Result<(), Refused> {
    if !is_available() {
        return Ok(());
    }
    let (every, reading) = (AccessFs::from_all(VERSION), AccessFs::from_read(VERSION));
    // The driver names its threads through `/proc/self/task/*/comm`, which it truncates first.
    let written = reading | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(every)?
        .handle_access(AccessNet::from_all(VERSION))?;
    if !scope.is_empty() {
        rules = rules.scope(scope)?;
    }
    let status = rules
        .create()?
        .add_rules(path_beneath_rules(read, reading))?
        .add_rules(path_beneath_rules(all, every))?
        .add_rules(path_beneath_rules(write, written))?
        .restrict_self()?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err("Landlock: the system does not enforce it".into());
    }
    Ok(())
}
