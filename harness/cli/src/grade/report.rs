//! The grade of each variant, in words and as JSON.
use std::collections::HashSet;

use serde_json::{Value, json};

use super::{Graded, Outcome, Task, remarks::remarks};

/// Findings printed in full for one variant; the rest are counted.
const SHOWN: usize = 3;

/// What a variant's runs come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Right everywhere, nothing found.
    Right,
    /// Right everywhere, but a check speaks: right by luck.
    Finding,
    /// A wrong answer, a fault, a crash.
    Wrong,
    /// The file has no such kernel.
    Missing,
    /// No size that was tried is one that the variant runs at.
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

/// One variant's grade.
#[derive(Debug)]
pub struct Grade {
    pub variant: &'static str,
    pub mark: Mark,
    /// Sizes at which it ran.
    ran: usize,
    /// What went wrong, each with its size and case.
    failures: Vec<String>,
    /// Findings in full, each once.
    findings: Vec<String>,
    remarks: Vec<String>,
    /// Why it is missing or was not run.
    pub reason: String,
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
            reason: String::new(),
        };
        let mut known = HashSet::new();
        for (size, outcome) in &graded.runs {
            let at = size.map_or("the lab's size".to_string(), |n| format!("n = {n}"));
            match outcome {
                Outcome::Ran(rows) => grade.add(&at, rows, &mut known),
                Outcome::Crashed(how) => {
                    grade.ran += 1;
                    grade.failures.push(format!("{at}: {how}"));
                }
                Outcome::Missing(reason) => {
                    grade.mark = Mark::Missing;
                    grade.reason.clone_from(reason);
                }
                Outcome::Refused(reason) if grade.reason.is_empty() => {
                    grade.reason = format!("{at}: {reason}");
                }
                Outcome::Refused(_) | Outcome::Elsewhere => {}
            }
        }
        if grade.ran > 0 {
            grade.mark = match (grade.failures.is_empty(), grade.findings.is_empty()) {
                (false, _) => Mark::Wrong,
                (true, false) => Mark::Finding,
                (true, true) => Mark::Right,
            };
        }
        if let (Some((_, Outcome::Ran(rows))), Outcome::Ran(own)) =
            (graded.runs.first(), &graded.own)
        {
            grade.remarks = remarks(rows, own);
        }
        grade
    }

    /// Takes in the rows of one size.
    fn add(&mut self, at: &str, rows: &[Value], known: &mut HashSet<String>) {
        // A question that launches nothing is the lab's, not the kernel's.
        let launched = |r: &&Value| {
            let launches = r["launches"].as_u64().is_some_and(|l| l > 0);
            launches || r["verdict"] == "fail" || r["verdict"] == "finding"
        };
        // A file with some of the variant's kernels is judged by those.
        let absent = rows.iter().find(|r| {
            let note = r["note"].as_str().unwrap_or_default();
            r["verdict"] == "skip" && note.contains("holds no kernel `")
        });
        if let Some(row) = absent {
            self.reason = row["note"].as_str().unwrap_or_default().to_string();
            self.mark = Mark::Missing;
        }
        let rows: Vec<&Value> = rows.iter().filter(launched).collect();
        if rows.is_empty() {
            return;
        }
        self.ran += 1;
        for row in rows {
            let note = row["note"].as_str().unwrap_or_default();
            let case = row["case"].as_str().unwrap_or_default();
            let case = if case.is_empty() {
                String::new()
            } else {
                format!(", {case}")
            };
            // A finding leaves the answer's own fault behind it in the note, if there is one.
            if row["verdict"] == "fail" || (row["verdict"] == "finding" && note.contains(" wrong:"))
            {
                self.failures.push(format!("{at}{case}: {note}"));
            }
            let texts = row["findings"].as_array().into_iter().flatten();
            for text in texts.filter_map(Value::as_str) {
                if known.insert(key(text)) {
                    self.findings.push(text.to_string());
                }
            }
        }
    }

    pub fn is_missing(&self) -> bool {
        self.mark == Mark::Missing
    }

    /// Whether it does not keep the file from passing: what is not in it is not judged.
    pub fn is_good(&self) -> bool {
        matches!(self.mark, Mark::Right | Mark::Missing)
    }

    fn answer(&self) -> String {
        match (self.mark, self.ran) {
            (Mark::Missing | Mark::NotRun, _) => String::new(),
            (Mark::Wrong, _) => "wrong".into(),
            (_, 1) => "right at 1 size".into(),
            (_, ran) => format!("right at {ran} sizes"),
        }
    }
}

/// What tells a finding from others, whichever threads met there: its kind and its places.
fn key(text: &str) -> String {
    let headline = text.lines().next().unwrap_or_default();
    let kind = headline.split(" [").next().unwrap_or_default();
    let places = text.lines().filter(|l| l.contains("--> "));
    std::iter::once(kind)
        .chain(places.map(str::trim))
        .collect::<Vec<_>>()
        .join(" ")
}

/// For the reader.
pub fn as_text(task: &Task, grades: &[Grade]) -> String {
    let sizes = sizes(task).join(", ");
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
    let mut told: HashSet<String> = HashSet::new();
    for grade in grades.iter().filter(|g| !g.is_missing()) {
        let mut lines: Vec<String> = Vec::new();
        if !grade.reason.is_empty() {
            lines.push(format!("  {}", grade.reason));
        }
        lines.extend(grade.failures.iter().map(|f| format!("  {f}")));
        lines.extend(grade.remarks.iter().map(|r| format!("  counters: {r}")));
        let mut text = harness::paragraphs(&lines.join("\n"));
        let fresh: Vec<&String> = (grade.findings.iter())
            .filter(|f| told.insert(key(f)))
            .collect();
        for finding in fresh.iter().take(SHOWN) {
            text += &format!("\n\n{finding}");
        }
        if fresh.len() > SHOWN {
            text += &format!(
                "\n\n  and {} more findings (--json has them)",
                fresh.len() - SHOWN
            );
        } else if fresh.len() < grade.findings.len() {
            text += "\n  finds what is found above";
        }
        parts.push(format!("{}: {}\n{text}", grade.variant, grade.mark.word()));
    }
    let judged = grades.iter().filter(|g| !g.is_missing()).count();
    let right = grades.iter().filter(|g| g.mark == Mark::Right).count();
    let missing = grades.len() - judged;
    let mut verdict = format!("{right} of {judged} variants are right");
    if missing > 0 {
        verdict += &format!("; {missing} are not in the file");
    }
    parts.push(verdict);
    parts.join("\n\n")
}

/// For a program.
pub fn as_json(task: &Task, grades: &[Grade]) -> Value {
    let variants: Vec<Value> = grades
        .iter()
        .map(|g| {
            json!({
                "variant": g.variant,
                "verdict": g.mark.word(),
                "sizes_run": g.ran,
                "failures": g.failures,
                "findings": g.findings,
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
        "n": sizes(task),
        "passed": grades.iter().all(Grade::is_good),
        "variants": variants,
    })
}

fn sizes(task: &Task) -> Vec<String> {
    let word = |size: &Option<usize>| size.map_or("quick".into(), |n| n.to_string());
    task.sizes.iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graded(runs: Vec<(Option<usize>, Outcome)>) -> Grade {
        Grade::of(&Graded {
            variant: "v",
            runs,
            own: Outcome::Ran(Vec::new()),
        })
    }

    fn ran(verdict: &str, note: &str, findings: &[&str]) -> Outcome {
        let row = json!({ "case": "c", "verdict": verdict, "note": note, "findings": findings, "launches": 1 });
        Outcome::Ran(vec![row])
    }

    #[test]
    fn the_worst_size_is_the_grade() {
        let right = || (None, ran("pass", "", &[]));
        assert_eq!(graded(vec![right(), right()]).mark, Mark::Right);
        let race = "error: Race reported [3 hazards]\n --> a.cu:3:1 in k";
        let again = "error: Race reported [9 hazards]\n --> a.cu:3:1 in k";
        let lucky = graded(vec![
            (None, ran("finding", "Race", &[race])),
            (Some(1), ran("finding", "Race", &[again])),
        ]);
        assert_eq!((lucky.mark, lucky.findings.len()), (Mark::Finding, 1));
        let wrong = graded(vec![right(), (Some(33), ran("fail", "1 of 33 wrong", &[]))]);
        assert_eq!(wrong.mark, Mark::Wrong);
        assert_eq!(wrong.failures, ["n = 33, c: 1 of 33 wrong"]);
        assert!(!wrong.is_good() && !lucky.is_good());
    }

    #[test]
    fn what_is_not_in_the_file_is_not_judged() {
        let missing = graded(vec![(None, Outcome::Missing("no kernel".into()))]);
        assert!(missing.is_missing() && missing.is_good());
        let refused = graded(vec![(Some(1), Outcome::Refused("too small".into()))]);
        assert_eq!((refused.mark, refused.is_good()), (Mark::NotRun, false));
        let absent = json!({ "verdict": "skip", "note": "x.cu holds no kernel `k`; ..." });
        let absent = graded(vec![(None, Outcome::Ran(vec![absent]))]);
        assert_eq!(absent.mark, Mark::Missing);
        // A question that launches nothing tells nothing of the kernel.
        let row = json!({ "verdict": "pass", "note": "expected 4, obtained 4" });
        let question = graded(vec![(None, Outcome::Ran(vec![row]))]);
        assert_eq!(question.mark, Mark::NotRun);
    }
}
