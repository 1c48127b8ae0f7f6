//! JSON lines: a file in the run's folder for each lab whose cases have details that do not fit in a row.
use std::{io::Write, rc::Rc};

use record::{Columns, Details, Folder, Record, StorySummary, details_of, story_of};

use crate::{
    error::Error, error::Result, export::exporter::Exporter, export::exporter::Outputs, export::exporter::Started,
};

/// Starts the file of a lab: removes that of an earlier run, and creates a new one when there is something to write.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn in_folder(columns: &Rc<Columns>, outputs: &Outputs<'_>) -> Result<Started> {
    let Some(folder) = outputs.folder else {
        return Ok(None);
    };
    let name = details_of(columns.lab);
    folder.remove(&name)?;
    folder.remove(&story_of(columns.lab))?;
    Ok(Some(Box::new(DetailsFile { folder: folder.clone(), name, file: None })))
}

#[derive(Debug)]
struct DetailsFile {
    folder: Folder,
    name: String,
    file: Option<std::fs::File>,
}

impl Exporter for DetailsFile {
    fn story(&mut self, told: &StorySummary) -> Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::{columns, record};

    #[test]
    fn only_a_lab_with_details_has_a_file_and_that_of_an_earlier_run_goes() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Folder::create(Some(temporary.path()), "x", |_, _| Ok::<_, Error>(())).unwrap();
        let columns = Rc::new(columns());
        let outputs = Outputs::silent(&folder);
        let path = folder.path().join("lab.jsonl");
        let mut file = in_folder(&columns, &outputs).unwrap().unwrap();
        let with_finding = record();
        file.row(&with_finding).unwrap();
        file.row(&Record { findings: Vec::new(), samples_ms: Vec::new(), ..record() }).unwrap();
        file.row(&with_finding).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let read: Vec<Details> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let details = Details::from_record(&with_finding).unwrap();
        assert_eq!(read, [details.clone(), details]);
        assert_eq!(read[0].findings[0].text, "Invalid read\nat line 3\n");
        drop(in_folder(&columns, &outputs).unwrap());
        assert!(!path.exists());
    }
}
