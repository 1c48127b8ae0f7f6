//! The task of judging a kernel file.
use std::{path::PathBuf, sync::Arc};

use harness::{DeviceChoice, Expect, Lab, process_limits::Limits};
use kernels::KernelSource;

use super::{baseline::BaselineCache, bounds::Bounds, printed::Printed};

/// A kernel file, the variants of a lab to judge it by, and how they run.
#[derive(Debug, Clone)]
pub struct Task {
    /// The lab.
    pub lab: &'static Lab,
    /// The kernel file that is judged.
    pub kernel: PathBuf,
    /// Its content, in place of a kernel file of the lab, as returned by [`harness::replacement`].
    pub source: KernelSource,
    /// Where it runs. Only the emulated device checks and counts.
    pub choice: DeviceChoice,
    /// Orders of warps and blocks to try.
    pub schedules: u32,
    /// The variants to judge.
    pub variants: Vec<&'static str>,
    /// Further options of the lab, such as `--stride`.
    pub options: Vec<String>,
    /// The seed of the inputs and of the hidden sizes.
    pub seed: u64,
    /// The known sizes, at least one; `None` stands for the lab's quick sizes.
    pub sizes: Vec<Option<usize>>,
    /// Whether a variant must be judged at each of those sizes to count as right.
    pub needs_sizes: bool,
    /// The number of further sizes, drawn from the seed.
    pub hidden: usize,
    /// The limits of each run.
    pub limits: Limits,
    /// The limits of all runs together.
    pub bounds: Arc<Bounds>,
    /// The cached results of the lab's own kernels.
    pub baseline: Arc<BaselineCache>,
    /// Collects the output of the file's kernels.
    pub printed: Printed,
}

impl Task {
    /// The path of the lab's own kernel file that is replaced.
    pub(super) fn replaces(&self) -> &str {
        let own = self.lab.kernels.iter().find(|own| own.name == self.source.name);
        own.map_or("", |own| &own.path)
    }

    /// Whether the lab's own kernel of `variant` has a planted mistake that students fix.
    pub fn is_planted(&self, variant: &str) -> bool {
        self.lab.variants().iter().any(|v| v.name == variant && matches!(v.expect, Expect::Planted(_)))
    }
}
