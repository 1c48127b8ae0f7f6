//! The first three steps in a row: from a request to the verdict on each variant.
use harness::{Result, Session};
use kernels::Warning;

use super::{
    plan::{JudgeRequest, plan, plan_at},
    run::{Progress, Runner, SharedOutcomes},
    verdict::{VariantVerdict, verdicts},
};

/// The judgement of a file.
#[derive(Debug)]
pub struct Judgement {
    /// The verdict on each variant that uses the file.
    pub verdicts: Vec<VariantVerdict>,
    /// The sizes that were tried: the known ones, then the hidden ones.
    pub sizes: Vec<Option<usize>>,
    /// The compiler's warnings.
    pub warnings: Vec<Warning>,
    /// The PTX; empty if it was compiled elsewhere.
    pub ptx: String,
}

/// Compiles the file and judges it, and calls `progress` with the number of runs that have ended, and the number
/// planned.
///
/// # Errors
/// [`harness::Error::Kernel`] when the file does not compile; why runs cannot be started or read.
pub fn judge(request: &JudgeRequest, runner: &Runner, progress: Progress) -> Result<Judgement> {
    // The file is compiled here first, so that its errors are reported once and the runs find its PTX in the cache.
    let capability = Session::open(&request.choice)?.device.compute_capability;
    let kernels::Compiled { warnings, ptx, .. } = kernels::ptx_for(runner.source(), capability)?;
    Ok(Judgement { warnings, ptx, ..judge_elsewhere(request, runner, progress)? })
}

/// Like [`judge`], but this process does not open the device, since it has opened another one. The file is known to
/// compile.
///
/// # Errors
/// Why runs cannot be started or read.
pub(super) fn judge_elsewhere(request: &JudgeRequest, runner: &Runner, progress: Progress) -> Result<Judgement> {
    let survey = runner.survey(request, request.sizes[0])?;
    let plan = plan(request, &survey.facts());
    let results = runner.run(&plan, &survey, &SharedOutcomes::default(), progress)?;
    let verdicts = verdicts(request, &results);
    Ok(Judgement { verdicts, sizes: plan.sizes, warnings: Vec::new(), ptx: String::new() })
}

/// The verdict on each variant at a single, known size. Variants in `shared` are not run again. The file is known to
/// compile.
///
/// # Errors
/// Why runs cannot be started or read.
pub fn judge_at(
    request: &JudgeRequest,
    size: Option<usize>,
    runner: &Runner,
    shared: &SharedOutcomes,
) -> Result<Vec<VariantVerdict>> {
    let survey = runner.survey(request, size)?;
    let plan = plan_at(request, size, &survey.facts());
    let results = runner.run(&plan, &survey, shared, &|_, _| ())?;
    Ok(verdicts(request, &results))
}
