//! The verdict on a variant, from the results of its runs at each size.
use std::collections::{BTreeSet, HashSet};

use harness::{Counter, Exit, Record, Verdict};
use wire::{
    RenderedFinding,
    finding::{Class, SourcePlace},
};

use super::{
    atomics::Atomics,
    failure::words,
    remarks::remarks,
    work::{Work, comparable},
};
use crate::judge::run::{Outcome, RunResult};

/// The place of events of a variant that takes no size.
pub const ITS_SIZE: &str = "its own size";

/// The overall result of a variant's runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariantResult {
    /// Right wherever the lab's own kernels run, and without findings.
    Right,
    /// Right everywhere, but with a finding: the answer was right by luck.
    Finding,
    /// A wrong answer, a fault, a crash, a limit exceeded.
    Wrong,
    /// The file has no such kernel.
    Missing,
    /// Possibly right, but it cannot be judged here: the machine does not model what it uses, or a size that the user
    /// named could not be tried.
    Unjudged,
    /// The variant runs at none of the sizes tried.
    NotRun,
}

impl VariantResult {
    /// The result in a word or two.
    pub fn word(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Finding => "finding",
            Self::Wrong => "wrong",
            Self::Missing => "missing",
            Self::Unjudged => "cannot judge",
            Self::NotRun => "not run",
        }
    }
}

/// An event in one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its size, and the case if the variant has several.
    pub place: String,
    /// The event.
    pub what: String,
    /// Whether the size is hidden: then a student must see neither the place nor the event.
    pub is_hidden: bool,
}

/// A row that was judged.
#[derive(Debug, Clone)]
pub struct JudgedRow {
    /// The row.
    pub row: Record,
    /// Whether its size is hidden.
    pub is_hidden: bool,
    /// Its atomics beyond those of the lab's own kernels.
    pub atomics: Atomics,
    /// The work of the lab's own kernels in its case, if it is comparable.
    pub work: Option<Work>,
}

/// The verdict on a variant.
#[derive(Debug)]
pub struct VariantVerdict {
    /// The variant.
    pub variant: &'static str,
    /// The overall result.
    pub result: VariantResult,
    /// Sizes at which it was judged.
    pub judged: usize,
    /// Sizes that were tried.
    pub tried: usize,
    /// The failures.
    pub failures: Vec<Event>,
    /// Cases that could not be judged, and why.
    pub unjudged: Vec<Event>,
    /// Findings, each once; those at known sizes come first.
    pub findings: Vec<RenderedFinding>,
    /// The number of findings at known sizes.
    pub known_findings: usize,
    /// How the counters compare with those of the lab's own kernels.
    pub remarks: Vec<String>,
    /// The rows that were judged.
    pub rows: Vec<JudgedRow>,
    /// Kernels of the variant that the file lacks. Cases that need them are not judged.
    pub missing: BTreeSet<String>,
}

/// Identifies a finding, whichever threads took part: its class and its places.
pub type FindingKey = (Class, Vec<SourcePlace>);

/// The key of `told`.
pub fn finding_key(told: &RenderedFinding) -> FindingKey {
    (told.finding.class(), told.finding.places())
}

/// Whether the row involves kernels: a question that launches nothing concerns the lab, not the kernel.
pub(super) fn concerns(row: &Record) -> bool {
    // A GPU does not count launches.
    let on_a_gpu = || row.device == "cuda" && row.verdict == Verdict::Pass && row.grid.is_some();
    row.counters.get(Counter::Launches).map_or_else(on_a_gpu, |launches| launches > 0.0) || is_bad(row)
}

fn is_bad(row: &Record) -> bool {
    matches!(row.verdict, Verdict::Fail | Verdict::Finding)
}

/// Whether both rows belong to the same case.
fn is_same(one: &Record, other: &Record) -> bool {
    (&one.variant, &one.case, one.n) == (&other.variant, &other.case, other.n)
}

/// The size, followed by the row's case if the variant has several.
fn place(at: &str, row: &Record) -> String {
    if row.case.is_empty() { at.to_string() } else { format!("{at} ({})", row.case) }
}

impl VariantVerdict {
    /// Judges `runs`, of which those at hidden sizes come last; `needs_sizes` requires that each of the known sizes is
    /// judged. `None` for a variant that does not use the file.
    pub(super) fn from_runs(variant: &'static str, runs: &[RunResult], needs_sizes: bool) -> Option<Self> {
        let mut verdict = Self {
            variant,
            result: VariantResult::NotRun,
            judged: 0,
            tried: 0,
            failures: Vec::new(),
            unjudged: Vec::new(),
            findings: Vec::new(),
            known_findings: 0,
            remarks: Vec::new(),
            rows: Vec::new(),
            missing: BTreeSet::new(),
        };
        let mut known = HashSet::new();
        let mut is_used = false;
        let mut is_unmodelled = false;
        let mut is_incomplete = false;
        for run in runs {
            let needs_it = needs_sizes && !run.is_hidden;
            let at = run.size.map_or("the quick size".to_string(), |n| format!("n = {n}"));
            let event = |what: &str| Event { place: at.clone(), what: what.into(), is_hidden: run.is_hidden };
            let own = match &run.own {
                Outcome::Elsewhere => continue,
                Outcome::Ran { rows, .. } => rows.as_slice(),
                Outcome::Absent => &[],
                Outcome::Refused(why) | Outcome::Failed(why) | Outcome::Unmodelled(why) => {
                    verdict.tried += 1;
                    verdict.unjudged.push(event(why));
                    is_incomplete |= needs_it;
                    continue;
                }
            };
            let launches = own.iter().any(concerns) || matches!(run.own, Outcome::Absent);
            let is_skipped = own.iter().any(|row| row.verdict == Verdict::Skip);
            is_used |= launches || is_skipped;
            verdict.tried += usize::from(launches || is_skipped);
            is_incomplete |= needs_it && is_skipped && !launches;
            match &run.submitted {
                Some(Outcome::Ran { rows, missing }) => {
                    verdict.missing.extend(missing.iter().cloned());
                    is_unmodelled |= verdict.add((&at, run.is_hidden), rows, own, &mut known);
                }
                Some(Outcome::Failed(how)) => {
                    verdict.judged += 1;
                    verdict.failures.push(event(how));
                }
                Some(Outcome::Unmodelled(what) | Outcome::Refused(what)) => {
                    is_unmodelled = true;
                    verdict.unjudged.push(event(what));
                }
                Some(Outcome::Elsewhere | Outcome::Absent) | None => {}
            }
            if !run.is_hidden {
                verdict.known_findings = verdict.findings.len();
            }
        }
        // A variant that is refused at every size may or may not use the file.
        if !is_used && verdict.unjudged.is_empty() && verdict.failures.is_empty() {
            return None;
        }
        verdict.result = if !verdict.failures.is_empty() {
            VariantResult::Wrong
        } else if !verdict.findings.is_empty() {
            VariantResult::Finding
        } else if verdict.judged == 0 && !verdict.missing.is_empty() {
            VariantResult::Missing
        } else if is_unmodelled || is_incomplete {
            VariantResult::Unjudged
        } else if verdict.judged == 0 {
            VariantResult::NotRun
        } else {
            VariantResult::Right
        };
        // The speed of a wrong kernel does not matter.
        let first = runs.first().map(|run| (&run.submitted, &run.own));
        if let (VariantResult::Right, Some((Some(Outcome::Ran { rows, .. }), Outcome::Ran { rows: own, .. }))) =
            (verdict.result, first)
        {
            verdict.remarks = remarks(rows, own);
        }
        Some(verdict)
    }

    /// Removes the sizes from all events, for a variant that takes none.
    pub(super) fn without_sizes(&mut self) {
        for event in self.failures.iter_mut().chain(&mut self.unjudged) {
            if event.place.starts_with("n = ") {
                let case = event.place.find(" (").map_or("", |at| &event.place[at..]);
                event.place = format!("{ITS_SIZE}{case}");
            }
        }
    }

    /// Adds the rows of one size, compared with those of the lab's own kernels. Returns whether a case uses what the
    /// machine does not model.
    fn add(
        &mut self,
        (at, is_hidden): (&str, bool),
        rows: &[Record],
        own: &[Record],
        known: &mut HashSet<FindingKey>,
    ) -> bool {
        let concerned: Vec<&Record> = rows.iter().filter(|row| concerns(row) && row.verdict != Verdict::Skip).collect();
        self.judged += usize::from(!concerned.is_empty());
        let before = self.failures.len() + self.findings.len();
        let mut has_found = false;
        for row in concerned {
            let atomics = Atomics::beyond(row, own, |theirs| is_same(row, theirs));
            let work = Work::of_rows(&comparable(own, |theirs| is_same(row, theirs)));
            self.rows.push(JudgedRow { row: row.clone(), is_hidden, atomics, work });
            let theirs = own.iter().find(|theirs| is_same(row, theirs));
            if let Some(what) = words(row, theirs).filter(|_| is_bad(row)) {
                self.failures.push(Event { place: place(at, row), what, is_hidden });
            }
            has_found |= !row.findings.is_empty();
            for told in &row.findings {
                if known.insert(finding_key(told)) {
                    self.findings.push(told.clone());
                }
            }
        }
        let is_good = self.failures.len() + self.findings.len() == before && !has_found;
        let mut is_unmodelled = false;
        // The name of a case may depend on the kernel, for example on how many of its blocks are resident.
        let judged = |rows: &[Record]| rows.iter().filter(|r| concerns(r) && r.verdict != Verdict::Skip).count();
        let is_whole = judged(rows) >= judged(own);
        if own.is_empty() {
            // Without the lab's own kernels it is unknown who is at fault for a case that is skipped.
            for row in rows.iter().filter(|row| row.verdict == Verdict::Skip && row.missing_kernel.is_none()) {
                is_unmodelled = true;
                self.unjudged.push(Event { place: place(at, row), what: row.note.clone(), is_hidden });
            }
        }
        // Each case that the lab's own kernels pass must be judged; one that they skip cannot be.
        for theirs in own.iter().filter(|row| concerns(row) || row.verdict == Verdict::Skip) {
            let mine: Vec<&Record> = rows.iter().filter(|row| is_same(row, theirs)).collect();
            let event = |what: String| Event { place: place(at, theirs), what, is_hidden };
            if is_bad(theirs) {
                self.unjudged.push(event(format!("the lab's own kernel fails here: {}", theirs.note)));
            } else if theirs.verdict == Verdict::Skip {
                self.unjudged.push(event(theirs.note.clone()));
            } else if let Some(unmodelled) = mine.iter().find(|row| row.is_unmodelled()) {
                is_unmodelled = true;
                self.unjudged.push(event(unmodelled.findings[0].headline.clone()));
            } else if !is_good || is_whole || mine.iter().any(|row| row.verdict != Verdict::Skip && concerns(row)) {
                // Judged, or left out because of a failure before it.
            } else if mine.iter().all(|row| row.missing_kernel.is_none()) && self.missing.is_empty() {
                let why = mine.first().map_or("the run ended before it", |row| row.note.as_str());
                self.failures.push(event(format!("{why}; the lab's own kernel runs here")));
            }
        }
        is_unmodelled
    }

    /// The kernels that the file lacks.
    pub fn missing(&self) -> impl Iterator<Item = &str> {
        self.missing.iter().map(String::as_str)
    }

    /// Whether the file has none of its kernels.
    pub fn is_missing(&self) -> bool {
        self.result == VariantResult::Missing
    }

    /// Whether the file has only some of its kernels.
    pub fn is_part(&self) -> bool {
        !self.is_missing() && !self.missing.is_empty()
    }
}

/// The exit status for these verdicts. A kernel that is not in the file is not judged, but must be there if its variant
/// is among those that the user `named`.
pub fn exit(verdicts: &[VariantVerdict], named: &[&str]) -> Exit {
    let is_there = |name: &&str| verdicts.iter().any(|verdict| verdict.variant == *name && !verdict.is_missing());
    let any = |results: &[VariantResult]| verdicts.iter().any(|verdict| results.contains(&verdict.result));
    if any(&[VariantResult::Wrong, VariantResult::Finding]) {
        Exit::Wrong
    } else if !named.iter().all(is_there) {
        Exit::Usage
    } else if any(&[VariantResult::Unjudged, VariantResult::NotRun]) || !any(&[VariantResult::Right]) {
        Exit::CannotRun
    } else {
        Exit::Passed
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{counted, race, record, unmodelled};
    use super::*;

    /// The verdict on runs at these sizes, where the lab's own kernels have one case, `c`, and pass it.
    fn graded(runs: Vec<(Option<usize>, Outcome)>) -> VariantVerdict {
        let tried = |(size, submitted)| RunResult {
            size,
            is_hidden: false,
            own: ran(Verdict::Pass, None, &[]),
            submitted: Some(submitted),
        };
        VariantVerdict::from_runs("v", &runs.into_iter().map(tried).collect::<Vec<_>>(), false).unwrap()
    }

    fn of_rows(rows: Vec<Record>) -> Outcome {
        Outcome::Ran { rows, missing: Vec::new() }
    }

    fn ran(verdict: Verdict, wrong: Option<&str>, findings: &[RenderedFinding]) -> Outcome {
        let row = Record {
            wrong: wrong.map(str::to_owned),
            findings: findings.to_vec(),
            ..counted(record(verdict), &[("launches", 1)])
        };
        of_rows(vec![row])
    }

    fn skipped(note: &str) -> Outcome {
        of_rows(vec![Record { note: note.into(), ..record(Verdict::Skip) }])
    }

    fn missing(kernel: &str, rows: Vec<Record>) -> Outcome {
        Outcome::Ran { rows, missing: vec![kernel.into()] }
    }

    fn right() -> Outcome {
        ran(Verdict::Pass, None, &[])
    }

    #[test]
    fn the_worst_size_is_the_grade() {
        assert_eq!(graded(vec![(None, right()), (Some(1), right())]).result, VariantResult::Right);
        let (race, again) = (race(3, 3), race(3, 9));
        let lucky = graded(vec![
            (None, ran(Verdict::Finding, None, std::slice::from_ref(&race))),
            (Some(1), ran(Verdict::Finding, None, &[again])),
        ]);
        assert_eq!((lucky.result, lucky.findings.len()), (VariantResult::Finding, 1));
        let wrong = graded(vec![(None, right()), (Some(33), ran(Verdict::Fail, Some("1 of 33"), &[]))]);
        assert_eq!(wrong.result, VariantResult::Wrong);
        assert_eq!(wrong.failures, [Event { place: "n = 33 (c)".into(), what: "1 of 33".into(), is_hidden: false }]);
        // A kernel that faults gives no right answer, whatever was found.
        let fault = graded(vec![(None, ran(Verdict::Finding, Some("the driver says"), &[race]))]);
        assert_eq!(fault.result, VariantResult::Wrong);
        let stopped = graded(vec![(None, right()), (Some(1), Outcome::Failed("stopped: ...".into()))]);
        assert_eq!(stopped.result, VariantResult::Wrong);
    }

    #[test]
    fn a_case_that_is_skipped_earns_nothing() {
        // The lab's own kernel runs with the same memory, so this kernel takes too much.
        let greedy = graded(vec![(None, right()), (Some(40), skipped("not enough memory here"))]);
        assert_eq!((greedy.result, greedy.judged, greedy.tried), (VariantResult::Wrong, 1, 2));
        assert_eq!(greedy.failures[0].what, "not enough memory here; the lab's own kernel runs here");
        let vanished = graded(vec![(None, of_rows(Vec::new()))]);
        assert_eq!((vanished.result, vanished.judged), (VariantResult::Wrong, 0));
        // Cases skipped after a failure are not failures themselves.
        let lost = Record { case: "d".into(), note: "the context was lost".into(), ..record(Verdict::Skip) };
        let fail = Record { wrong: Some("1 of 9".into()), ..counted(record(Verdict::Fail), &[("launches", 1)]) };
        let own = vec![
            counted(record(Verdict::Pass), &[("launches", 1)]),
            counted(Record { case: "d".into(), ..record(Verdict::Pass) }, &[("launches", 1)]),
        ];
        let tried =
            RunResult { size: None, is_hidden: false, own: of_rows(own), submitted: Some(of_rows(vec![fail, lost])) };
        assert_eq!(VariantVerdict::from_runs("v", &[tried], false).unwrap().failures.len(), 1);
    }

    #[test]
    fn a_size_at_which_the_labs_own_kernels_do_not_run_is_not_judged() {
        let not_here = |own| RunResult { size: Some(1 << 40), is_hidden: false, own, submitted: None };
        let here = || RunResult { size: None, is_hidden: false, own: right(), submitted: Some(right()) };
        for own in [Outcome::Refused("no memory".into()), skipped("no memory")] {
            let submitted = if matches!(own, Outcome::Ran { .. }) { Some(skipped("no memory")) } else { None };
            let tried = [here(), RunResult { submitted, ..not_here(own) }];
            for (needs_sizes, mark, code) in
                [(false, VariantResult::Right, Exit::Passed), (true, VariantResult::Unjudged, Exit::CannotRun)]
            {
                let grade = VariantVerdict::from_runs("v", &tried, needs_sizes).unwrap();
                assert_eq!((grade.result, grade.judged, grade.tried), (mark, 1, 2));
                assert!(grade.unjudged[0].what.contains("no memory"));
                assert_eq!(exit(&[grade], &[]), code);
            }
        }
        let nowhere = VariantVerdict::from_runs("v", &[not_here(Outcome::Refused("no".into()))], false).unwrap();
        assert_eq!((nowhere.result, exit(&[nowhere], &[])), (VariantResult::NotRun, Exit::CannotRun));
        assert_eq!(exit(&[], &[]), Exit::CannotRun);
    }

    #[test]
    fn what_happens_at_a_hidden_size_is_marked_so() {
        let ran = |line, is_hidden| {
            let submitted = Some(ran(Verdict::Finding, Some("1 of 9"), &[race(line, 1)]));
            RunResult { size: Some(9), is_hidden, own: right(), submitted }
        };
        let grade = VariantVerdict::from_runs("v", &[ran(3, false), ran(3, true), ran(4, true)], true).unwrap();
        assert_eq!(grade.failures.iter().map(|event| event.is_hidden).collect::<Vec<_>>(), [false, true, true]);
        assert_eq!(grade.rows.iter().map(|judged| judged.is_hidden).collect::<Vec<_>>(), [false, true, true]);
        assert_eq!((grade.findings.len(), grade.known_findings), (2, 1));
        // A hidden size that the lab does not take counts against no one.
        let refused = RunResult { size: Some(9), is_hidden: true, own: Outcome::Refused("no".into()), submitted: None };
        let known = RunResult { size: Some(1), is_hidden: false, own: right(), submitted: Some(right()) };
        assert_eq!(VariantVerdict::from_runs("v", &[known, refused], true).unwrap().result, VariantResult::Right);
    }

    #[test]
    fn what_the_machine_does_not_model_is_neither_right_nor_wrong() {
        let row = Record { findings: vec![unmodelled()], ..record(Verdict::Skip) };
        for outcome in [of_rows(vec![row]), Outcome::Unmodelled("wgmma".into())] {
            let grade = graded(vec![(None, right()), (Some(1), outcome)]);
            assert_eq!((grade.result, grade.judged), (VariantResult::Unjudged, 1));
            assert!(grade.unjudged[0].what.contains("wgmma"), "{grade:?}");
            assert_eq!(exit(&[grade], &[]), Exit::CannotRun);
        }
    }

    #[test]
    fn what_is_not_in_the_file_is_not_judged_unless_it_was_named() {
        let none = graded(vec![(None, missing("k", Vec::new()))]);
        assert_eq!(none.missing().collect::<Vec<_>>(), ["k"]);
        let both = [VariantVerdict { variant: "w", ..none }, graded(vec![(None, right())])];
        assert_eq!(
            (exit(&both, &[]), exit(&both, &["v"]), exit(&both, &["w"])),
            (Exit::Passed, Exit::Passed, Exit::Usage)
        );
        let skipped = Record { missing_kernel: Some("k".into()), ..record(Verdict::Skip) };
        let other = counted(Record { case: "d".into(), ..record(Verdict::Pass) }, &[("launches", 1)]);
        let part = graded(vec![(None, missing("k", vec![skipped, other]))]);
        assert_eq!((part.result, part.is_part()), (VariantResult::Right, true));
    }

    #[test]
    fn a_variant_that_launches_nothing_is_not_about_the_file() {
        let question = || of_rows(vec![Record { note: "expected 4, obtained 4".into(), ..record(Verdict::Pass) }]);
        let tried = RunResult { size: None, is_hidden: false, own: question(), submitted: Some(question()) };
        assert!(VariantVerdict::from_runs("v", &[tried], false).is_none());
        let elsewhere = RunResult { size: None, is_hidden: false, own: Outcome::Elsewhere, submitted: None };
        assert!(VariantVerdict::from_runs("v", &[elsewhere], false).is_none());
    }
}
