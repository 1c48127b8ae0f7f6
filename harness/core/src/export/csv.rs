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
    error::Error, error::Result, export::exporter::Exporter, export::exporter::Outputs, export::exporter::Started,
    export::shared_table::SharedTable, export::terminal::Terminal,
};

/// Starts the CSV of a lab with its header, and replaces the file of an earlier run. Without a folder there is no file.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn in_folder(columns: &Rc<Columns>, outputs: &Outputs<'_>) -> Result<Started> {
    let Some(folder) = outputs.folder else {
        return Ok(None);
    };
    let rows = OpenFile::start(folder, &csv_of(columns.lab), &header(columns))?;
    let counters = counters_of(columns.lab);
    folder.remove(&counters)?;
    Ok(Some(Box::new(CsvFiles { rows, count: 0, counters: None, folder: folder.clone(), columns: columns.clone() })))
}

/// Starts the CSV on standard output, if requested: the first lab writes the header for all.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn on_stdout(columns: &Rc<Columns>, outputs: &Outputs<'_>) -> Result<Started> {
    if !outputs.wanted.csv {
        return Ok(None);
    }
    let (terminal, table) = (outputs.terminal.clone(), outputs.table.clone());
    if let Some(header) = table.header() {
        terminal.data(&csv_line(header))?;
    }
    Ok(Some(Box::new(CsvStream { terminal, table, columns: columns.clone() })))
}

/// The CSVs of one lab: its rows, and the counters of those that were counted.
#[derive(Debug)]
struct CsvFiles {
    rows: OpenFile,
    /// The rows so far.
    count: usize,
    /// Started with the first row that has counters.
    counters: Option<OpenFile>,
    folder: Folder,
    columns: Rc<Columns>,
}

impl Exporter for CsvFiles {
    fn row(&mut self, record: &Record) -> Result<()> {
        self.rows.line(&row(&self.columns, record))?;
        self.count += 1;
        let Some(line) = counters_line(record, self.count) else { return Ok(()) };
        match &mut self.counters {
            Some(counters) => counters.line(&line),
            none => {
                let text = counters_header() + &line;
                *none = Some(OpenFile::start(&self.folder, &counters_of(self.columns.lab), &text)?);
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

/// The same rows on standard output, in the table that all labs share.
#[derive(Debug)]
struct CsvStream {
    terminal: Rc<Terminal>,
    table: Rc<SharedTable>,
    columns: Rc<Columns>,
}

impl Exporter for CsvStream {
    fn row(&mut self, record: &Record) -> Result<()> {
        self.terminal.data(&csv_line(self.table.row(&self.columns, record)))
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
    use record::{
        Counter, Counters, KERNEL, PREDICTED,
        fixtures::{columns, record, report},
    };

    #[test]
    fn rows_read_back_as_they_were_written() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Folder::create(Some(&temporary.path().join("a/b")), "x", |_, _| Ok::<_, Error>(())).unwrap();
        let columns = Rc::new(columns());
        let outputs = Outputs::silent(&folder);
        let mut csv = in_folder(&columns, &outputs).unwrap().unwrap();
        csv.row(&record()).unwrap();
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
        let outputs = Outputs::silent(&folder);
        let counted = Record { counters: Counters::from_report(&report()), ..record() };
        let mut csv = in_folder(&columns, &outputs).unwrap().unwrap();
        for row in [&record(), &counted, &counted] {
            csv.row(row).unwrap();
        }
        let run = record::Run::read(temporary.path()).unwrap();
        let of = |counter| run.rows().map(|row| row.counters.get(counter)).collect::<Vec<_>>();
        assert_eq!(of(Counter::Instructions), [None, Some(40.0), Some(40.0)]);
        drop(in_folder(&columns, &outputs).unwrap());
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
