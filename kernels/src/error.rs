//! Errors between a `.cu` file and PTX.
use std::{fmt, io, path::PathBuf, time::Duration};

use crate::Arch;

/// How to get NVRTC: the end of every message about a missing compiler.
pub const GET_NVRTC: &str = "Get it by `warplab setup`, which needs no GPU";

/// An error between a `.cu` file and PTX; each message says how to fix it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The committed PTX was made from another source, and there is no compiler to regenerate it.
    #[error(
        "{file} was edited: its committed PTX is not from this source, and NVRTC was not found to compile it. {GET_NVRTC}"
    )]
    Stale {
        /// The kernel file as the user knows it.
        file: String,
    },
    /// There is no committed PTX, and no compiler.
    #[error("{file} has no committed PTX, and NVRTC was not found to compile it. {GET_NVRTC}")]
    NoCompiler {
        /// The kernel file as the user knows it.
        file: String,
    },
    /// There is PTX next to a file of `--kernel`, but its origin is unknown, and there is no compiler.
    #[error(
        "NVRTC was not found to compile {file}, and the .ptx file next to it is not trusted, because nothing proves \
         that it was made from this source. {GET_NVRTC}. For PTX that you made yourself, set WARPLAB_TRUST_PTX=1"
    )]
    Unproven {
        /// The kernel file as the user knows it.
        file: String,
    },
    /// The committed PTX needs a newer device, and there is no compiler to make it for this one.
    #[error(
        "{file} is for compute capability {}.{} and later, this device has {}.{}",
        made / 10, made % 10, device / 10, device % 10
    )]
    TooNew {
        /// The kernel file as the user knows it.
        file: String,
        /// Virtual architecture of the committed PTX, e.g. 70.
        made: u32,
        /// Compute capability of the device, e.g. 61.
        device: u32,
    },
    /// The kernels have instructions of only one compute capability.
    #[error(
        "{file} has instructions that only compute capability {}.{} has (compute_{only}a); this device has {}.{}",
        only / 10, only % 10, device / 10, device % 10
    )]
    OtherDevice {
        /// The kernel file as the user knows it.
        file: String,
        /// The compute capability, e.g. 90.
        only: u32,
        /// Compute capability of the device, e.g. 80.
        device: u32,
    },
    /// The compiler rejects the source.
    #[error("{file} does not compile (NVRTC {version}, compute_{arch}):\n{log}")]
    Compile {
        /// The kernel file as the user knows it.
        file: String,
        /// The compiler's version, e.g. `12.9`.
        version: String,
        /// The virtual architecture compiled for.
        arch: Arch,
        /// The compiler's own messages, with the user's file name and lines.
        log: String,
    },
    /// The compilation exceeded a limit and was stopped.
    #[error(
        "{file} does not compile (NVRTC {version}): the compiler was stopped because it {limit}. Look for templates or macros \
         that expand without end"
    )]
    Exceeded {
        /// The kernel file as the user knows it.
        file: String,
        /// The compiler's version.
        version: String,
        /// The limit.
        limit: Limit,
    },
    /// The compiler ended without a result.
    #[error(
        "{file} does not compile (NVRTC {version}): the compiler crashed ({how}). Make the file smaller until it compiles, \
         to find the part that the compiler cannot take"
    )]
    Crashed {
        /// The kernel file as the user knows it.
        file: String,
        /// The compiler's version.
        version: String,
        /// How its process ended.
        how: String,
    },
    /// Two files have the same header name.
    #[error("`{name}` is included, and means both {first} and {second}; rename one of them")]
    TwoHeaders {
        /// The name in the `#include`.
        name: String,
        /// The path of one file.
        first: String,
        /// The path of the other.
        second: String,
    },
    /// The process in which NVRTC compiles could not be started.
    #[error("cannot start the process in which {file} is compiled: {source}")]
    Start {
        /// The kernel file as the user knows it.
        file: String,
        /// The system's reason.
        source: io::Error,
    },
    /// The compiler found is too new for the device.
    #[error(
        "NVRTC {version} compiles for compute capability {}.{} and later, {file} is wanted for {}.{}; get an older one by `warplab setup`, and unset WARPLAB_NVRTC if it is set",
        oldest / 10, oldest % 10, arch / 10, arch % 10
    )]
    ArchDropped {
        /// The kernel file as the user knows it.
        file: String,
        /// The compiler's version.
        version: String,
        /// The requested virtual architecture.
        arch: u32,
        /// The oldest architecture that this compiler supports.
        oldest: u32,
    },
    /// The library in `WARPLAB_NVRTC` cannot be used.
    #[error("cannot load NVRTC from {}: {reason}. Unset WARPLAB_NVRTC to search the usual places", path.display())]
    Load {
        /// The library's path.
        path: PathBuf,
        /// The loader's message.
        reason: String,
    },
    /// A kernel file cannot be read.
    #[error("cannot read the kernel file {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// PTX cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The compiler itself failed.
    #[error("NVRTC fails in {call}: {reason}")]
    Nvrtc {
        /// The function.
        call: String,
        /// Its error.
        reason: String,
    },
}

/// A limit of the compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Writable memory in bytes.
    Memory(u64),
    /// Processor time.
    Processor(Duration),
    /// Wall time.
    Time(Duration),
    /// Size of the PTX in bytes.
    Output(u64),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory(bytes) => write!(f, "needed more than {} MiB of memory", bytes >> 20),
            Self::Processor(time) => write!(f, "took more than {} s of processor time", time.as_secs_f64()),
            Self::Time(time) => write!(f, "took more than {} s", time.as_secs_f64()),
            Self::Output(bytes) => write!(f, "wrote more than {} MiB of PTX", bytes >> 20),
        }
    }
}
