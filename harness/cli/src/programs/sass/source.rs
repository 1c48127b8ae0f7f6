//! The PTX of a file, and the text of the source files that it names.
use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use harness::Error;
use kernels::{Arch, KernelSource};

use crate::{programs::nvcc, shared::scratch};

/// PTX to assemble.
pub struct Module {
    pub ptx: String,
    pub arch: Arch,
    /// The kernel file that NVRTC has compiled, which has its headers with it.
    kernels: Option<KernelSource>,
}

/// The PTX of a file.
pub enum PtxSource {
    Module(Module),
    /// nvcc failed with this exit status, and has printed why.
    Failed(u8),
}

impl Module {
    fn for_capability(ptx: String, capability: (i32, i32), kernels: Option<KernelSource>) -> PtxSource {
        let arch = assembler::arch(&ptx, capability);
        PtxSource::Module(Self { ptx, arch, kernels })
    }

    /// Returns the text of a source file that the PTX names.
    pub fn text(&self, file: &str) -> Option<String> {
        let known = self.kernels.as_ref().and_then(|kernels| kernels.text(file));
        known.map(String::from).or_else(|| fs::read_to_string(file).ok())
    }
}

/// Returns the PTX of `file` for a GPU of this compute capability, compiled if it is a source.
///
/// # Errors
/// [`Error::Usage`] when it is no such file; those of the compilers.
pub fn ptx(file: &Path, of_nvcc: &[&OsString], capability: (i32, i32)) -> Result<PtxSource, Error> {
    let read =
        || fs::read_to_string(file).map_err(|error| Error::usage(format!("cannot read {}: {error}", file.display())));
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("ptx") if of_nvcc.is_empty() => Ok(Module::for_capability(read()?, capability, None)),
        Some("ptx") => Err(Error::usage(format!("--nvcc needs a source x.cu, and {} is PTX", file.display()))),
        Some("cu") if is_program(&read()?) || !of_nvcc.is_empty() => by_nvcc(file, of_nvcc, capability),
        Some("cu") => {
            let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
            let source = KernelSource::read(file, &name)?;
            let compiled = kernels::ptx_for(&source, capability)?;
            Ok(Module::for_capability(compiled.ptx, capability, Some(source)))
        }
        _ => Err(Error::usage(format!("{} is neither x.cu nor x.ptx", file.display()))),
    }
}

fn by_nvcc(file: &Path, of_nvcc: &[&OsString], (major, minor): (i32, i32)) -> Result<PtxSource, Error> {
    let folder = scratch::Folder::new_in(&env::temp_dir(), ".warplab-sass-");
    let folder = folder.map_err(|source| Error::Io { action: "create a folder in", path: env::temp_dir(), source })?;
    let to: PathBuf = folder.path().join("module.ptx");
    let mut options: Vec<OsString> =
        vec!["-ptx".into(), "-lineinfo".into(), file.into(), "-o".into(), to.clone().into()];
    if !of_nvcc.iter().any(|option| option.to_string_lossy().starts_with("-arch")) {
        options.push(format!("-arch=compute_{major}{minor}").into());
    }
    options.extend(of_nvcc.iter().map(|option| OsString::from(*option)));
    match nvcc::compile(&options.iter().collect::<Vec<_>>())? {
        0 => {
            let ptx = fs::read_to_string(&to).map_err(|source| Error::Io { action: "read", path: to, source })?;
            Ok(Module::for_capability(ptx, (major, minor), None))
        }
        code => Ok(PtxSource::Failed(code)),
    }
}

/// Whether a source is a whole program: whether it has a function `main`.
fn is_program(text: &str) -> bool {
    let is_in_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    text.match_indices("main").any(|(at, word)| {
        let before = text.as_bytes()[..at].last();
        before.is_none_or(|byte| !is_in_word(byte)) && text[at + word.len()..].trim_start().starts_with('(')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_with_a_main_is_a_program() {
        for program in ["int main() {}", "int\nmain (int argc, char **argv) {}", "auto main()->int{}"] {
            assert!(is_program(program), "{program}");
        }
        for kernels in ["__global__ void domain(int *x) {}", "__global__ void main_loop() {}", "// the main loop", ""] {
            assert!(!is_program(kernels), "{kernels}");
        }
    }
}
