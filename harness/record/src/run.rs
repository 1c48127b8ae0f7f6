//! The folder of a run. The files of an interrupted run are read as far as possible, with a remark; damaged or foreign
//! files are an error that says what to do.
use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    completeness,
    counters_file::add_counters,
    csv_table::CsvTable,
    details::{self, Details},
    error::{Error, Result},
    folder::{counters_of, csv_of, details_of, story_of},
    record::Record,
    row::{Header, Row},
    session::{self, Session},
    session_file,
    story::{self, StorySummary},
};

/// A run.
#[derive(Debug)]
pub struct Run {
    /// The folder, as the user named it.
    pub folder: PathBuf,
    /// The commands that wrote to it; empty if `session.json` is missing.
    pub sessions: Vec<Session>,
    /// The labs that ran, in the order of the sessions.
    pub labs: Vec<LabRows>,
    /// Remarks on the files: missing or incomplete ones.
    pub remarks: Vec<String>,
}

/// The results of one lab.
#[derive(Debug, Default)]
pub struct LabRows {
    /// The lab's name.
    pub lab: String,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Details that do not fit into rows.
    pub details: Vec<Details>,
    /// The summary that the run wrote, if it did.
    pub story: Option<StorySummary>,
}

impl LabRows {
    /// Reads the rows of one lab from the folder of a run.
    ///
    /// # Errors
    /// As [`Run::read`]; [`Error::NoRun`] if the folder has no rows of this lab.
    pub fn read(folder: &Path, lab: &str) -> Result<Self> {
        let mut run = Run { folder: folder.into(), sessions: Vec::new(), labs: Vec::new(), remarks: Vec::new() };
        let rows = if folder.join(csv_of(lab)).exists() { run.lab(lab)? } else { None };
        rows.ok_or_else(|| Error::NoRun(format!("{}: there is no {} of a lab", folder.display(), csv_of(lab))))
    }

    /// Parses the text of a CSV of this lab.
    ///
    /// # Errors
    /// A sentence, when it is not whole, or not a lab's.
    pub fn from_text(lab: &str, text: &str) -> Result<Self, String> {
        match rows(text)? {
            Some((rows, None)) => Ok(Self { lab: lab.into(), rows, ..Self::default() }),
            Some((_, Some(remark))) => Err(remark),
            None => Err("it is not a lab's".into()),
        }
    }

    /// Returns the records of the rows.
    pub fn records(&self) -> Vec<Record> {
        self.rows.iter().map(|row| row.record().clone()).collect()
    }
}

impl Run {
    /// Reads the folder of a run.
    ///
    /// # Errors
    /// [`Error::NoRun`], [`Error::Io`], [`Error::Damaged`] when a file is damaged, or has a version that this program
    /// does not read.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut run = Self { folder: folder.into(), sessions: Vec::new(), labs: Vec::new(), remarks: Vec::new() };
        if !folder.is_dir() {
            return Err(Error::NoRun(format!("{}: there is no such folder; {NAME_A_RUN}", folder.display())));
        }
        run.sessions = sessions_in(folder)?;
        for lab in labs_in(folder)? {
            let rows = run.lab(&lab)?;
            run.labs.extend(rows);
        }
        if run.labs.is_empty() && !run.sessions.is_empty() {
            let path = folder.display();
            return Err(Error::Damaged(format!("{path}: its run was cut off before the first row; run it again")));
        }
        if run.labs.is_empty() {
            return Err(Error::NoRun(format!("{} holds no CSV of a lab; {NAME_A_RUN}", folder.display())));
        }
        if run.sessions.is_empty() {
            run.remarks.push("session.json is missing: the device is unknown.".into());
        }
        let gaps = completeness::gaps(&run);
        if !gaps.is_empty() {
            let remark = format!("The run is not whole: {}.", completeness::words(&gaps));
            run.remarks.push(remark);
        }
        let told: Vec<&str> = run.sessions.iter().flat_map(|s| &s.labs).map(|l| l.lab.as_str()).collect();
        run.labs.sort_by_key(|rows| told.iter().position(|lab| *lab == rows.lab).unwrap_or(usize::MAX));
        Ok(run)
    }

    /// Reads the files of a lab. `None` if the CSV is not a lab's.
    fn lab(&mut self, lab: &str) -> Result<Option<LabRows>> {
        let path = self.folder.join(csv_of(lab));
        let text = text_of(&path)?.unwrap_or_default();
        let Some((mut rows, remark)) = rows(&text).map_err(|why| damaged(&path, &why))? else {
            self.remarks.push(format!("{} is not a lab's, and was left out.", csv_of(lab)));
            return Ok(None);
        };
        self.remark(&csv_of(lab), remark);
        let path = self.folder.join(counters_of(lab));
        if let Some(text) = text_of(&path)? {
            let remark = add_counters(&mut rows, &text).map_err(|why| damaged(&path, &why))?;
            self.remark(&counters_of(lab), remark);
        }
        let path = self.folder.join(details_of(lab));
        let (details, remark) = match text_of(&path)? {
            Some(text) => details::read(&text).map_err(|why| damaged(&path, &why))?,
            None => (Vec::new(), None),
        };
        self.remark(&details_of(lab), remark);
        let path = self.folder.join(story_of(lab));
        let story = text_of(&path)?.map(|text| story::read(&text)).transpose();
        let story = story.map_err(|why| damaged(&path, &why))?;
        Ok(Some(LabRows { lab: lab.into(), rows, details, story }))
    }

    fn remark(&mut self, file: &str, remark: Option<String>) {
        self.remarks.extend(remark.map(|remark| format!("{file}: {remark}.")));
    }

    /// Returns the session in which `lab` ran: the last one that names it.
    pub fn session_of(&self, lab: &str) -> Option<&Session> {
        self.sessions.iter().rev().find(|session| session.labs.iter().any(|l| l.lab == lab)).or(self.sessions.last())
    }

    /// Returns the start of its last session, in RFC 3339; empty without a session.
    pub fn started(&self) -> &str {
        self.sessions.iter().map(|session| session.started.as_str()).max().unwrap_or_default()
    }

    /// Returns the branch of the checkout in which its last session ran.
    pub fn branch(&self) -> Option<&str> {
        self.sessions.last()?.git_branch.as_deref()
    }

    /// Returns all rows.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.labs.iter().flat_map(|lab| &lab.rows)
    }
}

const NAME_A_RUN: &str = "name a folder that `warplab run ... --out DIR` wrote";

/// Rows, and a remark on them.
type Rows = (Vec<Row>, Option<String>);

/// Parses the rows of a CSV, with a remark if the last one is incomplete. `None` if the file is not a lab's.
fn rows(text: &str) -> Result<Option<Rows>, String> {
    let table = CsvTable::parse(text)?;
    if table.header.get(0) != Some("schema") || table.header.get(1) != Some("lab") {
        return Ok(None);
    }
    let header = Header::new(&table.header)?;
    let read = |(line, cells): &(u64, csv::StringRecord)| {
        Row::new(&header, cells).map_err(|why| format!("line {line}: {why}"))
    };
    let rows: Result<Vec<Row>, String> = table.lines.iter().map(read).collect();
    Ok(Some((rows?, table.remark)))
}

/// Returns the sessions of the run in `folder`; none if it has no `session.json`.
///
/// # Errors
/// [`Error::Io`], [`Error::Damaged`].
pub fn sessions_in(folder: &Path) -> Result<Vec<Session>> {
    let path = folder.join(session_file::NAME);
    let text = text_of(&path)?;
    text.map_or(Ok(Vec::new()), |text| session::read(&text).map_err(|why| damaged(&path, &why)))
}

/// Returns the names of the CSVs in `folder`, without their extension, sorted.
fn labs_in(folder: &Path) -> Result<Vec<String>> {
    let fail = |source| Error::Io { action: "read", path: folder.into(), source };
    let mut labs = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        labs.extend(name.strip_suffix(".csv").filter(|lab| !lab.ends_with(".counters")).map(String::from));
    }
    labs.sort();
    Ok(labs)
}

/// Returns the text of a file; `None` if it does not exist.
pub(crate) fn text_of(path: &Path) -> Result<Option<String>> {
    // A device or a pipe need not end.
    if fs::metadata(path).is_ok_and(|file| !file.is_file() && !file.is_dir()) {
        return Err(damaged(path, "it is not a regular file"));
    }
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(damaged(path, "it is not text")),
        Err(source) => Err(Error::Io { action: "read", path: path.into(), source }),
    }
}

fn damaged(path: &Path, why: &str) -> Error {
    Error::Damaged(format!(
        "{} cannot be read: {why}; run its lab again into the folder, or move the file away",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::COMMON;

    fn header() -> String {
        COMMON.iter().map(|c| c.name).collect::<Vec<_>>().join(",") + "\n"
    }

    fn line(variant: &str) -> String {
        let cell = |name: &str| match name {
            "schema" => "2".to_string(),
            "variant" => variant.into(),
            "verdict" => "pass".into(),
            _ => String::new(),
        };
        COMMON.iter().map(|c| cell(c.name)).collect::<Vec<_>>().join(",") + "\n"
    }

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    #[cfg(unix)]
    #[test]
    fn a_device_in_a_run_is_not_read() {
        let folder = folder(&[]);
        std::os::unix::fs::symlink("/dev/null", folder.path().join("scan.csv")).unwrap();
        let error = Run::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("scan.csv cannot be read: it is not a regular file"), "{error}");
    }

    #[test]
    fn a_run_that_was_cut_off_is_read_as_far_as_it_goes() {
        let whole = format!("{}{}{}", header(), line("a"), line("b"));
        for cut in [1, 5, line("b").len() - 1] {
            let folder = folder(&[("scan.csv", &whole[..whole.len() - cut])]);
            let run = Run::read(folder.path()).unwrap();
            let variants: Vec<&str> = run.rows().map(|row| row.variant.as_str()).collect();
            assert_eq!(variants, ["a"], "{cut}");
            assert!(run.remarks[0].contains("scan.csv: its last row, line 3, is not whole"), "{:?}", run.remarks);
            assert!(run.remarks[1].contains("session.json is missing"), "{:?}", run.remarks);
        }
    }

    #[test]
    fn what_is_damaged_newer_or_foreign_is_said_with_what_to_do() {
        let short = format!("{}2,scan\n{}", header(), line("b"));
        let whole = header() + &line("a");
        let newer = header() + &line("a").replacen('2', "7", 1);
        for (files, words) in [
            (vec![("scan.csv", short.as_str())], "scan.csv cannot be read: line 2 has 2 cells"),
            (vec![("scan.csv", newer.as_str())], "use the warplab that wrote it"),
            (vec![("scan.csv", "schema,lab\n")], "it lacks the columns variant"),
            (vec![("session.json", r#"{"schema": 9}"#)], "session.json cannot be read: it has version 9"),
            (vec![("session.json", "{")], "run its lab again"),
            (
                vec![("scan.csv", whole.as_str()), ("scan.story.json", "{}")],
                "scan.story.json cannot be read: missing field",
            ),
            (
                vec![("scan.csv", whole.as_str()), ("scan.story.json", r#"{"schema": 9}"#)],
                "scan.story.json cannot be read: it has version 9",
            ),
            (vec![("notes.csv", "a,b\n1,2\n")], "holds no CSV of a lab; name a folder"),
            (vec![], "holds no CSV of a lab"),
        ] {
            let folder = folder(&files);
            let error = Run::read(folder.path()).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let killed = folder(&[("session.json", r#"{"schema": 2, "sessions": [{"asked": ["scan"], "labs": []}]}"#)]);
        let error = Run::read(killed.path()).unwrap_err();
        assert!(matches!(error, Error::Damaged(_)), "{error}");
        assert!(error.to_string().contains("its run was cut off before the first row; run it again"), "{error}");
        let error = Run::read(Path::new("/no/such/run")).unwrap_err();
        assert!(error.to_string().contains("/no/such/run: there is no such folder; name a folder"), "{error}");
        let binary = folder(&[]);
        fs::write(binary.path().join("scan.csv"), [0xff, 0xfe, 0]).unwrap();
        assert!(Run::read(binary.path()).unwrap_err().to_string().contains("it is not text"));
    }

    #[test]
    fn a_foreign_csv_is_left_out_and_labs_come_in_the_order_of_the_session() {
        let rows = header() + &line("a");
        let session = r#"{"schema": 2, "sessions": [{"labs": [{"lab": "vecadd"}, {"lab": "scan"}]}]}"#;
        let files =
            [("scan.csv", rows.as_str()), ("vecadd.csv", &rows), ("x.csv", "a\n1\n"), ("session.json", session)];
        let folder = folder(&files);
        let run = Run::read(folder.path()).unwrap();
        assert_eq!(run.labs.iter().map(|l| l.lab.as_str()).collect::<Vec<_>>(), ["vecadd", "scan"]);
        assert_eq!(run.remarks, ["x.csv is not a lab's, and was left out."]);
    }
}
