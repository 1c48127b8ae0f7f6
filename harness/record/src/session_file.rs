//! Writes `session.json`. A folder to which several commands write keeps a session for each of them, until all labs of
//! the session have been run again.
use crate::{
    error::{Error, Result},
    folder::Folder,
    run::text_of,
    session::{SCHEMA, Session, SessionsFile, read},
};

/// The file's name.
pub(crate) const NAME: &str = "session.json";

/// The session that is being written, and those that were in the folder before.
#[derive(Debug)]
pub struct SessionFile {
    folder: Folder,
    earlier: Vec<Session>,
}

impl SessionFile {
    /// Reads the existing file in `folder`.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be read; [`Error::Damaged`] when it is not such a file, and would be lost.
    pub fn open(folder: &Folder) -> Result<Self> {
        let path = folder.path().join(NAME);
        let earlier = text_of(&path)?.map_or(Ok(Vec::new()), |text| read(&text)).map_err(|why| {
            let path = path.display();
            Error::Damaged(format!("{path} is not a session file ({why}); move it away, or choose another --out"))
        })?;
        Ok(Self { folder: folder.clone(), earlier })
    }

    /// Writes the file: `session` with its labs so far, and the earlier sessions without these labs and without the one
    /// that is `running`.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&mut self, session: &Session, running: Option<&str>) -> Result<()> {
        let now: Vec<&str> = session.labs.iter().map(|lab| lab.lab.as_str()).chain(running).collect();
        self.earlier = without(std::mem::take(&mut self.earlier), &now);
        let sessions = self.earlier.iter().chain([session]).collect();
        let file = SessionsFile { schema: SCHEMA, sessions };
        self.folder.write(NAME, &(serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"))
    }
}

/// Returns `sessions` without the labs that are run again, and without the sessions that have no lab left.
fn without(sessions: Vec<Session>, labs: &[&str]) -> Vec<Session> {
    let mut left = sessions;
    for session in &mut left {
        session.labs.retain(|lab| !labs.contains(&lab.lab.as_str()));
    }
    left.retain(|session| !session.labs.is_empty());
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(text: &str) -> Vec<Session> {
        read(&format!(r#"{{"schema": 2, "sessions": [{text}]}}"#)).unwrap()
    }

    #[test]
    fn a_lab_that_runs_again_leaves_its_earlier_session() {
        let both = sessions(
            r#"{"seed": 1, "labs": [{"lab": "hello"}, {"lab": "vecadd"}]}, {"seed": 2, "labs": [{"lab": "scan"}]}"#,
        );
        let left = without(both.clone(), &["vecadd", "scan"]);
        assert_eq!(left, sessions(r#"{"seed": 1, "labs": [{"lab": "hello"}]}"#));
        assert_eq!(without(both.clone(), &[]), both);
    }

    #[test]
    fn a_file_that_is_something_else_is_not_written_over() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Folder::create(Some(temporary.path()), "x", |_, _| Ok::<_, Error>(())).unwrap();
        for text in ["", "{ \"sessions\": [", "{}", "[]", r#"{"schema": 9, "sessions": []}"#] {
            std::fs::write(temporary.path().join(NAME), text).unwrap();
            let error = SessionFile::open(&folder).unwrap_err().to_string();
            assert!(error.contains("session.json is not a session file"), "{text}: {error}");
        }
    }

    #[test]
    fn what_another_version_wrote_besides_is_kept() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Folder::create(Some(temporary.path()), "x", |_, _| Ok::<_, Error>(())).unwrap();
        let other = r#"{"schema": 2, "sessions": [{"weather": "fine", "labs": [{"lab": "scan", "mood": 3}]}]}"#;
        std::fs::write(temporary.path().join(NAME), other).unwrap();
        SessionFile::open(&folder).unwrap().write(&Session::default(), Some("sort")).unwrap();
        let text = std::fs::read_to_string(temporary.path().join(NAME)).unwrap();
        assert!(text.contains(r#""weather": "fine""#) && text.contains(r#""mood": 3"#), "{text}");
        assert_eq!(read(&text).unwrap().len(), 2);
    }
}
