//! The folder of a run: one CSV a lab, each row complete on disk before the next case starts, and
//! `session.json`.
use std::{
    fs::{self, File},
    io::{self, Seek, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::{COLUMNS, COUNTERS, Error, Lab, Result, record::Record};

/// The folder that a run writes to.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
    /// Made by this run, under a name of its own.
    is_new: bool,
}

impl Folder {
    /// Creates `asked`, or a new folder `reports/<device>-<date>-<time>` where none is asked for.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be created or written to.
    pub fn create(asked: Option<&Path>, device: &str) -> Result<Self> {
        let path = asked.map_or_else(
            || {
                let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
                let now: String = now.chars().filter(char::is_ascii_alphanumeric).collect();
                Path::new("reports").join(format!("{device}-{now}"))
            },
            Path::to_path_buf,
        );
        let fail = |source| Error::Io {
            action: "create the output folder",
            path: path.clone(),
            source,
        };
        fs::create_dir_all(&path).map_err(fail)?;
        // Found out now, not after the first case.
        tempfile::tempfile_in(&path).map_err(|source| Error::Io {
            action: "write to the output folder",
            path: path.clone(),
            source,
        })?;
        Ok(Self {
            path,
            is_new: asked.is_none(),
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes back a folder of this run's own making that holds no row: the command line was wrong, and
    /// nothing ran. True when it is gone.
    pub fn abandon(&self, labs: &[&Lab]) -> bool {
        if !self.is_new {
            return false;
        }
        let csvs = labs.iter().map(|l| format!("{}.csv", l.name));
        for name in csvs.chain(["session.json".into()]) {
            let _ = fs::remove_file(self.path.join(name));
        }
        // Only if nothing else is in it.
        fs::remove_dir(&self.path).is_ok()
    }

    /// Writes `name` in one piece: a reader sees the old text or the new.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.path.join(name);
        let write = || -> io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(&self.path)?;
            file.write_all(text.as_bytes())?;
            #[cfg(unix)]
            fs::set_permissions(
                file.path(),
                std::os::unix::fs::PermissionsExt::from_mode(0o644),
            )?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(|source| Error::Io {
            action: "write",
            path: path.clone(),
            source,
        })
    }

    /// Starts the CSV of `lab` with its header, in place of an earlier run's.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn csv(&self, lab: &Lab) -> Result<CsvFile> {
        let path = self.path.join(format!("{}.csv", lab.name));
        let file = File::create(&path).map_err(|source| Error::Io {
            action: "create",
            path: path.clone(),
            source,
        })?;
        let mut csv = CsvFile { file, path };
        csv.line(&header(lab))?;
        Ok(csv)
    }
}

/// The CSV of one lab.
#[derive(Debug)]
pub struct CsvFile {
    file: File,
    path: PathBuf,
}

impl CsvFile {
    /// Writes one row, whole: when the disk is full, what got out of it is taken back.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn row(&mut self, record: &Record) -> Result<()> {
        self.line(&row(record))
    }

    fn line(&mut self, line: &str) -> Result<()> {
        let mut write = || -> io::Result<()> {
            let before = self.file.stream_position()?;
            self.file.write_all(line.as_bytes()).inspect_err(|_| {
                // The rows before this one stay readable.
                let _ = self.file.set_len(before);
            })
        };
        write().map_err(|source| Error::Io {
            action: "write a row to",
            path: self.path.clone(),
            source,
        })
    }
}

/// The header line of a lab's CSV.
pub(crate) fn header(lab: &Lab) -> String {
    let names = COLUMNS.iter().chain(lab.columns).chain(&COUNTERS);
    csv_line(names.map(|c| (*c).to_string()))
}

/// A record as one CSV line.
pub(crate) fn row(record: &Record) -> String {
    csv_line(record.cells())
}

fn csv_line(cells: impl IntoIterator<Item = String>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory does not fail, and text in gives text out.
    writer.write_record(cells).expect("memory takes it");
    String::from_utf8(writer.into_inner().expect("memory takes it"))
        .expect("strings in, a string out")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::record;

    fn lab() -> Lab {
        Lab {
            name: "lab",
            summary: "",
            kernels: &[],
            variants: &[],
            columns: &["own_ms", "other"],
            args: crate::no_args,
            run: |_| Ok(()),
            exercises: None,
        }
    }

    #[test]
    fn rows_read_back_as_they_were_written() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Folder::create(Some(&temporary.path().join("a/b")), "x").unwrap();
        let mut csv = folder.csv(&lab()).unwrap();
        csv.row(&record()).unwrap();
        // On disk at once: the file is still open.
        let mut reader = csv::Reader::from_path(folder.path().join("lab.csv")).unwrap();
        let headers = reader.headers().unwrap().clone();
        assert_eq!(
            headers.iter().collect::<Vec<_>>(),
            [&COLUMNS[..], &["own_ms", "other"], &COUNTERS[..]].concat()
        );
        let rows: Vec<_> = reader
            .records()
            .map(|r| r.unwrap().iter().map(String::from).collect::<Vec<_>>())
            .collect();
        assert_eq!(rows, [record().cells()]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_said_with_the_file() {
        let file = File::options().write(true).open("/dev/full").unwrap();
        let mut csv = CsvFile {
            file,
            path: "reports/lab.csv".into(),
        };
        let error = csv.row(&record()).unwrap_err();
        assert_eq!(error.exit_code(), 4);
        assert!(
            error
                .to_string()
                .starts_with("cannot write a row to reports/lab.csv: No space left"),
            "{error}"
        );
    }

    #[test]
    fn a_folder_that_cannot_be_is_an_error_with_its_name() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Folder::create(Some(&file.path().join("out")), "x").unwrap_err();
        assert!(
            error
                .to_string()
                .contains("cannot create the output folder"),
            "{error}"
        );
        assert_eq!(error.exit_code(), 4);
    }
}
