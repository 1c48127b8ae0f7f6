//! The verdict on each file.
use std::{
    cmp::Ordering,
    path::{Path, PathBuf},
};

use course::{
    judge::verdict::{Event, VariantResult, VariantVerdict},
    rank::PredictedTime,
};
use harness::{Exit, significant};
use serde::Serialize;
use wire::RenderedFinding;

use super::{described, prepare::Prepared};

/// The version of the JSON.
pub const SCHEMA: u32 = 1;

/// The verdicts on all files.
#[derive(Debug, Clone, Serialize)]
pub struct Verdicts {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The problem's name.
    pub problem: String,
    /// Its file.
    pub file: PathBuf,
    /// The device, as in `--device`.
    pub device: String,
    /// What the GPU is called.
    pub gpu: String,
    /// The seed of the inputs and of the hidden sizes.
    pub seed: u64,
    /// Orders of warps and blocks in which outputs are compared.
    pub schedules: u32,
    /// The known cases.
    pub cases: usize,
    /// Whether hidden sizes are tried, too.
    pub has_hidden: bool,
    /// The time of the reference's kernels, if it has some.
    pub reference: Option<PredictedOrMeasured>,
    /// The verdicts: right files first, the fastest before the others.
    pub files: Vec<FileVerdict>,
}

/// The verdict on a file.
#[derive(Debug, Clone, Serialize)]
pub struct FileVerdict {
    /// Its path, as given.
    pub file: PathBuf,
    /// The verdict.
    #[serde(rename = "verdict")]
    pub standing: Standing,
    /// Why it is not right.
    pub reasons: Vec<String>,
    /// The findings, each once.
    pub findings: Vec<RenderedFinding>,
    /// Its time in all known cases together; only of a file with right outputs.
    pub time: Option<PredictedOrMeasured>,
    /// Why its time is not known.
    pub without_time: Option<String>,
}

/// The verdict in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Right in all cases and orders that were tried, without findings.
    Right,
    /// Right, but its threads do not share the work, or it takes longer than the problem allows.
    Slow,
    /// Right, but a check has a finding: it was right by luck.
    Finding,
    /// A wrong output, a fault, a crash, a limit exceeded.
    Wrong,
    /// It does not compile, or its launches are impossible.
    Refused,
    /// It could not be judged here.
    Unjudged,
}

/// A time in all known cases together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PredictedOrMeasured {
    /// Milliseconds.
    pub ms: f64,
    /// The interval that contains about eight of ten measured times; `None` for a measured time.
    pub interval_ms: Option<[f64; 2]>,
    /// What bounds the case that takes longest; `None` for a measured time.
    pub bound: Option<String>,
}

impl Standing {
    /// The verdict in a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Slow => "slow",
            Self::Finding => "finding",
            Self::Wrong => "wrong",
            Self::Refused => "refused",
            Self::Unjudged => "cannot judge",
        }
    }
}

impl PredictedOrMeasured {
    pub(super) fn predicted(time: PredictedTime) -> Self {
        let PredictedTime { ms, low_ms, high_ms, bound } = time;
        Self { ms, interval_ms: Some([low_ms, high_ms]), bound: Some(bound) }
    }

    pub(super) fn measured(ms: f64) -> Self {
        Self { ms, interval_ms: None, bound: None }
    }

    /// The time in words.
    pub(super) fn words(&self) -> String {
        let how = if self.interval_ms.is_some() { "predicted" } else { "measured" };
        format!("{} ms ({how})", significant(self.ms))
    }
}

impl FileVerdict {
    pub(super) fn new(file: &Path, standing: Standing, reasons: Vec<String>) -> Self {
        Self { file: file.into(), standing, reasons, findings: Vec::new(), time: None, without_time: None }
    }

    /// Adds the verdict of a request.
    pub(super) fn add(&mut self, judged: &VariantVerdict) {
        let standing = match judged.result {
            VariantResult::Right => Standing::Right,
            VariantResult::Finding => Standing::Finding,
            VariantResult::Wrong => Standing::Wrong,
            VariantResult::Missing => Standing::Refused,
            VariantResult::Unjudged | VariantResult::NotRun => Standing::Unjudged,
        };
        self.standing = self.standing.max(standing);
        self.reasons.extend(described(judged));
        if judged.result == VariantResult::Missing {
            let names: Vec<&str> = judged.missing().collect();
            self.reasons.push(format!("it has no kernel {}", names.join(", ")));
        }
        self.findings.extend(judged.findings.iter().cloned());
    }

    /// The faster of two right files first; right ones before others.
    fn order(&self, other: &Self) -> Ordering {
        let time = |one: &Self| one.time.as_ref().map_or(f64::INFINITY, |time| time.ms);
        self.standing.cmp(&other.standing).then(time(self).total_cmp(&time(other)))
    }
}

impl Verdicts {
    pub(super) fn new(prepared: &Prepared, mut files: Vec<FileVerdict>) -> Self {
        files.sort_by(FileVerdict::order);
        let spec = &prepared.problem.spec;
        Self {
            schema: SCHEMA,
            problem: spec.name.clone(),
            file: prepared.problem.path.clone(),
            device: prepared.settings.choice.to_string(),
            gpu: prepared.device.name.clone(),
            seed: prepared.settings.seed,
            schedules: prepared.settings.schedules,
            cases: spec.sizes.len(),
            has_hidden: !spec.hidden.is_empty(),
            reference: prepared.reference_time.clone(),
            files,
        }
    }

    /// The exit status: of the first of these verdicts that a file has.
    pub fn exit(&self) -> Exit {
        const ORDER: [(Standing, Exit); 5] = [
            (Standing::Wrong, Exit::Wrong),
            (Standing::Finding, Exit::Wrong),
            (Standing::Refused, Exit::Usage),
            (Standing::Slow, Exit::Slow),
            (Standing::Unjudged, Exit::CannotRun),
        ];
        let has = |standing| self.files.iter().any(|file| file.standing == standing);
        ORDER.into_iter().find_map(|(standing, exit)| has(standing).then_some(exit)).unwrap_or(Exit::Passed)
    }
}

/// Returns the words of a judgement of a lab as those of a problem.
pub(super) fn of_problem(words: &str) -> String {
    words.replace("the lab's own kernels", "the reference").replace("the lab's own kernel", "the reference")
}

/// Returns what happened in each case.
pub(super) fn reasons(events: &[Event]) -> impl Iterator<Item = String> + '_ {
    events.iter().map(|event| {
        // The sizes of a problem are in the case's name.
        let case = event.place.split_once(" (").and_then(|(_, case)| case.strip_suffix(')'));
        of_problem(&case.map_or_else(|| event.what.clone(), |case| format!("{case}: {}", event.what)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(standings: &[Standing]) -> Verdicts {
        let files = standings.iter().map(|standing| FileVerdict::new(Path::new("a.cu"), *standing, Vec::new()));
        Verdicts {
            schema: SCHEMA,
            problem: "p".into(),
            file: "p.toml".into(),
            device: "emulated:h200".into(),
            gpu: "NVIDIA H200".into(),
            seed: 1,
            schedules: 2,
            cases: 1,
            has_hidden: false,
            reference: None,
            files: files.collect(),
        }
    }

    #[test]
    fn a_wrong_file_decides_the_exit_status() {
        use Standing::*;
        for (standings, exit) in [
            (vec![Right, Right], Exit::Passed),
            (vec![Right, Slow], Exit::Slow),
            (vec![Slow, Refused], Exit::Usage),
            (vec![Refused, Finding], Exit::Wrong),
            (vec![Right, Unjudged], Exit::CannotRun),
        ] {
            assert_eq!(verdicts(&standings).exit(), exit, "{standings:?}");
        }
    }

    #[test]
    fn the_fastest_right_file_is_first() {
        let at = |name: &str, standing, ms: Option<f64>| FileVerdict {
            time: ms.map(PredictedOrMeasured::measured),
            ..FileVerdict::new(Path::new(name), standing, Vec::new())
        };
        let mut files = [
            at("wrong", Standing::Wrong, None),
            at("late", Standing::Right, Some(2.0)),
            at("unknown", Standing::Right, None),
            at("slow", Standing::Slow, Some(1.0)),
            at("fast", Standing::Right, Some(1.5)),
        ];
        files.sort_by(FileVerdict::order);
        let names: Vec<_> = files.iter().map(|file| file.file.to_str().unwrap()).collect();
        assert_eq!(names, ["fast", "late", "unknown", "slow", "wrong"]);
    }

    #[test]
    fn a_reason_names_its_case() {
        let event = |place: &str| Event {
            place: place.into(),
            what: "1 of 2; the lab's own kernel runs here".into(),
            is_hidden: false,
        };
        let events = [event("the quick size (n=7)"), event("the quick size")];
        let reasons: Vec<String> = reasons(&events).collect();
        assert_eq!(reasons, ["n=7: 1 of 2; the reference runs here", "1 of 2; the reference runs here"]);
    }
}
