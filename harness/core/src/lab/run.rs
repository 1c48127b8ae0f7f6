//! A run of one lab: what the lab's function is given.
use std::{cell::RefCell, rc::Rc, sync::Arc};

use cudarc::driver::{CudaFunction, CudaModule, CudaStream, DevicePtr, DeviceRepr, sys::CUdeviceptr};
use predict::Part;

use crate::{
    device::{kernels::Kernels, session::Session},
    error::{Error, Result},
    export::{chart::Chart, report::Report},
    lab::{
        companion::Companion, declaration::Lab, input::Input, options::Options, role::Process, rounds::Rounds,
        row::Row, uploaded::Uploaded,
    },
    measure::{forecast::Forecasts, inputs::Inputs, unchanged::Unchanged},
    record::{columns::Columns, row::Record},
};

/// Sizes for the devices that a lab meets; see [`Run::size`].
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// On a GPU.
    pub gpu: usize,
    /// On the emulated device, where a row should take two seconds at most.
    pub emulated: usize,
    /// With `--quick`.
    pub quick: usize,
}

impl Sizes {
    /// The same size on every device.
    pub const fn all(n: usize) -> Self {
        Self { gpu: n, emulated: n, quick: n }
    }
}

/// One lab's run: device, options, kernels and records.
pub struct Run {
    pub(crate) lab: &'static Lab,
    /// The columns of the lab's rows.
    pub(crate) columns: Rc<Columns>,
    pub(crate) session: Arc<Session>,
    pub(crate) options: Options,
    pub(crate) args: clap::ArgMatches,
    pub(crate) process: Rc<Process>,
    /// The part for which times are predicted.
    pub(crate) part: Option<Part>,
    /// What an emulated run of the same cases has predicted, beside those of a GPU.
    pub(crate) companion: Option<Companion>,
    pub(crate) report: RefCell<Report>,
    pub(crate) kernels: Kernels,
    pub(crate) records: RefCell<Vec<Record>>,
    /// How fast this computer emulates.
    pub(crate) forecasts: RefCell<Forecasts>,
    /// The rounds so far, if the lab runs in rounds.
    pub(crate) rounds: RefCell<Option<Rounds>>,
    /// The case whose kernel has faulted and ruined the context, if there was one.
    pub(crate) lost: RefCell<Option<String>>,
    /// The inputs, which are read back in a judged run.
    pub(crate) unchanged: Option<Rc<Unchanged>>,
}

impl Run {
    /// The open device.
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// The stream that is timed.
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.session.stream
    }

    /// True on the embedded machine.
    pub fn is_emulated(&self) -> bool {
        self.session.device.is_emulated
    }

    /// The common options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The lab's own options ([`Lab::options`]).
    pub fn args(&self) -> &clap::ArgMatches {
        &self.args
    }

    /// The lab being run.
    pub fn lab(&self) -> &'static Lab {
        self.lab
    }

    /// Whether `variant` was chosen (all are, without `--variant`), and is not left to another process. Cases check
    /// this themselves; a lab asks only to skip needless preparation.
    pub fn wants(&self, variant: &str) -> bool {
        let is_chosen = self.options.variants.is_empty() || self.options.variants.iter().any(|v| v == variant);
        is_chosen && self.process.role.runs_variant(variant)
    }

    /// `--n`, or the lab's size for this device; a default made smaller, for the emulated device or for
    /// `--quick`, is printed once.
    pub fn size(&self, sizes: Sizes) -> usize {
        if let Some(n) = self.options.n {
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
            self.report.borrow_mut().remark(&format!("n = {n} here ({why}); {usual}"));
        }
        n
    }

    /// The size for this device, whatever `--n` says: for an axis that is not n.
    pub fn pick(&self, sizes: Sizes) -> usize {
        // Times are predicted for the cases of a GPU.
        match (self.options.quick, self.is_emulated() && !self.process.role.is_prediction()) {
            (true, _) => sizes.quick,
            (_, true) => sizes.emulated,
            _ => sizes.gpu,
        }
    }

    /// Threads of a block: `--threads`, or `usual`, but never more than the device allows by default.
    pub fn threads(&self, usual: u32) -> u32 {
        self.options.threads.unwrap_or(usual.min(self.session.device.max_threads_per_block))
    }

    /// Seeded inputs for `label`; the same `--seed` gives the same data on every device.
    pub fn inputs(&self, label: &str) -> Inputs {
        Inputs::new(self.options.seed, label)
    }

    /// The lab's kernels on this device.
    pub fn kernels(&self) -> &Kernels {
        &self.kernels
    }

    /// The loaded module of one of the lab's kernel files: [`Kernels::module`].
    ///
    /// # Errors
    /// Those of [`Kernels::module`].
    pub fn module(&self, file: &str) -> Result<Arc<CudaModule>> {
        self.kernels.module(file)
    }

    /// A kernel of one of the lab's files: [`Kernels::function`].
    ///
    /// # Errors
    /// Those of [`Kernels::function`].
    pub fn function(&self, file: &str, kernel: &str) -> Result<CudaFunction> {
        self.kernels.function(file, kernel)
    }

    /// Data that rows share, called `name` as their kernels call them: `make` is called when a row first asks for them,
    /// and they are copied to the device when a row first asks for that. Kernels may only read them: a judged one that
    /// writes there is wrong.
    pub fn input<'r, T: DeviceRepr + Clone + Default + 'static>(
        &'r self,
        name: &'static str,
        make: impl FnOnce() -> Vec<T> + 'r,
    ) -> Input<'r, T> {
        Input::new(name, self.session(), self.unchanged.clone(), make)
    }

    /// Copies an input to the device, called `name` as its kernels call it. Kernels may only read it: a judged one that
    /// writes there is wrong. What a kernel may write is no input, even if the host fills it first.
    ///
    /// # Errors
    /// The driver's errors.
    pub fn upload<T: DeviceRepr + Clone + 'static>(&self, name: &str, data: &[T]) -> Result<Uploaded<T>> {
        let slice = self.session.copy_of(data)?;
        let address = slice.device_ptr(self.stream()).0;
        let held = self.unchanged.as_ref().map(|inputs| inputs.hold_copy(name, data, address));
        Ok(Uploaded::new(held, slice))
    }

    /// Looks whether the input `name`, which the lab has brought to `address` itself, is there still, in a judged run.
    /// A kernel that has written there is wrong.
    pub fn look_at<T: DeviceRepr + Clone + 'static>(&self, name: &str, data: &[T], address: CUdeviceptr) {
        // When it is dropped, it is read back.
        drop(self.unchanged.as_ref().map(|inputs| inputs.hold_copy(name, data, address)));
    }

    /// The error for a case whose size does not suit `variant`, for `reason`: a usage error if the user asked for the
    /// variant by name, else a skipped row.
    pub fn unsuited(&self, variant: &str, reason: String) -> Error {
        let asked = self.options.variants.iter().any(|name| name == variant);
        if asked { Error::Usage(reason) } else { Error::Skip(reason) }
    }

    /// The rows of `table` that were chosen, in its order.
    pub fn rows<D>(&self, table: &'static [Row<D>]) -> impl Iterator<Item = &'static Row<D>> {
        table.iter().filter(|row| self.wants(row.variant.name))
    }

    /// Prints a line of the lab's own below the progress bar; nothing with `--quiet`. The line goes to standard error
    /// when standard output carries CSV or JSON.
    pub fn say(&self, line: &str) {
        self.report.borrow().say(line);
    }

    /// Draws a chart beside the CSV, as `name`, and says where it is.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn draw(&self, name: &str, chart: &Chart) -> Result<()> {
        self.report.borrow_mut().chart(name, chart)
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
