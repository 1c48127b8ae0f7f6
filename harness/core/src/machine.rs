//! What the embedded machine reports beside the driver API: counters of each launch, and findings.
use serde::Deserialize;

/// Everything that the machine reported since it was last asked; empty on a GPU.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct MachineReport {
    /// One entry a launch: kernel name and counters by name.
    pub launches: Vec<serde_json::Value>,
    /// What its checks found.
    pub findings: Vec<serde_json::Value>,
}

impl MachineReport {
    /// The first finding as one line.
    pub fn first_finding(&self) -> Option<String> {
        self.findings.first().map(ToString::to_string)
    }
}

/// Takes the machine's report.
pub fn report() -> MachineReport {
    MachineReport::default()
}
