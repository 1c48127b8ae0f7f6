//! Help for a student: compiles the kernel file of a folder and tries it part by part, with an immediate answer.

mod check_text;
mod diagnostics;
mod memory;
mod missed;
mod part_status;
mod performance_hint;
mod together;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use harness::{Error, Exit, Lab, Result, Session, suggest};
use kernels::{GET_NVRTC, KernelSource};

use super::folder::{COURSE, Folder};
use crate::{
    assignment::rubric::{Part, Rubric},
    judge::{BaselineCache, Runner, run::Printed},
};
use diagnostics::Diagnostic;
use memory::Memory;
use part_status::{Bench, LIMITS, PartStatus, device};

/// A student's folder, ready to be checked.
#[derive(Debug)]
pub struct Workspace {
    lab: &'static Lab,
    folder: PathBuf,
    kernel: PathBuf,
    rubric: Rubric,
}

/// The parts to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestedParts {
    /// All, in order, up to the first that is not right.
    First,
    /// The part of this name.
    Part(String),
    /// All of them.
    Every,
}

/// The result of a check.
#[derive(Debug)]
pub struct Checked {
    /// The kernel file.
    source: KernelSource,
    /// The compiler's warnings.
    warnings: Vec<Diagnostic>,
    /// The parts that were tried, by their index in the rubric.
    parts: Vec<(usize, PartStatus)>,
    /// The names of the parts that are right now but were not when they were last tried.
    news: Vec<String>,
    /// The kernels' output.
    printed: Printed,
}

impl Checked {
    /// The index in the rubric of the first part that is not right.
    fn at_hand(&self) -> Option<usize> {
        self.parts.iter().find(|(_, status)| !status.is_right()).map(|(index, _)| *index)
    }

    /// The exit status: every requested part is right, or one is not, or one could not be judged.
    pub fn exit(&self) -> Exit {
        let any = |is: fn(&PartStatus) -> bool| self.parts.iter().any(|(_, status)| is(status));
        if any(|status| !matches!(status, PartStatus::Right(_) | PartStatus::Unjudged(_))) {
            Exit::Wrong
        } else if any(|status| matches!(status, PartStatus::Unjudged(_))) {
            Exit::CannotRun
        } else {
            Exit::Passed
        }
    }
}

impl Workspace {
    /// Opens the folder of an assignment of `lab`, with its own `course.toml`.
    ///
    /// # Errors
    /// [`Error::Usage`] when it is not a student's folder, or its rubric does not fit the lab.
    pub fn open(lab: &'static Lab, folder: &Path) -> Result<Self> {
        let Folder { kernel, .. } = Folder::read(folder)?;
        let rubric = Folder::rubric(folder, lab)?;
        // In the folder itself, the bare name is the path that the reader knows.
        let kernel = if folder == Path::new(".") { kernel.into() } else { folder.join(kernel) };
        Ok(Self { lab, folder: folder.into(), kernel, rubric })
    }

    /// Compiles the kernel file and tries the requested parts. `progress` is called with the number of parts tried and
    /// the number of all, and finally with all tried.
    ///
    /// # Errors
    /// [`Error::Usage`] when the file does not compile, with its errors at their lines, and for an unknown part;
    /// [`Error::CannotRun`] without NVRTC; why runs cannot be started.
    pub fn check(&self, asked: &RequestedParts, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<Checked> {
        let chosen = self.chosen(asked)?;
        let source = harness::replacement(self.lab, &self.kernel)?;
        // All runs then find its PTX in the cache.
        let capability = Session::open(&device())?.device.compute_capability;
        let compiled =
            kernels::ptx_for(&source, capability).map_err(|error| not_compiled(error, &source, &self.kernel))?;
        let bench = self.bench(&source, &compiled.ptx);
        let parts: Vec<&Part> = chosen.iter().map(|index| self.part(*index)).collect();
        let shared = bench.together(&parts, *asked == RequestedParts::Every)?;
        let (first_wrong, tried) = (AtomicUsize::new(usize::MAX), AtomicUsize::new(0));
        let statuses = harness::parallel(chosen.len(), |i| -> Result<Option<PartStatus>> {
            if *asked != RequestedParts::Every && first_wrong.load(Ordering::Relaxed) < i {
                return Ok(None);
            }
            let status = bench.try_part(parts[i], &shared)?;
            if !status.is_right() {
                first_wrong.fetch_min(i, Ordering::Relaxed);
            }
            progress(tried.fetch_add(1, Ordering::Relaxed) + 1, chosen.len());
            Ok(Some(status))
        });
        progress(chosen.len(), chosen.len());
        let mut parts = Vec::new();
        for (index, status) in chosen.into_iter().zip(statuses) {
            let Some(status) = status? else { break };
            let goes_on = status.is_right() || *asked == RequestedParts::Every;
            parts.push((index, status));
            // How many later parts were tried depends on the number of cores, so they are dropped.
            if !goes_on {
                break;
            }
        }
        let printed = bench.runner.into_printed();
        let news = self.remember(&parts);
        let warnings = diagnostics::warnings(&compiled.warnings, &source, &self.handed_out()?);
        Ok(Checked { source, warnings, parts, news, printed })
    }

    /// The next hint for the first part that is not right.
    ///
    /// # Errors
    /// [`Error::Io`] when the state with the shown hints cannot be written.
    pub fn hint(&self, checked: &Checked) -> Result<String> {
        let Some(part) = checked.at_hand().map(|index| &self.rubric.parts[index]) else {
            return Ok("Every part that was tried is right; no hint is needed.".into());
        };
        if part.hints.is_empty() {
            return Ok(format!("Part `{}` has no hints.", part.name));
        }
        let mut memory = Memory::read(&self.folder);
        let shown = memory.hints.entry(part.name.clone()).or_default();
        let next = (*shown).min(part.hints.len() - 1);
        *shown = next + 1;
        memory.keep(&self.folder)?;
        Ok(check_text::hint(part, next))
    }

    /// The performance hint for the part at hand, or for each tried part if all are right: the predicted time on a GPU,
    /// the bottleneck, and the possible gain. `None` if the part at hand is wrong. If no prediction is possible, the
    /// text says why; nothing else depends on it.
    pub fn performance_hints(&self, checked: &Checked) -> Option<String> {
        let at_hand = checked.at_hand();
        let is_asked = |index: usize| at_hand.is_none_or(|at_hand| at_hand == index);
        let parts = checked.parts.iter().filter(|(index, status)| is_asked(*index) && performance_hint::helps(status));
        let parts: Vec<&Part> = parts.map(|(index, _)| self.part(*index)).collect();
        let bench = self.bench(&checked.source, "");
        let said = harness::parallel(parts.len(), |i| bench.performance_hint(parts[i]));
        (!said.is_empty()).then(|| said.join("\n"))
    }

    /// The setup in which the parts are tried; `ptx` is the compiled `source`.
    fn bench<'a>(&'a self, source: &KernelSource, ptx: &'a str) -> Bench<'a> {
        Bench {
            lab: self.lab,
            rubric: &self.rubric,
            runner: Runner::of_source(source.clone(), &self.kernel, LIMITS, None, BaselineCache::cached()),
            ptx,
        }
    }

    /// A fingerprint of the kernel file, its headers and the rubric; `None` while the file does not exist.
    pub fn state(&self) -> Option<String> {
        state(&self.folder, &self.kernel)
    }

    /// Describes the result, for a reader who will check again by a command, or who `watches`.
    pub fn words(&self, checked: &Checked, watches: bool) -> String {
        check_text::words(self, checked, watches)
    }

    /// The kernel file as it was handed out.
    fn handed_out(&self) -> Result<String> {
        let own =
            self.lab.kernels.iter().find(|file| file.name == self.rubric.kernel).expect("the rubric fits the lab");
        Ok(self.rubric.starter(&own.cuda)?.text)
    }

    /// The indices in the rubric of the requested parts.
    fn chosen(&self, asked: &RequestedParts) -> Result<Vec<usize>> {
        let RequestedParts::Part(name) = asked else {
            return Ok((0..self.rubric.parts.len()).collect());
        };
        let names: Vec<&str> = self.rubric.parts.iter().map(|part| part.name.as_str()).collect();
        let index = names.iter().position(|known| known == name);
        index.map(|index| vec![index]).ok_or_else(|| {
            Error::usage(format!("{} has no part `{name}`; {}", self.rubric.title, suggest::among(name, &names)))
        })
    }

    /// Stores which parts are right, and returns those that were not before.
    fn remember(&self, parts: &[(usize, PartStatus)]) -> Vec<String> {
        let mut memory = Memory::read(&self.folder);
        let before = memory.clone();
        let mut news = Vec::new();
        for (index, status) in parts {
            let name = &self.part(*index).name;
            if !status.is_right() {
                memory.right.remove(name);
            } else if memory.right.insert(name.clone()) {
                news.push(name.clone());
            }
        }
        if memory != before {
            // In a read-only folder, a part is praised again.
            let _ = memory.keep(&self.folder);
        }
        news
    }

    fn part(&self, index: usize) -> &Part {
        &self.rubric.parts[index]
    }
}

/// The error shown to a student when the kernel file `source`, known as `file`, does not compile: the compiler's
/// messages at their lines.
pub fn not_compiled(error: kernels::Error, source: &KernelSource, file: &Path) -> Error {
    use kernels::Error as Kernel;
    let file = file.display();
    match error {
        Kernel::Compile { log, .. } => {
            let errors = diagnostics::errors(&log);
            let shown = if errors.is_empty() { log } else { diagnostics::shown(&errors, source) };
            Error::usage(format!("{file} does not compile\n\n{shown}"))
        }
        Kernel::NoCompiler { .. } | Kernel::Stale { .. } | Kernel::Unproven { .. } => {
            Error::CannotRun(format!("NVRTC, the compiler, was not found, and {file} cannot be tried. {GET_NVRTC}"))
        }
        other => other.into(),
    }
}

/// A fingerprint of the kernel file with its headers, and of the rubric, in `folder`.
pub fn state(folder: &Path, kernel: &Path) -> Option<String> {
    let name = kernel.file_name()?.to_string_lossy();
    let course = fs::read_to_string(folder.join(COURSE)).ok()?;
    let source = KernelSource::read(kernel, &name).ok()?;
    Some(format!("{} {course}", source.hash()))
}
