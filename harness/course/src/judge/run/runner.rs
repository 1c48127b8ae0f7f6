//! What runs one submitted kernel file, and what all of its runs share.
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use harness::{Lab, Result, process_limits::Limits};
use kernels::KernelSource;

use super::{baseline_cache::BaselineCache, bounds::Bounds, printed::Printed};

/// Runs one submitted kernel file, for all requests of its judgement.
#[derive(Debug)]
pub struct Runner {
    /// The kernel file.
    pub(super) kernel: PathBuf,
    /// Its content, in place of a kernel file of the lab, as returned by [`harness::replacement`].
    pub(super) source: KernelSource,
    /// The limits of each run.
    pub(super) limits: Limits,
    /// The limits of all runs together.
    pub(super) bounds: Bounds,
    /// The cached results of the lab's own kernels.
    pub(super) baseline: Arc<BaselineCache>,
    /// The output of the file's kernels.
    pub(super) printed: Printed,
}

impl Runner {
    /// A runner of the file `kernel`, whose runs take `limits` each, and `total` seconds together if that is limited.
    /// The total time begins now.
    ///
    /// # Errors
    /// [`harness::Error::Usage`] when the file replaces no kernel file of the lab; why it cannot be read.
    pub fn new(
        lab: &'static Lab,
        kernel: &Path,
        limits: Limits,
        total: Option<u64>,
        baseline: Arc<BaselineCache>,
    ) -> Result<Self> {
        Ok(Self::of_source(harness::replacement(lab, kernel)?, kernel, limits, total, baseline))
    }

    /// Like [`Runner::new`], for a file that is read already: `source` is its content.
    pub fn of_source(
        source: KernelSource,
        kernel: &Path,
        limits: Limits,
        total: Option<u64>,
        baseline: Arc<BaselineCache>,
    ) -> Self {
        let (bounds, printed) = (Bounds::total(total), Printed::default());
        Self { kernel: kernel.into(), source, limits, bounds, baseline, printed }
    }

    /// The kernel file.
    pub fn kernel(&self) -> &Path {
        &self.kernel
    }

    /// Its content, in place of a kernel file of the lab.
    pub fn source(&self) -> &KernelSource {
        &self.source
    }

    /// Ends it, and returns the output of the file's kernels in all runs.
    pub fn into_printed(self) -> Printed {
        self.printed
    }

    /// The path of the lab's own kernel file that is replaced.
    pub(super) fn replaces(&self, lab: &'static Lab) -> &'static str {
        let own = lab.kernels.iter().find(|own| own.name == self.source.name);
        own.map_or("", |own| &own.path)
    }
}
