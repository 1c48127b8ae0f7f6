//! A running case, which is passed to its body.
use std::{
    fmt::Debug,
    ops::{Deref, DerefMut},
};

use cudarc::driver::{CudaFunction, CudaSlice, DeviceRepr, LaunchConfig};
use record::{Resources, Times};

use crate::{
    device::resources::resources,
    error::Result,
    lab::{case::Case, run::Run},
    measure::{check::Check, device_compare::LastRightOnDevice, poison::poison, recorder::Recorder},
};

/// A running case. Everything that a [`Recorder`] records is recorded through it. It also has the case's kernel and
/// launch.
#[derive(Debug)]
pub struct CaseContext<'r> {
    run: &'r Run,
    case: &'r Case,
    launch: Option<LaunchConfig>,
    pub(crate) recorder: Recorder<'r>,
}

impl<'r> CaseContext<'r> {
    pub(crate) fn new(run: &'r Run, case: &'r Case, launch: Option<LaunchConfig>, recorder: Recorder<'r>) -> Self {
        Self { run, case, launch, recorder }
    }

    /// Loads the case's kernel, and allows it the launch's dynamic shared memory.
    ///
    /// # Errors
    /// Those of [`crate::Kernels::function_with_shared`].
    ///
    /// # Panics
    /// When the case names no kernel: a bug in the lab.
    pub fn kernel(&self) -> Result<CudaFunction> {
        let (file, name) = self.case.kernel.as_ref().expect("the case names its kernel");
        self.function(file, name)
    }

    /// Loads another kernel that the case launches, like [`CaseContext::kernel`].
    ///
    /// # Errors
    /// Those of [`CaseContext::kernel`].
    pub fn function(&self, file: &str, name: &str) -> Result<CudaFunction> {
        let bytes = self.launch.map_or(0, |launch| launch.shared_mem_bytes);
        self.run.kernels().function_with_shared(file, name, bytes)
    }

    /// Returns the case's launch.
    ///
    /// # Panics
    /// When the case has none: a bug in the lab.
    pub fn launch(&self) -> LaunchConfig {
        self.launch.expect("the case has a launch")
    }

    /// Sets the launch of a case that chooses it at run time; it is recorded in the row.
    pub fn launches_as(&mut self, launch: LaunchConfig) {
        self.launch = Some(launch);
        self.recorder.launches_as(launch);
    }

    /// Returns the blocks of the case's launch that are resident on a multiprocessor, as reported by the driver; at
    /// least one.
    ///
    /// # Errors
    /// As [`CaseContext::kernel`]; the driver's errors.
    pub fn resident_blocks(&self) -> Result<u32> {
        let launch = self.launch();
        let (threads, shared) = (launch.block_dim.0, launch.shared_mem_bytes as usize);
        Ok(self.kernel()?.occupancy_max_active_blocks_per_multiprocessor(threads, shared, None)?.max(1))
    }

    /// Returns the multiprocessor resources of the case's kernel: the one that it names, or the only one that it has
    /// loaded.
    pub(crate) fn resources(&self) -> Option<Resources> {
        let named = self.case.kernel.as_ref().map(|(_, name)| name.as_str());
        let (kernel, source) = self.run.kernels().asked(named)?;
        resources((&kernel, source), self.launch, &self.run.session().device)
    }

    /// Answers a question: sets the columns of [`crate::Question`]s, and checks that the obtained answer is the
    /// expected one.
    pub fn answer<T: PartialEq + Debug>(&mut self, question: impl Into<String>, expected: T, obtained: T) {
        self.set("question", question.into());
        self.set("expected", format!("{expected:?}"));
        self.set("obtained", format!("{obtained:?}"));
        self.check(Check::equal(&[obtained], &[expected]));
    }

    /// Checks the contents of `output` by `check`, once the work on the stream has completed.
    ///
    /// # Errors
    /// The driver's errors.
    pub fn check_output<T: DeviceRepr>(
        &mut self,
        output: &CudaSlice<T>,
        check: impl FnOnce(&[T]) -> Check,
    ) -> Result<()> {
        let check = self.run.session().look_at(output, check)?;
        self.recorder.check(check);
        Ok(())
    }

    /// Times the work that `launch` enqueues on [`Run::stream`], like [`Recorder::measure`]. Before each sample
    /// `output` is poisoned. After it, `check` is called with the contents of `output`, unless they equal an output
    /// that was right before. So `check` must not be used to record the result of each sample. (The host compares them
    /// as floats, so -0.0 equals 0.0.)
    ///
    /// # Errors
    /// Those of the closures, the driver's, and [`crate::Error::Interrupted`].
    pub fn time<T: DeviceRepr + PartialEq>(
        &mut self,
        output: &mut CudaSlice<T>,
        mut launch: impl FnMut(&mut CudaSlice<T>) -> Result<()>,
        check: impl FnMut(&[T]) -> Check,
    ) -> Result<Times> {
        self.time_chain(std::slice::from_mut(output), |outputs| launch(&mut outputs[0]), check)
    }

    /// As [`CaseContext::time`], for kernels each of which reads the output of the previous one: all of `outputs` are
    /// poisoned, and the last is checked.
    ///
    /// # Errors
    /// Those of [`CaseContext::time`].
    ///
    /// # Panics
    /// When `outputs` is empty.
    pub fn time_chain<T: DeviceRepr + PartialEq>(
        &mut self,
        outputs: &mut [CudaSlice<T>],
        launch: impl FnMut(&mut [CudaSlice<T>]) -> Result<()>,
        mut check: impl FnMut(&[T]) -> Check,
    ) -> Result<Times> {
        let (session, stream) = (self.run.session(), self.run.stream());
        // A graded kernel could find the copy of a right answer on the GPU, or in memory that the GPU reads.
        let stays_there = !self.run.is_emulated() && !self.run.options().confined;
        let (mut on_host, mut on_device) = (LastRightOnHost::default(), LastRightOnDevice::default());
        self.recorder.measure(
            outputs,
            |outputs| outputs.iter_mut().try_for_each(|output| poison(stream, output)),
            launch,
            |outputs| {
                let last = outputs.last().expect("there is an output");
                if stays_there && LastRightOnDevice::<T>::suits(last) {
                    return on_device.check(session, last, &mut check);
                }
                // Copying into memory that was written before is several times faster than into new memory.
                let mut output = std::mem::take(&mut on_host.spare);
                if output.len() == last.len() {
                    stream.memcpy_dtoh(last, &mut output)?;
                    stream.synchronize()?;
                } else {
                    output = stream.clone_dtoh(last)?;
                }
                Ok(on_host.check(output, &mut check))
            },
        )
    }
}

/// The last right output, and its check. An output that equals it is right too, and comparing is several times faster
/// than checking: some outputs have 200 million elements, and the output of every sample is checked.
#[derive(Debug)]
struct LastRightOnHost<T> {
    known: Option<(Vec<T>, Check)>,
    /// Memory for the next output, if any.
    spare: Vec<T>,
}

impl<T> Default for LastRightOnHost<T> {
    fn default() -> Self {
        Self { known: None, spare: Vec::new() }
    }
}

impl<T: PartialEq> LastRightOnHost<T> {
    /// Returns the check of `output`: the known one if it equals the last right output, else that of `check`. A NaN
    /// equals nothing, so an output with one is always checked.
    fn check(&mut self, output: Vec<T>, check: impl FnOnce(&[T]) -> Check) -> Check {
        if let Some((right, known)) = &self.known
            && *right == output
        {
            self.spare = output;
            return known.clone();
        }
        let check = check(&output);
        self.spare = if check.passed() {
            self.known.replace((output, check.clone())).map_or_else(Vec::new, |(before, _)| before)
        } else {
            output
        };
        check
    }
}

impl<'r> Deref for CaseContext<'r> {
    type Target = Recorder<'r>;

    fn deref(&self) -> &Recorder<'r> {
        &self.recorder
    }
}

impl DerefMut for CaseContext<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.recorder
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::check::Tolerance;

    #[test]
    fn a_wrong_output_after_a_right_one_is_wrong() {
        let mut right = LastRightOnHost::default();
        let near = |y: &[f32]| Check::compare(y, &[1.0_f64, 2.0], Tolerance { absolute: 0.1, relative: 0.0 });
        let mut passes = |output: &[f32]| right.check(output.to_vec(), near).passed();
        assert!(!passes(&[1.0, f32::NAN]));
        assert!(passes(&[1.0, 2.05]));
        assert!(passes(&[1.0, 2.05]));
        assert!(passes(&[1.0, 2.0]));
        for wrong in [&[1.0, 2.2][..], &[1.0, f32::NAN], &[1.0], &[]] {
            assert!(!passes(wrong));
        }
    }

    #[test]
    fn an_output_is_checked_again_unless_it_equals_the_last_right_one() {
        let mut right = LastRightOnHost::default();
        let mut times_checked = 0;
        for (output, is_right) in [(7, false), (7, false), (1, true), (1, true), (2, true), (1, true)] {
            let check = right.check(vec![output], |_| {
                times_checked += 1;
                Check::that(is_right, "wrong")
            });
            assert_eq!(check.passed(), is_right);
        }
        assert_eq!(times_checked, 5);
        let with_nan = Some((vec![f32::NAN], Check::all_right(1)));
        let mut right = LastRightOnHost { known: with_nan, spare: Vec::new() };
        assert!(!right.check(vec![f32::NAN], |_| Check::that(false, "checked")).passed());
    }
}
