//! Errors of the assembler and the disassembler.
use std::{io, path::PathBuf};

use crate::tools::Tool;

/// An error of NVIDIA's tools; each message says how to fix it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program is not installed.
    #[error("there is no {tool} on this computer; `warplab setup --ptxas` installs it from PyPI")]
    Missing {
        /// The program.
        tool: Tool,
    },
    /// The program cannot be started, or its files cannot be written.
    #[error("cannot run {}: {source}; `warplab setup --ptxas` installs another", path.display())]
    Start {
        /// The program's path.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The assembler does not know the architecture.
    #[error(
        "ptxas {version} has no sm_{arch}: NVIDIA's tools of this version do not assemble for that GPU. Name a newer GPU, \
         such as h200"
    )]
    UnknownArchitecture {
        /// The assembler's version.
        version: String,
        /// The architecture, e.g. `70`.
        arch: String,
    },
    /// The assembler rejects the PTX.
    #[error(
        "ptxas {version} refuses the PTX for sm_{arch}, and a GPU's driver of that version would not load it either:\n{log}"
    )]
    Refused {
        /// The assembler's version.
        version: String,
        /// The architecture, e.g. `90a`.
        arch: String,
        /// The assembler's messages, with lines of the PTX.
        log: String,
    },
    /// The program ended without a result.
    #[error("{tool} {version} failed without a result ({how}){log}")]
    Failed {
        /// The program.
        tool: Tool,
        /// Its version.
        version: String,
        /// How its process ended.
        how: String,
        /// What it printed, on lines of their own.
        log: String,
    },
    /// The program's output has another form than that of the versions that this program was tested with.
    #[error(
        "{tool} {version} printed something unexpected: `{line}`; `warplab setup --ptxas` installs the version that was tested"
    )]
    Unreadable {
        /// The program.
        tool: Tool,
        /// Its version.
        version: String,
        /// The line.
        line: String,
    },
}
