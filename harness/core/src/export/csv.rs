//! CSV: a file for each lab in the run's folder, in which each row is complete on disk before the next case starts;
//! and, with `--csv`, the same rows on standard output, in one table for all labs.
use std::{
    fs::File,
    io::{self, Seek, Write},
    path::PathBuf,
    rc::Rc,
};

use wire::printable::is_formula;

use crate::{
    error::{Error, Result},
    export::{
        exporter::{Exporter, Outputs, Started},
        shared_table::SharedTable,
        terminal::Terminal,
    },
    record::{
        columns::{Cell, Columns},
        row::Record,
    },
};

/// Starts the CSV of a lab with its header, and replaces the file of an earlier run. Without a folder there is no file.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn in_folder(columns: &Rc<Columns>, outputs: &Outputs<'_>) -> Result<Started> {
    let Some(folder) = outputs.folder else {
        return Ok(None);
    };
    let (file, path) = folder.start(&format!("{}.csv", columns.lab), &header(columns))?;
    Ok(Some(Box::new(CsvFile { file, path, columns: columns.clone() })))
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
        terminal.data(&line(header))?;
    }
    Ok(Some(Box::new(CsvStream { terminal, table, columns: columns.clone() })))
}

/// The CSV of one lab.
#[derive(Debug)]
struct CsvFile {
    file: File,
    path: PathBuf,
    columns: Rc<Columns>,
}

impl Exporter for CsvFile {
    /// Writes one whole row: if the disk is full, a partially written row is removed again.
    fn row(&mut self, record: &Record) -> Result<()> {
        self.line(&row(&self.columns, record))
    }
}

impl CsvFile {
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
        self.terminal.data(&line(self.table.row(&self.columns, record)))
    }
}

fn header(columns: &Columns) -> String {
    line(columns.all().map(|c| c.name.to_string()))
}

fn row(columns: &Columns, record: &Record) -> String {
    line(columns.cells(record).map(|(_, cell)| Cell::text(cell)))
}

/// Escapes a cell, so that no spreadsheet interprets it as a formula: notes and cases may begin with user-defined text.
fn no_formula(cell: String) -> String {
    if is_formula(&cell) { format!("'{cell}") } else { cell }
}

fn line(cells: impl IntoIterator<Item = String>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory does not fail, and UTF-8 cells make a UTF-8 line.
    writer.write_record(cells.into_iter().map(no_formula)).expect("writing to memory does not fail");
    String::from_utf8(writer.into_inner().expect("writing to memory does not fail")).expect("cells are UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        export::exporter::Wanted,
        record::{
            columns::tests::columns, counters::COUNTERS, folder::Folder, kernel::KERNEL, prediction::PREDICTED,
            row::tests::record,
        },
    };

    #[test]
    fn rows_read_back_as_they_were_written() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Folder::create(Some(&temporary.path().join("a/b")), "x", |_, _| Ok(())).unwrap();
        let columns = Rc::new(columns());
        let outputs = Outputs {
            folder: Some(&folder),
            terminal: Rc::new(Terminal::silent()),
            wanted: Wanted::default(),
            table: Rc::new(SharedTable::from_columns(&[])),
        };
        let mut csv = in_folder(&columns, &outputs).unwrap().unwrap();
        csv.row(&record()).unwrap();
        // The row is on disk while the file is still open.
        let mut reader = csv::Reader::from_path(folder.path().join("lab.csv")).unwrap();
        let headers = reader.headers().unwrap().clone();
        let names: Vec<&str> = headers.iter().collect();
        let expected: Vec<&str> = columns.all().map(|c| c.name).collect();
        assert_eq!(names, expected);
        assert_eq!(names[24..26], ["own_ms", "other"]);
        assert_eq!(names.len(), 24 + 2 + COUNTERS.len() + KERNEL.len() + PREDICTED.len());
        let rows: Vec<_> = reader.records().map(|r| r.unwrap().iter().map(String::from).collect::<Vec<_>>()).collect();
        let record = record();
        let cells = columns.cells(&record).map(|(_, cell)| cell.text());
        assert_eq!(rows, [cells.collect::<Vec<_>>()]);
    }

    #[test]
    fn no_cell_is_a_formula_and_numbers_stay() {
        let record = Record { note: "=cmd|' /C calc'!A0".into(), ..record() };
        assert!(row(&columns(), &record).contains(",'=cmd|' /C calc'!A0"));
        assert_eq!(["-1.5", "-inf", "a-b"].map(|cell| no_formula(cell.into())), ["-1.5", "-inf", "a-b"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_said_with_the_file() {
        let file = File::options().write(true).open("/dev/full").unwrap();
        let mut csv = CsvFile { file, path: "reports/lab.csv".into(), columns: Rc::new(columns()) };
        let error = csv.row(&record()).unwrap_err();
        assert_eq!(error.exit_code(), 4);
        assert!(error.to_string().starts_with("cannot write a row to reports/lab.csv: No space left"), "{error}");
    }
}
