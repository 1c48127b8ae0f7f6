//! The verdicts as text and as JSON.
use std::{collections::HashSet, path::Path};

use course::{
    export::laid_out,
    judge::{
        JudgeRequest, Judgement,
        verdict::{Event, FindingKey, VariantResult, VariantVerdict, finding_key},
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

fn answer(verdict: &VariantVerdict) -> String {
    let part = if verdict.is_part() { ", in part" } else { "" };
    let size = if verdict.tried == 1 { "size" } else { "sizes" };
    match (verdict.result, verdict.judged) {
        (VariantResult::Missing | VariantResult::NotRun, _) | (VariantResult::Unjudged, 0) => String::new(),
        (VariantResult::Wrong, _) => "wrong".into(),
        (_, judged) if judged < verdict.tried => format!("right at {judged} of {} {size}{part}", verdict.tried),
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

/// The verdicts as text.
pub fn as_text(request: &JudgeRequest, kernel: &Path, judgement: &Judgement) -> String {
    let Judgement { verdicts, warnings, .. } = judgement;
    let sizes = sizes(judgement, "the lab's quick sizes").join(", ");
    let mut parts = vec![harness::paragraphs(&format!(
        "{} as {} on {}: all checks, {} schedules, seed {}, n: {sizes}",
        kernel.display(),
        request.lab.name,
        request.choice,
        request.schedules,
        request.seed
    ))];
    let rows: Vec<Vec<String>> = verdicts
        .iter()
        .map(|v| {
            let findings = match v.findings.len() {
                _ if v.judged == 0 => String::new(),
                0 => "none".into(),
                some => some.to_string(),
            };
            vec![v.variant.into(), answer(v), findings, v.result.word().into()]
        })
        .collect();
    let headers = ["variant", "answer", "findings", "verdict"];
    parts.push(harness::table(&headers, &rows));
    parts.extend(blocks(verdicts));
    parts.extend(Some(harness::warnings(warnings)).filter(|text| !text.is_empty()));
    parts.push(summary(verdicts));
    parts.push(format!("To repeat it: {}", repeat(request.seed)));
    parts.join("\n\n")
}

/// A block for each variant in the file; those with the same text share one.
fn blocks(verdicts: &[VariantVerdict]) -> Vec<String> {
    let mut shown: HashSet<FindingKey> = HashSet::new();
    let mut blocks: Vec<(Vec<&str>, VariantResult, String)> = Vec::new();
    for verdict in verdicts.iter().filter(|v| !v.is_missing()) {
        let mut lines: Vec<String> = Vec::new();
        if verdict.is_part() {
            let missing = verdict.missing().collect::<Vec<_>>().join(", ");
            lines.push(format!("not in the file, and so not judged: {missing}"));
        }
        lines.extend(told(&verdict.unjudged).into_iter().map(|line| format!("not judged: {line}")));
        lines.extend(told(&verdict.failures));
        lines.extend(verdict.remarks.iter().map(|r| format!("counters: {r}")));
        let (fresh, again): (Vec<&RenderedFinding>, Vec<&RenderedFinding>) =
            verdict.findings.iter().partition(|f| shown.insert(finding_key(f)));
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
        let same = |(_, result, known): &&mut (_, VariantResult, String)| *result == verdict.result && *known == text;
        match blocks.iter_mut().find(same) {
            Some((variants, ..)) => variants.push(verdict.variant),
            None => blocks.push((vec![verdict.variant], verdict.result, text)),
        }
    }
    let heading = |variants: &[&str], result: VariantResult| {
        harness::paragraphs(&format!("{}: {}", variants.join(", "), result.word()))
    };
    blocks.into_iter().map(|(variants, result, text)| format!("{}\n{text}", heading(&variants, result))).collect()
}

/// The number of right variants, in one sentence.
fn summary(verdicts: &[VariantVerdict]) -> String {
    let count = |results: &[VariantResult]| verdicts.iter().filter(|v| results.contains(&v.result)).count();
    let (right, missing) = (count(&[VariantResult::Right]), count(&[VariantResult::Missing]));
    let (part, unjudged) =
        (verdicts.iter().filter(|v| v.is_part()).count(), count(&[VariantResult::Unjudged, VariantResult::NotRun]));
    let mut text = format!("{right} of {} variants are right", verdicts.len() - missing);
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

/// The verdicts as JSON, for programs.
pub fn as_json(request: &JudgeRequest, kernel: &Path, judgement: &Judgement, exit: Exit) -> Value {
    let Judgement { verdicts, warnings, .. } = judgement;
    let events = |events: &[Event]| events.iter().map(|e| format!("{}: {}", e.place, e.what)).collect::<Vec<_>>();
    let variants: Vec<Value> = verdicts
        .iter()
        .map(|v| {
            json!({
                "variant": v.variant,
                "verdict": v.result.word(),
                "sizes_tried": v.tried,
                "sizes_run": v.judged,
                "failures": events(&v.failures),
                "not_judged": events(&v.unjudged),
                "missing_kernels": v.missing,
                "findings": v.findings.iter().map(|f| f.text.trim_end()).collect::<Vec<_>>(),
                "remarks": v.remarks,
            })
        })
        .collect();
    json!({
        "schema": 2,
        "lab": request.lab.name,
        "kernel": kernel.display().to_string(),
        "device": request.choice.to_string(),
        "checks": "all",
        "schedules": request.schedules,
        "seed": request.seed,
        "repeat": repeat(request.seed),
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
