//! A user's own problem as a lab: a TOML file with inputs, a reference and a tolerance.
//!
//! [`open`] reads the file, and returns a [`Problem`] with a [`Lab`] of one variant: `warplab run FILE.toml` runs it in
//! the processes in which labs are judged. [`judge`] judges kernel files in its place, by the same steps as `warplab
//! grade`.
//!
//! - `token`, `expression`, `launch`: the language of lengths and launches;
//! - `element`, `distribution`: types, and the values of inputs;
//! - `spec`: the file;
//! - `answers`, `program`: the expected outputs, which lie in files before a submission runs;
//! - `lab`: the lab's function, which runs in a judged process;
//! - `judge`: the judgement.

mod answers;
mod distribution;
mod element;
mod expression;
pub mod judge;
mod lab;
mod launch;
mod program;
mod spec;
mod token;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use harness::{Error, Lab, Result};
use kernels::{CommittedPtx, KernelSource};

use launch::Launch;
use spec::Spec;

/// The ending of a problem's file, by which `warplab run` distinguishes it from a lab's name.
pub const ENDING: &str = ".toml";

/// A problem that was read.
#[derive(Debug)]
pub struct Problem {
    spec: Spec,
    /// Its file.
    path: PathBuf,
    folder: PathBuf,
    lab: &'static Lab,
}

/// The problems that were read. A lab lives as long as the program.
static OPEN: Mutex<Vec<&'static Problem>> = Mutex::new(Vec::new());

/// Reads a problem's file, once.
///
/// # Errors
/// [`Error::Usage`] with what is wrong, and where.
pub fn open(path: &Path) -> Result<&'static Problem> {
    let unreadable = |error| Error::usage(format!("cannot read {}: {error}", path.display()));
    let whole = fs::canonicalize(path).map_err(unreadable)?;
    let mut known = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(problem) = known.iter().find(|problem| problem.path == whole) {
        return Ok(problem);
    }
    let text = fs::read_to_string(&whole).map_err(unreadable)?;
    let at = |why: String| Error::usage(format!("{}: {why}", path.display()));
    let spec = Spec::parse(&text).map_err(at)?;
    let folder = whole.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let source = match &spec.reference.cu {
        Some(file) => KernelSource::read(&folder.join(file), file)
            .map_err(|error| at(format!("reference: cu = \"{file}\": {error}")))?,
        None => KernelSource {
            name: "submission.cu".into(),
            path: "submission.cu".into(),
            cuda: "".into(),
            ptx: CommittedPtx::NONE,
            headers: Vec::new().into(),
        },
    };
    let lab = Box::leak(Box::new(lab::declared(&spec, &whole, source)));
    let problem: &'static Problem = Box::leak(Box::new(Problem { spec, path: whole, folder, lab }));
    known.push(problem);
    Ok(problem)
}

impl Problem {
    /// The problem as a lab.
    pub fn lab(&self) -> &'static Lab {
        self.lab
    }

    /// Returns the problem of a lab that [`open`] has made.
    fn of_lab(lab: &'static Lab) -> &'static Self {
        let known = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|problem| std::ptr::eq(problem.lab, lab)).expect("only `open` makes labs with this function")
    }

    /// The reference's kernel file; empty for a problem whose reference is only a program.
    fn reference(&self) -> &'static KernelSource {
        &self.lab.kernels[0]
    }

    /// Returns the launches of a kernel file: its own, else the problem's, else the reference's.
    ///
    /// # Errors
    /// What is wrong with one of them, and where.
    fn launches(&self, source: &KernelSource) -> Result<Vec<Launch>, String> {
        let own =
            |source: &KernelSource| Launch::in_source(&source.cuda).map_err(|why| format!("{}: {why}", source.path));
        for launches in [own(source)?, self.spec.launches()?, own(self.reference())?] {
            if !launches.is_empty() {
                return Ok(launches);
            }
        }
        let add = "add lines such as `// launch: kernel<<<blocks, threads>>>(x, y, n)`";
        Err(format!("{}: nothing says how its kernels are launched; {add}, or `launch` to the problem", source.path))
    }
}
