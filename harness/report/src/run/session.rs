//! `session.json`: the facts about a run. Only the fields that reports show are read; others are ignored.
use harness::{Ceilings, Peak};
use serde::Deserialize;

/// The newest version of the file that this program reads.
const SCHEMA: u64 = 2;

/// One command that wrote to the folder.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
#[allow(missing_docs)] // Each field is the file's.
pub struct Session {
    pub program: String,
    pub argv: Vec<String>,
    pub started: String,
    pub git_revision: Option<String>,
    pub git_branch: Option<String>,
    pub git_commit: Option<String>,
    pub quick: Option<bool>,
    pub device_kept_busy: Option<bool>,
    pub samples: Option<u32>,
    pub machine_settings: Option<std::collections::BTreeMap<String, serde_json::Value>>,
    pub seed: Option<u64>,
    pub device: Device,
    pub device_reason: String,
    pub nvml: Option<Nvml>,
    pub nvml_missing: Option<String>,
    #[cfg_attr(test, schemars(with = "Option<std::collections::BTreeMap<String, f64>>"))]
    pub ceilings: Option<Ceilings>,
    /// The labs that the command was asked for; empty of a program that did not tell.
    pub asked: Vec<String>,
    pub labs: Vec<LabRun>,
}

/// The device, as it reports itself.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
#[allow(missing_docs)] // Each field is the file's.
pub struct Device {
    pub name: String,
    pub is_emulated: bool,
    pub profile: String,
    pub compute_capability: (u32, u32),
    pub driver_version: u32,
    pub multiprocessors: u32,
    pub clock_khz: u32,
    pub memory_clock_khz: u32,
    pub total_bytes: u64,
    pub l2_bytes: u64,
}

/// The GPU's state when the run ended.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
#[allow(missing_docs)] // Each field is the file's.
pub struct Nvml {
    pub driver_version: Option<String>,
    pub uuid: Option<String>,
    pub sm_clock_mhz: Option<u32>,
    pub sm_clock_max_mhz: Option<u32>,
    pub memory_clock_mhz: Option<u32>,
    pub throttle_reasons: Option<String>,
    pub power_limit_w: Option<f64>,
    pub temperature_c: Option<u32>,
    pub link_generation: Option<u32>,
    pub link_width: Option<u32>,
    pub ecc: Option<bool>,
}

/// How a lab ended.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
#[allow(missing_docs)] // Each field is the file's.
pub struct LabRun {
    pub lab: String,
    pub seconds: f64,
    pub rows: Option<usize>,
    pub error: Option<String>,
    pub ptx: std::collections::BTreeMap<String, String>,
}

impl Device {
    /// Returns the peak rate of this unit in GFLOP/s, from the clock and the number of multiprocessors; `None` if the
    /// device has no such unit, its rate is unknown, or the device is the embedded machine.
    pub fn peak_gflop_per_s(&self, peak: Peak) -> Option<f64> {
        let per_clock = peak.per_clock(self.compute_capability)?;
        let ghz = f64::from(self.clock_khz) / 1e6;
        (!self.is_emulated && ghz > 0.0).then(|| per_clock * f64::from(self.multiprocessors) * ghz)
    }
}

/// Parses the sessions of the file.
///
/// # Errors
/// A sentence: the text is not such a file, or has a newer version.
pub fn read(text: &str) -> Result<Vec<Session>, String> {
    let mut found: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    match found["schema"].as_u64() {
        Some(schema) if schema > SCHEMA => {
            return Err(format!(
                "it has version {schema}, and this warplab reads up to {SCHEMA}: use the warplab that wrote it, or a newer one"
            ));
        }
        Some(_) => {}
        None => return Err("it has no version".into()),
    }
    let sessions = match found.get_mut("sessions").map(serde_json::Value::take) {
        Some(sessions) => sessions,
        // The first version was a single session.
        None => serde_json::Value::Array(vec![found]),
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
    fn the_peak_of_an_h200_is_that_of_its_data_sheet() {
        let device =
            Device { compute_capability: (9, 0), multiprocessors: 132, clock_khz: 1_980_000, ..Device::default() };
        // 67 TFLOP/s: NVIDIA H200 data sheet, FP32.
        assert!((device.peak_gflop_per_s(Peak::Single).unwrap() - 66_909.0).abs() < 1.0);
        assert_eq!(Device { is_emulated: true, ..device }.peak_gflop_per_s(Peak::Single), None);
    }
}
