//! Runs the assembler, and keeps what it reports.
use std::{fs, path::Path, process::Stdio};

use kernels::{Arch, checked_cache, program};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    Error, KernelResources,
    resources::{self, Log},
    tools::{Installed, Tool, ending, start_error},
};

/// The folder of the assembler's reports in the cache folder.
pub const CACHE: &str = "ptxas";

/// The assembler.
#[derive(Debug, Clone)]
pub struct Ptxas(Installed);

/// A module in machine code.
#[derive(Debug, Clone)]
pub struct Assembled {
    /// The kernels, in the order of their symbols.
    pub kernels: Vec<KernelResources>,
    /// Warnings and remarks, one line each.
    pub remarks: Vec<String>,
    /// The machine code, an ELF file.
    pub cubin: Vec<u8>,
}

/// The assembler's report, as the cache keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Report {
    Accepted(Log),
    Refused { log: String },
}

impl Ptxas {
    /// Finds the assembler.
    ///
    /// # Errors
    /// [`Error::Missing`].
    pub fn find() -> Result<Self, Error> {
        Tool::Ptxas.find().map(Self)
    }

    /// Its version, e.g. `13.0.88`.
    pub fn version(&self) -> &str {
        &self.0.version
    }

    /// Assembles PTX for `sm_<arch>`, with the lines of the source and of the PTX in it.
    ///
    /// # Errors
    /// [`Error::Refused`], [`Error::UnknownArchitecture`], [`Error::Failed`], [`Error::Unreadable`], [`Error::Start`].
    pub fn assemble(&self, ptx: &str, arch: Arch) -> Result<Assembled, Error> {
        let io = start_error(&self.0.path);
        let folder = tempfile::tempdir().map_err(&io)?;
        let cubin = folder.path().join("module.cubin");
        let log = match self.run(ptx, arch, folder.path())? {
            Report::Accepted(log) => log,
            Report::Refused { log } => return Err(self.refused(arch, log)),
        };
        let cubin = fs::read(cubin).map_err(&io)?;
        Ok(Assembled { kernels: log.kernels, remarks: log.remarks, cubin })
    }

    /// Returns what the kernels of `ptx` take of an `sm_<arch>`, from the cache in `cache` if the same PTX was
    /// assembled before, by the same version.
    ///
    /// # Errors
    /// As [`Ptxas::assemble`].
    pub fn resources(&self, ptx: &str, arch: Arch, cache: Option<&Path>) -> Result<Vec<KernelResources>, Error> {
        let file = cache.map(|folder| folder.join(CACHE).join(self.key(ptx, arch)));
        let known = file.as_ref().and_then(|file| checked_cache::read(file));
        let report = match known {
            Some(report) => report,
            None => {
                let folder = tempfile::tempdir().map_err(start_error(&self.0.path))?;
                let report = self.run(ptx, arch, folder.path())?;
                if let Some(file) = &file {
                    // If the folder is full or read-only, the next run assembles again.
                    let _ = checked_cache::write(file, &report);
                }
                report
            }
        };
        match report {
            Report::Accepted(log) => Ok(log.kernels),
            Report::Refused { log } => Err(self.refused(arch, log)),
        }
    }

    /// The name of a report in the cache: a digest of all that the report depends on.
    fn key(&self, ptx: &str, arch: Arch) -> String {
        let mut hash = Sha256::new();
        for part in [self.version(), &arch.to_string(), ptx] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        kernels::hex(&hash.finalize())
    }

    /// Runs the assembler in `folder`, where it leaves `module.cubin`.
    fn run(&self, ptx: &str, arch: Arch, folder: &Path) -> Result<Report, Error> {
        let io = start_error(&self.0.path);
        fs::write(folder.join("module.ptx"), ptx).map_err(&io)?;
        let mut process = program::named(&self.0.path);
        process.current_dir(folder).stdin(Stdio::null());
        process.args(["-v", "-lineinfo", "--gpu-name", &format!("sm_{arch}"), "module.ptx", "-o", "module.cubin"]);
        let output = process.output().map_err(&io)?;
        let text = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            let log = resources::parse(&text);
            let unreadable = |line| Error::Unreadable { tool: Tool::Ptxas, version: self.version().into(), line };
            return log.map(Report::Accepted).map_err(unreadable);
        }
        if text.contains("is not defined for option 'gpu-name'") {
            return Err(Error::UnknownArchitecture { version: self.version().into(), arch: arch.to_string() });
        }
        let log = errors(&text);
        // A refusal names what is wrong; a crash does not.
        if output.status.code().is_some() && !log.is_empty() {
            return Ok(Report::Refused { log });
        }
        Err(Error::Failed {
            tool: Tool::Ptxas,
            version: self.version().into(),
            how: ending(output.status),
            log: if text.trim().is_empty() { String::new() } else { format!(":\n{}", text.trim()) },
        })
    }

    fn refused(&self, arch: Arch, log: String) -> Error {
        Error::Refused { version: self.version().into(), arch: arch.to_string(), log }
    }
}

/// The errors in the assembler's output, with lines of the PTX, and without the name of the temporary file.
fn errors(text: &str) -> String {
    let is_error = |line: &&str| line.contains("error   :") || line.contains("fatal   :");
    let errors = text.lines().filter(is_error).filter(|line| !line.ends_with("aborted due to errors"));
    let errors = errors.map(|line| line.replace("ptxas module.ptx, ", "  ").replace("ptxas ", "  "));
    errors.map(|line| line.replace("   : ", ": ").replace("; ", ": ")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_line_of_the_ptx_and_no_temporary_file() {
        let said = "ptxas module.ptx, line 31; error   : Unknown modifier '.parm'\n\
                    ptxas fatal   : Ptx assembly aborted due to errors\n";
        assert_eq!(errors(said), "  line 31: error: Unknown modifier '.parm'");
        assert_eq!(errors("Segmentation fault\n"), "");
    }
}
