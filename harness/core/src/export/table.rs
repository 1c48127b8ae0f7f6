//! The output for people: findings as they occur, and, after the lab, tables of its rows, its counters and its
//! costliest lines.
use std::{collections::HashSet, io::IsTerminal, rc::Rc};

use record::{Columns, Counter, Record, StorySummary, Verdict};
use wire::{RenderedFinding, finding::Class};

use crate::{
    error::Result,
    export::{
        counters,
        event::{Event, Listener, RowsStart, View},
        hot,
        layout::{fitted, paragraphs, significant, width, wrapped},
        outputs::Wanted,
        predicted, story, style,
        summary::Counts,
        terminal::Terminal,
    },
};

/// Prints the tables of each lab.
#[derive(Debug)]
pub(crate) struct Tables {
    terminal: Rc<Terminal>,
    counters: bool,
    /// The number of costliest lines that are shown.
    hot: usize,
    /// Whether expected findings are shown in full.
    in_full: bool,
    lab: Option<LabTables>,
}

/// The rows of a lab so far, and the findings that have been shown.
#[derive(Debug)]
struct LabTables {
    columns: Rc<Columns>,
    view: View,
    /// The lab's summary.
    told_story: Option<StorySummary>,
    records: Vec<Record>,
    shown: HashSet<String>,
    /// The classes of findings that have been shown for variants that are wrong on purpose; each class is shown once.
    told: HashSet<(String, Class)>,
}

impl Listener for Tables {
    fn hear(&mut self, event: Event<'_>) -> Result<()> {
        match (event, &mut self.lab) {
            (Event::RowsStarted(rows), lab) => *lab = Some(LabTables::new(rows)),
            (Event::Row(record), Some(lab)) => {
                for finding in &record.findings {
                    lab.finding(&self.terminal, self.in_full, record, finding);
                }
                lab.records.push(record.clone());
            }
            (Event::Story(told), Some(lab)) => lab.told_story = Some(told.clone()),
            (Event::RowsEnded, Some(lab)) => lab.print(&self.terminal, self.counters, self.hot),
            _ => {}
        }
        Ok(())
    }
}

impl Tables {
    pub(crate) fn new(terminal: &Rc<Terminal>, wanted: &Wanted) -> Self {
        let Wanted { counters, hot, findings, .. } = *wanted;
        Self { terminal: terminal.clone(), counters, hot, in_full: findings, lab: None }
    }
}

impl LabTables {
    fn new(rows: RowsStart<'_>) -> Self {
        let RowsStart { columns, view, .. } = rows;
        let (records, shown, told) = (Vec::new(), HashSet::new(), HashSet::new());
        Self { columns: columns.clone(), view, told_story: None, records, shown, told }
    }

    /// Prints the summary and the tables, with the counters if they are wanted, and the `hot` costliest lines.
    fn print(&self, terminal: &Terminal, has_counters: bool, hot: usize) {
        if let Some(told) = self.told_story.as_ref().filter(|_| self.view.story) {
            terminal.say(&format!("\n{}", story::text(told, Counts::from_records(&self.records), width())));
        }
        if self.view.rows && !self.records.is_empty() {
            terminal.say(&records(&self.columns, &self.records, self.view.notes));
        } else if self.view.notes {
            terminal.say(&notes(&self.records.iter().collect::<Vec<_>>()));
        }
        let mut below = vec![predicted::table(&self.records)];
        if has_counters {
            below.push(counters::tables(&self.records));
        }
        below.push(hot::tables(&self.records, hot));
        for text in below.iter().filter(|text| !text.is_empty()) {
            terminal.say(&format!("\n{text}"));
        }
    }

    /// Shows a finding of this row, unless it was shown before: an expected one on a line, any other one with the
    /// source.
    fn finding(&mut self, terminal: &Terminal, in_full: bool, record: &Record, finding: &RenderedFinding) {
        let expected = record.verdict == Verdict::Pass;
        let class = finding.finding.class();
        if expected && (!self.view.findings || !self.told.insert((record.variant.clone(), class))) {
            return;
        }
        let text = finding.text.trim_end();
        if self.shown.insert(text.to_owned()) {
            let whose = format!("{} {}", record.variant, record.case);
            let whose = whose.trim_end();
            let intent = if expected { " (wrong on purpose)" } else { "" };
            terminal.say(&if expected && !in_full {
                paragraphs(&format!("{whose}: {}{}, as expected", finding.headline, place(finding)))
            } else {
                format!("\n{whose}{intent}:\n{}", style::finding(&fitted_finding(text)))
            });
        }
    }
}

/// Returns the place of a finding, as the end of a sentence; empty if only its headline is known.
fn place(finding: &RenderedFinding) -> String {
    let places = finding.finding.places();
    let Some(first) = places.first() else {
        return String::new();
    };
    match (first.file.rsplit('/').next().unwrap_or_default(), first.line) {
        ("", _) => format!(" at line {} of the PTX", first.ptx_line),
        (file, line) => format!(" at {file}:{line}"),
    }
}

/// Wraps a finding for the terminal: its title, remarks and labels of marks are wrapped between words and indented. The
/// source is not wrapped, because the marks below must stay aligned. Without a terminal nothing is wrapped.
fn fitted_finding(text: &str) -> String {
    if !std::io::stdout().is_terminal() {
        return text.into();
    }
    let lines = text.lines().enumerate().map(|(i, line)| {
        let indent = line.len() - line.trim_start().len();
        match line.split_once("^ ") {
            _ if i == 0 || line.trim_start().starts_with("= ") => wrapped(line, indent + 4),
            Some((mark, words)) if mark.trim().trim_end_matches('^').trim() == "|" => marked(mark, words, width()),
            _ => line.into(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Wraps a mark's label: continuation lines are aligned with the label's first line.
fn marked(mark: &str, words: &str, width: usize) -> String {
    let column = mark.chars().count() + 2;
    let bar = mark.find('|').unwrap_or(0);
    let below = format!("{}|{}", &mark[..bar], " ".repeat(column - bar - 1));
    let mut lines = vec![format!("{mark}^ ")];
    for word in words.split(' ') {
        let last = lines.last_mut().expect("never empty");
        let is_empty = last.chars().count() == column;
        if !is_empty && last.chars().count() + 1 + word.chars().count() > width {
            lines.push(format!("{below}{word}"));
        } else {
            if !is_empty {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines.join("\n")
}

/// The columns that are left out first if the table of records is too wide: those derived from others, then those that
/// the case mostly repeats. The CSV has all of them.
const SPARE: [&str; 7] = ["± %", "GB/s", "n", "grid", "block", "GFLOP/s", "% ceiling"];

/// Returns the tables of a lab's records, measured cases first, then answered questions, and the notes below.
fn records(columns: &Columns, records: &[Record], with_notes: bool) -> String {
    let (questions, cases): (Vec<&Record>, Vec<&Record>) = records.iter().partition(|r| is_question(r));
    let mut parts = Vec::new();
    if !cases.is_empty() {
        let notes = if with_notes { notes(&cases) } else { String::new() };
        let table = measured(&cases);
        parts.push(if notes.is_empty() { table } else { format!("{table}\n{notes}") });
    }
    if !questions.is_empty() {
        parts.push(answered(columns, &questions));
    }
    format!("{}\n{}", parts.join("\n\n"), Counts::from_records(records))
}

/// Whether a row is a checked question: nothing was launched or timed for it, and its note is the answer.
fn is_question(r: &Record) -> bool {
    let measured = r.n.is_some() || r.grid.is_some() || r.times.is_some();
    let launched = r.counters.get(Counter::Launches).is_some_and(|l| l > 0.0);
    let answer = !r.note.is_empty() && !r.expectation.is_wrong();
    !measured && !launched && answer && r.findings.is_empty() && r.verdict != Verdict::Skip
}

/// Returns the questions, each with its answer. A question's text follows its case, which `--case` accepts.
fn answered(columns: &Columns, records: &[&Record]) -> String {
    let question = |r: &Record| match columns.text(r, "question") {
        Some(asks) if !r.case.is_empty() => format!("{}: {asks}", r.case),
        Some(asks) => asks,
        None => r.case.clone(),
    };
    let rows: Vec<Vec<String>> =
        records.iter().map(|r| vec![r.variant.clone(), question(r), r.note.clone(), r.verdict.word().into()]).collect();
    fitted(&["variant", "question", "answer", "verdict"], &rows, &[], width())
}

fn measured(records: &[&Record]) -> String {
    let emulated = records.iter().any(|r| r.is_emulated());
    let headers = [
        "variant",
        "case",
        "n",
        "grid",
        "block",
        if emulated { "ms emulated" } else { "ms median" },
        "± %",
        "GB/s",
        "GFLOP/s",
        "% ceiling",
        "max error",
        "verdict",
    ];
    let rows: Vec<Vec<String>> = records
        .iter()
        .map(|r| {
            let real = |v: Option<f64>| v.map_or_else(String::new, significant);
            vec![
                r.variant.clone(),
                r.case.clone(),
                r.n.map_or_else(String::new, |n| n.to_string()),
                r.grid.clone().unwrap_or_default(),
                r.block.clone().unwrap_or_default(),
                real(r.times.map(|t| t.median)),
                r.times
                    .filter(|t| t.samples > 1)
                    .map_or_else(String::new, |t| format!("{:.1}", 100.0 * t.stdev / t.mean)),
                real(r.gb_per_s),
                real(r.gflop_per_s),
                real(r.percent_of_ceiling),
                r.max_abs_error.filter(|e| *e != 0.0).map_or_else(String::new, |e| format!("{e:.1e}")),
                r.verdict_words().into(),
            ]
        })
        .collect();
    fitted(&headers, &rows, &SPARE, width())
}

/// Returns the notes of the rows, a paragraph each.
fn notes(records: &[&Record]) -> String {
    let note = |record: &&Record| {
        let name = [record.variant.as_str(), record.case.as_str()].join(" ");
        wrapped(&format!("  {}: {}", name.trim(), record.note), 4)
    };
    records.iter().filter(|record| !record.note.is_empty()).map(note).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Expectation, Value, column, fixtures::record};

    #[test]
    fn a_row_that_is_wrong_on_purpose_is_not_said_to_pass() {
        let expectation = Expectation::Wrong { mistake: "no barrier".into(), showed: Some(true) };
        let wrong = Record { verdict: Verdict::Pass, expectation, ..record() };
        assert!(measured(&[&wrong]).contains("wrong, as intended"));
        assert!(measured(&[&Record { verdict: Verdict::Pass, ..record() }]).contains("pass"));
    }

    #[test]
    fn a_question_stands_in_the_column_of_questions() {
        let columns = Columns { lab: "lab", own: vec![column("question", "a question")] };
        let asked = |case: &str, asks: &str| {
            let own = vec![Value::Text(asks.into())];
            Record { own, variant: "v".into(), case: case.into(), note: "expected 4".into(), ..record() }
        };
        for (record, shown) in [
            (asked("sum", "How much is 2 + 2?"), "sum: How much is 2 + 2?"),
            (asked("", "How much is 2 + 2?"), "How much is 2 + 2?"),
            (asked("2 + 2", ""), "2 + 2"),
        ] {
            let text = answered(&columns, &[&record]);
            let row = text.lines().last().unwrap();
            let cells: Vec<&str> = row.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
            assert_eq!(cells[..3], ["v", shown, "expected 4"], "{text}");
        }
    }

    #[test]
    fn what_is_said_at_a_mark_stays_below_its_beginning() {
        let text = marked("   |   ", "read of size 4 by thread (0,0,0)", 24);
        assert_eq!(text, "   |   ^ read of size 4\n   |     by thread\n   |     (0,0,0)");
        assert_eq!(marked("  | ^", "long-word", 4), "  | ^^ long-word");
    }
}
