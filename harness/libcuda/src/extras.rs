//! What the driver API has no call for: the machine's report and its settings. A client finds these by name.

use crate::abi::text;
use crate::driver::{configure, find_profile, parse_checks, parse_leaks};
use crate::exit;
use crate::leak;
use crate::report;
use serde::Deserialize;
use simt::profile::PROFILES;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int};
use std::panic::catch_unwind;
use std::sync::OnceLock;

thread_local! {
    static ERROR: RefCell<CString> = RefCell::default();
}

fn owned(text: String) -> *mut c_char {
    CString::new(text.replace('\0', " ")).map_or(std::ptr::null_mut(), CString::into_raw)
}

/// The machine's version, the package's.
#[unsafe(no_mangle)]
extern "C" fn simt_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// The names of the profiles, with commas between them.
#[unsafe(no_mangle)]
extern "C" fn simt_profiles() -> *const c_char {
    static NAMES: OnceLock<CString> = OnceLock::new();
    let names = || {
        PROFILES
            .iter()
            .map(|profile| profile.name)
            .collect::<Vec<_>>()
            .join(",")
    };
    NAMES
        .get_or_init(|| CString::new(names()).unwrap_or_default())
        .as_ptr()
}

/// All that was launched, copied and found since the last call, as JSON; `simt_string_free` frees it. Never null. Work that is
/// still under way is in the next report: synchronize first.
#[unsafe(no_mangle)]
extern "C" fn simt_report_json() -> *mut c_char {
    exit::somebody_reads();
    owned(
        catch_unwind(report::take)
            .unwrap_or_else(|_| r#"{"version":1,"launches":[],"findings":[]}"#.into()),
    )
}

/// The device memory that is allocated now and was not told of before, for a client that has freed all that it meant to: as JSON,
/// `findings` as in the report, each with what `during` was when the memory was asked for. None without `leakcheck`.
/// `simt_string_free` frees the text. Never null.
#[unsafe(no_mangle)]
extern "C" fn simt_leaks_json() -> *mut c_char {
    exit::somebody_reads();
    owned(catch_unwind(leak::take).unwrap_or_else(|_| r#"{"version":1,"findings":[]}"#.into()))
}

/// Frees a string of `simt_report_json` or `simt_leaks_json`; null is nothing.
#[unsafe(no_mangle)]
unsafe extern "C" fn simt_string_free(string: *mut c_char) {
    if !string.is_null() {
        // SAFETY: the caller gives back what `simt_report_json` gave.
        drop(unsafe { CString::from_raw(string) });
    }
}

/// What `simt_configure` takes; what is absent stays as it is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wishes {
    /// A profile's name; before `cuInit` only.
    profile: Option<String>,
    /// As in `WARPLAB_CHECKS`.
    checks: Option<String>,
    counters: Option<bool>,
    seed: Option<u64>,
    budget: Option<u64>,
    workers: Option<usize>,
    /// What the program does from now on, in its own words: leaks are told by it.
    during: Option<String>,
    /// Texts of source files by the names that line information has, for reports that show lines; added to those given before.
    sources: Option<BTreeMap<String, String>>,
}

fn apply(json: *const c_char) -> Result<(), String> {
    let json = text(json).map_err(|_| "no text is given".to_owned())?;
    let wishes: Wishes = serde_json::from_str(&json).map_err(|error| error.to_string())?;
    let profile = wishes.profile.as_deref().map(find_profile).transpose()?;
    let checks = wishes.checks.as_deref().map(parse_checks).transpose()?;
    let leaks = wishes.checks.as_deref().map(parse_leaks);
    report::know(wishes.sources.unwrap_or_default());
    if let Some(during) = &wishes.during {
        leak::during(during);
    }
    configure(profile, leaks, |settings| {
        settings.checks = checks.unwrap_or(settings.checks);
        settings.counters = wishes.counters.unwrap_or(settings.counters);
        settings.seed = wishes.seed.unwrap_or(settings.seed);
        settings.budget = wishes.budget.unwrap_or(settings.budget);
        settings.workers = wishes.workers.unwrap_or(settings.workers);
    })
}

/// Changes settings, for launches from now on: a JSON object with any of `profile` (before `cuInit`), `checks`, `counters`,
/// `seed`, `budget`, `workers`, `during`, `sources`. Returns 0, or `CUDA_ERROR_INVALID_VALUE` and words in `simt_last_error`.
#[unsafe(no_mangle)]
unsafe extern "C" fn simt_configure(json: *const c_char) -> c_int {
    match catch_unwind(|| apply(json)).unwrap_or_else(|_| Err("the machine failed".into())) {
        Ok(()) => 0,
        Err(message) => {
            ERROR.set(CString::new(message.replace('\0', " ")).unwrap_or_default());
            crate::error::Error::INVALID_VALUE.0
        }
    }
}

/// Why this thread's last `simt_configure` failed; good until its next.
#[unsafe(no_mangle)]
extern "C" fn simt_last_error() -> *const c_char {
    ERROR.with_borrow(|error| error.as_ptr())
}
