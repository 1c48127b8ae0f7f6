//! Ranks kernel files for one variant of a lab: each is judged, and the time of each that is right is predicted.
use std::{
    cmp::Ordering,
    path::{Path, PathBuf},
    sync::Arc,
};

use harness::{DeviceChoice, Error, Lab, Record, Result, Verdict, process_limits::Limits, significant};
use predict::Prediction;
use serde::Serialize;

use crate::judge::{
    BaselineCache, JudgeRequest, Progress, Runner, judge, sizes,
    verdict::{Event, VariantResult, VariantVerdict},
};

/// What is to be ranked.
#[derive(Debug, Clone)]
pub struct RankRequest {
    /// The lab.
    pub lab: &'static Lab,
    /// The variant that each file is judged and predicted as.
    pub variant: &'static str,
    /// The GPU, as in `--device emulated:GPU`.
    pub gpu: String,
    /// The size at which times are predicted; `None` for the lab's own on an emulated device.
    pub n: Option<usize>,
    /// Orders of warps and blocks to try.
    pub schedules: u32,
    /// The seed of the inputs and of the hidden sizes.
    pub seed: u64,
    /// The limits of each run.
    pub limits: Limits,
}

/// The ranking of all candidates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// The lab.
    pub lab: &'static str,
    /// Its variant.
    pub variant: &'static str,
    /// What the GPU is called; empty if no time was predicted.
    pub part: String,
    /// The seed of the inputs and of the hidden sizes.
    pub seed: u64,
    /// The candidates: those with a predicted time, the fastest first; then right ones without; then the others.
    pub candidates: Vec<Candidate>,
    /// Pairs of candidates, as indices, whose intervals overlap: which of them is faster is unknown.
    pub unclear: Vec<[usize; 2]>,
    /// The candidates to measure, the most promising first: each that may be the fastest.
    pub measure: Vec<PathBuf>,
}

/// A kernel file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// Its path, as given.
    pub file: PathBuf,
    /// The verdict on it.
    pub verdict: Standing,
    /// Why it is not right, or why no time is predicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The predicted time.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<PredictedTime>,
}

/// The verdict on a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Right at all sizes and in all orders that were tried, without findings.
    Right,
    /// A wrong answer or a finding.
    Wrong,
    /// It does not compile, or has no such kernel.
    Unusable,
    /// It could not be judged here.
    Unjudged,
}

/// A predicted time: the sum over all cases of the variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PredictedTime {
    /// Milliseconds.
    #[serde(rename = "predicted_ms")]
    pub ms: f64,
    /// The lower end of the interval that contains about eight of ten measured times.
    #[serde(rename = "predicted_low_ms")]
    pub low_ms: f64,
    /// The upper end of that interval.
    #[serde(rename = "predicted_high_ms")]
    pub high_ms: f64,
    /// What bounds the case that takes longest.
    #[serde(rename = "predicted_bound")]
    pub bound: String,
}

/// Judges and ranks the files, and calls `progress` for the runs of each.
///
/// # Errors
/// [`Error::Usage`] when a file cannot be read or replaces no kernel file of the lab; why runs cannot be started or
/// read; [`Error::Interrupted`].
pub fn rank(request: &RankRequest, files: &[PathBuf], progress: Progress) -> Result<Ranking> {
    let baseline = BaselineCache::cached();
    let runner = |file: &PathBuf| Runner::new(request.lab, file, request.limits, None, Arc::clone(&baseline));
    // A file that is not there is reported before anything runs.
    let runners = files.iter().map(runner).collect::<Result<Vec<Runner>>>()?;
    let (mut candidates, mut part) = (Vec::new(), String::new());
    for runner in &runners {
        let (candidate, gpu) = request.candidate(runner, progress)?;
        candidates.push(candidate);
        part = gpu.unwrap_or(part);
    }
    Ok(Ranking::of(request, part, candidates))
}

impl RankRequest {
    /// Judges a file, and predicts its time if it is right. Also returns what the GPU is called.
    fn candidate(&self, runner: &Runner, progress: Progress) -> Result<(Candidate, Option<String>)> {
        let request = self.request();
        let unranked = |verdict, reason: String| (candidate(runner.kernel(), verdict, Err(reason)), None);
        let verdict = match judge(&request, runner, progress) {
            Ok(judgement) => judgement.verdicts.into_iter().next(),
            // Without a compiler nothing can be ranked.
            Err(error) => return Ok(unranked(Standing::Unusable, refusal(error)?)),
        };
        let Some(verdict) = verdict else {
            let words = format!("variant `{}` does not use {}", self.variant, runner.source().name);
            return Ok(unranked(Standing::Unusable, words));
        };
        if let Some((standing, reason)) = not_right(&verdict) {
            return Ok(unranked(standing, reason));
        }
        let rows = match runner.predicted_rows(&request, self.variant, &self.gpu, self.n.map(|n| n as u64)) {
            Ok(rows) => rows,
            Err(Error::Interrupted) => return Err(Error::Interrupted),
            Err(error) => return Ok((candidate(runner.kernel(), Standing::Right, Err(error.to_string())), None)),
        };
        if let Some(wrong) = rows.iter().find(|row| matches!(row.verdict, Verdict::Fail | Verdict::Finding)) {
            return Ok(unranked(Standing::Wrong, format!("where its time was predicted: {}", wrong.note)));
        }
        let part = rows.iter().find_map(|row| Some(row.predicted.as_ref()?.part.clone()));
        Ok((candidate(runner.kernel(), Standing::Right, PredictedTime::of_rows(&rows)), part))
    }

    fn request(&self) -> JudgeRequest {
        JudgeRequest {
            lab: self.lab,
            variants: vec![self.variant],
            options: Vec::new(),
            choice: DeviceChoice::Emulated(self.gpu.clone()),
            schedules: self.schedules,
            seed: self.seed,
            sizes: sizes::KNOWN.to_vec(),
            needs_sizes: false,
            hidden: 2,
        }
    }
}

fn candidate(file: &Path, verdict: Standing, predicted: std::result::Result<PredictedTime, String>) -> Candidate {
    let (predicted, reason) = match predicted {
        Ok(time) => (Some(time), None),
        Err(reason) => (None, Some(reason)),
    };
    Candidate { file: file.into(), verdict, reason, predicted }
}

/// Why a file is not right, if it is not.
fn not_right(verdict: &VariantVerdict) -> Option<(Standing, String)> {
    let at = |event: &Event| format!("{}: {}", event.place, first_line(&event.what));
    let failure = || verdict.failures.first().map(at);
    let finding = || verdict.findings.first().map(|finding| finding.headline.clone());
    let standing = match verdict.result {
        VariantResult::Right => return None,
        VariantResult::Finding | VariantResult::Wrong => Standing::Wrong,
        VariantResult::Missing => {
            let names: Vec<&str> = verdict.missing().collect();
            return Some((Standing::Unusable, format!("it has no kernel {}", names.join(", "))));
        }
        VariantResult::Unjudged | VariantResult::NotRun => Standing::Unjudged,
    };
    let reason = failure().or_else(finding).or_else(|| verdict.unjudged.first().map(at));
    Some((standing, reason.unwrap_or_else(|| verdict.result.word().into())))
}

/// Why a file cannot be used, in a line, if the file causes the error.
///
/// # Errors
/// The error, if this computer causes it.
pub fn refusal(error: Error) -> Result<String> {
    match error {
        Error::Kernel(error) if is_of_the_file(&error) => Ok(words(&error)),
        error => Err(error),
    }
}

/// Whether the file causes the error, and not this computer.
fn is_of_the_file(error: &kernels::Error) -> bool {
    use kernels::Error::{Compile, Crashed, Exceeded, OtherDevice, TooNew, TwoHeaders};
    matches!(
        error,
        Compile { .. } | Crashed { .. } | Exceeded { .. } | OtherDevice { .. } | TooNew { .. } | TwoHeaders { .. }
    )
}

/// The error in a line: of a compiler's messages, the first.
fn words(error: &kernels::Error) -> String {
    match error {
        kernels::Error::Compile { log, .. } => format!("it does not compile: {}", first_line(log)),
        other => first_line(&other.to_string()),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_string()
}

impl Ranking {
    fn of(request: &RankRequest, part: String, mut candidates: Vec<Candidate>) -> Self {
        candidates.sort_by(Candidate::order);
        let times: Vec<&PredictedTime> = candidates.iter().map_while(|one| one.predicted.as_ref()).collect();
        let pairs = (0..times.len()).flat_map(|one| (one + 1..times.len()).map(move |other| [one, other]));
        let unclear: Vec<[usize; 2]> = pairs.filter(|&[one, other]| times[other].overlaps(times[one])).collect();
        // Of what has no predicted time, nothing is known.
        let may_be_fastest = |at: usize| at == 0 || unclear.contains(&[0, at]) || at >= times.len();
        let is_right = |at: &usize| candidates[*at].verdict == Standing::Right && may_be_fastest(*at);
        let measure = (0..candidates.len()).filter(is_right).map(|at| candidates[at].file.clone()).collect();
        let RankRequest { lab, variant, seed, .. } = *request;
        Self { lab: lab.name, variant, part, seed, candidates, unclear, measure }
    }

    /// Whether any candidate is right.
    pub fn has_right(&self) -> bool {
        self.candidates.iter().any(|candidate| candidate.verdict == Standing::Right)
    }

    /// The ranking as text.
    pub fn text(&self) -> String {
        let mut text = match self.part.as_str() {
            "" => format!("{} {}: no time is predicted\n", self.lab, self.variant),
            part => format!("{} {}, predicted for an {part}: nothing here was measured\n", self.lab, self.variant),
        };
        let row = |(at, one): (usize, &Candidate)| Some(self.row(at, &one.file, one.predicted.as_ref()?));
        let rows: Vec<Vec<String>> = self.candidates.iter().enumerate().filter_map(row).collect();
        let headers = ["rank", "file", "ms", "from", "to", "bound by", "overlaps with rank"];
        if !rows.is_empty() {
            text += &(harness::table(&headers, &rows) + "\n");
        }
        for candidate in self.candidates.iter().filter(|candidate| candidate.predicted.is_none()) {
            let reason = candidate.reason.as_deref().unwrap_or_default();
            text += &format!("{}: {}: {reason}\n", candidate.file.display(), candidate.verdict.word());
        }
        let files: Vec<String> = self.measure.iter().map(|file| file.display().to_string()).collect();
        text += &match files.as_slice() {
            [] => "Nothing is right, so there is nothing to measure.".into(),
            [only] => format!("Measure {only}."),
            [first, rest @ ..] => format!("Measure {first} first, then {}: each may be the fastest.", rest.join(", ")),
        };
        text
    }

    /// The row in the table of the candidate with this index.
    fn row(&self, at: usize, file: &Path, time: &PredictedTime) -> Vec<String> {
        let other = |pair: &[usize; 2]| pair.contains(&at).then(|| if pair[0] == at { pair[1] } else { pair[0] });
        let unclear: Vec<String> = self.unclear.iter().filter_map(other).map(|rank| (rank + 1).to_string()).collect();
        let PredictedTime { ms, low_ms, high_ms, bound } = time;
        let [ms, low, high] = [ms, low_ms, high_ms].map(|ms| significant(*ms));
        vec![(at + 1).to_string(), file.display().to_string(), ms, low, high, bound.clone(), unclear.join(", ")]
    }
}

impl Candidate {
    fn order(&self, other: &Self) -> Ordering {
        match (&self.predicted, &other.predicted) {
            (Some(one), Some(other)) => one.ms.total_cmp(&other.ms),
            (one, two) => {
                let right = |candidate: &Self| candidate.verdict == Standing::Right;
                two.is_some().cmp(&one.is_some()).then(right(other).cmp(&right(self)))
            }
        }
    }
}

impl PredictedTime {
    /// Returns the sum of the predicted times of all rows, or the reason why no time is predicted.
    ///
    /// # Errors
    /// The reason.
    pub fn of_rows(rows: &[Record]) -> std::result::Result<Self, String> {
        let time = |row: &Record| {
            let predicted = row.predicted.clone().ok_or("nothing is predicted for it")?;
            let bound = predicted.bound();
            let Some(Prediction { ms, low_ms, high_ms, .. }) = predicted.in_all else { return Err(bound) };
            Ok(Self { ms, low_ms, high_ms, bound })
        };
        let passed = rows.iter().filter(|row| row.verdict == Verdict::Pass);
        let times = passed.map(time).collect::<std::result::Result<Vec<_>, String>>()?;
        let longest = times.iter().max_by(|one, other| one.ms.total_cmp(&other.ms));
        let longest = longest.ok_or("it runs at no size that is predicted")?;
        let sum = |of: fn(&PredictedTime) -> f64| times.iter().map(of).sum();
        let bound = longest.bound.clone();
        Ok(Self { ms: sum(|time| time.ms), low_ms: sum(|time| time.low_ms), high_ms: sum(|time| time.high_ms), bound })
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.low_ms < other.high_ms && other.low_ms < self.high_ms
    }
}

impl Standing {
    /// The verdict in a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Unusable => "cannot be used",
            Self::Unjudged => "cannot judge",
        }
    }
}

#[cfg(test)]
mod tests {
    use record::{Predicted, fixtures::predicted};

    use super::*;

    fn at(file: &str, ms: f64) -> Candidate {
        let time = PredictedTime { ms, low_ms: ms * 0.8, high_ms: ms * 1.25, bound: "DRAM".into() };
        candidate(Path::new(file), Standing::Right, Ok(time))
    }

    fn without(file: &str, verdict: Standing) -> Candidate {
        candidate(Path::new(file), verdict, Err("because".into()))
    }

    fn ranked(candidates: Vec<Candidate>) -> Ranking {
        let limits = Limits { seconds: 1, memory: 1, output: 1 };
        let request = RankRequest {
            lab: &vecadd::LAB,
            variant: "pageable",
            gpu: "h200".into(),
            n: None,
            schedules: 1,
            seed: 1,
            limits,
        };
        Ranking::of(&request, "NVIDIA H200".into(), candidates)
    }

    #[test]
    fn the_fastest_is_first_and_what_is_not_right_last() {
        let wrong = without("wrong.cu", Standing::Wrong);
        let ranking = ranked(vec![wrong, at("slow.cu", 9.0), without("lock.cu", Standing::Right), at("fast.cu", 1.0)]);
        let files: Vec<&str> = ranking.candidates.iter().filter_map(|one| one.file.to_str()).collect();
        assert_eq!(files, ["fast.cu", "slow.cu", "lock.cu", "wrong.cu"]);
        assert_eq!(ranking.unclear, Vec::<[usize; 2]>::new());
        // Nothing is known of a right one without a time.
        assert_eq!(ranking.measure, [PathBuf::from("fast.cu"), PathBuf::from("lock.cu")]);
        let text = ranking.text();
        assert!(text.contains("wrong.cu: wrong: because") && text.contains("lock.cu: right: because"), "{text}");
        assert!(text.ends_with("Measure fast.cu first, then lock.cu: each may be the fastest."), "{text}");
    }

    #[test]
    fn pairs_with_overlapping_intervals_are_unclear() {
        let ranking = ranked(vec![at("c.cu", 2.0), at("a.cu", 1.0), at("b.cu", 1.5)]);
        assert_eq!(ranking.unclear, [[0, 1], [1, 2]]);
        assert_eq!(ranking.measure, [PathBuf::from("a.cu"), PathBuf::from("b.cu")]);
        let lines: Vec<String> = ranking.text().lines().map(|line| line.trim_end().to_string()).collect();
        assert!(lines.iter().any(|line| line.contains("b.cu") && line.ends_with("1, 3")), "{lines:?}");
        let json = serde_json::to_value(&ranking).unwrap();
        assert_eq!((&json["candidates"][0]["predicted_ms"], &json["unclear"][1][0]), (&1.0.into(), &1.into()));
        assert!(json["candidates"][0]["reason"].is_null() && json["candidates"][0]["verdict"] == "right");
    }

    #[test]
    fn the_times_of_all_cases_are_added_and_the_longest_names_the_bound() {
        let passed = |predicted| Record { verdict: Verdict::Pass, predicted, ..Record::default() };
        let long = predicted();
        let mut short = predicted();
        let time = short.in_all.as_mut().unwrap();
        (time.ms, time.low_ms, time.high_ms) = (1e-3, 1e-4, 1e-2);
        time.terms.clear();
        let of = long.in_all.clone().unwrap();
        assert_ne!(long.bound(), short.bound());
        for rows in [[&short, &long], [&long, &short]] {
            let sum = PredictedTime::of_rows(&rows.map(|one| passed(Some(one.clone())))).unwrap();
            let expected = [of.ms + 1e-3, of.low_ms + 1e-4, of.high_ms + 1e-2];
            assert_eq!(([sum.ms, sum.low_ms, sum.high_ms], sum.bound), (expected, long.bound()));
        }
        let lock = Predicted { in_all: None, not_predicted: Some("it waits".into()), ..long.clone() };
        assert_eq!(PredictedTime::of_rows(&[passed(Some(long)), passed(Some(lock))]), Err("it waits".into()));
        assert!(PredictedTime::of_rows(&[passed(None)]).is_err() && PredictedTime::of_rows(&[]).is_err());
    }

    #[test]
    fn without_a_right_candidate_nothing_is_to_be_measured() {
        let ranking = ranked(vec![without("a.cu", Standing::Unusable), without("b.cu", Standing::Wrong)]);
        assert!(!ranking.has_right() && ranking.measure.is_empty());
        assert!(ranking.text().ends_with("nothing to measure."), "{}", ranking.text());
    }
}
