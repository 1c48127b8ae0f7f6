//! What the embedded machine reports beside the driver API: counters of each launch, and findings.
//!
//! The report is read into [`wire`]'s types, through functions found by name in the opened library. A GPU's driver does
//! not have these functions, and the report is then empty.
use std::{
    ffi::{CStr, CString, c_char, c_int},
    sync::{Mutex, PoisonError},
};

use wire::{
    Copies, Launch, Leak, Leaks, Managed, Report, Told, Wishes,
    counters::{Counters, Totals},
};

use crate::{
    device::driver,
    error::{Error, Result},
};

/// Everything that the machine reported of a case; empty on a GPU.
#[derive(Debug, Clone, Default)]
pub struct MachineReport {
    /// The launches, in order.
    pub launches: Vec<Launch>,
    /// What its checks found.
    pub findings: Vec<Told>,
    /// What was copied and filled.
    pub copies: Copies,
    /// Managed memory that moved.
    pub managed: Managed,
    /// Whether the machine counted.
    pub is_counted: bool,
}

impl MachineReport {
    /// The counters of all launches.
    pub fn counters(&self) -> impl Iterator<Item = &Counters> {
        self.launches.iter().map(|launch| &launch.counters)
    }

    /// A counter summed over all launches.
    pub fn total(&self, of: impl Fn(&Totals) -> u64) -> u64 {
        self.counters().map(|counters| of(&counters.totals)).sum()
    }

    /// Adds a later report.
    pub(crate) fn extend(&mut self, later: Report) {
        self.launches.extend(later.launches);
        self.findings.extend(later.findings);
        self.copies.add(&later.copies);
        self.managed.add(&later.managed);
        self.is_counted = later.settings.counters;
    }
}

/// Changes the machine's settings from now on; does nothing on a GPU.
pub(crate) fn configure(wishes: &Wishes) {
    type Configure = unsafe extern "C" fn(*const c_char) -> c_int;
    if !driver::is_emulated() {
        return;
    }
    let Ok(json) = CString::new(wishes.to_json()) else {
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

/// Ends the kernel under way and those from now on; does nothing on a GPU, where only the end of the process does that.
/// Returns whether there is such a machine.
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

/// What was taken of the machine's reports, and not given yet to who asks for the next one.
static PENDING: Mutex<Option<Report>> = Mutex::new(None);

/// Takes the machine's report since the last one; `None` on a GPU.
///
/// # Errors
/// When it cannot be read. It may hold a finding, so that it must not be dropped silently.
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

/// Does work for all rows, such as bringing an input to the device that they share: what it copies is charged to no
/// row. What was found meanwhile stays in the report.
///
/// # Errors
/// Those of `work` and of [`report`].
pub(crate) fn charged_to_no_row<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let before = report()?;
    let done = work();
    let of_work =
        report()?.map(|report| Report { copies: Copies::default(), managed: report.managed.none(), ..report });
    *PENDING.lock().unwrap_or_else(PoisonError::into_inner) = match (before, of_work) {
        (Some(before), Some(of_work)) => Some(before.and(of_work)),
        (before, of_work) => before.or(of_work),
    };
    done
}

/// The device memory that is still allocated and was not reported before, one finding for each activity under which it
/// was allocated. Empty unless leaks are looked for, and on a GPU.
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

/// The text that the library's function of this name returns; `None` on a GPU.
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
