//! Device headers that labs share (`include/*.cuh`), and the way from a `.cu` file to PTX.
//!
//! A lab embeds each kernel file and the committed PTX beside it with [`source!`]; the harness asks
//! [`ptx_for`] for the PTX to load. No CUDA is needed to build, and none to run what is committed:
//! with NVRTC the kernel is compiled for the device at hand, and cached; without, the committed PTX
//! serves if it is from this very source. A kernel may include the headers of this folder, its neighbours, and CUDA's own
//! (`<cooperative_groups.h>`, `<cuda_fp16.h>`) where they lie beside NVRTC.

mod cache;
mod commit;
mod error;
mod find;
mod headers;
mod nvrtc;
mod ptx;
mod source;

pub use commit::{Outcome, check, generate, sources_in};
pub use error::{Error, GET_NVRTC};
pub use nvrtc::{Nvrtc, nvrtc};
pub use ptx::Committed;
pub use source::{BASE_ARCH, KernelSource};

/// Where a module's PTX came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The file in the repository.
    Committed,
    /// Compiled by NVRTC of this version for `compute_<arch>`, or taken from the cache of such.
    Nvrtc {
        /// E.g. `12.9`.
        version: String,
        /// E.g. 90.
        arch: u32,
    },
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Committed => f.write_str("committed"),
            Self::Nvrtc { version, arch } => write!(f, "NVRTC {version}, compute_{arch}"),
        }
    }
}

/// PTX to load, and where it came from.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// PTX text.
    pub ptx: String,
    /// Where from.
    pub origin: Origin,
}

/// The shared headers: names and texts.
pub fn headers() -> impl Iterator<Item = (&'static str, &'static str)> {
    headers::HEADERS.iter().copied()
}

/// The text of the shared header of this name, or of this path to it.
pub fn header(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (_, text) = headers::HEADERS
        .iter()
        .find(|(header, _)| *header == name)?;
    Some(text)
}

/// The PTX to load for `source` on a device of compute capability `capability`: compiled for it when
/// NVRTC can be loaded, else the committed text if it is from this source.
///
/// # Errors
/// [`Error::Compile`] when the source has an error; [`Error::Stale`], [`Error::NoCompiler`] or
/// [`Error::TooNew`] when the committed PTX does not serve and there is no NVRTC.
pub fn ptx_for(source: &KernelSource, capability: (i32, i32)) -> Result<Compiled, Error> {
    let Some(nvrtc) = nvrtc()? else {
        return committed_for(source, capability);
    };
    let Some(arch) = nvrtc.arch_for(capability) else {
        // A compiler too new for this device; what is committed may still be old enough.
        return committed_for(source, capability).or_else(|_| {
            let arch = (capability.0 * 10 + capability.1) as u32;
            nvrtc.compile(source, arch).map(|ptx| Compiled {
                ptx,
                origin: Origin::Nvrtc {
                    version: nvrtc.version(),
                    arch,
                },
            })
        });
    };
    let version = nvrtc.version();
    let ptx = if let Some(ptx) = cache::get(source, &version, arch) {
        ptx
    } else {
        let ptx = nvrtc.compile(source, arch)?;
        cache::put(source, &version, arch, &ptx);
        ptx
    };
    Ok(Compiled {
        ptx,
        origin: Origin::Nvrtc { version, arch },
    })
}

/// The committed PTX, for a device of `capability`.
///
/// # Errors
/// As [`ptx_for`] without NVRTC.
pub fn committed_for(source: &KernelSource, capability: (i32, i32)) -> Result<Compiled, Error> {
    let file = || source.path.to_string();
    let Some(header) = Committed::parse(&source.ptx) else {
        return Err(Error::NoCompiler { file: file() });
    };
    if header.hash != source.hash() {
        return Err(Error::Stale { file: file() });
    }
    let device = (capability.0 * 10 + capability.1) as u32;
    if header.arch <= device {
        return Ok(Compiled {
            ptx: source.ptx.to_string(),
            origin: Origin::Committed,
        });
    }
    // PTX of the base architecture differs from an older one's by its target line and by the instructions
    // that the source itself asks for (`match`, double atomics); the driver checks those one by one.
    if header.arch == BASE_ARCH && device >= OLDEST_DEVICE {
        let ptx = source.ptx.replacen(
            &format!(".target sm_{BASE_ARCH}"),
            &format!(".target sm_{device}"),
            1,
        );
        return Ok(Compiled {
            ptx,
            origin: Origin::Committed,
        });
    }
    Err(Error::TooNew {
        file: file(),
        made: header.arch,
        device,
    })
}

/// Maxwell: the oldest device that the drivers which read the committed PTX version still serve.
const OLDEST_DEVICE: u32 = 50;
