//! What the embedded machine reports on a case.
use wire::{
    Copies, Launch, Managed, RenderedFinding, Report,
    counters::{Counters, Totals},
};

/// The machine's whole report on a case; empty on a GPU.
#[derive(Debug, Clone, Default)]
pub struct MachineReport {
    /// The launches, in order.
    pub launches: Vec<Launch>,
    /// The findings of its checks.
    pub findings: Vec<RenderedFinding>,
    /// Copies and fills.
    pub copies: Copies,
    /// Migrations of managed memory.
    pub managed: Managed,
    /// Whether counters were enabled.
    pub is_counted: bool,
}

impl MachineReport {
    /// Returns the counters of all launches.
    pub fn counters(&self) -> impl Iterator<Item = &Counters> {
        self.launches.iter().map(|launch| &launch.counters)
    }

    /// Returns a counter summed over all launches.
    pub fn total(&self, of: impl Fn(&Totals) -> u64) -> u64 {
        self.counters().map(|counters| of(&counters.totals)).sum()
    }

    /// Adds a later report.
    pub fn extend(&mut self, later: Report) {
        self.launches.extend(later.launches);
        self.findings.extend(later.findings);
        self.copies.add(&later.copies);
        self.managed.add(&later.managed);
        self.is_counted = later.settings.counters;
    }
}
