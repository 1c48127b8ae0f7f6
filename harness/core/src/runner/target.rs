//! The device that a plan runs on.
use predict::GpuModel;

use crate::{
    device::{sandboxed_driver, session::Session},
    error::{Error, Result},
    plan::{predicting, run_plan::RunPlan},
    process::role::Process,
};

/// The open device, and the parts for which times are predicted.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) session: Session,
    /// The part for which times are predicted from this device's counters.
    pub(crate) part: Option<GpuModel>,
    /// The part for which a companion run predicts times, to be shown with those of a GPU.
    pub(crate) beside: Option<GpuModel>,
}

impl Target {
    /// Opens the device of `plan`, and checks that the plan suits it. Nothing has run or been written yet.
    ///
    /// # Errors
    /// [`Error::Usage`] and [`Error::CannotRun`] if it does not; those of [`Session::open`].
    pub(crate) fn open(plan: &RunPlan<'_>, process: &Process) -> Result<Self> {
        let options = &plan.options;
        if options.confined {
            sandboxed_driver::want();
        }
        // A compiler that was named and cannot be loaded is reported once, not for each lab.
        kernels::nvrtc()?;
        let session = Session::open(&plan.device)?;
        let part = predicting::predicted_part(options.predict.as_deref(), &session.device.profile)?;
        let beside = predicting::beside(options, &session.device.profile, &session.device.name)?;
        // The kernel file has already been read, for it may come through a pipe, and a GPU's driver has been started:
        // both need these rights. The file has not been compiled yet.
        if options.confined {
            sandbox::restrict_judge().map_err(|why| Error::CannotRun(format!("cannot enter the sandbox: {why}")))?;
        }
        if options.min_percent.is_some() && session.device.is_emulated {
            return Err(Error::CannotRun(
                "--min-percent needs a GPU: an emulated time says nothing about a GPU".into(),
            ));
        }
        let is_whole = process.role.is_whole();
        if is_whole && options.predict_n.is_some() && !(plan.has_stories && session.device.is_emulated) {
            return Err(Error::usage(
                "--predict-n is for the summaries of an emulated run: leave it out, or the options that replace them",
            ));
        }
        Ok(Self { session, part, beside: beside.filter(|_| is_whole) })
    }
}
