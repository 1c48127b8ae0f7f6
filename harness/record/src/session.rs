//! `session.json`: the facts about a run that its rows do not repeat.
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    ceilings::Ceilings,
    device::{DeviceInfo, Snapshot},
};

/// The version of the file.
pub(crate) const SCHEMA: u64 = 2;

/// The file. Version 1 was a single session.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct SessionsFile<'s> {
    /// The version of the file: a change of meaning gives a new number.
    pub(crate) schema: u64,
    /// The commands that wrote to the folder, the oldest first.
    pub(crate) sessions: Vec<&'s Session>,
}

/// One command that wrote to the folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Session {
    /// The program and its version.
    pub program: String,
    /// The command line.
    pub argv: Vec<String>,
    /// When it began, in RFC 3339.
    pub started: String,
    /// The revision that the program was built from.
    pub git_revision: Option<String>,
    /// The branch of the checkout in which it ran.
    pub git_branch: Option<String>,
    /// The commit of that checkout.
    pub git_commit: Option<String>,
    /// The seed of the inputs.
    pub seed: Option<u64>,
    /// Whether it used small sizes and few samples (`--quick`).
    pub quick: Option<bool>,
    /// Whether the device was kept busy before each sample that events time.
    pub device_kept_busy: Option<bool>,
    /// The requested number of samples.
    pub samples: Option<u32>,
    /// The device's properties.
    pub device: DeviceInfo,
    /// Why this device was chosen.
    pub device_reason: String,
    /// The settings of the emulated device, by option and environment variable.
    pub machine_settings: Option<BTreeMap<String, Value>>,
    /// The GPU's state at the end.
    pub nvml: Option<Snapshot>,
    /// Why it is not known.
    pub nvml_missing: Option<String>,
    /// The GPU's measured ceilings.
    pub ceilings: Option<Ceilings>,
    /// The labs that the command was asked for; empty of an old program, which did not say.
    pub asked: Vec<String>,
    /// The labs that have ended.
    pub labs: Vec<LabRun>,
    /// What a program of another version wrote besides.
    #[serde(flatten)]
    #[cfg_attr(test, schemars(skip))]
    pub other: Map<String, Value>,
}

/// How a lab ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LabRun {
    /// The lab.
    pub lab: String,
    /// The number of its rows.
    pub rows: Option<usize>,
    /// How many of them passed.
    pub pass: usize,
    /// How many had a wrong answer.
    pub fail: usize,
    /// How many had a finding.
    pub finding: usize,
    /// How many could not run.
    pub skip: usize,
    /// Its duration.
    pub seconds: f64,
    /// Where the PTX of each kernel file came from.
    pub ptx: BTreeMap<String, String>,
    /// The error that ended it.
    pub error: Option<String>,
    /// The kernel that is missing from the file of `--kernel`, if that is the error.
    pub missing_kernel: Option<String>,
    /// The error, if the kernel file must be changed.
    pub kernel_error: Option<String>,
    /// Whether the error is that the emulated device does not model what the kernel uses.
    pub unmodelled: bool,
    /// What a program of another version wrote besides.
    #[serde(flatten)]
    #[cfg_attr(test, schemars(skip))]
    pub other: Map<String, Value>,
}

/// Parses the sessions of the file.
///
/// # Errors
/// A sentence: the text is not such a file, or has a newer version.
pub fn read(text: &str) -> Result<Vec<Session>, String> {
    let mut found: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match found["schema"].as_u64() {
        Some(schema) if schema > SCHEMA => {
            return Err(format!(
                "it has version {schema}, and this warplab reads up to {SCHEMA}: use the warplab that wrote it, or a newer one"
            ));
        }
        Some(_) => {}
        None => return Err("it has no version".into()),
    }
    let sessions = match found.get_mut("sessions").map(Value::take) {
        Some(sessions) => sessions,
        // The first version was a single session.
        None => Value::Array(vec![found]),
    };
    serde_json::from_value(sessions).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_version_and_this_one_are_read_and_a_newer_one_is_refused() {
        let first = r#"{"schema": 1, "seed": 3, "labs": [{"lab": "scan"}], "device": {"name": "T4"}, "more": 1}"#;
        let sessions = read(first).unwrap();
        assert_eq!((sessions[0].seed, sessions[0].device.name.as_str()), (Some(3), "T4"));
        assert_eq!(sessions[0].labs[0].lab, "scan");
        assert_eq!(read(r#"{"schema": 2, "sessions": [{}, {}]}"#).unwrap().len(), 2);
        assert!(read(r#"{"schema": 3, "sessions": []}"#).unwrap_err().contains("newer"));
        for text in ["", "{}", "[]", r#"{"schema": 2, "sessions": 7}"#] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_published_schema_is_that_of_the_program() {
        crate::assert_published::<SessionsFile>("session.json");
    }
}
