//! The embedded machine's reports besides the driver API: counters of each launch, and findings.
//!
//! The report is read into [`wire`]'s types, through functions found by name in the opened library. A GPU's driver does
//! not have these functions, and the report is then empty.
use std::{
    ffi::{CStr, CString, c_char, c_int},
    sync::{Mutex, PoisonError},
};

use cudarc::driver::CudaStream;
use wire::{Copies, Leak, Leaks, Report, SettingsPatch};

use crate::{
    device::driver,
    error::{Error, Result},
};

/// The environment variables that change how the machine runs and checks a case: session.json records them, and the
/// command that repeats a case sets them.
pub(crate) const VARIABLES: [&str; 3] = ["WARPLAB_SEED", "WARPLAB_CHECKS", "WARPLAB_BUDGET"];

/// Changes the machine's settings for future launches; does nothing on a GPU.
pub(crate) fn configure(patch: &SettingsPatch) {
    type Configure = unsafe extern "C" fn(*const c_char) -> c_int;
    if !driver::is_emulated() {
        return;
    }
    let Ok(json) = CString::new(patch.to_json()) else {
        return;
    };
    // SAFETY: the function has this type in the embedded library, which stays open.
    unsafe {
        if let Ok(configure) = cudarc::driver::sys::culib().get::<Configure>(b"simt_configure") {
            let code = configure(json.as_ptr());
            debug_assert_eq!(code, 0, "the patch was checked when it was parsed");
        }
    }
}

/// Ends the running kernel and all future ones; does nothing on a GPU, where only ending the process helps. Returns
/// whether this is the machine.
pub(crate) fn interrupt() -> bool {
    type Interrupt = unsafe extern "C" fn();
    if !driver::is_emulated() {
        return false;
    }
    // SAFETY: the function has this type in the embedded library, which stays open.
    unsafe {
        let interrupt = cudarc::driver::sys::culib().get::<Interrupt>(b"simt_interrupt");
        interrupt.map(|interrupt| interrupt()).is_ok()
    }
}

/// A report that has been taken from the machine, but not yet passed to the next caller.
static PENDING: Mutex<Option<Report>> = Mutex::new(None);

/// Takes the machine's report since the last one; `None` on a GPU.
///
/// # Errors
/// When it cannot be parsed. It may contain a finding, so it must not be dropped silently.
pub(crate) fn report() -> Result<Option<Report>> {
    let text = take("simt_report_json")?;
    let report = text.map(|text| Report::read(&text)).transpose();
    let report = report.map_err(|error| unreadable("report", &error))?;
    let pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner).take();
    Ok(match (pending, report) {
        (Some(before), Some(report)) => Some(before.and(report)),
        (before, report) => before.or(report),
    })
}

/// Does work in `stream` that all rows share, such as copying an input to the device: its copies are not charged to
/// any row. Findings made during this work stay in the report. The machine counts copies and fills when it executes
/// them, so the stream is synchronized before and after.
///
/// # Errors
/// Those of `work`, of [`report`] and of the stream.
pub(crate) fn charged_to_no_row<T>(stream: &CudaStream, work: impl FnOnce() -> Result<T>) -> Result<T> {
    stream.synchronize()?;
    let before = report()?;
    let done = work().and_then(|done| stream.synchronize().map(|()| done).map_err(Error::from));
    let of_work =
        report()?.map(|report| Report { copies: Copies::default(), managed: report.managed.none(), ..report });
    *PENDING.lock().unwrap_or_else(PoisonError::into_inner) = match (before, of_work) {
        (Some(before), Some(of_work)) => Some(before.and(of_work)),
        (before, of_work) => before.or(of_work),
    };
    done
}

/// Returns the device memory that is still allocated and was not reported before, one finding for each activity that
/// allocated it. Empty on a GPU, and unless the leak check is on.
///
/// # Errors
/// As [`report`].
pub(crate) fn leaks() -> Result<Vec<Leak>> {
    let text = take("simt_leaks_json")?;
    let leaks = text.map(|text| Leaks::read(&text)).transpose();
    let leaks = leaks.map_err(|error| unreadable("list of leaks", &error))?;
    Ok(leaks.unwrap_or_default().findings)
}

fn unreadable(what: &str, why: &dyn std::fmt::Display) -> Error {
    Error::CannotRun(format!("the embedded machine's {what} cannot be read: {why}"))
}

/// Returns the text of the library's function of this name; `None` on a GPU.
fn take(name: &str) -> Result<Option<String>> {
    type Tell = unsafe extern "C" fn() -> *mut c_char;
    type Free = unsafe extern "C" fn(*mut c_char);
    if !driver::is_emulated() {
        return Ok(None);
    }
    let absent = |error: libloading::Error| unreadable(name, &error);
    // SAFETY: the functions have these types in the embedded library, which stays open; the text is freed by the
    // library that made it.
    unsafe {
        let library = cudarc::driver::sys::culib();
        let tell = library.get::<Tell>(name.as_bytes()).map_err(absent)?;
        let free = library.get::<Free>(b"simt_string_free").map_err(absent)?;
        let pointer = tell();
        if pointer.is_null() {
            return Err(unreadable(name, &"it returned nothing"));
        }
        let text = CStr::from_ptr(pointer).to_string_lossy().into_owned();
        free(pointer);
        Ok(Some(text))
    }
}
