//! The role of this process: either the whole command, or a piece of it that this program runs in a separate process. A
//! piece is started by a hidden first argument, with one [`Request`] on its standard input; the program matches it
//! once, in [`process`], and passes it on.
use std::{
    env,
    ffi::OsString,
    fs::File,
    io::{self, Seek},
    path::Path,
    process::{self, Command, Stdio},
};

use record::Ceilings;
use sandbox::process_limits;
use serde::{Deserialize, Serialize};

use crate::{
    device::sandboxed_driver,
    error::{Error, Result},
    exit::Exit,
    export::terminal::print_error,
    process::records::RecordsFile,
};

/// The hidden first argument of a process that runs a piece.
pub const PIECE: &str = "__piece";

/// The role of a process.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub enum Role {
    /// The whole command.
    #[default]
    Whole,
    /// One case, whose kernel may corrupt the process.
    Case {
        /// The case's lab.
        lab: String,
        /// The case's key.
        case: String,
        /// The case's variant.
        variant: String,
        /// The ceilings that the parent has measured.
        ceilings: Option<Ceilings>,
    },
    /// The emulated run of a lab that predicts times, to be shown with those of a GPU.
    Prediction {
        /// The lab.
        lab: String,
        /// The emulated part.
        part: String,
    },
    /// Loads kernel files once, so that the driver caches their machine code.
    Precompilation {
        /// The files' numbers among those of the chosen labs.
        files: Vec<usize>,
    },
}

impl Role {
    /// Whether this is the whole command, not a piece of it.
    pub(crate) fn is_whole(&self) -> bool {
        *self == Self::Whole
    }

    /// Whether this process runs one case alone.
    pub(crate) fn is_case(&self) -> bool {
        matches!(self, Self::Case { .. })
    }

    /// Whether this process predicts times, to be shown with those of a GPU.
    pub(crate) fn is_prediction(&self) -> bool {
        matches!(self, Self::Prediction { .. })
    }

    /// Whether this process runs cases of `lab`.
    pub(crate) fn runs_lab(&self, lab: &str) -> bool {
        match self {
            Self::Case { lab: only, .. } | Self::Prediction { lab: only, .. } => only == lab,
            Self::Whole | Self::Precompilation { .. } => true,
        }
    }

    /// Whether this process runs cases of `variant`.
    pub(crate) fn runs_variant(&self, variant: &str) -> bool {
        !matches!(self, Self::Case { variant: only, .. } if only != variant)
    }

    /// Whether this process runs the case with this key.
    pub(crate) fn runs_case(&self, key: &str) -> bool {
        !matches!(self, Self::Case { case: only, .. } if only != key)
    }
}

/// A piece's standard input.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    /// The piece.
    pub role: Role,
    /// The command line of the whole command, with the program's name.
    pub arguments: Vec<OsString>,
}

/// This process: its command line and its role.
#[derive(Debug, Clone, Default)]
pub struct Process {
    /// The command line, with the program's name; in a piece, that of the whole command.
    pub arguments: Vec<OsString>,
    /// Its role.
    pub role: Role,
}

/// Returns this process. A worker, which runs the kernels of a judged file, serves here and does not return. Ends the
/// process if it is called as a piece without a request.
pub fn process() -> Process {
    let arguments: Vec<OsString> = env::args_os().collect();
    match (arguments.get(1).and_then(|first| first.to_str()), arguments.get(2)) {
        (Some(sandboxed_driver::WORKER), Some(device)) => sandboxed_driver::serve(device),
        (Some(PIECE), None) => match serde_json::from_reader(io::stdin().lock()) {
            Ok(Request { role, arguments }) => Process { arguments, role },
            Err(error) => {
                print_error(&format!("error: {PIECE} is internal, and takes a request: {error}"));
                process::exit(Exit::Usage.code().into())
            }
        },
        _ => Process { arguments, role: Role::Whole },
    }
}

impl Process {
    /// Returns a command that starts this program for a piece of this process's command line, and the file in which the
    /// piece leaves its records. The piece ends with this process.
    ///
    /// # Errors
    /// When the file cannot be created, or this program's path is unknown.
    pub(crate) fn piece(&self, role: Role) -> Result<(Command, RecordsFile)> {
        let records = RecordsFile::new()?;
        let mut arguments = self.arguments.clone();
        arguments.extend(["--records".into(), records.path().into()]);
        arguments.extend(kernels::copy_for_children().into_iter().flat_map(|copy| ["--kernel-copy".into(), copy]));
        let program = env::current_exe().map_err(io_error("find this program at", Path::new("/proc/self/exe")))?;
        let mut command = Command::new(program);
        command.arg(PIECE).envs(kernels::for_children());
        command.stdin(input(&Request { role, arguments }).map_err(io_error("write to", &env::temp_dir()))?);
        process_limits::ends_with_parent(&mut command);
        Ok((command, records))
    }
}

/// Returns a request as the standard input of a process.
fn input(request: &Request) -> io::Result<Stdio> {
    let mut file: File = tempfile::tempfile()?;
    serde_json::to_writer(&mut file, request)?;
    file.rewind()?;
    Ok(file.into())
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    let path = path.to_path_buf();
    move |source| Error::Io { action, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_of_one_case_or_of_one_lab() {
        let case = Role::Case { lab: "scan".into(), case: "a 5".into(), variant: "a".into(), ceilings: None };
        let runs =
            |role: &Role| (role.runs_lab("scan"), role.runs_lab("sort"), role.runs_variant("b"), role.runs_case("a 6"));
        assert_eq!(runs(&case), (true, false, false, false));
        assert!(case.runs_variant("a") && case.runs_case("a 5"));
        let prediction = Role::Prediction { lab: "scan".into(), part: "h200".into() };
        assert_eq!(runs(&prediction), (true, false, true, true));
        assert_eq!(runs(&Role::Whole), (true, true, true, true));
    }

    #[test]
    fn a_request_comes_as_it_was_sent() {
        let role = Role::Precompilation { files: vec![3, 1] };
        let sent = Request { role: role.clone(), arguments: vec!["warplab".into(), "run".into()] };
        let read: Request = serde_json::from_str(&serde_json::to_string(&sent).unwrap()).unwrap();
        assert_eq!((read.role, read.arguments), (role, sent.arguments));
    }
}
