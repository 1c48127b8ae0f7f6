//! The status of an exercise: tried at the visible sizes, from small to large, up to the first at which it is not
//! right.
use std::collections::HashSet;

use harness::{DeviceChoice, JUDGE_PROFILE, Lab, Result, process_limits::Limits};
use wire::RenderedFinding;

use super::missed::{Missed, lacked, missed, shirked};
use crate::{
    assignment::rubric::{Exercise, Rubric},
    judge::{
        JudgeRequest, Runner, judge_at,
        run::SharedOutcomes,
        verdict::{Event, JudgedRow, VariantResult, VariantVerdict},
    },
};

/// Orders of warps and blocks to try: enough to see most races, and few enough for an immediate answer.
const SCHEDULES: u32 = 2;

/// The seed of the inputs; it is fixed, so a mistake shows again until it is fixed.
const SEED: u64 = 1;

/// The limits of each run: lower than for a submission, because someone waits.
pub const LIMITS: Limits = Limits { seconds: 60, memory: 3 << 30, output: 16 << 20 };

/// The status of an exercise.
#[derive(Debug, Clone)]
pub enum ExerciseStatus {
    /// Right, clean, and within every goal; with remarks on possible improvements.
    Right(Vec<String>),
    /// Wrong answers, and findings, at the smallest size at which there are any.
    Wrong(Wrong),
    /// Right answers, but other requirements are missed: counters above their limits, missing instructions.
    Beyond(Vec<Missed>, Vec<String>),
    /// The file lacks these kernels.
    Missing(Vec<String>),
    /// It cannot be judged here.
    Unjudged(String),
}

/// The mistakes at the smallest size with any.
#[derive(Debug, Clone, Default)]
pub struct Wrong {
    /// Wrong answers, faults, exceeded limits.
    pub failures: Vec<Event>,
    /// Findings of the checks.
    pub findings: Vec<RenderedFinding>,
    /// The size; `None` stands for the lab's quick sizes.
    pub size: Option<usize>,
    /// The variants with mistakes.
    pub variants: Vec<&'static str>,
}

impl ExerciseStatus {
    /// Whether nothing is left to do.
    pub fn is_right(&self) -> bool {
        matches!(self, Self::Right(_))
    }
}

/// The setup in which a kernel file is tried.
#[derive(Debug)]
pub struct Bench<'a> {
    /// The lab.
    pub lab: &'static Lab,
    /// The rubric.
    pub rubric: &'a Rubric,
    /// Runs the kernel file.
    pub runner: Runner,
    /// The PTX of the kernel file.
    pub ptx: &'a str,
}

/// The device on which a student's kernels run.
pub fn device() -> DeviceChoice {
    DeviceChoice::Emulated(JUDGE_PROFILE.into())
}

impl Bench<'_> {
    /// Tries `exercise`, except for outcomes that are `shared`.
    ///
    /// # Errors
    /// Why runs cannot be started or read.
    pub fn try_exercise(&self, exercise: &Exercise, shared: &SharedOutcomes) -> Result<ExerciseStatus> {
        let request = self.request(&exercise.options, &exercise.variants);
        let mut rows: Vec<JudgedRow> = Vec::new();
        let mut remarks = Vec::new();
        let mut judged: HashSet<&str> = HashSet::new();
        let mut why_not = None;
        for &size in &request.sizes {
            let verdicts = judge_at(&request, size, &self.runner, shared)?;
            if let Some(status) = not_right(exercise, size, &verdicts, &self.rubric.kernel) {
                return Ok(status);
            }
            let right = verdicts.iter().filter(|verdict| verdict.result == VariantResult::Right);
            judged.extend(right.map(|verdict| verdict.variant));
            why_not = why_not.or_else(|| verdicts.iter().find_map(why_unjudged));
            // The remarks at the largest size say most.
            let said: Vec<String> = verdicts.iter().flat_map(|verdict| verdict.remarks.clone()).collect();
            remarks = if said.is_empty() { remarks } else { said };
            rows.extend(verdicts.into_iter().flat_map(|verdict| verdict.rows));
        }
        // A variant need not take every size, but at least one.
        if !exercise.variants.iter().all(|variant| judged.contains(variant.as_str())) {
            return Ok(ExerciseStatus::Unjudged(why_not.unwrap_or_else(|| "it runs at no size".into())));
        }
        let goals = exercise.goals.iter().filter_map(|goal| missed(goal, self.lab, &rows));
        let instructions = exercise.instructions.iter().filter_map(|asked| lacked(asked, self.ptx));
        let missed: Vec<Missed> =
            shirked(exercise, self.lab, &rows).into_iter().chain(goals).chain(instructions).collect();
        Ok(if missed.is_empty() { ExerciseStatus::Right(remarks) } else { ExerciseStatus::Beyond(missed, remarks) })
    }

    /// The request for these variants of the lab with these options, at the visible sizes.
    pub(super) fn request(&self, options: &[String], variants: &[String]) -> JudgeRequest {
        let is_asked = |name: &&'static str| variants.iter().any(|variant| variant == name);
        JudgeRequest {
            lab: self.lab,
            variants: self.lab.variants().iter().map(|variant| variant.name).filter(is_asked).collect(),
            options: options.to_vec(),
            choice: device(),
            schedules: SCHEDULES,
            seed: SEED,
            sizes: self.rubric.sizes.known(),
            needs_sizes: false,
            hidden: 0,
        }
    }
}

/// Why the exercise is not right at this size, if it is not.
fn not_right(
    exercise: &Exercise,
    size: Option<usize>,
    verdicts: &[VariantVerdict],
    file: &str,
) -> Option<ExerciseStatus> {
    let names_variants = exercise.variants.len() > 1;
    let failures_of = |verdict: &VariantVerdict| {
        let place = |event: &Event| format!("{} in {}:", event.place, verdict.variant);
        let named = |event: &Event| Event {
            place: if names_variants { place(event) } else { event.place.clone() },
            ..event.clone()
        };
        verdict.failures.iter().map(named).collect::<Vec<Event>>()
    };
    let failures: Vec<Event> = verdicts.iter().flat_map(failures_of).collect();
    let findings: Vec<RenderedFinding> = verdicts.iter().flat_map(|verdict| verdict.findings.clone()).collect();
    if !(failures.is_empty() && findings.is_empty()) {
        let is_wrong = |verdict: &&VariantVerdict| !(verdict.failures.is_empty() && verdict.findings.is_empty());
        let variants = verdicts.iter().filter(is_wrong).map(|verdict| verdict.variant).collect();
        return Some(ExerciseStatus::Wrong(Wrong { failures, findings, size, variants }));
    }
    let mut missing: Vec<String> = verdicts.iter().flat_map(VariantVerdict::missing).map(str::to_owned).collect();
    if !missing.is_empty() {
        missing.sort_unstable();
        missing.dedup();
        return Some(ExerciseStatus::Missing(missing));
    }
    if let Some(variant) =
        exercise.variants.iter().find(|variant| verdicts.iter().all(|verdict| verdict.variant != **variant))
    {
        let words = format!("variant `{variant}` does not use {file}: course.toml asks for something else");
        return Some(ExerciseStatus::Unjudged(words));
    }
    let is_unjudged = |verdict: &&VariantVerdict| verdict.result == VariantResult::Unjudged;
    verdicts.iter().find(is_unjudged).map(|verdict| ExerciseStatus::Unjudged(why_unjudged(verdict).unwrap_or_default()))
}

/// Why a variant could not be judged.
fn why_unjudged(verdict: &VariantVerdict) -> Option<String> {
    verdict.unjudged.first().map(|event| format!("{}: {}", event.place, event.what))
}
