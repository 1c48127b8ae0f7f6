//! Device headers that labs share (`include/*.cuh`), and the steps from a `.cu` file to PTX.
//!
//! A lab embeds each kernel file, its headers, and its committed PTX with [`source!`]; the harness calls [`ptx_for`] to
//! get the PTX to load. Building needs no CUDA, and neither does running committed PTX. With NVRTC the kernel is
//! compiled for the current device, and cached; without it, the committed PTX is loaded if it was made from this exact
//! source.
//!
//! A kernel file is not trusted. It may include the shared headers in `include`, headers in its own folder and its
//! subfolders, and CUDA's own (`<cooperative_groups.h>`, `<cuda_fp16.h>`) if they are installed next to NVRTC. All of
//! them are given to the compiler as text, however the file spells their names, and the compiler runs in a process that
//! can open no file and has limited memory and time: `process_limits.rs` lists the protections of each system. The call
//! chain goes from `commit` and this file to `compile`, from there to `cuda`, `cache` and `child`, and in the other
//! process to `nvrtc`.

use std::path::Path;

mod advice;
mod arch;
mod cache;
pub mod checked_cache;
mod child;
mod commit;
mod committed_ptx;
mod compile;
mod cuda;
pub mod environments;
mod error;
mod find;
mod headers;
mod host;
mod input;
mod log;
mod nvrtc;
mod process_limits;
pub mod program;
mod ptx;
mod read;
mod source;
pub mod toolbox;

pub use arch::Arch;
pub use cache::{ANSWERS, folder as cache_folder};
pub use commit::{Outcome, check, generate, sources_in};
pub use committed_ptx::CommittedPtx;
pub use error::{Error, GET_NVRTC, Limit};
pub use headers::{Header, headers, is_header};
pub use log::Warning;
pub use nvrtc::{Nvrtc, nvrtc};
pub use ptx::Committed;
pub use read::{copy_for_children, decoded};
pub use source::{BASE_ARCH, KernelSource, TRUST_PTX, hex};

/// The origin of a module's PTX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PtxOrigin {
    /// The file in the repository.
    Committed,
    /// Compiled by NVRTC for `compute_<arch>`, now or earlier (and then read from the cache).
    Nvrtc {
        /// NVRTC's version, e.g. `12.9`.
        version: String,
        /// The virtual architecture, e.g. 90.
        arch: Arch,
    },
}

impl std::fmt::Display for PtxOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Committed => f.write_str("committed"),
            Self::Nvrtc { version, arch } => write!(f, "NVRTC {version}, compute_{arch}"),
        }
    }
}

/// PTX to load, and its origin.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// PTX text.
    pub ptx: String,
    /// Its origin.
    pub origin: PtxOrigin,
    /// The compiler's warnings, in the order of its log; empty for committed PTX.
    pub warnings: Vec<Warning>,
}

/// Returns the environment variable for a child process with the result of the search by [`nvrtc`], so that the child
/// does not search again.
pub fn for_children() -> Option<(&'static str, std::ffi::OsString)> {
    nvrtc::for_children()
}

/// Returns the PTX to load for `source` on a device of compute capability `capability`: compiled for it if NVRTC can be
/// loaded, else the committed text if it was made from this source.
///
/// # Errors
/// [`Error::Compile`] when the source has an error; [`Error::Exceeded`] when its compilation exceeds a limit;
/// [`Error::Stale`], [`Error::NoCompiler`] or [`Error::Unproven`] when the committed PTX cannot be used and there is no
/// NVRTC; [`Error::TooNew`] when the source is for devices of a later compute capability; [`Error::OtherDevice`] when
/// the source is for one other compute capability only.
pub fn ptx_for(source: &KernelSource, capability: (i32, i32)) -> Result<Compiled, Error> {
    let Some(nvrtc) = nvrtc()? else {
        return committed_for(source, capability);
    };
    let by_nvrtc = |compiled: compile::Output, arch| Compiled {
        ptx: compiled.ptx,
        origin: PtxOrigin::Nvrtc { version: nvrtc.version(), arch },
        warnings: compiled.warnings,
    };
    let device = (capability.0 * 10 + capability.1) as u32;
    if source.arch().is_exact {
        return match source.arch() {
            arch if !arch.runs_on(device) => Err(other_device(source, arch, device)),
            arch if nvrtc.knows(arch) => Ok(by_nvrtc(compile::compile_or_remember(nvrtc, source, arch)?, arch)),
            _ => committed_for(source, capability),
        };
    }
    let made = source.arch();
    if made != Arch::from(BASE_ARCH) && !made.runs_on(device) {
        return Err(Error::TooNew { file: source.path.to_string(), made: made.number, device });
    }
    let Some(arch) = nvrtc.arch_for(capability) else {
        // This compiler is too new for the device, but the committed PTX may be old enough.
        return committed_for(source, capability).or_else(|_| {
            let arch = Arch::from(device);
            Ok(by_nvrtc(compile::compile(nvrtc, source, arch)?, arch))
        });
    };
    Ok(by_nvrtc(compile::compile_or_remember(nvrtc, source, arch)?, arch))
}

/// Returns the committed PTX, for a device of `capability`.
///
/// # Errors
/// As [`ptx_for`] without NVRTC.
pub fn committed_for(source: &KernelSource, capability: (i32, i32)) -> Result<Compiled, Error> {
    let file = || source.path.to_string();
    let ptx = source.ptx.text();
    let Some(header) = Committed::parse(&ptx) else {
        let is_beside = Path::new(source.path.as_ref()).with_extension("ptx").is_file();
        return Err(if is_beside { Error::Unproven { file: file() } } else { Error::NoCompiler { file: file() } });
    };
    if header.hash != source.hash() {
        return Err(Error::Stale { file: file() });
    }
    let device = (capability.0 * 10 + capability.1) as u32;
    if header.arch.is_exact && !header.arch.runs_on(device) {
        return Err(other_device(source, header.arch, device));
    }
    if header.arch.runs_on(device) {
        return Ok(Compiled { ptx: ptx.into_owned(), origin: PtxOrigin::Committed, warnings: Vec::new() });
    }
    // PTX of the base architecture differs from that of an older one in its target line and in the instructions that
    // the source itself uses (`match`, double atomics); the driver checks those individually.
    if header.arch == Arch::from(BASE_ARCH) && device >= OLDEST_DEVICE {
        let ptx = ptx.replacen(&format!(".target sm_{BASE_ARCH}"), &format!(".target sm_{device}"), 1);
        return Ok(Compiled { ptx, origin: PtxOrigin::Committed, warnings: Vec::new() });
    }
    Err(Error::TooNew { file: file(), made: header.arch.number, device })
}

fn other_device(source: &KernelSource, arch: Arch, device: u32) -> Error {
    Error::OtherDevice { file: source.path.to_string(), only: arch.number, device }
}

/// Maxwell: the oldest architecture supported by the drivers that can read the version of the committed PTX.
const OLDEST_DEVICE: u32 = 50;
