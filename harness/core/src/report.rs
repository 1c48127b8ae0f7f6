//! Where the records of one lab go: the CSV, standard output, the table at the end.
use std::{collections::HashSet, path::PathBuf, rc::Rc};

use crate::{
    Case, Error, Lab, Options, Record, Result, counters,
    folder::{CsvFile, Folder, header, row},
    hot,
    record::Verdict,
    table::paragraphs,
    terminal::{Terminal, records},
};

/// The outputs of one lab's run.
#[derive(Debug)]
pub struct Report {
    terminal: Rc<Terminal>,
    csv: Option<CsvFile>,
    folder: Option<Folder>,
    json: bool,
    counters: bool,
    table: Vec<Record>,
    remarks: Vec<String>,
    /// Findings that were told already, of variants that are wrong on purpose: one of a kind is enough.
    told: HashSet<(String, String)>,
}

impl Report {
    /// Starts `lab`'s outputs in `folder` (none in a child process).
    pub(crate) fn start(
        lab: &Lab,
        folder: Option<&Folder>,
        terminal: Rc<Terminal>,
        options: &Options,
    ) -> Result<Self> {
        let csv = folder.map(|f| f.csv(lab)).transpose()?;
        let report = Self {
            terminal,
            csv,
            folder: folder.cloned(),
            json: options.json,
            counters: options.counters,
            table: Vec::new(),
            told: HashSet::new(),
            remarks: Vec::new(),
        };
        if !report.json {
            report.out(&header(lab))?;
        }
        Ok(report)
    }

    /// A line for the reader.
    pub(crate) fn say(&self, line: &str) {
        self.terminal.say(&paragraphs(line));
    }

    /// A line that is worth saying once.
    pub(crate) fn remark(&mut self, line: &str) {
        if !self.remarks.iter().any(|r| r == line) {
            self.remarks.push(line.into());
            self.say(line);
        }
    }

    /// Writes a file beside the CSV; where it is, or none in a child process.
    pub(crate) fn beside(&self, name: &str, text: &str) -> Result<Option<PathBuf>> {
        let Some(folder) = &self.folder else {
            return Ok(None);
        };
        folder.write(name, text)?;
        Ok(Some(folder.path().join(name)))
    }

    pub(crate) fn begin(&self, lab: &Lab, case: &Case) {
        self.terminal
            .progress(&format!("{} {} {}", lab.name, case.variant, case.label));
    }

    pub(crate) fn row(&mut self, lab: &Lab, record: &Record) -> Result<()> {
        if let Some(csv) = &mut self.csv {
            csv.row(record)?;
        }
        let line = if self.json {
            json_line(lab, record)
        } else {
            row(record)
        };
        self.out(&line)?;
        for finding in &record.findings {
            // Up to the number of hazards, the first line says what kind of mistake it is.
            let headline = finding.lines().next().unwrap_or_default();
            let kind = headline.split(" [").next().unwrap_or_default().to_owned();
            let expected = record.verdict == Verdict::Pass;
            if expected && !self.told.insert((record.variant.clone(), kind)) {
                continue;
            }
            let whose = format!("{} {}", record.variant, record.case);
            let whose = whose.trim_end();
            let intent = if expected { " (wrong on purpose)" } else { "" };
            if !self.remarks.contains(finding) {
                self.remarks.push(finding.clone());
                // As it is: marks stand below the source that they belong to.
                self.terminal.say(&format!("\n{whose}{intent}:\n{finding}"));
            }
        }
        self.table.push(record.clone());
        Ok(())
    }

    /// Prints the tables.
    pub(crate) fn finish(&self) {
        if !self.table.is_empty() {
            self.terminal.say(&records(&self.table));
        }
        let mut below = vec![hot::tables(&self.table)];
        if self.counters {
            below.insert(0, counters::tables(&self.table));
        }
        for text in below.iter().filter(|t| !t.is_empty()) {
            self.terminal.say(&format!("\n{text}"));
        }
    }

    fn out(&self, text: &str) -> Result<()> {
        self.terminal.data(text).map_err(|source| Error::Io {
            action: "write to",
            path: "standard output".into(),
            source,
        })
    }
}

/// A record as one line of JSON, by column name; what does not apply is left out.
fn json_line(lab: &Lab, record: &Record) -> String {
    let cells = record.cells();
    let names = (crate::COLUMNS.iter().chain(lab.columns)).chain(&crate::COUNTERS);
    let texts = [
        "case",
        "device",
        "grid",
        "block",
        "lab",
        "memory_mode",
        "note",
        "variant",
        "verdict",
    ];
    let fields = names
        .zip(cells)
        .filter(|(_, cell)| !cell.is_empty())
        .map(|(name, cell)| {
            let number = serde_json::from_str::<serde_json::Number>(&cell)
                .ok()
                .filter(|_| !texts.contains(name));
            (
                (*name).to_string(),
                number.map_or(serde_json::Value::String(cell), serde_json::Value::Number),
            )
        });
    let mut object: serde_json::Map<String, serde_json::Value> = fields.collect();
    if !record.findings.is_empty() {
        object.insert("findings".into(), serde_json::json!(record.findings));
    }
    if let Some(wrong) = &record.wrong {
        object.insert("wrong".into(), serde_json::json!(wrong));
    }
    if let Some(kernel) = &record.missing_kernel {
        object.insert("missing_kernel".into(), serde_json::json!(kernel));
    }
    if !record.hot.is_empty() {
        object.insert("hot".into(), serde_json::json!(record.hot));
    }
    serde_json::Value::Object(object).to_string() + "\n"
}
