//! A run of the submitted file as one variant, apart from all others.
use harness::Result;

use super::{outcome::Outcome, process::EndedRun, runner::Runner};
use crate::judge::plan::Plan;

/// The most warp instructions of a launch, at least: many times those of the lab's own kernels if that is more. This
/// finds an endless loop in seconds, instead of after the hour that a run's usual budget lasts, without stopping a
/// kernel that is only slow.
const BUDGET: u64 = 20_000_000;

impl Runner {
    /// Runs the submitted file as `variant`; the lab's own kernels take `own_instructions` warp instructions for it.
    pub(super) fn alone(
        &self,
        plan: &Plan,
        variant: &'static str,
        size: Option<usize>,
        own_instructions: u64,
    ) -> Result<Outcome> {
        let options = &plan.request.options;
        if let Some(words) = self.bounds.refusal(options, variant, size) {
            return Ok(Outcome::Failed(words));
        }
        let command = self.submitted(plan, &[variant], size, (BUDGET, own_instructions))?;
        let ended = EndedRun::run(command, &self.bounds.within(&self.limits))?;
        if let Some(words) = self.bounds.note(options, variant, size, ended.stopped) {
            return Ok(Outcome::Failed(words));
        }
        self.printed.add(&[variant], size, ended.printed());
        ended.submitted()
    }
}
