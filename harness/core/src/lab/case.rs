//! A case: one point of an experiment's axes.
use record::case_key;

use crate::lab::launch::Launch;

/// One variant at one size, launch and memory mode.
#[derive(Debug, Clone)]
pub struct Case {
    pub(crate) variant: String,
    pub(crate) label: String,
    pub(crate) n: Option<usize>,
    pub(crate) work: Option<u64>,
    pub(crate) kernel: Option<(&'static str, String)>,
    pub(crate) launch: Option<Launch>,
    pub(crate) memory_mode: Option<String>,
}

impl Case {
    /// Returns a case of `variant`, which must be one of the lab's.
    pub fn new(variant: impl Into<String>) -> Self {
        let (n, work, kernel, launch, memory_mode) = (None, None, None, None, None);
        Self { variant: variant.into(), label: String::new(), n, work, kernel, launch, memory_mode }
    }

    /// Distinguishes it from the variant's other cases, e.g. "block 256" (the `case` column).
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets the problem size in elements.
    #[must_use]
    pub fn n(mut self, n: usize) -> Self {
        self.n = Some(n);
        self
    }

    /// Sets the work of one launch, in simple steps such as additions, if that is more than one for each element or
    /// thread: used to estimate the duration of the emulation.
    #[must_use]
    pub fn work(mut self, steps: u64) -> Self {
        self.work = Some(steps);
        self
    }

    /// Sets its kernel, by file and name, which [`crate::CaseContext::kernel`] returns to the case's body.
    #[must_use]
    pub fn kernel(mut self, file: &'static str, name: impl Into<String>) -> Self {
        self.kernel = Some((file, name.into()));
        self
    }

    /// Sets the launch, or its rule ([`Launch`]); it is checked against the device's limits before the case runs, and
    /// [`crate::CaseContext::launch`] returns it to the body.
    #[must_use]
    pub fn launch(mut self, launch: impl Into<Launch>) -> Self {
        self.launch = Some(launch.into());
        self
    }

    /// Sets the kind of memory: pageable, pinned, managed, ...
    #[must_use]
    pub fn memory_mode(mut self, mode: impl Into<String>) -> Self {
        self.memory_mode = Some(mode.into());
        self
    }

    /// Returns the case's name in messages and between processes.
    pub(crate) fn key(&self) -> String {
        case_key(&self.variant, &self.label, self.n.map(|n| n as u64))
    }
}
