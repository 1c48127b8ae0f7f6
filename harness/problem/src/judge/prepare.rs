//! What is made before any file is judged: the requests, and the expected outputs of all of their rounds.
use std::{path::Path, sync::Arc};

use course::{
    judge::{
        BaselineCache, JudgeRequest, Runner,
        plan::{PlannedTiming, Round},
    },
    rank::PredictedTime,
};
use harness::{DeviceChoice, DeviceInfo, Error, Inputs, Record, Result, Verdict, process_limits::Limits};
use kernels::KernelSource;
use tempfile::TempDir;

use super::{Settings, at_fault, check_launches, request, verdict::PredictedOrMeasured};
use crate::{
    Problem,
    answers::Answers,
    expression::Values,
    lab::{ANSWERS, KEEP, SIZE, VARIANT},
    program,
    spec::sizes_of,
};

/// Runs with hidden sizes; each has others in each round.
const HIDDEN_RUNS: u32 = 2;

/// Why there is no time.
#[derive(Debug)]
pub(super) enum NoTime {
    /// The file is wrong in the run that is timed.
    Wrong(String),
    /// Its time is not known.
    Unknown(String),
}

/// A problem whose expected outputs are known.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) problem: &'static Problem,
    pub(super) settings: Settings,
    pub(super) device: DeviceInfo,
    limits: Limits,
    /// The known cases, then the hidden ones.
    pub(super) requests: Vec<JudgeRequest>,
    baseline: Arc<BaselineCache>,
    /// The time of the reference's kernels.
    pub(super) reference_time: Option<PredictedOrMeasured>,
    /// The folder of the expected outputs, which is removed at the end.
    answers: TempDir,
}

impl Prepared {
    /// Makes the expected outputs, and times the reference's kernels.
    ///
    /// # Errors
    /// [`Error::Usage`] when the reference fails; why runs cannot be started.
    pub(super) fn new(
        problem: &'static Problem,
        settings: &Settings,
        limits: Limits,
        device: DeviceInfo,
    ) -> Result<Self> {
        let folder = tempfile::tempdir().map_err(|source| Error::Io {
            action: "create a folder in",
            path: std::env::temp_dir(),
            source,
        })?;
        let requests = requests(problem, settings, &format!("--{ANSWERS}={}", folder.path().display()));
        let reference = problem.reference();
        if !reference.cuda.is_empty() {
            let compiled = kernels::ptx_for(reference, device.compute_capability)?;
            check_launches(problem, reference, &compiled.ptx, &device).map_err(|why| at_fault(problem, why))?;
        }
        let mut prepared = Self {
            problem,
            settings: settings.clone(),
            device,
            limits,
            requests,
            baseline: BaselineCache::here(),
            reference_time: None,
            answers: folder,
        };
        prepared.answer()?;
        if !reference.cuda.is_empty() {
            let runner = prepared.runner(reference.clone(), Path::new(reference.path.as_ref()));
            prepared.reference_time = match prepared.time_of(&runner, true)? {
                Ok(time) => Some(time),
                Err(_) if problem.spec.limits.slower_than_reference.is_none() => None,
                Err(NoTime::Wrong(why)) => {
                    return Err(at_fault(problem, format!("reference: {}: {why}", reference.name)));
                }
                Err(NoTime::Unknown(why)) => {
                    return Err(Error::CannotRun(format!(
                        "slower_than_reference needs the time of {}, which is not known on {}: {why}",
                        reference.name, settings.choice
                    )));
                }
            };
        }
        Ok(prepared)
    }

    /// Returns a runner for a file whose content is `source`.
    pub(super) fn runner(&self, source: KernelSource, file: &Path) -> Runner {
        Runner::of_source(source, file, self.limits, None, Arc::clone(&self.baseline))
    }

    /// Makes the expected outputs of all requests.
    fn answer(&self) -> Result<()> {
        let answers = Answers::new(self.answers.path());
        if !self.problem.spec.reference.program.is_empty() {
            let mut cases = Vec::new();
            for round in self.requests.iter().flat_map(rounds) {
                cases.extend(self.sizes(&round)?.into_iter().map(|sizes| (sizes, round.seed)));
            }
            let answer = |at: usize| {
                let (sizes, seed) = &cases[at];
                program::answer(self.problem, &answers, sizes, *seed, &self.limits)
            };
            return harness::parallel(cases.len(), answer).into_iter().collect();
        }
        let reference = self.problem.reference();
        let runner = self.runner(reference.clone(), Path::new(reference.path.as_ref()));
        let answer = |at: usize| {
            let request = &self.requests[at];
            let options = request.options.iter();
            let options =
                options.map(|word| word.replacen(&format!("--{ANSWERS}="), &format!("--{KEEP}="), 1)).collect();
            let keeping = JudgeRequest { options, ..request.clone() };
            runner
                .own_rounds(&keeping, &rounds(&keeping))?
                .map_err(|why| at_fault(self.problem, format!("reference: {}: {why}", reference.name)))
        };
        harness::parallel(self.requests.len(), answer).into_iter().collect()
    }

    /// The sizes of the cases in a round.
    fn sizes(&self, round: &Round) -> Result<Vec<Values>> {
        let start = format!("--{SIZE}=");
        let words: Vec<&str> = round.options.iter().filter_map(|word| word.strip_prefix(&start)).collect();
        if words.is_empty() {
            return Ok(self.problem.spec.sizes.clone());
        }
        Ok(vec![sizes_of(words.into_iter(), &self.problem.spec).map_err(|why| at_fault(self.problem, why))?])
    }

    /// Returns the time of the file of `runner`, or of the reference's kernels, in all known cases; or why it is not
    /// known.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub(super) fn time_of(
        &self,
        runner: &Runner,
        is_reference: bool,
    ) -> Result<std::result::Result<PredictedOrMeasured, NoTime>> {
        let request = &self.requests[0];
        let DeviceChoice::Emulated(gpu) = &self.settings.choice else {
            let timing = PlannedTiming { variant: VARIANT.into(), is_own: is_reference, n: None };
            let timed = runner.timed(request, &[timing])?;
            return Ok(timed
                .map_err(NoTime::Unknown)
                .and_then(|timed| measured(if is_reference { &timed.theirs } else { &timed.mine })));
        };
        let rows = if is_reference {
            runner.own_predicted_rows(request, VARIANT, gpu)
        } else {
            runner.predicted_rows(request, VARIANT, gpu, None)
        };
        match rows {
            Ok(rows) => Ok(right(&rows).and_then(|()| {
                PredictedTime::of_rows(&rows).map(PredictedOrMeasured::predicted).map_err(NoTime::Unknown)
            })),
            Err(Error::Interrupted) => Err(Error::Interrupted),
            Err(error) => Ok(Err(NoTime::Unknown(error.to_string()))),
        }
    }
}

/// The rounds of a request, and of its timed runs.
fn rounds(request: &JudgeRequest) -> Vec<Round> {
    match request.choice {
        DeviceChoice::Emulated(_) => request.rounds(),
        _ => request.timed_rounds(),
    }
}

/// Returns the sum of the median times of all rows.
fn measured(rows: &[Record]) -> std::result::Result<PredictedOrMeasured, NoTime> {
    right(rows)?;
    let times = rows.iter().map(|row| Some(row.times?.median)).collect::<Option<Vec<f64>>>();
    times
        .map(|times| PredictedOrMeasured::measured(times.iter().sum()))
        .ok_or_else(|| NoTime::Unknown("a case was not timed".into()))
}

/// Checks that the timed run is right too.
fn right(rows: &[Record]) -> std::result::Result<(), NoTime> {
    match rows.iter().find(|row| row.verdict != Verdict::Pass) {
        Some(row) => Err(NoTime::Wrong(format!("where its time was taken: {}: {}", row.case, row.note))),
        None => Ok(()),
    }
}

/// Returns the requests: the known cases, then those with hidden sizes.
fn requests(problem: &'static Problem, settings: &Settings, answers: &str) -> Vec<JudgeRequest> {
    let mut all = vec![request(problem, settings, settings.seed, vec![answers.into()])];
    let hidden = &problem.spec.hidden;
    let runs = if hidden.is_empty() { 0 } else { HIDDEN_RUNS };
    for run in 0..runs {
        let size = |(name, [least, most]): (&String, &[i64; 2])| format!("--{SIZE}={name}={{{least}..{most}}}");
        let options = hidden.iter().map(size).chain([answers.into()]).collect();
        let seed = Inputs::new(settings.seed, &format!("hidden run {run}")).u32(1, 0..u32::MAX)[0].into();
        all.push(request(problem, settings, seed, options));
    }
    all
}
