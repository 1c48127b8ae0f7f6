//! A run of one lab, which is passed to the lab's function.
use std::{rc::Rc, sync::Arc};

use cudarc::driver::{CudaFunction, CudaModule, CudaStream, DevicePtr, DeviceRepr, LaunchConfig, sys::CUdeviceptr};
use record::Record;

use crate::{
    device::{choice, kernels::Kernels, session::Session},
    error::{Error, Result},
    export::chart::Chart,
    lab::{case::Case, case_context::CaseContext, declaration::Lab, input::Input, row::Row, uploaded::Uploaded},
    measure::{input_guard::InputGuard, inputs::Inputs},
    options::common::{LabOptions, Options},
    process::role::Process,
};

/// Default sizes for the kinds of device; see [`Run::size`].
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// On a GPU.
    pub gpu: usize,
    /// On the emulated device, where a row should take at most two seconds.
    pub emulated: usize,
    /// With `--quick`.
    pub quick: usize,
}

impl Sizes {
    /// Returns the same size for every device.
    pub const fn all(n: usize) -> Self {
        Self { gpu: n, emulated: n, quick: n }
    }
}

/// The body of a case: launches its kernel, and records what it did.
pub(crate) type Body<'b> = dyn FnMut(&mut CaseContext<'_>) -> Result<()> + 'b;

/// What runs the cases of a lab, and keeps their rows.
pub(crate) trait CaseRunner {
    /// Runs a case; see [`Run::case`].
    fn case(&self, run: &Run, case: &Case, body: &mut Body<'_>) -> Result<Option<Record>>;

    /// Returns the rows so far.
    fn records(&self) -> Vec<Record>;

    /// Prints a line of the lab's own.
    fn say(&self, line: &str);

    /// Prints a line of the lab's own, but only once.
    fn say_once(&self, line: &str);

    /// Draws a chart.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn draw(&self, name: &str, chart: &Chart) -> Result<()>;
}

/// One lab's run: device, kernels, options and cases.
pub struct Run {
    pub(crate) lab: &'static Lab,
    pub(crate) session: Arc<Session>,
    pub(crate) kernels: Kernels,
    pub(crate) options: LabOptions,
    /// This process, which may run one case alone.
    pub(crate) process: Rc<Process>,
    /// Whether the cases have the sizes of a GPU, whatever the device: their times are predicted.
    pub(crate) has_gpu_sizes: bool,
    /// The inputs, which are read back in a judged run.
    pub(crate) inputs: Option<Rc<InputGuard>>,
    pub(crate) cases: Rc<dyn CaseRunner>,
}

impl Run {
    /// Runs one case: creates its launch and checks it against the device's limits, calls `body`, judges the results
    /// against the variant's expectation, and writes the row. A case whose variant was not chosen is skipped, and
    /// `None` is returned.
    ///
    /// An error inside `body` is the case's, not the run's: [`Error::Skip`] makes a skipped row, a driver error a
    /// failed one (or a pass, of a variant that is wrong on purpose). With `--schedules` the body runs once for every
    /// schedule; times, notes and counters are those of the first.
    ///
    /// # Errors
    /// Errors that end the whole run: a usage error, an unwritable row, Ctrl-C.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a case is made where it is run; `&Case::new(..)` would only be noise"
    )]
    pub fn case(&self, case: Case, mut body: impl FnMut(&mut CaseContext<'_>) -> Result<()>) -> Result<Option<Record>> {
        // Type-erased, so that what runs a case is not monomorphized for the bodies of all labs.
        self.cases.case(self, &case, &mut body)
    }

    /// Returns the records so far, for a lab's own summary at the end.
    pub fn records(&self) -> Vec<Record> {
        self.cases.records()
    }

    /// Returns the open device.
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Returns the stream that is timed.
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.session.stream
    }

    /// Whether the device is the embedded machine.
    pub fn is_emulated(&self) -> bool {
        self.session.device.is_emulated
    }

    /// Rejects a launch that exceeds the device's limits, before it is tried.
    ///
    /// # Errors
    /// [`crate::Error::Limit`] with the limit's name and value.
    pub fn check_launch(&self, launch: LaunchConfig) -> Result<()> {
        choice::check_launch(&self.session.device, launch)
    }

    /// Returns the common options.
    pub fn options(&self) -> &Options {
        &self.options.common
    }

    /// Returns the lab's own options ([`Lab::options`]).
    pub fn args(&self) -> &clap::ArgMatches {
        &self.options.own
    }

    /// Returns the current lab.
    pub fn lab(&self) -> &'static Lab {
        self.lab
    }

    /// Whether `variant` was chosen (all are, without `--variant`), and does not run in another process. Cases check
    /// this themselves; a lab calls it only to skip needless preparation.
    pub fn wants(&self, variant: &str) -> bool {
        self.options.common.chooses(variant) && self.process.role.runs_variant(variant)
    }

    /// Returns `--n`, or the lab's size for this device. If the default is reduced, for the emulated device or for
    /// `--quick`, it is printed once.
    pub fn size(&self, sizes: Sizes) -> usize {
        if let Some(n) = self.options().n {
            return n;
        }
        let n = self.pick(sizes);
        if n != sizes.gpu {
            let whole = if self.is_emulated() { sizes.emulated } else { sizes.gpu };
            let (why, usual) = if n == whole {
                ("emulated device", format!("{} on a GPU", sizes.gpu))
            } else {
                ("--quick", format!("{whole} otherwise"))
            };
            self.cases.say_once(&format!("n = {n} here ({why}); {usual}"));
        }
        n
    }

    /// Returns the size for this device, regardless of `--n`: for an axis other than n.
    pub fn pick(&self, sizes: Sizes) -> usize {
        match (self.options().quick, self.is_emulated() && !self.has_gpu_sizes) {
            (true, _) => sizes.quick,
            (_, true) => sizes.emulated,
            _ => sizes.gpu,
        }
    }

    /// Returns the threads of a block: `--threads`, or `usual`, but never more than the device allows by default.
    pub fn threads(&self, usual: u32) -> u32 {
        self.options().threads.unwrap_or(usual.min(self.session.device.max_threads_per_block))
    }

    /// Returns seeded inputs for `label`; the same `--seed` gives the same data on every device.
    pub fn inputs(&self, label: &str) -> Inputs {
        Inputs::new(self.options().seed, label)
    }

    /// Returns the lab's kernels on this device.
    pub fn kernels(&self) -> &Kernels {
        &self.kernels
    }

    /// Returns the loaded module of one of the lab's kernel files: [`Kernels::module`].
    ///
    /// # Errors
    /// Those of [`Kernels::module`].
    pub fn module(&self, file: &str) -> Result<Arc<CudaModule>> {
        self.kernels.module(file)
    }

    /// Returns a kernel of one of the lab's files: [`Kernels::function`].
    ///
    /// # Errors
    /// Those of [`Kernels::function`].
    pub fn function(&self, file: &str, kernel: &str) -> Result<CudaFunction> {
        self.kernels.function(file, kernel)
    }

    /// Returns data that rows share, named `name` as in their kernels. `make` is called on first use, and the data are
    /// copied to the device on first use there. They are read-only for kernels: in a judged run, a kernel that writes
    /// to them is wrong.
    pub fn input<'r, T: DeviceRepr + Clone + Default + 'static>(
        &'r self,
        name: &'static str,
        make: impl FnOnce() -> Vec<T> + 'r,
    ) -> Input<'r, T> {
        Input::new(name, self.session(), self.inputs.clone(), make)
    }

    /// Copies an input, named `name` as in its kernel, to the device. It is read-only for kernels: in a judged run, a
    /// kernel that writes to it is wrong. A buffer that a kernel may write is not an input, even if the host fills it
    /// first.
    ///
    /// # Errors
    /// The driver's errors.
    pub fn upload<T: DeviceRepr + Clone + 'static>(&self, name: &str, data: &[T]) -> Result<Uploaded<T>> {
        let slice = self.session.copy_of(data)?;
        let address = slice.device_ptr(self.stream()).0;
        let held = self.inputs.as_ref().map(|inputs| inputs.hold_copy(name, data, address));
        Ok(Uploaded::new(held, slice))
    }

    /// Checks, in a judged run, that the input `name`, which the lab itself has copied to `address`, is unchanged. A
    /// kernel that has written there is wrong.
    pub fn look_at<T: DeviceRepr + Clone + 'static>(&self, name: &str, data: &[T], address: CUdeviceptr) {
        // The input is read back on drop.
        drop(self.inputs.as_ref().map(|inputs| inputs.hold_copy(name, data, address)));
    }

    /// Returns the error for a case whose size does not suit `variant`, for `reason`: a usage error if the user named
    /// the variant, else a skipped row.
    pub fn unsuited(&self, variant: &str, reason: String) -> Error {
        let asked = self.options().variants.iter().any(|name| name == variant);
        if asked { Error::Usage(reason) } else { Error::skip(reason) }
    }

    /// Returns the rows of `table` that were chosen, in its order.
    pub fn rows<D>(&self, table: &'static [Row<D>]) -> impl Iterator<Item = &'static Row<D>> {
        table.iter().filter(|row| self.wants(row.variant.name))
    }

    /// Prints a line of the lab's own, while the progress line is hidden; nothing with `--quiet`. The line goes to
    /// standard error if standard output carries CSV or JSON.
    pub fn say(&self, line: &str) {
        self.cases.say(line);
    }

    /// Draws a chart as `name` next to the CSV. Its path is printed at the end of the lab.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn draw(&self, name: &str, chart: &Chart) -> Result<()> {
        self.cases.draw(name, chart)
    }
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("lab", &self.lab.name)
            .field("device", &self.session.device.name)
            .finish_non_exhaustive()
    }
}
