//! What the embedded machine reports beside the driver API: counters of each launch, and findings.
//!
//! Read as versioned JSON through functions found by name in the opened library; on a GPU they are
//! not there, and the report is empty.
use std::{
    collections::BTreeMap,
    ffi::{CStr, CString, c_char, c_int},
};

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
    /// Registers of a thread, as the machine estimates them from the PTX.
    pub registers_estimated: u32,
    /// Shared memory of a block that the kernel declares, in bytes.
    pub static_shared_bytes: u32,
    /// Shared memory of a block that the launch asks for, in bytes.
    pub dynamic_shared_bytes: u32,
    /// What fits on an SM.
    pub occupancy: Occupancy,
}

/// How much of an SM a launch can fill.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub struct Occupancy {
    /// Resident warps of those that the SM has room for, in per cent.
    pub percent: f64,
}

/// Copies, or fills, of one kind.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub struct Copies {
    /// How many.
    pub count: u64,
    /// How many bytes in all.
    pub bytes: u64,
}

/// Managed memory that moved.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub struct Managed {
    /// Bytes that move together: the machine's page.
    pub block_bytes: u64,
    /// Bytes that went to the device.
    pub to_device_bytes: u64,
    /// Bytes that came to the host.
    pub to_host_bytes: u64,
}

/// How the machine was set.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Whether it counted.
    pub counters: bool,
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
    /// Of a leak: what [`configure`] said was being done when the memory was asked for.
    pub(crate) during: String,
}

impl Finding {
    /// What tells it from others: its kind and the places in the source, whichever threads met there.
    pub(crate) fn key(&self) -> String {
        let places = self.text.lines().filter(|l| l.contains("--> "));
        let places: Vec<&str> = places.map(str::trim).collect();
        format!("{} {}", self.kind, places.join(" "))
    }

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
    /// Copies by where from and where to (`host_to_device`, ...), and fills (`fill`).
    pub copies: BTreeMap<String, Copies>,
    /// Managed memory.
    pub managed: Managed,
    /// How the machine was set.
    pub settings: Settings,
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
        for (way, copies) in later.copies {
            let sum = self.copies.entry(way).or_default();
            sum.count += copies.count;
            sum.bytes += copies.bytes;
        }
        self.managed = Managed {
            block_bytes: later.managed.block_bytes,
            to_device_bytes: self.managed.to_device_bytes + later.managed.to_device_bytes,
            to_host_bytes: self.managed.to_host_bytes + later.managed.to_host_bytes,
        };
        self.settings = later.settings;
    }
}

/// Chooses what the machine looks for, and in which order it runs warps and blocks, in launches from now on, and says what
/// is done from now on, for leaks to be told by; nothing on a GPU.
pub(crate) fn configure(checks: &str, seed: u64, during: &str) {
    wish(&serde_json::json!({ "checks": checks, "seed": seed, "during": during }));
}

/// Gives the machine source texts by the names that line information has, so that reports show lines wherever the program
/// runs; nothing on a GPU.
pub(crate) fn show_sources(sources: &[(&str, &str)]) {
    let texts: serde_json::Map<String, Value> = sources
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).into()))
        .collect();
    wish(&serde_json::json!({ "sources": texts }));
}

fn wish(wishes: &Value) {
    type Configure = unsafe extern "C" fn(*const c_char) -> c_int;
    if !driver::is_emulated() {
        return;
    }
    let Ok(json) = CString::new(wishes.to_string()) else {
        return;
    };
    // SAFETY: the function has this type in the embedded library, which stays open.
    unsafe {
        if let Ok(configure) = cudarc::driver::sys::culib().get::<Configure>(b"simt_configure") {
            let code = configure(json.as_ptr());
            debug_assert_eq!(code, 0, "the wishes were checked when they were parsed");
        }
    }
}

/// Takes the machine's report.
pub(crate) fn report() -> MachineReport {
    take(b"simt_report_json")
}

/// The device memory that is allocated now and was not told of before, a finding for each thing that was being done when it
/// was asked for; none unless leaks are looked for, and none on a GPU.
pub(crate) fn leaks() -> Vec<Finding> {
    take(b"simt_leaks_json").findings
}

/// What the library's function of this name has to report.
fn take(name: &[u8]) -> MachineReport {
    type Report = unsafe extern "C" fn() -> *mut c_char;
    type Free = unsafe extern "C" fn(*mut c_char);
    if !driver::is_emulated() {
        return MachineReport::default();
    }
    // SAFETY: the functions have these types in the embedded library, which stays open; the text is freed by the library
    // that made it.
    let text = unsafe {
        let library = cudarc::driver::sys::culib();
        let (Ok(report), Ok(free)) = (
            library.get::<Report>(name),
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
            ..MachineReport::default()
        }
    })
}
