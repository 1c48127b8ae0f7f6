//! The whole report: launches, copies, findings, and memory that is still allocated.

use serde::{Deserialize, Serialize};

use crate::checks::Check;
use crate::finding::{FailureOf, Finding, FindingKind};
use crate::launch::Launch;
use crate::settings::Settings;
use crate::transfer::{Copies, Managed, Memory};
use crate::version::{self, ReadError, VERSION};

/// A finding with its text from the machine's renderer. The text is for printing; decisions are based on the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenderedFinding {
    /// The finding's data.
    #[serde(flatten)]
    pub finding: Finding,
    /// Whose failure it is.
    pub verdict: FailureOf,
    /// Which check found it.
    pub check: Check,
    /// The kernel as its source declares it; empty if no kernel is concerned.
    pub kernel_name: String,
    /// The class of mistake in one line: the headline without the count.
    pub mistake: String,
    /// One line, including the count where that matters.
    pub headline: String,
    /// The headline again, under the name that readers of the report know.
    pub title: String,
    /// The position of the address, and other useful facts, one sentence each.
    pub context: Vec<String>,
    /// How to fix it.
    pub help: String,
    /// The whole rendered report: several lines, with a final line break.
    pub text: String,
}

/// Device memory that was never freed, with the client's activity at the time of the allocation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leak {
    /// The value of [`crate::settings::SettingsPatch::during`] at that time; empty if the client has not set it.
    pub during: String,
    /// The leak.
    #[serde(flatten)]
    pub rendered: RenderedFinding,
}

/// All launches, copies and findings since the last report was taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// [`VERSION`].
    pub version: u32,
    /// The emulated profile; empty before `cuInit`.
    pub profile: String,
    /// The current settings for launches.
    pub settings: Settings,
    /// The process ID; 0 if unknown.
    #[serde(default)]
    pub process: u32,
    /// The command line of the process, shortened to fit on a line.
    #[serde(default)]
    pub command: String,
    /// The launches, in the order in which they ended.
    pub launches: Vec<Launch>,
    /// Earlier launches that were not kept.
    pub launches_dropped: u64,
    /// The findings, each mistake once.
    pub findings: Vec<RenderedFinding>,
    /// Further mistakes that were not kept.
    pub findings_dropped: u64,
    /// The number of rejected launches whose error the program has received, since its start.
    #[serde(default)]
    pub refusals_answered: u64,
    /// Obsolete: earlier machines recorded here whether the program had queried the name of a failed assertion's error.
    #[serde(default)]
    pub assertion_named: bool,
    /// Copies and fills.
    pub copies: Copies,
    /// Migrations of managed memory.
    pub managed: Managed,
    /// The current use of device memory.
    pub memory: Memory,
}

/// Device memory that is still allocated and was not reported before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leaks {
    /// [`VERSION`].
    pub version: u32,
    /// One leak for each activity that the client named.
    pub findings: Vec<Leak>,
}

/// The report of a driver that was never initialised.
impl Default for Report {
    fn default() -> Self {
        Report {
            version: VERSION,
            profile: String::new(),
            settings: Settings::default(),
            process: 0,
            command: String::new(),
            launches: Vec::new(),
            launches_dropped: 0,
            findings: Vec::new(),
            findings_dropped: 0,
            refusals_answered: 0,
            assertion_named: false,
            copies: Copies::default(),
            managed: Managed::default(),
            memory: Memory::default(),
        }
    }
}

/// No leaks.
impl Default for Leaks {
    fn default() -> Self {
        Leaks { version: VERSION, findings: Vec::new() }
    }
}

impl Report {
    /// Parses a report.
    ///
    /// # Errors
    /// When the version is unknown, or a field is missing, unknown or of another type; the message names it.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        version::read(text)
    }

    /// Whether the report contains findings that count against the program. Rejected launches do not count if the
    /// program has received their errors, as on a GPU.
    pub fn accuses(&self) -> bool {
        let refused = |told: &&RenderedFinding| matches!(told.finding.kind, FindingKind::LaunchLimit { .. });
        let count = |told: &RenderedFinding| told.finding.count;
        let refusals: u64 = self.findings.iter().filter(refused).map(count).sum();
        let all_known = refusals <= self.refusals_answered;
        !self.findings.iter().all(|told| all_known && refused(&told))
    }

    /// Merges the reports of several processes: concatenates their launches and findings, and adds up their copies. The
    /// process, its device and its settings are those of the first report.
    #[must_use]
    pub fn and(mut self, other: Report) -> Report {
        self.launches.extend(other.launches);
        self.launches_dropped += other.launches_dropped;
        self.findings.extend(other.findings);
        self.findings_dropped += other.findings_dropped;
        self.refusals_answered += other.refusals_answered;
        self.copies.add(&other.copies);
        self.managed.add(&other.managed);
        self
    }

    /// Returns the report as JSON.
    pub fn to_json(&self) -> String {
        crate::json(self)
    }
}

impl Leaks {
    /// Parses leaks.
    ///
    /// # Errors
    /// As [`Report::read`].
    pub fn read(text: &str) -> Result<Self, ReadError> {
        version::read(text)
    }

    /// Returns the leaks as JSON.
    pub fn to_json(&self) -> String {
        crate::json(self)
    }
}
