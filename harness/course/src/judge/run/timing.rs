//! Runs that are timed on a GPU, and runs whose times are predicted.
use harness::{Error, Record, Result};

use super::{process::EndedRun, runner::Runner};
use crate::judge::plan::{JudgeRequest, PlannedTiming};

/// Times on a GPU: the rows of an exercise, and of the variant with which it is compared.
#[derive(Debug, Clone)]
pub struct Timed {
    /// The rows of the exercise's variants.
    pub mine: Vec<Record>,
    /// The rows of the lab's own variant; empty if the speed is a fraction of the ceiling.
    pub theirs: Vec<Record>,
}

impl Runner {
    /// Runs the planned timings one after the other. The inner error says why there are no times.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn timed(
        &self,
        request: &JudgeRequest,
        timings: &[PlannedTiming],
    ) -> Result<std::result::Result<Timed, String>> {
        let mut timed = Timed { mine: Vec::new(), theirs: Vec::new() };
        for timing in timings {
            let ended = self.timing(request, timing).and_then(|command| EndedRun::run(command, &self.limits));
            match ended.and_then(|ended| ended.all_rows(&timing.variant)) {
                Ok(rows) if timing.is_own => timed.theirs.extend(rows),
                Ok(rows) => timed.mine.extend(rows),
                Err(Error::Interrupted) => return Err(Error::Interrupted),
                Err(error) => return Ok(Err(error.to_string())),
            }
        }
        Ok(Ok(timed))
    }

    /// Predicts the times of `variant` of the submitted file on `gpu`, which is emulated, with the cost of each line:
    /// one sample, at size `n`, or at the lab's size on the emulated device. Random options keep the lab's default,
    /// since a rubric also draws small sizes.
    ///
    /// # Errors
    /// [`Error::CannotRun`] when the run gives no rows, with its error message; why it cannot be started.
    pub fn predicted_rows(
        &self,
        request: &JudgeRequest,
        variant: &str,
        gpu: &str,
        n: Option<u64>,
    ) -> Result<Vec<Record>> {
        EndedRun::run(self.prediction(request, (variant, false), gpu, n)?, &self.limits)?.all_rows("its emulation")
    }

    /// Like [`Runner::predicted_rows`], for the lab's own kernels as `variant`, at the lab's size.
    ///
    /// # Errors
    /// As [`Runner::predicted_rows`].
    pub fn own_predicted_rows(&self, request: &JudgeRequest, variant: &str, gpu: &str) -> Result<Vec<Record>> {
        let command = self.prediction(request, (variant, true), gpu, None)?;
        EndedRun::run(command, &self.limits)?.all_rows("the emulation of the lab's own kernels")
    }
}
