//! `session.json` contains the data that the rows do not repeat. A folder to which several commands write keeps a
//! session for each of them, until all labs of the session have been run again.
use std::{io::ErrorKind, time::SystemTime};

use serde_json::{Value, json};
use wire::Checks;

use crate::{
    device::session::Session,
    error::{Error, Result},
    record::{folder::Folder, revision},
};

/// The file's name.
const NAME: &str = "session.json";

/// Version of `session.json`.
const SCHEMA: u32 = 2;

/// The options that the file records.
#[derive(Debug, Clone)]
pub(crate) struct SessionSettings {
    /// The seed of the inputs.
    pub(crate) seed: u64,
    /// The requested checks of the emulated device.
    pub(crate) check: Option<Checks>,
    /// The schedules of each case on the emulated device.
    pub(crate) schedules: u32,
    /// Small sizes and few samples (`--quick`).
    pub(crate) quick: bool,
    /// The requested number of samples.
    pub(crate) samples: Option<u32>,
}

/// The session that is being written, and those that were in the folder before.
#[derive(Debug)]
pub(crate) struct SessionFile {
    folder: Folder,
    /// The labs that the command runs: those that have no entry at its end were not run to completion.
    asked: Vec<String>,
    earlier: Vec<Value>,
    began: SystemTime,
    /// The branch and the commit of the checkout in which the command runs.
    branch: Option<String>,
    commit: Option<String>,
}

impl SessionFile {
    /// Reads the existing file in `folder`, for a command that runs these labs.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be read; [`Error::CannotRun`] when it is not such a file, and would be lost.
    pub(crate) fn open(folder: &Folder, asked: &[&str]) -> Result<Self> {
        let path = folder.path().join(NAME);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(source) => return Err(Error::Io { action: "read", path, source }),
        };
        let earlier = text.map_or(Ok(Vec::new()), |text| sessions(&text)).map_err(|why| {
            let path = path.display();
            Error::CannotRun(format!("{path} is not a session file ({why}); move it away, or choose another --out"))
        })?;
        Ok(Self {
            folder: folder.clone(),
            asked: asked.iter().map(|lab| (*lab).into()).collect(),
            earlier,
            began: SystemTime::now(),
            branch: revision::branch_here(),
            commit: revision::commit_here(),
        })
    }

    /// Writes the file: this session with the `labs` done so far and the one that is `running`, and the earlier
    /// sessions, without the labs that this one replaces.
    pub(crate) fn write(
        &mut self,
        session: &Session,
        settings: &SessionSettings,
        labs: &[Value],
        running: Option<&str>,
    ) -> Result<()> {
        let now: Vec<&str> = labs.iter().filter_map(|l| l["lab"].as_str()).chain(running).collect();
        self.earlier = without(std::mem::take(&mut self.earlier), &now);
        let this = json!({
            "program": concat!("warplab ", env!("CARGO_PKG_VERSION")),
            "argv": std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect::<Vec<_>>(),
            "started": humantime::format_rfc3339_seconds(self.began).to_string(),
            "git_revision": revision::of_this_program(),
            "git_branch": self.branch,
            "git_commit": self.commit,
            "seed": settings.seed,
            "quick": settings.quick,
            // Before each sample that events time: see `device::busy`.
            "device_kept_busy": !session.device.is_emulated,
            "samples": settings.samples,
            "device": session.device,
            "device_reason": session.reason,
            "machine_settings": machine_settings(session, settings),
            "nvml": session.snapshot(),
            "nvml_missing": session.no_nvml(),
            "ceilings": session.ceilings,
            "asked": self.asked,
            "labs": labs,
        });
        let sessions: Vec<&Value> = self.earlier.iter().chain([&this]).collect();
        let text = json!({ "schema": SCHEMA, "sessions": sessions });
        self.folder.write(NAME, &(serde_json::to_string_pretty(&text).unwrap_or_default() + "\n"))
    }
}

/// Parses the sessions of such a file, or returns why it is invalid.
fn sessions(text: &str) -> Result<Vec<Value>, String> {
    let mut found: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match found.get_mut("sessions").map(Value::take) {
        Some(Value::Array(sessions)) => Ok(sessions),
        // The first version was a single session.
        _ if found["labs"].is_array() => Ok(vec![found]),
        _ => Err("it has no list of sessions".into()),
    }
}

/// Returns `sessions` without the labs that are run again, and without the sessions that have no lab left.
fn without(sessions: Vec<Value>, labs: &[&str]) -> Vec<Value> {
    let mut left = Vec::new();
    for mut session in sessions {
        if let Some(Value::Array(done)) = session.get_mut("labs") {
            done.retain(|lab| !lab["lab"].as_str().is_some_and(|name| labs.contains(&name)));
        }
        if session["labs"].as_array().is_some_and(|l| !l.is_empty()) {
            left.push(session);
        }
    }
    left
}

/// Returns the embedded machine's settings, from options and from the environment.
fn machine_settings(session: &Session, asked: &SessionSettings) -> Option<Value> {
    session.device.is_emulated.then(|| {
        let mut settings: serde_json::Map<String, Value> =
            ["WARPLAB_PROFILE", "WARPLAB_CHECKS", "WARPLAB_SEED", "WARPLAB_BUDGET"]
                .iter()
                .map(|name| ((*name).to_string(), json!(std::env::var(name).ok())))
                .collect();
        settings.insert("check".into(), json!(asked.check.map(|checks| checks.to_string())));
        settings.insert("schedules".into(), json!(asked.schedules));
        settings.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lab_that_runs_again_leaves_its_earlier_session() {
        let sessions = vec![
            json!({ "seed": 1, "labs": [{ "lab": "hello" }, { "lab": "vecadd" }] }),
            json!({ "seed": 2, "labs": [{ "lab": "scan" }] }),
        ];
        let left = without(sessions.clone(), &["vecadd", "scan"]);
        assert_eq!(left, [json!({ "seed": 1, "labs": [{ "lab": "hello" }] })]);
        assert_eq!(without(sessions.clone(), &[]), sessions);
    }

    #[test]
    fn a_file_that_is_something_else_is_not_written_over() {
        assert_eq!(sessions(r#"{ "schema": 2, "sessions": [1] }"#), Ok(vec![json!(1)]));
        assert_eq!(sessions(r#"{ "labs": [] }"#), Ok(vec![json!({ "labs": [] })]));
        for text in ["", "{ \"sessions\": [", "{}", "[]"] {
            assert!(sessions(text).is_err(), "{text}");
        }
    }
}
