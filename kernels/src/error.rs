//! What can go wrong between a `.cu` file and PTX.
use std::{io, path::PathBuf};

/// How to get NVRTC. Every message about a missing compiler ends with it.
pub const GET_NVRTC: &str = "Install NVRTC either way (neither needs a GPU): `pip install nvidia-cuda-nvrtc-cu12` into the active Python, \
     or the CUDA toolkit. If it lies elsewhere, set WARPLAB_NVRTC to the library's path";

/// An error on the way from a `.cu` file to PTX; each message says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The committed PTX was made from another source, and there is no compiler to make it anew.
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
    /// The committed PTX needs a newer device, and there is no compiler to make it for this one.
    #[error(
        "{file}: the committed PTX is for compute capability {}.{} and later, this device has {}.{}, and NVRTC was not found to compile it anew. {GET_NVRTC}",
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
    /// The compiler rejects the source.
    #[error("{file} does not compile (NVRTC {version}, compute_{arch}):\n{log}")]
    Compile {
        /// The kernel file as the user knows it.
        file: String,
        /// The compiler's version, e.g. `12.9`.
        version: String,
        /// The virtual architecture compiled for.
        arch: u32,
        /// The compiler's own messages, with the user's file name and lines.
        log: String,
    },
    /// The compiler found is too new for the device.
    #[error(
        "NVRTC {version} compiles for compute capability {}.{} and later, {file} is wanted for {}.{}; install an older one: `pip install nvidia-cuda-nvrtc-cu12`",
        oldest / 10, oldest % 10, arch / 10, arch % 10
    )]
    ArchDropped {
        /// The kernel file as the user knows it.
        file: String,
        /// The compiler's version.
        version: String,
        /// The virtual architecture wanted.
        arch: u32,
        /// The oldest that this compiler knows.
        oldest: u32,
    },
    /// The library that `WARPLAB_NVRTC` names cannot be used.
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
        call: &'static str,
        /// Its error.
        reason: String,
    },
}
