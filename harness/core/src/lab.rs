//! What a lab is: a name, its kernels, its variants, its options, and the function that runs it.
use kernels::KernelSource;

use crate::{Result, Run};

/// A lab, declared once as a `static` in its crate and run by its own binary and by `warplab`.
#[derive(Debug)]
pub struct Lab {
    /// The crate's name, and what `warplab run` calls it.
    pub name: &'static str,
    /// One line for `warplab list`.
    pub summary: &'static str,
    /// The kernel files, each from [`kernels::source!`].
    pub kernels: &'static [KernelSource],
    /// Every variant, in the order of the handout. `--variant` chooses among them.
    pub variants: &'static [Variant],
    /// The lab's own CSV columns, units in their names; they follow the common ones.
    pub columns: &'static [&'static str],
    /// The lab's own options, added to the common ones.
    pub args: fn() -> Vec<clap::Arg>,
    /// The experiment.
    pub run: fn(&Run) -> Result<()>,
    /// Checked exercises: run after the experiment, or alone with `--exercises`.
    pub exercises: Option<fn(&Run) -> Result<()>>,
}

/// No options of its own: the value of [`Lab::args`] for most labs.
pub fn no_args() -> Vec<clap::Arg> {
    Vec::new()
}

/// A way to compute the same thing: one kernel, or one memory mode.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// What `--variant` and the CSV call it.
    pub name: &'static str,
    /// One line, "like the one before, but ..." where that says it best.
    pub summary: &'static str,
    /// Whether its answer should be right.
    pub expect: Expect,
    /// Run each case in a process of its own, because it ruins its CUDA context.
    pub own_process: bool,
}

/// What a variant should give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// The right answer.
    Right,
    /// A wrong answer, an error of the driver or a finding, always; the reason goes to the row's note.
    Wrong(&'static str),
    /// A data race or the like: wrong or right by luck. Passes either way; a finding is reported as expected.
    Racy(&'static str),
}

impl Variant {
    /// A variant whose answer should be right.
    pub const fn new(name: &'static str, summary: &'static str) -> Self {
        Self {
            name,
            summary,
            expect: Expect::Right,
            own_process: false,
        }
    }

    /// Wrong on purpose: it passes when its answer is wrong, the driver reports an error, or the
    /// machine finds the bug. `reason` says what is wrong with it.
    #[must_use]
    pub const fn wrong(mut self, reason: &'static str) -> Self {
        self.expect = Expect::Wrong(reason);
        self
    }

    /// Wrong on purpose in a way that luck can hide (a race).
    #[must_use]
    pub const fn racy(mut self, reason: &'static str) -> Self {
        self.expect = Expect::Racy(reason);
        self
    }

    /// Each of its cases runs in a process of its own: a kernel that faults ruins the context.
    #[must_use]
    pub const fn own_process(mut self) -> Self {
        self.own_process = true;
        self
    }
}
