//! Judges kernel files for a problem.
//!
//! The expected outputs are made first, for every seed and case that will be tried: by the reference's kernels, or by
//! its program. Then each file is judged as one for a lab is, and what is right is timed.
mod prepare;
mod text;
mod verdict;

use std::path::{Path, PathBuf};

use course::{
    judge::{
        JudgeRequest, Judgement, Progress, Runner, judge as judge_lab,
        marks::work::unshared_by_comparison,
        verdict::{JudgedRow, VariantResult, VariantVerdict},
    },
    rank::refusal,
};
use harness::{DeviceChoice, DeviceInfo, Error, Result, Session, check_launch, process_limits::Limits};
use kernels::KernelSource;

use crate::{
    Problem,
    launch::{self, PlannedLaunch},
    spec::MEMORY,
};
use prepare::{NoTime, Prepared};
pub use verdict::{FileVerdict, PredictedOrMeasured, SCHEMA, Standing, Verdicts};
use verdict::{of_problem, reasons};

/// How files are judged.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where: on an emulated GPU, whose times are predicted, or on a GPU.
    pub choice: DeviceChoice,
    /// The seed of the inputs and of the hidden sizes.
    pub seed: u64,
    /// Orders of warps and blocks to try.
    pub schedules: u32,
}

/// The most bytes that a judged process may write to its output.
const OUTPUT: u64 = 64 << 20;

/// Judges the files, one after another, and calls `progress` for the runs of each.
///
/// # Errors
/// [`Error::Usage`] when a file cannot be read, or when the problem or its reference is at fault; why runs cannot be
/// started; [`Error::Interrupted`].
pub fn judge(
    problem: &'static Problem,
    files: &[PathBuf],
    settings: &Settings,
    progress: Progress,
) -> Result<Verdicts> {
    let sources = files
        .iter()
        .map(|file| Ok((file.as_path(), harness::replacement(problem.lab, file)?)))
        .collect::<Result<Vec<(&Path, KernelSource)>>>()?;
    let limits = Limits { seconds: problem.spec.limits.seconds, memory: MEMORY, output: OUTPUT };
    let device = Session::open(&settings.choice)?.device;
    let prepared = Prepared::new(problem, settings, limits, device)?;
    let mut verdicts = Vec::new();
    for (file, source) in sources {
        verdicts.push(prepared.judged(file, source, progress)?);
    }
    Ok(Verdicts::new(&prepared, verdicts))
}

impl Prepared {
    /// Judges a file.
    fn judged(&self, file: &Path, source: KernelSource, progress: Progress) -> Result<FileVerdict> {
        let refused = |why: String| Ok(FileVerdict::new(file, Standing::Refused, vec![why]));
        let compiled = match kernels::ptx_for(&source, self.device.compute_capability) {
            Ok(compiled) => compiled,
            Err(kernels::Error::Compile { log, .. }) => {
                return refused(format!("it does not compile:\n{}", log.trim_end()));
            }
            Err(error) => return refused(refusal(error.into())?),
        };
        if let Err(why) = check_launches(self.problem, &source, &compiled.ptx, &self.device) {
            return refused(why);
        }
        let runner = self.runner(source, file);
        let mut verdict = FileVerdict::new(file, Standing::Right, Vec::new());
        let (known, hidden) = self.requests.split_first().expect("the known cases");
        let Some(judged) = judged_as(known, &runner, progress)? else {
            return refused("it launches nothing".into());
        };
        verdict.add(&judged);
        // What is wrong at known sizes need not be tried at hidden ones.
        if judged.result != VariantResult::Right {
            return Ok(verdict);
        }
        for judged in harness::parallel(hidden.len(), |at| judged_as(&hidden[at], &runner, progress)) {
            judged?.iter().for_each(|judged| verdict.add(judged));
        }
        if verdict.standing != Standing::Right {
            return Ok(verdict);
        }
        if let Some(unshared) = unshared_by_comparison(most_work(&judged)).first() {
            verdict.standing = Standing::Slow;
            verdict.reasons.push(of_problem(&format!("{}; {}", unshared.words, unshared.raise)));
            return Ok(verdict);
        }
        self.time(&mut verdict, &runner)?;
        Ok(verdict)
    }

    /// Adds the time of a right file, and compares it with the reference's.
    fn time(&self, verdict: &mut FileVerdict, runner: &Runner) -> Result<()> {
        let limit = self.problem.spec.limits.slower_than_reference;
        let time = match self.time_of(runner, false)? {
            Ok(time) => verdict.time.insert(time),
            Err(NoTime::Wrong(why)) => {
                verdict.standing = Standing::Wrong;
                verdict.reasons.push(of_problem(&why));
                return Ok(());
            }
            Err(NoTime::Unknown(why)) => {
                // Whether it is within the limit is unknown.
                verdict.standing = if limit.is_some() { Standing::Unjudged } else { Standing::Right };
                verdict.without_time = Some(of_problem(&why));
                return Ok(());
            }
        };
        let (Some(most), Some(reference)) = (limit, &self.reference_time) else { return Ok(()) };
        if time.ms > most * reference.ms {
            verdict.standing = Standing::Slow;
            verdict.reasons.push(format!(
                "it takes {}, and the reference {}: {:.1} times as long, where slower_than_reference allows {most}",
                time.words(),
                reference.words(),
                time.ms / reference.ms
            ));
        }
        Ok(())
    }
}

/// Judges the file of `runner` in the cases of a request; `None` if it launches nothing.
fn judged_as(request: &JudgeRequest, runner: &Runner, progress: Progress) -> Result<Option<VariantVerdict>> {
    let Judgement { verdicts, .. } = judge_lab(request, runner, progress)?;
    Ok(verdicts.into_iter().next())
}

/// Checks that the launches of a kernel file are possible in every case, and suit its kernels and the device.
///
/// # Errors
/// What is wrong.
fn check_launches(
    problem: &Problem,
    source: &KernelSource,
    ptx: &str,
    device: &DeviceInfo,
) -> std::result::Result<(), String> {
    let launches = problem.launches(source)?;
    for sizes in problem.spec.sampled_sizes() {
        let planned = problem.spec.plan(&launches, &sizes)?;
        launch::check_parameters(&planned, ptx)?;
        for PlannedLaunch { kernel, config, .. } in &planned {
            check_launch(device, *config).map_err(|error| match error {
                Error::Limit { what, value, limit, device, .. } => {
                    format!("the launch of `{kernel}` is impossible: {what} is {value}, but {device} allows {limit}")
                }
                error => error.to_string(),
            })?;
        }
    }
    Ok(())
}

/// Returns a request for all cases that these options of the problem's lab set.
fn request(problem: &Problem, settings: &Settings, seed: u64, options: Vec<String>) -> JudgeRequest {
    JudgeRequest {
        lab: problem.lab,
        variants: vec![crate::lab::VARIANT],
        options,
        choice: settings.choice.clone(),
        schedules: settings.schedules,
        seed,
        // The sizes are options of the lab.
        sizes: vec![None],
        needs_sizes: true,
        hidden: 0,
    }
}

/// Returns an error of the problem's file.
fn at_fault(problem: &Problem, why: impl std::fmt::Display) -> Error {
    Error::usage(format!("{}: {why}", problem.path.display()))
}

/// Returns the row of the case in which the reference does the most work. In a small case, a kernel that is made for
/// large ones may do far more than the reference.
fn most_work(judged: &VariantVerdict) -> Option<&JudgedRow> {
    let work = |row: &&JudgedRow| row.work.map_or(0.0, |work| work.instructions);
    judged.rows.iter().max_by(|one, other| work(one).total_cmp(&work(other)))
}

/// Returns the reasons of a verdict, and where they are.
fn described(judged: &VariantVerdict) -> Vec<String> {
    reasons(&judged.failures).chain(reasons(&judged.unjudged)).collect()
}
