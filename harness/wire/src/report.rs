//! The whole report: what was launched, copied and found, and what is still allocated.

use serde::{Deserialize, Serialize};

use crate::checks::Check;
use crate::finding::{FailureOf, Finding, Kind};
use crate::launch::Launch;
use crate::settings::Settings;
use crate::transfer::{Copies, Managed, Memory};
use crate::version::{self, ReadError, VERSION};

/// A finding with the text that the machine's renderer has made of it. The text is for printing; decisions are based on
/// the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// The data.
    #[serde(flatten)]
    pub finding: Finding,
    /// Whose failure it is.
    pub verdict: FailureOf,
    /// Which check found it.
    pub check: Check,
    /// The kernel as its source declares it; empty when no kernel is concerned.
    pub kernel_name: String,
    /// What sort of mistake it is, in one line: the headline without how often it was seen.
    pub mistake: String,
    /// One line, with how often it was seen where that belongs to it.
    pub headline: String,
    /// The headline again: readers of the report know it under this name.
    pub title: String,
    /// Where the address lies, and what else is worth knowing, a sentence each.
    pub context: Vec<String>,
    /// What to do about it.
    pub help: String,
    /// The whole report, several lines, ending in a line break.
    pub text: String,
}

/// Device memory that was never freed, with what the client said it was doing when it allocated the memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leak {
    /// What [`crate::settings::Wishes::during`] was; empty if the client has said nothing.
    pub during: String,
    /// The leak.
    #[serde(flatten)]
    pub told: Told,
}

/// All that was launched, copied and found since the last report was taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// [`VERSION`].
    pub version: u32,
    /// The profile that is emulated; empty before `cuInit`.
    pub profile: String,
    /// How launches are executed now.
    pub settings: Settings,
    /// The process, as the system numbers it; 0 if it is not known.
    #[serde(default)]
    pub process: u32,
    /// The command line of the process, as long as it fits a line.
    #[serde(default)]
    pub command: String,
    /// The launches, in the order in which they ended.
    pub launches: Vec<Launch>,
    /// Earlier launches that were not kept.
    pub launches_dropped: u64,
    /// What was found, each mistake once.
    pub findings: Vec<Told>,
    /// Further mistakes that were not kept.
    pub findings_dropped: u64,
    /// Refused launches of which the program has been given the error, since its start.
    #[serde(default)]
    pub refusals_answered: u64,
    /// Earlier machines wrote here whether the program had asked for the words of a failed assertion's error. Nothing
    /// depends on it any more.
    #[serde(default)]
    pub assertion_named: bool,
    /// What was copied and filled.
    pub copies: Copies,
    /// Managed memory that moved.
    pub managed: Managed,
    /// The device's memory now.
    pub memory: Memory,
}

/// The device memory that is still allocated and was not reported before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leaks {
    /// [`VERSION`].
    pub version: u32,
    /// One for each activity that the client named.
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
    /// The report in `text`.
    ///
    /// # Errors
    /// When it is of an unknown version, or a field is missing, unknown or of another type; the message names it.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        version::read(text)
    }

    /// Whether something was found that the program has to answer for: anything but launches that were refused, as on a
    /// GPU, and of which it knows.
    pub fn accuses(&self) -> bool {
        let refused = |told: &&Told| matches!(told.finding.kind, Kind::LaunchLimit { .. });
        let count = |told: &Told| told.finding.count;
        let refusals: u64 = self.findings.iter().filter(refused).map(count).sum();
        let all_known = refusals <= self.refusals_answered;
        !self.findings.iter().all(|told| all_known && refused(&told))
    }

    /// One report of several processes: the launches and findings of one after the other, and what they copied in all.
    /// The process, its device and its settings are those of the first.
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

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        crate::json(self)
    }
}

impl Leaks {
    /// The leaks in `text`.
    ///
    /// # Errors
    /// As [`Report::read`].
    pub fn read(text: &str) -> Result<Self, ReadError> {
        version::read(text)
    }

    /// The leaks as JSON.
    pub fn to_json(&self) -> String {
        crate::json(self)
    }
}
