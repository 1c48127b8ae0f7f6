//! The points of one exercise.
use std::collections::HashSet;

use harness::Lab;
use wire::{RenderedFinding, finding::SourcePlace};

use super::{
    goal::goal,
    instruction::instruction,
    marked::{Criterion, CriterionKind, Detail, ExerciseMark, State},
    speed::speed,
    work::unshared,
};
use crate::{
    assignment::rubric::Exercise,
    judge::run::Timed,
    judge::verdict::{Event, JudgedRow, VariantResult, VariantVerdict},
};

/// The evidence from which the points of an exercise follow.
pub struct Evidence<'a> {
    /// The grades on the emulated device, which checks and counts.
    pub emulated: &'a [VariantVerdict],
    /// The PTX of the kernel file.
    pub ptx: &'a str,
    /// The grades on a GPU, if it is graded on one.
    pub gpu: Option<&'a [VariantVerdict]>,
    /// The times on a GPU, or why there are none.
    pub timed: Option<&'a Result<Timed, String>>,
}

/// Whether an exercise's answers are right.
enum Answers {
    /// At every size, except for those listed, which could not be tried.
    Right(Vec<String>),
    Wrong(Criterion),
    /// The answers are right, but the threads do not share the work.
    Unshared(Criterion),
    Unjudged(String),
}

/// The points of `exercise` of the kernel file `file`.
pub fn mark<'p>(exercise: &'p Exercise, lab: &Lab, file: &str, evidence: &Evidence) -> ExerciseMark {
    let mine = |grade: &&VariantVerdict| exercise.variants.iter().any(|variant| *variant == grade.variant);
    let grades: Vec<&VariantVerdict> = evidence.emulated.iter().filter(mine).collect();
    let rows: Vec<&JudgedRow> = grades.iter().flat_map(|grade| &grade.rows).collect();
    let emulated = answers(exercise, file, evidence.emulated);
    let answers = match (evidence.gpu.map(|grades| answers(exercise, file, grades)), emulated) {
        (Some(Answers::Wrong(wrong)), _) | (_, Answers::Wrong(wrong)) => Answers::Wrong(wrong),
        (Some(gpu), _) => gpu,
        (None, emulated) => emulated,
    };
    let answers = match answers {
        right @ Answers::Right(_) => shared(exercise, lab, &rows).map_or(right, Answers::Unshared),
        other => other,
    };
    // The other criteria require a right exercise that could be judged.
    let other = |kind, of, judge: &dyn Fn() -> Criterion| match &answers {
        Answers::Right(_) => judge(),
        Answers::Wrong(_) => Criterion::lost(kind, of, "awarded only if the answers are right", ""),
        Answers::Unshared(_) => Criterion::lost(kind, of, "awarded only if the threads share the work", ""),
        Answers::Unjudged(why) => Criterion::unjudged(kind, of, why),
    };
    let mut criteria = vec![match &answers {
        Answers::Right(untried) if untried.is_empty() => {
            Criterion::earned(CriterionKind::Right, exercise.right, "right at every size, known or hidden")
        }
        Answers::Right(untried) => {
            let words = format!("right at every size that could be tried; not tried: {}", untried.join("; "));
            Criterion::earned(CriterionKind::Right, exercise.right, words)
        }
        Answers::Wrong(lost) | Answers::Unshared(lost) => lost.clone(),
        Answers::Unjudged(why) => Criterion::unjudged(CriterionKind::Right, exercise.right, why),
    }];
    // What an exercise needs for more than half of its points, in words.
    let mut missed: Vec<&str> = Vec::new();
    let mut add = |criterion: Criterion, required: Option<&'p str>| {
        missed.extend(required.filter(|_| criterion.state == State::Lost));
        criteria.push(criterion);
    };
    if exercise.clean > 0.0 {
        let criterion = other(CriterionKind::Clean, exercise.clean, &|| clean(exercise.clean, &grades));
        add(criterion, Some("no check finds anything"));
    }
    for asked in &exercise.goals {
        let criterion = other(CriterionKind::Goal, asked.points, &|| goal(asked, lab, &rows));
        add(criterion.of_counter(&asked.counter), asked.required.then_some(&asked.words));
    }
    for asked in &exercise.instructions {
        let criterion = other(CriterionKind::Instruction, asked.points, &|| instruction(asked, evidence.ptx));
        add(criterion, asked.required.then_some(&asked.words));
    }
    if let Some(asked) = &exercise.speed {
        criteria.push(match evidence.timed {
            Some(timed) => other(CriterionKind::Speed, asked.points, &|| speed(asked, timed)),
            None => Criterion::not_measured(
                CriterionKind::Speed,
                format!("not measured here: {} points on a GPU", asked.points),
            ),
        });
    }
    if let Some(needed) = missed.first() {
        keep_half(&mut criteria, needed);
    }
    ExerciseMark::from_criteria(&exercise.name, criteria)
}

/// Takes what is beyond half of the exercise's points from the first criteria that have any: those for right answers.
fn keep_half(criteria: &mut [Criterion], needed: &str) {
    let of: f64 = criteria.iter().map(|criterion| criterion.of).sum();
    let mut beyond = criteria.iter().map(|criterion| criterion.points).sum::<f64>() - of / 2.0;
    for criterion in criteria.iter_mut().filter(|criterion| criterion.points > 0.0) {
        if beyond <= 0.0 {
            break;
        }
        let taken = beyond.min(criterion.points);
        criterion.points -= taken;
        beyond -= taken;
        criterion.words += "; the exercise has more than half of its points only with this: ";
        criterion.words += needed;
    }
}

/// A submission that cannot be run at all has earned nothing.
pub fn without_answers(exercise: &Exercise, fault: &str, raise: &str) -> ExerciseMark {
    every_criterion(exercise, |kind, of| Criterion::lost(kind, of, fault, raise))
}

/// Marks an exercise as unjudged: this computer cannot run the submission.
pub fn unjudged(exercise: &Exercise, why: &str) -> ExerciseMark {
    every_criterion(exercise, |kind, of| Criterion::unjudged(kind, of, why))
}

fn every_criterion(exercise: &Exercise, criterion: impl Fn(CriterionKind, f64) -> Criterion) -> ExerciseMark {
    let clean = (exercise.clean > 0.0).then(|| criterion(CriterionKind::Clean, exercise.clean));
    let goals = exercise.goals.iter().map(|goal| criterion(CriterionKind::Goal, goal.points).of_counter(&goal.counter));
    let instructions = exercise.instructions.iter().map(|asked| criterion(CriterionKind::Instruction, asked.points));
    let speed = exercise.speed.iter().map(|_| Criterion::not_measured(CriterionKind::Speed, "not measured"));
    let all = std::iter::once(criterion(CriterionKind::Right, exercise.right))
        .chain(clean)
        .chain(goals)
        .chain(instructions)
        .chain(speed);
    ExerciseMark::from_criteria(&exercise.name, all.collect())
}

/// Whether every variant of the exercise is right. A variant that was not judged is not right.
fn answers(exercise: &Exercise, file: &str, grades: &[VariantVerdict]) -> Answers {
    let (mut failures, mut missing, mut unjudged) = (Vec::new(), Vec::new(), None);
    let mut wrong_ones = Vec::new();
    let mut untried: Vec<String> = Vec::new();
    let why = |event: &Event| {
        if event.is_hidden { "a hidden size".into() } else { event.place.clone() + ": " + &event.what }
    };
    for variant in &exercise.variants {
        let Some(grade) = grades.iter().find(|grade| grade.variant == *variant) else {
            unjudged = unjudged.or(Some(format!("variant `{variant}` does not use {file}: fix the rubric")));
            continue;
        };
        missing.extend(grade.missing());
        match grade.result {
            VariantResult::Wrong => {
                failures.extend(&grade.failures);
                wrong_ones.push(grade);
            }
            VariantResult::Unjudged | VariantResult::NotRun => {
                let why = grade.unjudged.first().map_or("it runs at no size".into(), why);
                unjudged = unjudged.or(Some(format!("variant `{variant}`: {why}")));
            }
            VariantResult::Right | VariantResult::Finding | VariantResult::Missing => {
                untried.extend(grade.unjudged.iter().map(why));
            }
        }
    }
    if !failures.is_empty() {
        return Answers::Wrong(wrong(exercise.right, &failures, &found(&wrong_ones)));
    }
    missing.sort_unstable();
    missing.dedup();
    if !missing.is_empty() {
        let words = format!("{file} has no kernel {}", missing.join(", "));
        let raise =
            "write each as extern \"C\" __global__ void NAME(...), by the name and with the parameters handed out";
        return Answers::Wrong(Criterion::lost(CriterionKind::Right, exercise.right, words, raise));
    }
    let mut known = HashSet::new();
    untried.retain(|event| known.insert(event.clone()));
    unjudged.map_or(Answers::Right(untried), Answers::Unjudged)
}

/// The lost criterion if the threads do not share the work.
fn shared(exercise: &Exercise, lab: &Lab, rows: &[&JudgedRow]) -> Option<Criterion> {
    let all = unshared(exercise, lab, rows.iter().copied());
    let shown = all.iter().find(|unshared| !unshared.is_hidden).or(all.first())?;
    let what = if shown.is_hidden { "at a hidden size" } else { &shown.words };
    let words = format!("the answers are right, but the threads do not share the work: {what}");
    let details = all.iter().map(|unshared| Detail::new(&unshared.words, unshared.is_hidden));
    Some(Criterion::lost(CriterionKind::Right, exercise.right, words, shown.raise).with(details.collect()))
}

/// The lost criterion for wrong answers, without hidden sizes.
fn wrong(points: f64, failures: &[&Event], found: &[(&RenderedFinding, bool)]) -> Criterion {
    let first = failures.iter().find(|event| !event.is_hidden);
    let (words, raise) = match first {
        Some(event) => {
            (format!("wrong at {}: {}", event.place, event.what), format!("make it right at {} first", event.place))
        }
        None => (
            "right at every size that is known, but wrong at a hidden one".into(),
            "it must be right at any size and for any input: try sizes of your own, such as some that are not a multiple of \
             a block, and large ones"
                .into(),
        ),
    };
    // A finding is the cause, or closer to it than the answers. The words already contain a fault.
    let is_said =
        |told: &RenderedFinding| told.finding.places().first().is_some_and(|place| words.contains(&at(place)));
    let known = found.iter().find(|(told, is_hidden)| !is_hidden && !is_said(told));
    let (words, raise) = match known {
        Some((told, _)) if told.help.is_empty() => (format!("{words}; a check has found: {}", place(told)), raise),
        Some((told, _)) => (format!("{words}; a check has found: {}", place(told)), told.help.clone()),
        None => (words, raise),
    };
    let reports = found.iter().map(|(told, is_hidden)| Detail::new(&told.text, *is_hidden));
    Criterion::lost(CriterionKind::Right, points, words, raise)
        .with(in_full(failures).into_iter().chain(reports).collect())
}

/// The most places named for failures of the same kind; the rest are counted.
const PLACES: usize = 3;

/// Details of the failures: of each kind the first in full, then the other places.
fn in_full(failures: &[&Event]) -> Vec<Detail> {
    let mut kinds: Vec<(String, Vec<&Event>)> = Vec::new();
    for event in failures {
        let kind = kind(&event.what);
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, same)) => same.push(event),
            None => kinds.push((kind, vec![event])),
        }
    }
    let of_kind = |(_, same): &(String, Vec<&Event>)| {
        let first = same[0];
        let also = |is_hidden: bool| {
            let places: Vec<&str> =
                same[1..].iter().filter(|event| event.is_hidden == is_hidden).map(|event| &*event.place).collect();
            let rest = places.iter().take(PLACES).skip(1).map(|place| place.strip_prefix("n = ").unwrap_or(place));
            let named = places.first().copied().into_iter().chain(rest).collect::<Vec<_>>().join(", ");
            let more = places.len().saturating_sub(PLACES);
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            (!named.is_empty()).then(|| Detail::new(&format!("also at {named}{more}"), is_hidden))
        };
        let first = Detail::new(&format!("{}: {}", first.place, first.what), first.is_hidden);
        std::iter::once(first).chain(also(false)).chain(also(true)).collect::<Vec<_>>()
    };
    kinds.iter().flat_map(of_kind).collect()
}

/// The kind of a failure: its words before the first colon, with `#` for every number.
fn kind(what: &str) -> String {
    let before = what.split(':').next().unwrap_or_default();
    let mut kind = before.replace(|c: char| c.is_ascii_digit(), "#");
    while kind.contains("##") {
        kind = kind.replace("##", "#");
    }
    kind
}

/// The findings in these grades, and whether each was seen only at hidden sizes.
fn found<'a>(grades: &[&'a VariantVerdict]) -> Vec<(&'a RenderedFinding, bool)> {
    let of = |grade: &&'a VariantVerdict| {
        let (findings, known) = (&grade.findings, grade.known_findings);
        findings.iter().zip(0..).map(move |(told, index)| (told, index >= known))
    };
    grades.iter().flat_map(of).collect()
}

/// A mistake and its place.
fn place(told: &RenderedFinding) -> String {
    let place = told.finding.places().into_iter().next();
    place.map_or(told.mistake.clone(), |place| format!("{} at {}", told.mistake, at(&place)))
}

/// The file and line of a place.
fn at(place: &SourcePlace) -> String {
    format!("{}:{}", place.file, place.line)
}

/// Judges whether a right exercise has no findings.
fn clean(points: f64, grades: &[&VariantVerdict]) -> Criterion {
    let unjudged = |grade: &&&VariantVerdict| matches!(grade.result, VariantResult::Unjudged | VariantResult::NotRun);
    let found = found(grades);
    let Some((told, is_hidden)) = found.first() else {
        return match grades.iter().find(unjudged) {
            Some(grade) => {
                let why = grade.unjudged.first().map_or("it runs at no size", |event| &event.what);
                Criterion::unjudged(CriterionKind::Clean, points, why)
            }
            None => Criterion::earned(CriterionKind::Clean, points, "no check found anything"),
        };
    };
    let more = if found.len() > 1 { format!(", and {} more", found.len() - 1) } else { String::new() };
    let hidden = if *is_hidden { ", seen at a hidden size" } else { "" };
    // The help text may reveal numbers of the launch.
    let raise = if *is_hidden || told.help.is_empty() { "fix what the check has found" } else { &told.help };
    let details = found.iter().map(|(told, is_hidden)| Detail::new(&told.text, *is_hidden));
    Criterion::lost(CriterionKind::Clean, points, format!("{}{hidden}{more}", place(told)), raise)
        .with(details.collect())
}

#[cfg(test)]
#[path = "exercise_tests.rs"]
mod tests;
