//! `session.json` holds what the rows do not repeat. A folder to which several commands write keeps a session for each
//! of them, until all labs of the session have been run again.
use std::time::SystemTime;

use serde_json::{Value, json};
use wire::Checks;

use crate::{
    device::session::Session,
    error::Result,
    record::{folder::Folder, revision},
};

/// Version of `session.json`.
const SCHEMA: u32 = 2;

/// The options that the file records.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// The seed of the inputs.
    pub(crate) seed: u64,
    /// The checks of the emulated device that were asked for.
    pub(crate) check: Option<Checks>,
    /// The schedules of each case on the emulated device.
    pub(crate) schedules: u32,
}

/// The session that is being written, and those that were in the folder before.
#[derive(Debug)]
pub(crate) struct SessionFile {
    folder: Folder,
    earlier: Vec<Value>,
    began: SystemTime,
}

impl SessionFile {
    /// Reads what is in `folder` already.
    pub(crate) fn open(folder: &Folder) -> Self {
        let text = std::fs::read_to_string(folder.path().join("session.json"));
        let mut found: Value = serde_json::from_str(&text.unwrap_or_default()).unwrap_or(Value::Null);
        let earlier = match found.get_mut("sessions").map(Value::take) {
            Some(Value::Array(sessions)) => sessions,
            // The first version held one session, by itself.
            _ if found["labs"].is_array() => vec![found],
            _ => Vec::new(),
        };
        Self { folder: folder.clone(), earlier, began: SystemTime::now() }
    }

    /// Writes the file: this session with the `labs` done so far and the one that is `running`, and the earlier ones,
    /// without the labs that these replace.
    pub(crate) fn write(
        &mut self,
        session: &Session,
        settings: &Settings,
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
            "seed": settings.seed,
            "device": session.device,
            "device_reason": session.reason,
            "machine_settings": machine_settings(session, settings),
            "nvml": session.snapshot(),
            "nvml_missing": session.no_nvml(),
            "ceilings": session.ceilings,
            "labs": labs,
        });
        let sessions: Vec<&Value> = self.earlier.iter().chain([&this]).collect();
        let text = json!({ "schema": SCHEMA, "sessions": sessions });
        self.folder.write("session.json", &(serde_json::to_string_pretty(&text).unwrap_or_default() + "\n"))
    }
}

/// `sessions` without the labs that are run again, and without the sessions that have no lab left.
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

/// The embedded machine's settings, from options and from the environment.
fn machine_settings(session: &Session, asked: &Settings) -> Option<Value> {
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
}
