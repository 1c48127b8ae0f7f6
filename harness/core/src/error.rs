//! The harness's error: what happened, to what, and the resulting exit code.
use std::path::PathBuf;

use cudarc::driver::DriverError;
use wire::RenderedFinding;

use crate::exit::Exit;

/// The result of every function here that a lab calls.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a run. `?` converts a cudarc [`DriverError`], so that a lab reads like a plain cudarc program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The command line is invalid.
    #[error("{0}")]
    Usage(String),
    /// A launch that exceeds the device's limits, rejected before it was tried.
    #[error("{what} is {value}, but {device} allows {limit}; choose a smaller {flag}")]
    Limit {
        /// What exceeds its limit, e.g. "threads in a block".
        what: &'static str,
        /// The requested value.
        value: u64,
        /// The device's limit.
        limit: u64,
        /// The device's name.
        device: String,
        /// The option to change.
        flag: &'static str,
    },
    /// The case cannot run on this device: its row is recorded as skipped, with this reason.
    #[error("skipped: {0}")]
    Skip(SkipReason),
    /// A driver call failed.
    #[error("the CUDA driver reports {}", describe(.0))]
    Driver(DriverError),
    /// A kernel file could not be turned into PTX.
    #[error(transparent)]
    Kernel(#[from] kernels::Error),
    /// A kernel file does not contain the kernel that the lab launches.
    #[error("{file} holds no kernel `{kernel}`; it must be declared extern \"C\" __global__ void {kernel}(...)")]
    NoSuchKernel {
        /// The kernel file as the user knows it.
        file: String,
        /// The requested name.
        kernel: String,
    },
    /// A kernel in the file of `--kernel` takes more parameters than the lab passes: a launch would read arguments that
    /// do not exist.
    #[error("kernel `{kernel}` of {file} takes {takes}, but the lab passes {passes}{declared}")]
    OtherParameters {
        /// The kernel file as the user knows it.
        file: String,
        /// The kernel.
        kernel: String,
        /// The sizes of its parameters, in words.
        takes: String,
        /// The sizes of the parameters of the lab's own kernel, in words.
        passes: String,
        /// The lab's declaration of its own kernel, as the end of the sentence; empty if a macro or a template makes
        /// the declaration.
        declared: String,
    },
    /// The driver rejected a module.
    #[error("the driver refuses the PTX of {file}: {log}")]
    Module {
        /// The kernel file as the user knows it.
        file: String,
        /// The driver's own message.
        log: String,
        /// The emulated machine's findings about it.
        findings: Vec<RenderedFinding>,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The attempted action: "write", "create", "read".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The run cannot happen on this computer.
    #[error("{0}")]
    CannotRun(String),
    /// The user pressed Ctrl-C.
    #[error("interrupted; the rows so far are kept")]
    Interrupted,
}

/// Why a case cannot run on a device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SkipReason {
    /// The device has too little shared memory.
    #[error("needs {needed} bytes of shared memory a block, {device} allows {allowed}")]
    SharedMemory {
        /// The bytes of a block that the kernel needs.
        needed: u32,
        /// The bytes of a block that the device allows.
        allowed: u32,
        /// The device's name.
        device: String,
    },
    /// Another reason, in words.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// Returns [`Error::Skip`] for this reason.
    pub fn skip(reason: impl Into<String>) -> Self {
        Self::Skip(SkipReason::Other(reason.into()))
    }

    /// Returns [`Error::Usage`] with this message.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    /// Returns the kernel that is missing from a kernel file, if that is the error.
    pub fn missing_kernel(&self) -> Option<&str> {
        match self {
            Self::NoSuchKernel { kernel, .. } => Some(kernel),
            _ => None,
        }
    }

    /// Whether the kernel may be right, but uses a feature that the emulated machine does not model.
    pub fn is_unmodelled(&self) -> bool {
        match self {
            Self::Module { findings, .. } => record::is_unmodelled(findings),
            _ => false,
        }
    }

    /// Whether the kernel file must be changed, and not the command line or the computer.
    pub fn is_of_kernel(&self) -> bool {
        matches!(self, Self::OtherParameters { .. } | Self::Module { .. })
    }

    /// Returns the ending of a command that fails with this error.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Usage(_)
            | Self::Limit { .. }
            | Self::NoSuchKernel { .. }
            | Self::OtherParameters { .. }
            | Self::Kernel(
                kernels::Error::Compile { .. }
                | kernels::Error::Read { .. }
                | kernels::Error::Exceeded { .. }
                | kernels::Error::Crashed { .. }
                | kernels::Error::TwoHeaders { .. },
            ) => Exit::Usage,
            Self::Interrupted => Exit::Interrupted,
            _ => Exit::CannotRun,
        }
    }

    /// Returns the exit code of [`Error::exit`].
    pub fn exit_code(&self) -> u8 {
        self.exit().code()
    }
}

impl From<record::Error> for Error {
    fn from(error: record::Error) -> Self {
        match error {
            record::Error::Io { action, path, source } => Self::Io { action, path, source },
            record::Error::NoRun(_) => Self::Usage(error.to_string()),
            _ => Self::CannotRun(error.to_string()),
        }
    }
}

impl From<DriverError> for Error {
    fn from(error: DriverError) -> Self {
        Self::Driver(error)
    }
}

/// Returns the driver's name and text for an error code, e.g. `CUDA_ERROR_INVALID_VALUE (invalid argument)`.
pub fn describe(error: &DriverError) -> String {
    let text = |s: std::result::Result<&std::ffi::CStr, DriverError>| s.ok().map(|s| s.to_string_lossy().into_owned());
    let name = text(error.error_name()).unwrap_or_else(|| format!("{:?}", error.0));
    match text(error.error_string()) {
        Some(words) => format!("{name} ({words})"),
        None => name,
    }
}
