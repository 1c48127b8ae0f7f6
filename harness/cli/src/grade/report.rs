//! The grade of each variant, in words and as JSON.
use std::collections::{BTreeSet, HashSet};

use harness::{Record, Verdict};
use serde_json::{Value, json};
use wire::{
    Told,
    finding::{Class, Place},
};

use super::{Graded, Outcome, Task, remarks::remarks};

/// Findings printed in full for one variant; the rest are counted.
const SHOWN: usize = 3;
/// Failures printed for one variant, and the places of each.
const FAILURES: usize = 6;
const PLACES: usize = 4;

/// The overall result of a variant's runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Right everywhere, nothing found.
    Right,
    /// Right everywhere, but a check found something: the answer was right by luck.
    Finding,
    /// A wrong answer, a fault, a crash.
    Wrong,
    /// The file has no such kernel.
    Missing,
    /// The variant runs at none of the sizes that were tried.
    NotRun,
}

impl Mark {
    fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Finding => "finding",
            Self::Wrong => "wrong",
            Self::Missing => "missing",
            Self::NotRun => "not run",
        }
    }
}

/// What went wrong in one case.
#[derive(Debug, PartialEq, Eq)]
struct Failure {
    /// Its size, and the case if the variant has several.
    place: String,
    what: String,
}

/// One variant's grade.
#[derive(Debug)]
pub struct Grade {
    pub variant: &'static str,
    pub mark: Mark,
    /// Sizes at which it ran.
    ran: usize,
    failures: Vec<Failure>,
    /// Findings, each once.
    findings: Vec<Told>,
    remarks: Vec<String>,
    /// Kernels of the variant that the file lacks. Cases that need them are not judged.
    missing: BTreeSet<String>,
    /// Why it was not run.
    reason: String,
}

impl Grade {
    pub fn of(graded: &Graded) -> Self {
        let mut grade = Self {
            variant: graded.variant,
            mark: Mark::NotRun,
            ran: 0,
            failures: Vec::new(),
            findings: Vec::new(),
            remarks: Vec::new(),
            missing: BTreeSet::new(),
            reason: String::new(),
        };
        let mut known = HashSet::new();
        for tried in &graded.runs {
            let at = tried.size.map_or("the quick size".to_string(), |n| format!("n = {n}"));
            match &tried.graded {
                Outcome::Ran { rows, missing } => {
                    grade.missing.extend(missing.iter().cloned());
                    grade.add(&at, rows, &mut known);
                }
                Outcome::Failed(how) => {
                    grade.ran += 1;
                    grade.failures.push(Failure { place: at, what: how.clone() });
                }
                Outcome::Refused(reason) if grade.reason.is_empty() => {
                    grade.reason = format!("{at}: {reason}");
                }
                Outcome::Refused(_) | Outcome::Elsewhere => {}
            }
        }
        grade.mark = match (grade.ran, grade.failures.is_empty(), grade.findings.is_empty()) {
            (0, ..) if grade.missing.is_empty() => Mark::NotRun,
            (0, ..) => Mark::Missing,
            (_, false, _) => Mark::Wrong,
            (_, true, false) => Mark::Finding,
            (_, true, true) => Mark::Right,
        };
        // The speed of a wrong kernel does not matter.
        let first = graded.runs.first().map(|t| (&t.graded, &t.own));
        if let (Mark::Right, Some((Outcome::Ran { rows, .. }, Outcome::Ran { rows: own, .. }))) = (grade.mark, first) {
            grade.remarks = remarks(rows, own);
        }
        grade
    }

    /// Takes in the rows of one size.
    fn add(&mut self, at: &str, rows: &[Record], known: &mut HashSet<Key>) {
        // A question that launches nothing concerns the lab, not the kernel.
        let is_bad = |r: &Record| matches!(r.verdict, Verdict::Fail | Verdict::Finding);
        let launched = |r: &&Record| r.counter("launches").is_some_and(|launches| launches > 0.0) || is_bad(r);
        let rows: Vec<&Record> = rows.iter().filter(launched).collect();
        if rows.is_empty() {
            return;
        }
        self.ran += 1;
        for row in rows {
            if let Some(what) = row.wrong.as_ref().filter(|_| is_bad(row)) {
                let case = match row.case.as_str() {
                    "" => String::new(),
                    case => format!(" ({case})"),
                };
                self.failures.push(Failure { place: format!("{at}{case}"), what: what.clone() });
            }
            for told in &row.findings {
                if known.insert(key(told)) {
                    self.findings.push(told.clone());
                }
            }
        }
    }

    pub fn is_missing(&self) -> bool {
        self.mark == Mark::Missing
    }

    /// The kernels that the file lacks.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        self.missing.iter().map(String::as_str)
    }

    /// Whether the file may pass with this grade: a kernel that is not in the file is not judged.
    pub fn is_good(&self) -> bool {
        matches!(self.mark, Mark::Right | Mark::Missing)
    }

    /// Whether only some of its kernels are in the file.
    fn is_part(&self) -> bool {
        !self.is_missing() && !self.missing.is_empty()
    }

    fn answer(&self) -> String {
        let part = if self.is_part() { ", in part" } else { "" };
        match (self.mark, self.ran) {
            (Mark::Missing | Mark::NotRun, _) => String::new(),
            (Mark::Wrong, _) => "wrong".into(),
            (_, 1) => format!("right at 1 size{part}"),
            (_, ran) => format!("right at {ran} sizes{part}"),
        }
    }

    /// The failures, each once, with the places where it occurred.
    fn told_failures(&self) -> Vec<String> {
        let mut told: Vec<(&str, Vec<&str>)> = Vec::new();
        for failure in &self.failures {
            match told.iter_mut().find(|(what, _)| *what == failure.what) {
                Some((_, places)) => places.push(&failure.place),
                None => told.push((&failure.what, vec![&failure.place])),
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
            lines.push(format!("and {more} more failures (--json has them)"));
        }
        lines
    }
}

/// What distinguishes a finding from others, whichever threads took part: its class and its places.
type Key = (Class, Vec<Place>);

fn key(told: &Told) -> Key {
    (told.finding.class(), told.finding.places())
}

/// The line for a finding that was already shown for another variant.
fn again_line(told: &Told) -> String {
    match told.verdict {
        wire::finding::FailureOf::Program => format!("found here too: {}", told.mistake),
        other => format!("found here too: {}: {}", other.word(), told.mistake),
    }
}

/// The grades as text, for a reader.
pub fn as_text(task: &Task, grades: &[Grade]) -> String {
    let sizes = sizes(task, "the lab's quick sizes").join(", ");
    let mut parts = vec![format!(
        "{} as {} on {}: all checks, {} schedules, n: {sizes}",
        task.kernel.display(),
        task.lab.name,
        task.choice,
        task.schedules
    )];
    let rows: Vec<Vec<String>> = grades
        .iter()
        .map(|g| {
            let findings = if g.ran == 0 {
                String::new()
            } else if g.findings.is_empty() {
                "none".into()
            } else {
                g.findings.len().to_string()
            };
            vec![g.variant.into(), g.answer(), findings, g.mark.word().into()]
        })
        .collect();
    let headers = ["variant", "answer", "findings", "verdict"];
    parts.push(harness::table(&headers, &rows));
    let mut told: HashSet<Key> = HashSet::new();
    // Variants with the same text are shown together.
    let mut blocks: Vec<(Vec<&str>, Mark, String)> = Vec::new();
    for grade in grades.iter().filter(|g| !g.is_missing()) {
        let mut lines: Vec<String> = Vec::new();
        if grade.is_part() {
            let missing = grade.missing().collect::<Vec<_>>().join(", ");
            lines.push(format!("not in the file, and so not judged: {missing}"));
        }
        if !grade.reason.is_empty() {
            lines.push(grade.reason.clone());
        }
        lines.extend(grade.told_failures());
        lines.extend(grade.remarks.iter().map(|r| format!("counters: {r}")));
        let (fresh, again): (Vec<&Told>, Vec<&Told>) = grade.findings.iter().partition(|f| told.insert(key(f)));
        lines.extend(again.iter().map(|f| again_line(f)));
        let lines: Vec<String> = lines.iter().map(|l| format!("  {l}")).collect();
        let mut text = harness::paragraphs(&lines.join("\n"));
        for finding in fresh.iter().take(SHOWN) {
            text += &format!("\n\n{}", finding.text.trim_end());
        }
        if fresh.len() > SHOWN {
            text += &format!("\n\n  and {} more findings (--json has them)", fresh.len() - SHOWN);
        }
        let same = |(_, mark, known): &&mut (_, Mark, String)| *mark == grade.mark && *known == text;
        match blocks.iter_mut().find(same) {
            Some((variants, ..)) => variants.push(grade.variant),
            None => blocks.push((vec![grade.variant], grade.mark, text)),
        }
    }
    for (variants, mark, text) in blocks {
        let heading = format!("{}: {}", variants.join(", "), mark.word());
        parts.push(format!("{}\n{text}", harness::paragraphs(&heading)));
    }
    let judged = grades.iter().filter(|g| !g.is_missing()).count();
    let right = grades.iter().filter(|g| g.mark == Mark::Right).count();
    let part = grades.iter().filter(|g| g.is_part()).count();
    let missing = grades.len() - judged;
    let mut verdict = format!("{right} of {judged} variants are right");
    let are = |count| if count == 1 { "is" } else { "are" };
    if part > 0 {
        verdict += &format!("; {part} {} in the file only in part", are(part));
    }
    if missing > 0 {
        verdict += &format!("; {missing} {} not in the file", are(missing));
    }
    parts.push(verdict);
    parts.join("\n\n")
}

/// The grades as JSON, for a program.
pub fn as_json(task: &Task, grades: &[Grade]) -> Value {
    let variants: Vec<Value> = grades
        .iter()
        .map(|g| {
            json!({
                "variant": g.variant,
                "verdict": g.mark.word(),
                "sizes_run": g.ran,
                "failures": g.failures.iter().map(|f| format!("{}: {}", f.place, f.what)).collect::<Vec<_>>(),
                "missing_kernels": g.missing,
                "findings": g.findings.iter().map(|f| f.text.trim_end()).collect::<Vec<_>>(),
                "remarks": g.remarks,
                "reason": g.reason,
            })
        })
        .collect();
    json!({
        "schema": 1,
        "lab": task.lab.name,
        "kernel": task.kernel.display().to_string(),
        "device": task.choice.to_string(),
        "checks": "all",
        "schedules": task.schedules,
        "n": sizes(task, "quick"),
        "passed": grades.iter().all(Grade::is_good),
        "variants": variants,
    })
}

fn sizes(task: &Task, quick: &str) -> Vec<String> {
    let word = |size: &Option<usize>| size.map_or(quick.into(), |n| n.to_string());
    task.sizes.iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            child::Tried,
            sample::{counted, race, record},
        },
        *,
    };

    fn graded(runs: Vec<(Option<usize>, Outcome)>) -> Grade {
        Grade::of(&Graded {
            variant: "v",
            runs: runs.into_iter().map(|(size, graded)| Tried { size, graded, own: of_rows(Vec::new()) }).collect(),
        })
    }

    fn of_rows(rows: Vec<Record>) -> Outcome {
        Outcome::Ran { rows, missing: Vec::new() }
    }

    fn ran(verdict: Verdict, wrong: Option<&str>, findings: &[Told]) -> Outcome {
        let row = Record {
            wrong: wrong.map(str::to_owned),
            findings: findings.to_vec(),
            ..counted(record(verdict), &[("launches", 1)])
        };
        of_rows(vec![row])
    }

    fn missing(kernel: &str, rows: Vec<Record>) -> Outcome {
        Outcome::Ran { rows, missing: vec![kernel.into()] }
    }

    #[test]
    fn the_worst_size_is_the_grade() {
        let right = || (None, ran(Verdict::Pass, None, &[]));
        assert_eq!(graded(vec![right(), right()]).mark, Mark::Right);
        let (race, again) = (race(3, 3), race(3, 9));
        let lucky = graded(vec![
            (None, ran(Verdict::Finding, None, std::slice::from_ref(&race))),
            (Some(1), ran(Verdict::Finding, None, &[again])),
        ]);
        assert_eq!((lucky.mark, lucky.findings.len()), (Mark::Finding, 1));
        let wrong = graded(vec![right(), (Some(33), ran(Verdict::Fail, Some("1 of 33"), &[]))]);
        assert_eq!(wrong.mark, Mark::Wrong);
        assert_eq!(wrong.told_failures(), ["n = 33 (c): 1 of 33"]);
        assert!(!wrong.is_good() && !lucky.is_good());
        // A kernel that faults gives no right answer, whatever was found.
        let fault = graded(vec![(None, ran(Verdict::Finding, Some("the driver says"), &[race]))]);
        assert_eq!((fault.mark, fault.answer().as_str()), (Mark::Wrong, "wrong"));
    }

    #[test]
    fn a_failure_is_told_once_with_its_places() {
        let fail = |n| (Some(n), ran(Verdict::Fail, Some("refused"), &[]));
        let all = graded([1, 2, 3, 4, 5, 6].map(fail).into());
        assert_eq!(all.told_failures(), ["n = 1 (c), n = 2 (c), n = 3 (c), n = 4 (c) and 2 more: refused"]);
    }

    #[test]
    fn what_is_not_in_the_file_is_not_judged() {
        let none = graded(vec![(None, missing("k", Vec::new()))]);
        assert!(none.is_missing() && none.is_good());
        assert_eq!(none.missing().collect::<Vec<_>>(), ["k"]);
        let refused = graded(vec![(Some(1), Outcome::Refused("too small".into()))]);
        assert_eq!((refused.mark, refused.is_good()), (Mark::NotRun, false));
        let skipped = Record { missing_kernel: Some("k".into()), ..record(Verdict::Skip) };
        let right = counted(record(Verdict::Pass), &[("launches", 1)]);
        let part = graded(vec![(None, missing("k", vec![skipped, right]))]);
        assert_eq!(part.mark, Mark::Right);
        assert_eq!(part.answer(), "right at 1 size, in part");
        // A question that launches nothing says nothing about the kernel.
        let row = Record { note: "expected 4, obtained 4".into(), ..record(Verdict::Pass) };
        let question = graded(vec![(None, of_rows(vec![row]))]);
        assert_eq!(question.mark, Mark::NotRun);
    }
}
