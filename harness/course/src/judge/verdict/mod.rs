//! The third step: what the results of the runs say of each variant: right, a finding, wrong, missing, or not judged.
//! What was not judged never counts as right.
pub mod atomics;
mod failure;
mod reference;
mod remarks;
#[cfg(test)]
pub(crate) mod sample;
pub mod variant;
pub mod work;

use super::{
    plan::JudgeRequest,
    run::{RunResult, VariantRuns},
};
pub use reference::reference;
pub use variant::{Event, FindingKey, ITS_SIZE, JudgedRow, VariantResult, VariantVerdict, exit, finding_key};

/// The verdict on each variant that uses the file.
pub fn verdicts(request: &JudgeRequest, results: &[VariantRuns]) -> Vec<VariantVerdict> {
    results.iter().filter_map(|VariantRuns { variant, runs }| of_variant(request, variant, runs)).collect()
}

/// The verdict on a variant with these results, if it uses the file.
fn of_variant(request: &JudgeRequest, variant: &'static str, runs: &[RunResult]) -> Option<VariantVerdict> {
    let mut verdict = VariantVerdict::from_runs(variant, runs, request.needs_sizes)?;
    if !request.lab.takes("n", variant) {
        verdict.without_sizes();
    }
    // The counters of a kernel with a planted mistake are not a baseline for a fixed one.
    if request.is_planted(variant) {
        verdict.remarks.clear();
        verdict.rows.iter_mut().for_each(|judged| judged.work = None);
    }
    Some(verdict)
}
