//! The files of Gradescope's "Export Submissions": a folder `submission_1234567` for each submission, and
//! `submission_metadata.yml` with its students and its time. Its keys are written by Ruby: `:submitters:`.
use std::{fs, path::Path};

use harness::{Error, Result};
use yaml_rust2::Yaml;

use super::{handed_in::handed_in, yaml};
use crate::class::{
    entry::{Entry, Student},
    time,
};

const METADATA: &str = "submission_metadata.yml";

pub fn is_export(folder: &Path) -> bool {
    folder.join(METADATA).is_file()
}

pub fn entries(folder: &Path) -> Result<Vec<Entry>> {
    let path = folder.join(METADATA);
    let io = |source| Error::Io { action: "read", path: path.clone(), source };
    let wrong = |what: &str| Error::usage(format!("{}: {what}", path.display()));
    if fs::metadata(&path).map_err(io)?.len() > yaml::LARGEST {
        return Err(wrong(&format!("it has more than {} MiB", yaml::LARGEST >> 20)));
    }
    let text = fs::read_to_string(&path).map_err(io)?;
    let documents = yaml::load(&text).map_err(|error| wrong(&error))?;
    let Some(Yaml::Hash(submissions)) = documents.first() else {
        return Err(wrong("it does not list submissions, as Gradescope's export does"));
    };
    let mut entries = Vec::new();
    for (name, about) in submissions {
        let name = words(name).filter(|name| is_name(name)).ok_or_else(|| wrong("a submission has no name"))?;
        entries.push(entry(&folder.join(&name), &name, about));
    }
    Ok(entries)
}

/// Whether it is the name of a folder in the export, and not a path out of it.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

fn entry(path: &Path, name: &str, about: &Yaml) -> Entry {
    let id = name.trim_start_matches("submission_").to_string();
    let text = |of: &Yaml, key: &str| words(&of[key]).unwrap_or_default();
    let submitters = about[":submitters"].as_vec().map(Vec::as_slice).unwrap_or_default();
    let mut students: Vec<Student> = submitters
        .iter()
        .map(|of| Student {
            name: text(of, ":name"),
            id: text(of, ":sid"),
            email: text(of, ":email"),
            ..Student::default()
        })
        .collect();
    if students.is_empty() {
        students.push(Student { name: name.into(), id: id.clone(), ..Student::default() });
    }
    let submitted = words(&about[":created_at"]).and_then(|text| time::parse(&text).ok());
    Entry { id, students, handed_in: handed_in(path), submitted }
}

fn words(yaml: &Yaml) -> Option<String> {
    match yaml {
        Yaml::String(text) | Yaml::Real(text) => Some(text.clone()),
        Yaml::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}
