//! What is judged, and how.
use std::{path::PathBuf, sync::Arc};

use harness::{DeviceChoice, Expect, Lab, process_limits::Limits};
use kernels::KernelSource;

use super::{bounds::Bounds, own::Known, printed::Printed};

/// A kernel file, the variants of a lab that it is judged by, and how they run.
#[derive(Debug, Clone)]
pub struct Task {
    /// The lab.
    pub lab: &'static Lab,
    /// The kernel file that is judged.
    pub kernel: PathBuf,
    /// What it holds, in place of a kernel file of the lab: [`harness::replacement`] gives it.
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
    /// The sizes that are known beforehand, at least one; `None` stands for the lab's quick sizes.
    pub sizes: Vec<Option<usize>>,
    /// Whether nothing is right that could not be judged at each of those sizes.
    pub needs_sizes: bool,
    /// Further sizes, which the seed decides.
    pub hidden: usize,
    /// What each run may use.
    pub limits: Limits,
    /// What bounds all runs together.
    pub bounds: Arc<Bounds>,
    /// What is known of the lab's own kernels.
    pub known: Arc<Known>,
    /// What the file's kernels print is kept there.
    pub printed: Printed,
}

impl Task {
    /// The path of the lab's own kernel file that is replaced.
    pub(super) fn replaces(&self) -> &str {
        let own = self.lab.kernels.iter().find(|own| own.name == self.source.name);
        own.map_or("", |own| &own.path)
    }

    /// Whether the lab's own kernel of `variant` has a mistake that is to be mended.
    pub fn is_planted(&self, variant: &str) -> bool {
        self.lab.variants().iter().any(|v| v.name == variant && matches!(v.expect, Expect::Planted(_)))
    }
}
