//! The summary after the last lab: the totals over all labs, and a list of failures, each with a command that
//! reproduces it.
use record::{Record, Verdict};

use crate::{export::layout::wrapped, export::style};

/// The results so far, over all labs.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    labs: usize,
    counts: Counts,
    failed: Vec<Failed>,
    unable: Vec<String>,
    /// The first skipped case, and why it was skipped.
    skipped: Option<String>,
}

/// The numbers of rows by verdict.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Counts([usize; 4]);

const VERDICTS: [Verdict; 4] = [Verdict::Pass, Verdict::Fail, Verdict::Finding, Verdict::Skip];

impl Counts {
    /// Counts these rows.
    pub(crate) fn from_records(records: &[Record]) -> Self {
        Self(VERDICTS.map(|verdict| records.iter().filter(|r| r.verdict == verdict).count()))
    }

    fn add(&mut self, other: Self) {
        for (sum, more) in self.0.iter_mut().zip(other.0) {
            *sum += more;
        }
    }

    /// The number of cases that ran.
    fn ran(self) -> usize {
        let [passed, failed, found, _] = self.0;
        passed + failed + found
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seen = VERDICTS.into_iter().zip(self.0).filter(|(_, count)| *count > 0);
        let each: Vec<String> =
            seen.map(|(verdict, count)| style::verdict(&format!("{count} {}", verdict.word()))).collect();
        f.write_str(if each.is_empty() { "no rows" } else { "" })?;
        f.write_str(&each.join(", "))
    }
}

/// A failed row.
#[derive(Debug)]
struct Failed {
    what: String,
    command: String,
}

impl Summary {
    /// Adds the rows of a lab. `repeat` returns the command that reproduces a row's case.
    pub(crate) fn add(&mut self, records: &[Record], repeat: impl Fn(&Record) -> String) {
        self.labs += 1;
        self.counts.add(Counts::from_records(records));
        for record in records {
            match record.verdict {
                Verdict::Pass => {}
                Verdict::Skip => {
                    self.skipped.get_or_insert_with(|| described(record));
                }
                Verdict::Fail | Verdict::Finding => {
                    self.failed.push(Failed { what: described(record), command: repeat(record) });
                }
            }
        }
    }

    /// Records a lab that could not run, or not to its end.
    pub(crate) fn unable(&mut self, lab: &str, why: &str) {
        self.unable.push(format!("{lab}: {why}"));
    }

    /// Whether there are no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.counts.0.iter().all(|count| *count == 0)
    }

    /// Returns why nothing ran, if every case was skipped.
    pub(crate) fn nothing_ran(&self) -> Option<String> {
        let first = self.skipped.as_ref().filter(|_| self.counts.ran() == 0)?;
        let Self { counts: Counts([.., skipped]), .. } = self;
        Some(format!("nothing ran: all {skipped} cases were skipped, the first {first}"))
    }

    /// Returns the failed rows, and the commands that reproduce them; empty if there are none.
    pub(crate) fn failures(&self) -> String {
        let lines = self.failed.iter().flat_map(|failed| {
            // The command stays on one line, so that it can be copied.
            [wrapped(&format!("  {}", failed.what), 4), format!("    {}", failed.command)]
        });
        let lines: Vec<String> = lines.collect();
        if lines.is_empty() {
            String::new()
        } else {
            format!("Failed, each with a command that reproduces it:\n{}", lines.join("\n"))
        }
    }

    /// Returns the summary: the totals if there were several labs, and the failures.
    pub(crate) fn text(&self) -> String {
        let mut parts = vec![self.failures()];
        if self.labs > 1 || !self.unable.is_empty() {
            if !self.unable.is_empty() {
                let lines: Vec<String> = self.unable.iter().map(|line| wrapped(&format!("  {line}"), 4)).collect();
                parts.push(format!("Not run to the end:\n{}", lines.join("\n")));
            }
            parts.push(format!("In all, {} labs: {}", self.labs, self.counts));
        }
        parts.retain(|part| !part.is_empty());
        parts.join("\n\n")
    }
}

/// Describes a row in one sentence: its name, its verdict and its note.
fn described(record: &Record) -> String {
    let Record { lab, variant, case, note, .. } = record;
    let name: Vec<&str> =
        [lab, variant, case].into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let size = record.n.map_or_else(String::new, |n| format!(", n = {n}"));
    format!("{}{size}: {}: {note}", name.join(" "), record.verdict.word())
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::record;

    fn row(verdict: Verdict) -> Record {
        Record { verdict, note: "7 of 9".into(), ..record() }
    }

    #[test]
    fn what_failed_is_named_with_its_command_and_all_is_counted() {
        let mut summary = Summary::default();
        summary.add(&[row(Verdict::Pass), row(Verdict::Fail)], |r| format!("run {}", r.variant));
        assert_eq!(
            summary.text(),
            "Failed, each with a command that reproduces it:\n  lab a block 256, n = 1000: fail: 7 of 9\n    run a"
        );
        summary.add(&[row(Verdict::Skip), row(Verdict::Finding)], |_| "again".into());
        summary.unable("other", "no disk");
        let text = anstream::adapter::strip_str(&summary.text()).to_string();
        assert!(text.contains("finding: 7 of 9\n    again\n\nNot run to the end:\n  other: no disk"), "{text}");
        assert!(text.ends_with("In all, 2 labs: 1 pass, 1 fail, 1 finding, 1 skip"), "{text}");
        assert!(summary.nothing_ran().is_none());
    }

    #[test]
    fn nothing_ran_if_all_was_skipped() {
        let mut summary = Summary::default();
        assert_eq!(summary.nothing_ran(), None);
        summary.add(&[row(Verdict::Skip), row(Verdict::Skip)], |_| unreachable!("a skipped row has not failed"));
        let words = "nothing ran: all 2 cases were skipped, the first lab a block 256, n = 1000: skip: 7 of 9";
        assert_eq!(summary.nothing_ran().as_deref(), Some(words));
        assert_eq!(summary.failures(), "");
    }
}
