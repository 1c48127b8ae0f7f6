//! A case: one point of an experiment's axes.
use cudarc::driver::LaunchConfig;

/// One variant at one size, launch and memory mode.
#[derive(Debug, Clone)]
pub struct Case {
    pub(crate) variant: String,
    pub(crate) label: String,
    pub(crate) n: Option<usize>,
    pub(crate) launch: Option<LaunchConfig>,
    pub(crate) memory_mode: Option<String>,
}

impl Case {
    /// A case of `variant`, which must be one of the lab's.
    pub fn new(variant: impl Into<String>) -> Self {
        Self {
            variant: variant.into(),
            label: String::new(),
            n: None,
            launch: None,
            memory_mode: None,
        }
    }

    /// What tells it from the variant's other cases, e.g. "block 256" (the `case` column).
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Problem size in elements.
    #[must_use]
    pub fn n(mut self, n: usize) -> Self {
        self.n = Some(n);
        self
    }

    /// The launch; it is checked against the device's limits before the case runs.
    #[must_use]
    pub fn launch(mut self, launch: LaunchConfig) -> Self {
        self.launch = Some(launch);
        self
    }

    /// Where the data lie: pageable, pinned, managed, ...
    #[must_use]
    pub fn memory_mode(mut self, mode: impl Into<String>) -> Self {
        self.memory_mode = Some(mode.into());
        self
    }

    /// What the case is called in messages and between processes.
    pub(crate) fn key(&self) -> String {
        key(&self.variant, &self.label, self.n.map(|n| n as u64))
    }
}

/// What tells a case from the lab's others.
pub(crate) fn key(variant: &str, label: &str, n: Option<u64>) -> String {
    let n = n.map_or_else(String::new, |n| n.to_string());
    format!("{variant}/{label}/{n}")
}

/// A launch of `blocks` blocks of `threads` threads in one dimension.
pub fn launch_1d(blocks: u32, threads: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (blocks, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    }
}

/// A dimension as the CSV writes it: `256`, `16x16`, `4x4x4`.
pub(crate) fn dims((x, y, z): (u32, u32, u32)) -> String {
    match (x, y, z) {
        (x, 1, 1) => x.to_string(),
        (x, y, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    }
}
