//! What is to be judged: the variants of a lab, and the sizes, seeds and orders at which they are to be right.
use harness::{DeviceChoice, Expect, Lab};

/// The variants of a lab to judge, and how. It names no file: the file is that of the [`Runner`](crate::judge::Runner).
#[derive(Debug, Clone)]
pub struct JudgeRequest {
    /// The lab.
    pub lab: &'static Lab,
    /// The variants to judge.
    pub variants: Vec<&'static str>,
    /// Further options of the lab, such as `--stride`.
    pub options: Vec<String>,
    /// Where they run. Only the emulated device checks and counts.
    pub choice: DeviceChoice,
    /// Orders of warps and blocks to try.
    pub schedules: u32,
    /// The seed of the inputs and of the hidden sizes.
    pub seed: u64,
    /// The known sizes, at least one; `None` stands for the lab's quick sizes.
    pub sizes: Vec<Option<usize>>,
    /// Whether a variant must be judged at each of those sizes to count as right.
    pub needs_sizes: bool,
    /// The number of further sizes, drawn from the seed.
    pub hidden: usize,
}

impl JudgeRequest {
    /// Whether the lab's own kernel of `variant` has a planted mistake that students fix.
    pub fn is_planted(&self, variant: &str) -> bool {
        self.lab.variants().iter().any(|v| v.name == variant && matches!(v.expect, Expect::Planted(_)))
    }

    /// Whether runs at `size` include the lab's questions. These do not depend on the size, so running them once is
    /// enough.
    pub fn asks_questions(&self, size: Option<usize>) -> bool {
        size == self.sizes[0]
    }
}
