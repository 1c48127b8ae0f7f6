//! The grades as text and as JSON.
use std::collections::HashSet;

use course::{
    export::laid_out,
    judge::{
        Judgement, Task,
        grade::{Event, Grade, Key, Mark, key},
    },
};
use harness::Exit;
use serde_json::{Value, json};
use wire::{RenderedFinding, printable::quoted};

use super::task::repeat;

/// The most findings printed in full for one variant; the rest are counted.
const SHOWN: usize = 3;
/// The most failures printed for one variant, and the most places of each.
const FAILURES: usize = 6;
const PLACES: usize = 4;

fn answer(grade: &Grade) -> String {
    let part = if grade.is_part() { ", in part" } else { "" };
    let size = if grade.tried == 1 { "size" } else { "sizes" };
    match (grade.mark, grade.judged) {
        (Mark::Missing | Mark::NotRun, _) | (Mark::Unjudged, 0) => String::new(),
        (Mark::Wrong, _) => "wrong".into(),
        (_, judged) if judged < grade.tried => format!("right at {judged} of {} {size}{part}", grade.tried),
        (_, judged) => format!("right at {judged} {size}{part}"),
    }
}

/// The events, each once, with the places where they occurred.
fn told(events: &[Event]) -> Vec<String> {
    let mut told: Vec<(&str, Vec<&str>)> = Vec::new();
    for event in events {
        match told.iter_mut().find(|(what, _)| *what == event.what) {
            Some((_, places)) => places.push(&event.place),
            None => told.push((&event.what, vec![&event.place])),
        }
    }
    let more = told.len().saturating_sub(FAILURES);
    let mut lines: Vec<String> = told
        .iter()
        .take(FAILURES)
        .map(|(what, places)| {
            let most = places.len().min(PLACES);
            let rest = match places.len() - most {
                0 => String::new(),
                rest => format!(" and {rest} more"),
            };
            format!("{}{rest}: {what}", places[..most].join(", "))
        })
        .collect();
    if more > 0 {
        lines.push(format!("and {more} more (--json has them)"));
    }
    lines
}

/// The line for a finding already shown for another variant.
fn again_line(told: &RenderedFinding) -> String {
    match told.verdict {
        wire::finding::FailureOf::Program => format!("found here too: {}", told.mistake),
        other => format!("found here too: {}: {}", other.word(), told.mistake),
    }
}

/// The grades as text.
pub fn as_text(task: &Task, judgement: &Judgement) -> String {
    let Judgement { grades, warnings, .. } = judgement;
    let sizes = sizes(judgement, "the lab's quick sizes").join(", ");
    let mut parts = vec![harness::paragraphs(&format!(
        "{} as {} on {}: all checks, {} schedules, seed {}, n: {sizes}",
        task.kernel.display(),
        task.lab.name,
        task.choice,
        task.schedules,
        task.seed
    ))];
    let rows: Vec<Vec<String>> = grades
        .iter()
        .map(|g| {
            let findings = match g.findings.len() {
                _ if g.judged == 0 => String::new(),
                0 => "none".into(),
                some => some.to_string(),
            };
            vec![g.variant.into(), answer(g), findings, g.mark.word().into()]
        })
        .collect();
    let headers = ["variant", "answer", "findings", "verdict"];
    parts.push(harness::table(&headers, &rows));
    parts.extend(blocks(grades));
    parts.extend(Some(harness::warnings(warnings)).filter(|text| !text.is_empty()));
    parts.push(summary(grades));
    parts.push(format!("To repeat it: {}", repeat(task.seed)));
    parts.join("\n\n")
}

/// A block for each variant in the file; those with the same text share one.
fn blocks(grades: &[Grade]) -> Vec<String> {
    let mut shown: HashSet<Key> = HashSet::new();
    let mut blocks: Vec<(Vec<&str>, Mark, String)> = Vec::new();
    for grade in grades.iter().filter(|g| !g.is_missing()) {
        let mut lines: Vec<String> = Vec::new();
        if grade.is_part() {
            let missing = grade.missing().collect::<Vec<_>>().join(", ");
            lines.push(format!("not in the file, and so not judged: {missing}"));
        }
        lines.extend(told(&grade.unjudged).into_iter().map(|line| format!("not judged: {line}")));
        lines.extend(told(&grade.failures));
        lines.extend(grade.remarks.iter().map(|r| format!("counters: {r}")));
        let (fresh, again): (Vec<&RenderedFinding>, Vec<&RenderedFinding>) =
            grade.findings.iter().partition(|f| shown.insert(key(f)));
        lines.extend(again.iter().map(|f| again_line(f)));
        let lines: Vec<String> = lines.iter().map(|l| quoted(l, "  ")).collect();
        let mut text = harness::paragraphs(&lines.join("\n"));
        for finding in fresh.iter().take(SHOWN) {
            text += &format!("\n\n{}", laid_out(&finding.text));
        }
        if fresh.len() > SHOWN {
            text += &format!("\n\n  and {} more findings (--json has them)", fresh.len() - SHOWN);
        }
        // The table already says that it is right.
        if text.is_empty() {
            continue;
        }
        let same = |(_, mark, known): &&mut (_, Mark, String)| *mark == grade.mark && *known == text;
        match blocks.iter_mut().find(same) {
            Some((variants, ..)) => variants.push(grade.variant),
            None => blocks.push((vec![grade.variant], grade.mark, text)),
        }
    }
    let heading =
        |variants: &[&str], mark: Mark| harness::paragraphs(&format!("{}: {}", variants.join(", "), mark.word()));
    blocks.into_iter().map(|(variants, mark, text)| format!("{}\n{text}", heading(&variants, mark))).collect()
}

/// The number of right variants, in one sentence.
fn summary(grades: &[Grade]) -> String {
    let count = |marks: &[Mark]| grades.iter().filter(|g| marks.contains(&g.mark)).count();
    let (right, missing) = (count(&[Mark::Right]), count(&[Mark::Missing]));
    let (part, unjudged) = (grades.iter().filter(|g| g.is_part()).count(), count(&[Mark::Unjudged, Mark::NotRun]));
    let mut text = format!("{right} of {} variants are right", grades.len() - missing);
    let are = |count| if count == 1 { "is" } else { "are" };
    if unjudged > 0 {
        text += &format!("; {unjudged} cannot be judged here");
    }
    if part > 0 {
        text += &format!("; {part} {} in the file only in part", are(part));
    }
    if missing > 0 {
        text += &format!("; {missing} {} not in the file", are(missing));
    }
    text
}

/// The grades as JSON, for programs.
pub fn as_json(task: &Task, judgement: &Judgement, exit: Exit) -> Value {
    let Judgement { grades, warnings, .. } = judgement;
    let events = |events: &[Event]| events.iter().map(|e| format!("{}: {}", e.place, e.what)).collect::<Vec<_>>();
    let variants: Vec<Value> = grades
        .iter()
        .map(|g| {
            json!({
                "variant": g.variant,
                "verdict": g.mark.word(),
                "sizes_tried": g.tried,
                "sizes_run": g.judged,
                "failures": events(&g.failures),
                "not_judged": events(&g.unjudged),
                "missing_kernels": g.missing,
                "findings": g.findings.iter().map(|f| f.text.trim_end()).collect::<Vec<_>>(),
                "remarks": g.remarks,
            })
        })
        .collect();
    json!({
        "schema": 2,
        "lab": task.lab.name,
        "kernel": task.kernel.display().to_string(),
        "device": task.choice.to_string(),
        "checks": "all",
        "schedules": task.schedules,
        "seed": task.seed,
        "repeat": repeat(task.seed),
        "n": sizes(judgement, "quick"),
        "passed": exit == Exit::Passed,
        "warnings": warnings.iter().map(|w| w.text.trim_end()).collect::<Vec<_>>(),
        "variants": variants,
    })
}

fn sizes(judgement: &Judgement, quick: &str) -> Vec<String> {
    let word = |size: &Option<usize>| size.map_or(quick.into(), |n| n.to_string());
    judgement.sizes.iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_is_told_once_with_its_places() {
        let event = |n: i32| Event { place: format!("n = {n}"), what: "refused".into(), is_hidden: false };
        let all: Vec<Event> = (1..=6).map(event).collect();
        assert_eq!(told(&all), ["n = 1, n = 2, n = 3, n = 4 and 2 more: refused"]);
    }
}
