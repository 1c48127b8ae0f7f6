//! The second step: runs each planned run in the sandbox, within limits, and the lab's own kernels for comparison.
//!
//! Every variant at every size runs in its own process, which is `warplab run` itself: a kernel that faults, never ends
//! or floods its output does not affect the other runs.
mod baseline;
mod baseline_cache;
mod bounds;
mod command;
mod outcome;
mod printed;
mod process;
mod runner;
mod submitted;
mod survey;
mod timing;
mod together;

use std::sync::atomic::{AtomicUsize, Ordering};

use harness::Result;

use super::plan::{Plan, PlannedRun};
use baseline::instructions;
pub use baseline_cache::{BaselineCache, OWN};
pub use command::this_program;
pub use outcome::{Outcome, RunResult, VariantRuns};
pub use printed::Printed;
pub use runner::Runner;
pub use survey::Survey;
pub use timing::Timed;
pub use together::SharedOutcomes;

/// Called with the number of runs that have ended, and the number planned.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

impl Runner {
    /// Runs the plan, except for outcomes that are `shared`, and returns the results by variant. `survey` has the lab's
    /// own kernels at one of the sizes.
    ///
    /// # Errors
    /// Why runs cannot be started or read.
    pub fn run(
        &self,
        plan: &Plan,
        survey: &Survey,
        shared: &SharedOutcomes,
        progress: Progress,
    ) -> Result<Vec<VariantRuns>> {
        let (all, ended) = (plan.runs().count(), AtomicUsize::new(0));
        let mut results: Vec<VariantRuns> =
            plan.variants.iter().map(|&variant| VariantRuns { variant, runs: Vec::new() }).collect();
        for wave in &plan.waves {
            let wave_results = harness::parallel(wave.len(), |i| {
                let result = self.one(plan, &wave[i], survey, shared);
                progress(ended.fetch_add(1, Ordering::Relaxed) + 1, all);
                result
            });
            for (planned, result) in wave.iter().zip(wave_results) {
                let of_variant = results.iter_mut().find(|of| of.variant == planned.variant);
                of_variant.expect("a variant of the plan").runs.push(result?);
            }
        }
        Ok(results)
    }

    /// Runs the lab's own kernels, and then the submitted file.
    fn one(&self, plan: &Plan, planned: &PlannedRun, survey: &Survey, shared: &SharedOutcomes) -> Result<RunResult> {
        let &PlannedRun { variant, size, is_hidden, .. } = planned;
        let own = match survey.outcome(variant, size) {
            Some(known) => known.clone(),
            None => self.own(plan.request, variant, size)?,
        };
        let theirs = match &own {
            Outcome::Ran { rows, .. } => rows.as_slice(),
            Outcome::Absent => &[],
            _ => return Ok(RunResult { size, is_hidden, own, submitted: None }),
        };
        // A missing case may have been left out because of another variant.
        let is_whole = |known: &&Outcome| !matches!(known, Outcome::Ran { rows, .. } if rows.len() < theirs.len());
        let submitted = match shared.outcome(plan.request, variant, size).filter(is_whole) {
            Some(known) => known.clone(),
            None => self.alone(plan, variant, size, instructions(&own))?,
        };
        Ok(RunResult { size, is_hidden, own, submitted: Some(submitted) })
    }
}
