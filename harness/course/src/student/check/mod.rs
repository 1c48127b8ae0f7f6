//! Help for a student: compiles the kernel file of a folder and tries it exercise by exercise, with an immediate
//! answer.

mod check_text;
mod diagnostics;
mod exercise_status;
mod memory;
mod missed;
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
    assignment::rubric::{Exercise, Rubric},
    judge::{BaselineCache, Runner, plan::Round, run::Printed},
};
use diagnostics::Diagnostic;
use exercise_status::{Bench, ExerciseStatus, LIMITS, device};
use memory::Memory;

/// A student's folder, ready to be checked.
#[derive(Debug)]
pub struct Workspace {
    lab: &'static Lab,
    folder: PathBuf,
    kernel: PathBuf,
    rubric: Rubric,
}

/// The exercises to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestedExercises {
    /// All, in order, up to the first that is not right.
    First,
    /// The exercise of this name.
    Named(String),
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
    /// The exercises that were tried, by their index in the rubric.
    exercises: Vec<(usize, ExerciseStatus)>,
    /// The names of the exercises that are right now but were not when they were last tried.
    news: Vec<String>,
    /// The kernels' output.
    printed: Printed,
}

impl Checked {
    /// The index in the rubric of the first exercise that is not right.
    fn at_hand(&self) -> Option<usize> {
        self.exercises.iter().find(|(_, status)| !status.is_right()).map(|(index, _)| *index)
    }

    /// The exit status: every requested exercise is right, or one is not, or one could not be judged.
    pub fn exit(&self) -> Exit {
        let any = |is: fn(&ExerciseStatus) -> bool| self.exercises.iter().any(|(_, status)| is(status));
        if any(|status| !matches!(status, ExerciseStatus::Right(_) | ExerciseStatus::Unjudged(_))) {
            Exit::Wrong
        } else if any(|status| matches!(status, ExerciseStatus::Unjudged(_))) {
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

    /// Compiles the kernel file and tries the requested exercises. `progress` is called with the number of exercises
    /// tried and the number of all, and finally with all tried.
    ///
    /// # Errors
    /// [`Error::Usage`] when the file does not compile, with its errors at their lines, and for an unknown exercise;
    /// [`Error::CannotRun`] without NVRTC; why runs cannot be started.
    pub fn check(&self, asked: &RequestedExercises, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<Checked> {
        let chosen = self.chosen(asked)?;
        let source = harness::replacement(self.lab, &self.kernel)?;
        // All runs then find its PTX in the cache.
        let capability = Session::open(&device())?.device.compute_capability;
        let compiled =
            kernels::ptx_for(&source, capability).map_err(|error| not_compiled(error, &source, &self.kernel))?;
        let bench = self.bench(&source, &compiled.ptx);
        let exercises: Vec<&Exercise> = chosen.iter().map(|index| self.exercise(*index)).collect();
        let shared = bench.together(&exercises, *asked == RequestedExercises::Every)?;
        let (first_wrong, tried) = (AtomicUsize::new(usize::MAX), AtomicUsize::new(0));
        let statuses = harness::parallel(chosen.len(), |i| -> Result<Option<ExerciseStatus>> {
            if *asked != RequestedExercises::Every && first_wrong.load(Ordering::Relaxed) < i {
                return Ok(None);
            }
            let status = bench.try_exercise(exercises[i], &shared)?;
            if !status.is_right() {
                first_wrong.fetch_min(i, Ordering::Relaxed);
            }
            progress(tried.fetch_add(1, Ordering::Relaxed) + 1, chosen.len());
            Ok(Some(status))
        });
        progress(chosen.len(), chosen.len());
        let mut exercises = Vec::new();
        for (index, status) in chosen.into_iter().zip(statuses) {
            let Some(status) = status? else { break };
            let goes_on = status.is_right() || *asked == RequestedExercises::Every;
            exercises.push((index, status));
            // How many later exercises were tried depends on the number of cores, so they are dropped.
            if !goes_on {
                break;
            }
        }
        let printed = bench.runner.into_printed();
        let news = self.remember(&exercises);
        let warnings = diagnostics::warnings(&compiled.warnings, &source, &self.handed_out()?);
        Ok(Checked { source, warnings, exercises, news, printed })
    }

    /// The next hint for the first exercise that is not right.
    ///
    /// # Errors
    /// [`Error::Io`] when the state with the shown hints cannot be written.
    pub fn hint(&self, checked: &Checked) -> Result<String> {
        let Some(exercise) = checked.at_hand().map(|index| &self.rubric.exercises[index]) else {
            return Ok("Every exercise that was tried is right; no hint is needed.".into());
        };
        if exercise.hints.is_empty() {
            return Ok(format!("Exercise `{}` has no hints.", exercise.name));
        }
        let mut memory = Memory::read(&self.folder);
        let shown = memory.hints.entry(exercise.name.clone()).or_default();
        let next = (*shown).min(exercise.hints.len() - 1);
        *shown = next + 1;
        memory.keep(&self.folder)?;
        Ok(check_text::hint(exercise, next))
    }

    /// The performance hint for the exercise at hand, or for each tried exercise if all are right: the predicted time
    /// on a GPU, the bottleneck, and the possible gain. `None` if the exercise at hand is wrong. If no prediction is
    /// possible, the text says why; nothing else depends on it.
    pub fn performance_hints(&self, checked: &Checked) -> Option<String> {
        let at_hand = checked.at_hand();
        let is_asked = |index: usize| at_hand.is_none_or(|at_hand| at_hand == index);
        let exercises =
            checked.exercises.iter().filter(|(index, status)| is_asked(*index) && performance_hint::helps(status));
        let exercises: Vec<&Exercise> = exercises.map(|(index, _)| self.exercise(*index)).collect();
        let bench = self.bench(&checked.source, "");
        let said = harness::parallel(exercises.len(), |i| bench.performance_hint(exercises[i]));
        (!said.is_empty()).then(|| said.join("\n"))
    }

    /// The arguments of `warplab record` that run the exercise at hand as it failed, in the student's own kernel;
    /// `None` if no answer is wrong and no check has found anything.
    pub fn failing_run(&self, checked: &Checked) -> Option<Vec<String>> {
        let exercise = self.exercise(checked.at_hand()?);
        let (_, status) = checked.exercises.iter().find(|(_, status)| !status.is_right())?;
        let ExerciseStatus::Wrong(wrong) = status else { return None };
        let variant = wrong.variants.first()?;
        let request = self.bench(&checked.source, "").request(&exercise.options, &exercise.variants);
        let Round { seed, options } = request.own_round();
        let kernel = self.kernel.display().to_string();
        let lab = self.lab.argument();
        let mut words: Vec<String> =
            ["--device", &request.choice.to_string(), "--check", "all", lab, "--quick", "--seed", &seed.to_string()]
                .map(str::to_owned)
                .into();
        words.extend(["--variant", variant, "--kernel", &kernel, "--partial"].map(str::to_owned));
        words.extend(options);
        if let Some(n) = wrong.size.filter(|_| self.lab.takes("n", variant)) {
            words.extend(["--n".into(), n.to_string()]);
        }
        Some(words)
    }

    /// The page that shows the exercise at hand as it failed.
    pub fn page(&self) -> PathBuf {
        self.kernel.with_file_name("check.html")
    }

    /// The setup in which the exercises are tried; `ptx` is the compiled `source`.
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

    /// The indices in the rubric of the requested exercises.
    fn chosen(&self, asked: &RequestedExercises) -> Result<Vec<usize>> {
        let RequestedExercises::Named(name) = asked else {
            return Ok((0..self.rubric.exercises.len()).collect());
        };
        let names: Vec<&str> = self.rubric.exercises.iter().map(|exercise| exercise.name.as_str()).collect();
        let index = names.iter().position(|known| known == name);
        index.map(|index| vec![index]).ok_or_else(|| {
            Error::usage(format!("{} has no exercise `{name}`; {}", self.rubric.title, suggest::among(name, &names)))
        })
    }

    /// Stores which exercises are right, and returns those that were not before.
    fn remember(&self, exercises: &[(usize, ExerciseStatus)]) -> Vec<String> {
        let mut memory = Memory::read(&self.folder);
        let before = memory.clone();
        let mut news = Vec::new();
        for (index, status) in exercises {
            let name = &self.exercise(*index).name;
            if !status.is_right() {
                memory.right.remove(name);
            } else if memory.right.insert(name.clone()) {
                news.push(name.clone());
            }
        }
        if memory != before {
            // In a read-only folder, an exercise is praised again.
            let _ = memory.keep(&self.folder);
        }
        news
    }

    fn exercise(&self, index: usize) -> &Exercise {
        &self.rubric.exercises[index]
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
