//! CSV: a file for each lab in the run's folder, in which each row is complete on disk before the next case starts;
//! and, with `--csv`, the same rows on standard output, in one table for all labs.
use std::{
    fs::File,
    io::{self, Seek, Write},
    path::PathBuf,
    rc::Rc,
};

use record::{Cell, Columns, Folder, Record, counters_header, counters_line, counters_of, csv_line, csv_of};

use crate::{
    error::{Error, Result},
    export::{
        event::{Event, Listener, RowsStart},
        shared_table::SharedTable,
        terminal::Terminal,
    },
};

/// Writes the CSVs of each lab, and replaces the files of an earlier run.
#[derive(Debug)]
pub(crate) struct CsvFiles {
    folder: Folder,
    /// The files of the lab that runs.
    lab: Option<LabFiles>,
}

impl CsvFiles {
    pub(crate) fn new(folder: &Folder) -> Self {
        Self { folder: folder.clone(), lab: None }
    }
}

impl Listener for CsvFiles {
    fn hear(&mut self, event: Event<'_>) -> Result<()> {
        match (event, &mut self.lab) {
            (Event::RowsStarted(RowsStart { columns, .. }), lab) => {
                *lab = Some(LabFiles::start(&self.folder, columns)?);
            }
            (Event::Row(record), Some(lab)) => lab.row(&self.folder, record)?,
            _ => {}
        }
        Ok(())
    }
}

/// The CSVs of one lab: its rows, and the counters of those that were counted.
#[derive(Debug)]
struct LabFiles {
    rows: OpenFile,
    /// The rows so far.
    count: usize,
    /// Started with the first row that has counters.
    counters: Option<OpenFile>,
    columns: Rc<Columns>,
}

impl LabFiles {
    /// Starts the CSV of a lab with its header.
    fn start(folder: &Folder, columns: &Rc<Columns>) -> Result<Self> {
        let rows = OpenFile::start(folder, &csv_of(columns.lab), &header(columns))?;
        folder.remove(&counters_of(columns.lab))?;
        Ok(Self { rows, count: 0, counters: None, columns: columns.clone() })
    }

    fn row(&mut self, folder: &Folder, record: &Record) -> Result<()> {
        self.rows.line(&row(&self.columns, record))?;
        self.count += 1;
        let Some(line) = counters_line(record, self.count) else { return Ok(()) };
        match &mut self.counters {
            Some(counters) => counters.line(&line),
            none => {
                let text = counters_header() + &line;
                *none = Some(OpenFile::start(folder, &counters_of(self.columns.lab), &text)?);
                Ok(())
            }
        }
    }
}

/// A file to which lines are added.
#[derive(Debug)]
struct OpenFile {
    file: File,
    path: PathBuf,
}

impl OpenFile {
    /// Creates the file `name` with this text, and replaces that of an earlier run.
    fn start(folder: &Folder, name: &str, text: &str) -> Result<Self> {
        let (file, path) = folder.start(name, text)?;
        Ok(Self { file, path })
    }

    /// Writes one whole line: if the disk is full, a partially written line is removed again.
    fn line(&mut self, line: &str) -> Result<()> {
        let mut write = || -> io::Result<()> {
            let before = self.file.stream_position()?;
            self.file.write_all(line.as_bytes()).inspect_err(|_| {
                // The earlier rows stay readable.
                let _ = self.file.set_len(before);
            })
        };
        write().map_err(|source| Error::Io { action: "write a row to", path: self.path.clone(), source })
    }
}

/// Writes the same rows to standard output, in a table that all labs share.
#[derive(Debug)]
pub(crate) struct CsvStream {
    terminal: Rc<Terminal>,
    table: SharedTable,
    /// The columns of the lab that runs.
    columns: Option<Rc<Columns>>,
}

impl CsvStream {
    /// Returns the table of labs with these columns, with the counters if they are wanted.
    pub(crate) fn new(terminal: &Rc<Terminal>, labs: &[Columns], has_counters: bool) -> Self {
        Self { terminal: terminal.clone(), table: SharedTable::from_columns(labs, has_counters), columns: None }
    }
}

impl Listener for CsvStream {
    fn hear(&mut self, event: Event<'_>) -> Result<()> {
        match (event, &self.columns) {
            (Event::RowsStarted(rows), before) => {
                // The first lab writes the header for all.
                if before.is_none() {
                    self.terminal.data(&csv_line(self.table.header()))?;
                }
                self.columns = Some(rows.columns.clone());
                Ok(())
            }
            (Event::Row(record), Some(columns)) => self.terminal.data(&csv_line(self.table.row(columns, record))),
            _ => Ok(()),
        }
    }
}

fn header(columns: &Columns) -> String {
    csv_line(columns.all().map(|c| c.name.to_string()))
}

fn row(columns: &Columns, record: &Record) -> String {
    csv_line(columns.cells(record).map(|(_, cell)| Cell::text(cell)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::event::View;
    use record::{
        Counter, Counters, KERNEL, PREDICTED,
        fixtures::{columns, record, report},
    };

    /// Returns the CSVs of a lab with these columns, before the first row.
    fn started(folder: &Folder, columns: &Rc<Columns>) -> CsvFiles {
        let mut csv = CsvFiles::new(folder);
        let view = View::EVERYTHING;
        csv.hear(Event::RowsStarted(RowsStart { lab: columns.lab, about: "", columns, view })).unwrap();
        csv
    }

    #[test]
    fn rows_read_back_as_they_were_written() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Folder::create(Some(&temporary.path().join("a/b")), "x", |_, _| Ok::<_, Error>(())).unwrap();
        let columns = Rc::new(columns());
        let mut csv = started(&folder, &columns);
        csv.hear(Event::Row(&record())).unwrap();
        // The row is on disk while the file is still open.
        let mut reader = csv::Reader::from_path(folder.path().join("lab.csv")).unwrap();
        let headers = reader.headers().unwrap().clone();
        let names: Vec<&str> = headers.iter().collect();
        let expected: Vec<&str> = columns.all().map(|c| c.name).collect();
        assert_eq!(names, expected);
        assert_eq!(names[26..28], ["own_ms", "other"]);
        assert_eq!(names.len(), 26 + 2 + KERNEL.len() + PREDICTED.len());
        let rows: Vec<_> = reader.records().map(|r| r.unwrap().iter().map(String::from).collect::<Vec<_>>()).collect();
        let record = record();
        let cells = columns.cells(&record).map(|(_, cell)| cell.text());
        assert_eq!(rows, [cells.collect::<Vec<_>>()]);
    }

    #[test]
    fn counters_have_a_file_where_something_was_counted_and_that_of_an_earlier_run_goes() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Folder::create(Some(temporary.path()), "x", |_, _| Ok::<_, Error>(())).unwrap();
        let columns = Rc::new(columns());
        let counted = Record { counters: Counters::from_report(&report()), ..record() };
        let mut csv = started(&folder, &columns);
        for row in [&record(), &counted, &counted] {
            csv.hear(Event::Row(row)).unwrap();
        }
        let run = record::Run::read(temporary.path()).unwrap();
        let of = |counter| run.rows().map(|row| row.counters.get(counter)).collect::<Vec<_>>();
        assert_eq!(of(Counter::Instructions), [None, Some(40.0), Some(40.0)]);
        drop(started(&folder, &columns));
        assert!(!temporary.path().join("lab.counters.csv").exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_said_with_the_file() {
        let file = File::options().write(true).open("/dev/full").unwrap();
        let mut csv = OpenFile { file, path: "reports/lab.csv".into() };
        let error = csv.line("1\n").unwrap_err();
        assert_eq!(error.exit_code(), 4);
        assert!(error.to_string().starts_with("cannot write a row to reports/lab.csv: No space left"), "{error}");
    }
}
