//! What the embedded machine reports beside the driver API: counters of each launch, and findings.
//!
//! Read as versioned JSON through functions found by name in the opened library; on a GPU they are
//! not there, and the report is empty.
use std::ffi::{CStr, CString, c_char, c_int};

use serde::Deserialize;
use serde_json::Value;

use crate::driver;

/// One launch, as the machine counted it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct LaunchReport {
    /// The kernel's name.
    pub kernel: String,
    /// Counters by name; see the machine's documentation.
    pub counters: Value,
}

impl LaunchReport {
    /// A counter as a number, by its path in the JSON: `"/totals/divergent_branches"`, `"/warps"`.
    pub fn counter(&self, path: &str) -> Option<f64> {
        self.counters.pointer(path)?.as_f64()
    }
}

/// Something that the machine's checks found.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Finding {
    /// The kind's name.
    pub kind: String,
    /// One line.
    pub title: String,
    /// The whole report, several lines.
    pub text: String,
}

impl Finding {
    /// One line for the row's note.
    pub fn line(&self) -> String {
        let first = [
            self.title.as_str(),
            self.text.lines().next().unwrap_or(""),
            &self.kind,
        ];
        first
            .into_iter()
            .find(|s| !s.trim().is_empty())
            .unwrap_or("finding")
            .trim()
            .to_string()
    }
}

/// Everything that the machine reported since it was last asked; empty on a GPU.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct MachineReport {
    /// One entry a launch.
    pub launches: Vec<LaunchReport>,
    /// What its checks found.
    pub findings: Vec<Finding>,
}

impl MachineReport {
    /// A counter summed over all launches, by its path in the JSON.
    pub fn total(&self, path: &str) -> f64 {
        self.launches.iter().filter_map(|l| l.counter(path)).sum()
    }

    /// Takes in a later report.
    pub(crate) fn extend(&mut self, later: Self) {
        self.launches.extend(later.launches);
        self.findings.extend(later.findings);
    }
}

/// Chooses what the machine looks for in launches from now on; nothing on a GPU.
pub(crate) fn set_checks(checks: &str) {
    type Configure = unsafe extern "C" fn(*const c_char) -> c_int;
    if !driver::is_emulated() {
        return;
    }
    let json = serde_json::json!({ "checks": checks }).to_string();
    let Ok(json) = CString::new(json) else {
        return;
    };
    // SAFETY: the function has this type in the embedded library, which stays open.
    unsafe {
        if let Ok(configure) = cudarc::driver::sys::culib().get::<Configure>(b"simt_configure") {
            let code = configure(json.as_ptr());
            debug_assert_eq!(code, 0, "the names were checked when they were parsed");
        }
    }
}

/// Takes the machine's report.
pub(crate) fn report() -> MachineReport {
    type Report = unsafe extern "C" fn() -> *mut c_char;
    type Free = unsafe extern "C" fn(*mut c_char);
    if !driver::is_emulated() {
        return MachineReport::default();
    }
    // SAFETY: the two functions have these types in the embedded library, which stays open; the text
    // is freed by the library that made it.
    let text = unsafe {
        let library = cudarc::driver::sys::culib();
        let (Ok(report), Ok(free)) = (
            library.get::<Report>(b"simt_report_json"),
            library.get::<Free>(b"simt_string_free"),
        ) else {
            return MachineReport::default();
        };
        let pointer = report();
        if pointer.is_null() {
            return MachineReport::default();
        }
        let text = CStr::from_ptr(pointer).to_string_lossy().into_owned();
        free(pointer);
        text
    };
    serde_json::from_str(&text).unwrap_or_else(|error| {
        // Never dropped in silence: a report that cannot be read may hold a finding.
        let text = format!("the machine's report cannot be read ({error})");
        MachineReport {
            launches: Vec::new(),
            findings: vec![Finding {
                title: text,
                ..Finding::default()
            }],
        }
    })
}
