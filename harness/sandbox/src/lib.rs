//! Sandboxes: the rights that a process gives up before it reads or runs an untrusted kernel file, and the resource
//! limits of a child process.
//!
//! A kernel runs on the emulated machine, which checks its every access, or on a GPU: neither lets it make a system
//! call. A sandbox is the second line of defence. It assumes that a defect of the machine, of the compiler or of a
//! driver lets a kernel file run native code in the process.
//!
//! Three processes are sandboxed, each as tightly as its work allows:
//!
//! - **the worker** runs the kernels for a judge ([`restrict_worker`]);
//! - **the compiler** reads the kernel file ([`restrict_compiler`]);
//! - **the judge's child** has seeds and references, starts the other two, and runs nothing from a submission
//!   ([`restrict_judge`]).
//!
//! | | worker, emulated | worker on a GPU | compiler | judge's child |
//! |---|---|---|---|---|
//! | Files (Landlock, Linux 5.13) | none | the system's are read; the GPU's devices | none | all are read; writes only in the temporary folder, `/dev` and `/proc` |
//! | TCP (Landlock, 6.7); signals and abstract sockets (6.12) | none | none | none | no TCP |
//! | System calls (seccomp) | computing, and its socket | the driver's, too | computing | files and programs, too |
//! | Capabilities | none | none | none | as before |
//! | User, network, IPC and UTS namespaces | own, if the system allows it | as before | own, if allowed | as before |
//! | Descriptors of the parent | its socket, output and error | likewise | three files | as before |
//!
//! Landlock and seccomp exist on Linux (seccomp here on x86-64 and 64-bit Arm); [`missing`] reports what a system
//! lacks. If the system has a protection and it cannot be enabled, that is an error: no process continues without it.

#[cfg(target_os = "linux")]
mod filesystem;
#[cfg(target_os = "linux")]
mod privileges;
#[cfg(unix)]
pub mod process;
pub mod process_limits;
#[cfg(target_os = "linux")]
mod seccomp;
#[cfg(target_os = "linux")]
mod system_calls;

use std::fmt;

/// A part of the sandbox that a system may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// Restricts access to files.
    Landlock,
    /// Restricts system calls.
    Seccomp,
}

impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Landlock => "Landlock, which keeps a process from your files (Linux 5.13 or later)",
            Self::Seccomp => {
                "seccomp filters, which keep a process from the network and from other processes (Linux, x86-64 or \
                 64-bit Arm)"
            }
        })
    }
}

/// The protections that this system lacks.
pub fn missing() -> Vec<Protection> {
    [Protection::Landlock, Protection::Seccomp].into_iter().filter(|one| !is_available(*one)).collect()
}

#[cfg(target_os = "linux")]
fn is_available(protection: Protection) -> bool {
    match protection {
        Protection::Landlock => filesystem::is_available(),
        Protection::Seccomp => seccomp::is_available(),
    }
}

#[cfg(not(target_os = "linux"))]
fn is_available(_protection: Protection) -> bool {
    false
}

/// Why a process could not enable a protection that the system has.
pub type Refused = Box<dyn std::error::Error + Send + Sync>;

/// Restricts the calling process, which judges: it writes files only in the temporary folder, has no access to the
/// network or to other users' processes, and cannot change the system.
///
/// # Errors
/// When the system has a protection that cannot be enabled.
#[cfg(target_os = "linux")]
pub fn restrict_judge() -> Result<(), Refused> {
    filesystem::restrict_judge()?;
    seccomp::allow(system_calls::of_judge()?)
}

/// Restricts the calling process before it runs kernels on the emulated machine; from then on it only reads its socket.
/// It must have one thread.
///
/// # Errors
/// When the system has a protection that cannot be enabled.
#[cfg(target_os = "linux")]
pub fn restrict_worker() -> Result<(), Refused> {
    privileges::isolate();
    filesystem::restrict_all()?;
    privileges::drop_capabilities()?;
    seccomp::allow(system_calls::of_emulated_worker()?)
}

/// Restricts the calling process before it starts a GPU's driver: files and capabilities, for it and all threads that
/// it starts. [`restrict_started_driver`] applies the other restrictions once the driver has started.
///
/// # Errors
/// When the system has a protection that cannot be enabled.
#[cfg(target_os = "linux")]
pub fn restrict_driver() -> Result<(), Refused> {
    filesystem::restrict_gpu_worker()?;
    privileges::drop_capabilities()
}

/// Restricts the calling process before it runs kernels, and all threads that a GPU's driver has started in it.
///
/// # Errors
/// When the system has a protection that cannot be enabled.
#[cfg(target_os = "linux")]
pub fn restrict_started_driver() -> Result<(), Refused> {
    seccomp::allow(system_calls::of_gpu_worker()?)
}

/// Restricts the calling process before it compiles a kernel file; it must have everything that it needs open. It must
/// have one thread. On every Unix it can open nothing from here on.
///
/// # Errors
/// When the system has a protection that cannot be enabled.
#[cfg(target_os = "linux")]
pub fn restrict_compiler() -> Result<(), Refused> {
    privileges::isolate();
    // Landlock opens a file itself, so it comes before the limit of open files.
    filesystem::restrict_all()?;
    process::lower(libc::RLIMIT_NOFILE, 0, 0)?;
    privileges::drop_capabilities()?;
    seccomp::allow(system_calls::of_compiler()?)
}

#[cfg(not(target_os = "linux"))]
#[allow(missing_docs, clippy::missing_errors_doc, reason = "as above")]
pub fn restrict_judge() -> Result<(), Refused> {
    Ok(())
}

#[cfg(not(target_os = "linux"))]
#[allow(missing_docs, clippy::missing_errors_doc, reason = "as above")]
pub fn restrict_compiler() -> Result<(), Refused> {
    #[cfg(unix)]
    process::lower(libc::RLIMIT_NOFILE, 0, 0)?;
    Ok(())
}
