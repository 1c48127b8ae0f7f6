//! Finds the programs: those that `warplab setup` has installed, then those of a Python environment, then those of a
//! CUDA toolkit.
use std::{
    fmt,
    path::{Path, PathBuf},
    process::Stdio,
};

use kernels::{environments, program, toolbox};

use crate::Error;

/// A program of NVIDIA's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// The assembler.
    Ptxas,
    /// The disassembler.
    Nvdisasm,
}

impl Tool {
    /// The program's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ptxas => "ptxas",
            Self::Nvdisasm => "nvdisasm",
        }
    }

    /// Finds the program.
    ///
    /// # Errors
    /// [`Error::Missing`].
    pub(crate) fn find(self) -> Result<Installed, Error> {
        let file = format!("{}{}", self.name(), std::env::consts::EXE_SUFFIX);
        let mut candidates = folders().map(|folder| folder.join(&file)).filter(|path| path.is_file());
        candidates.find_map(Installed::at).ok_or(Error::Missing { tool: self })
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The folders to search, in order of precedence.
fn folders() -> impl Iterator<Item = PathBuf> {
    let installed = toolbox::all().flat_map(|toolbox| [toolbox::PTXAS, toolbox::NVCC].map(|tool| toolbox.join(tool)));
    let environments = environments::own().into_iter().chain(environments::active());
    let packages = environments.flat_map(|root| environments::packages(&root));
    // CUDA 13 has one folder for all its packages, CUDA 12 has one for each.
    let of_pip = |packages: PathBuf| ["nvidia/cu13/bin", "nvidia/cuda_nvcc/bin"].map(|bin| packages.join(bin));
    let toolkit = std::iter::once_with(|| PathBuf::from("/usr/local/cuda/bin"));
    installed.chain(packages).flat_map(of_pip).chain(program::folders()).chain(toolkit)
}

/// A program on this computer.
#[derive(Debug, Clone)]
pub(crate) struct Installed {
    pub(crate) path: PathBuf,
    /// The release, e.g. `13.0.88`.
    pub(crate) version: String,
}

impl Installed {
    /// The program at `path`; `None` if it does not run here, or is not NVIDIA's.
    fn at(path: PathBuf) -> Option<Self> {
        let output = program::named(&path).arg("--version").stdin(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = version(&text)?.to_string();
        Some(Self { path, version })
    }
}

/// The version in the output of `--version`. The stand-in of [`kernels`]' users, which passes PTX through, has none.
fn version(text: &str) -> Option<&str> {
    if text.contains("(warplab)") {
        return None;
    }
    let (_, rest) = text.split_once("release ")?;
    let (_, version) = rest.split_once(", V")?;
    let version = version.split_whitespace().next()?;
    version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.').then_some(version)
}

/// The disassembler.
#[derive(Debug, Clone)]
pub struct Nvdisasm(pub(crate) Installed);

impl Nvdisasm {
    /// Finds the disassembler.
    ///
    /// # Errors
    /// [`Error::Missing`].
    pub fn find() -> Result<Self, Error> {
        Tool::Nvdisasm.find().map(Self)
    }

    /// Its version, e.g. `13.2.51`.
    pub fn version(&self) -> &str {
        &self.0.version
    }
}

/// Describes how a process ended, for messages.
pub(crate) fn ending(status: std::process::ExitStatus) -> String {
    status.code().map_or_else(|| status.to_string(), |code| format!("exit status {code}"))
}

/// The error of a program that could not be started, or of its files.
pub(crate) fn start_error(path: &Path) -> impl Fn(std::io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Start { path: path.clone(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_that_of_nvidias_program() {
        let said = "ptxas: NVIDIA (R) Ptx optimizing assembler\nCopyright (c) 2005-2025 NVIDIA Corporation\n\
                    Built on Wed_Aug_20_01:55:12_PM_PDT_2025\nCuda compilation tools, release 13.0, V13.0.88\n\
                    Build cuda_13.0.r13.0/compiler.36424714_0\n";
        assert_eq!(version(said), Some("13.0.88"));
        let stand_in = "ptxas that passes PTX through, Cuda compilation tools, release 13.0, V13.0.0 (warplab)\n";
        assert_eq!(version(stand_in), None);
        assert_eq!(version(""), None);
    }
}
