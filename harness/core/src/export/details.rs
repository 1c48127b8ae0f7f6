//! JSON lines: a file in the run's folder for each lab whose cases have details that do not fit in a row.
use std::{fs::File, io::Write};

use record::{Details, Folder, Record, StorySummary, details_of, story_of};

use crate::{
    error::{Error, Result},
    export::event::{Event, Listener},
};

/// Writes the details of each lab: removes the file of an earlier run, and creates a new one when there is something to
/// write.
#[derive(Debug)]
pub(crate) struct DetailsFile {
    folder: Folder,
    /// The name of the file, after the lab that runs.
    name: String,
    file: Option<File>,
}

impl DetailsFile {
    pub(crate) fn new(folder: &Folder) -> Self {
        Self { folder: folder.clone(), name: String::new(), file: None }
    }

    fn start(&mut self, lab: &str) -> Result<()> {
        (self.name, self.file) = (details_of(lab), None);
        self.folder.remove(&self.name)?;
        Ok(self.folder.remove(&story_of(lab))?)
    }

    fn story(&self, told: &StorySummary) -> Result<()> {
        let text = serde_json::to_string_pretty(told).expect("strings and numbers have a JSON") + "\n";
        Ok(self.folder.write(&story_of(&told.lab), &text)?)
    }

    /// Writes one whole line.
    fn row(&mut self, record: &Record) -> Result<()> {
        let Some(details) = Details::from_record(record) else {
            return Ok(());
        };
        let line = serde_json::to_string(&details).expect("strings and numbers have a JSON") + "\n";
        match &mut self.file {
            None => self.file = Some(self.folder.start(&self.name, &line)?.0),
            Some(file) => file.write_all(line.as_bytes()).map_err(|source| Error::Io {
                action: "write to",
                path: self.folder.path().join(&self.name),
                source,
            })?,
        }
        Ok(())
    }
}

impl Listener for DetailsFile {
    fn hear(&mut self, event: Event<'_>) -> Result<()> {
        match event {
            Event::RowsStarted(rows) => self.start(rows.lab),
            Event::Row(record) => self.row(record),
            Event::Story(told) => self.story(told),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    use crate::export::event::{RowsStart, View};
    use record::fixtures::{columns, record};

    /// Returns the file of a lab, before the first row.
    fn started(folder: &Folder) -> DetailsFile {
        let mut file = DetailsFile::new(folder);
        let (columns, view) = (Rc::new(columns()), View::EVERYTHING);
        file.hear(Event::RowsStarted(RowsStart { lab: columns.lab, about: "", columns: &columns, view })).unwrap();
        file
    }

    #[test]
    fn only_a_lab_with_details_has_a_file_and_that_of_an_earlier_run_goes() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Folder::create(Some(temporary.path()), "x", |_, _| Ok::<_, Error>(())).unwrap();
        let path = folder.path().join("lab.jsonl");
        let mut file = started(&folder);
        let with_finding = record();
        let without = Record { findings: Vec::new(), samples_ms: Vec::new(), ..record() };
        for row in [&with_finding, &without, &with_finding] {
            file.hear(Event::Row(row)).unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let read: Vec<Details> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let details = Details::from_record(&with_finding).unwrap();
        assert_eq!(read, [details.clone(), details]);
        assert_eq!(read[0].findings[0].text, "Invalid read\nat line 3\n");
        drop(started(&folder));
        assert!(!path.exists());
    }
}
