//! Functions in addition to the driver API: the machine's report and its settings. A client looks them up by name.

use crate::abi::error::Error;
use crate::abi::pointers::text;
use crate::api::device::described;
use crate::api::image;
use crate::api::process;
use crate::state::device::call_site::during;
use crate::state::device::driver::configure;
use crate::state::device::interrupt::interrupt;
use crate::state::device::observer::{RefusedLaunch, panic_text};
use crate::state::device::settings::find_profile;
use crate::state::modules::assembled;
use crate::state::modules::link_text::bound_registers;
use crate::telemetry::error_queries::ERROR_QUERIES;
use crate::telemetry::failures;
use crate::telemetry::sources::know;
use crate::telemetry::stderr::somebody_reads;
use crate::telemetry::{leak, misuse, report, slow};
use gpu::Part;
use simt::finding::{Finding, FindingKind, Findings, Limit};
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};
use std::panic::catch_unwind;
use std::sync::OnceLock;
use wire::{Leak, Leaks, Report, SettingsPatch};

thread_local! {
    static ERROR: RefCell<CString> = RefCell::default();
}

fn owned(text: String) -> *mut c_char {
    CString::new(text.replace('\0', " ")).map_or(std::ptr::null_mut(), CString::into_raw)
}

/// Returns the version of this package.
#[unsafe(no_mangle)]
extern "C" fn simt_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Returns the names of the profiles, separated by commas.
#[unsafe(no_mangle)]
extern "C" fn simt_profiles() -> *const c_char {
    static NAMES: OnceLock<CString> = OnceLock::new();
    NAMES.get_or_init(|| CString::new(Part::names(",")).unwrap_or_default()).as_ptr()
}

/// Returns all launches, copies and findings since the last call, as JSON. Never null; `simt_string_free` frees it.
/// Work that is still running will be in the next report: synchronize first.
#[unsafe(no_mangle)]
extern "C" fn simt_report_json() -> *mut c_char {
    somebody_reads();
    let report = catch_unwind(report::take)
        .unwrap_or_else(|panic| Report { findings: report::told(&failed("report", &*panic)), ..Report::default() });
    owned(report.to_json())
}

/// Returns the currently allocated device memory that was not reported before, as JSON, for a client that has freed
/// everything that it intends to free: `findings` as in the report, each with the value of `during` at the time of the
/// allocation. Without `leakcheck` there are no findings. Never null; `simt_string_free` frees it.
#[unsafe(no_mangle)]
extern "C" fn simt_leaks_json() -> *mut c_char {
    somebody_reads();
    let leaks = catch_unwind(leak::take).unwrap_or_else(|panic| {
        let told = report::told(&failed("leaks", &*panic));
        let leaks = told.into_iter().map(|told| Leak { during: String::new(), rendered: told });
        Leaks { findings: leaks.collect(), ..Leaks::default() }
    });
    owned(leaks.to_json())
}

/// Records that a report could not be created, so that it does not look like one without findings.
fn failed(place: &str, panic: &(dyn Any + Send)) -> Findings {
    let what = format!("{place}: {}", panic_text(panic));
    let mut findings = Findings::default();
    findings.add(Finding::new(FindingKind::Internal { what }, ""));
    findings
}

/// Returns the current state of the device as JSON; `cuInit` need not have been called. Null if the environment names a
/// part that does not exist: `simt_last_error` then lists the valid ones. `simt_string_free` frees it.
#[unsafe(no_mangle)]
extern "C" fn simt_device_json() -> *mut c_char {
    match catch_unwind(described).unwrap_or_else(|_| Err("the machine failed".into())) {
        Ok(device) => owned(device.to_json()),
        Err(message) => {
            keep_error(&message);
            std::ptr::null_mut()
        }
    }
}

/// Frees a string of `simt_report_json`, `simt_leaks_json` or `simt_device_json`. Null is allowed.
#[unsafe(no_mangle)]
unsafe extern "C" fn simt_string_free(string: *mut c_char) {
    if !string.is_null() {
        // SAFETY: the caller passes a string that one of the functions above has returned.
        drop(unsafe { CString::from_raw(string) });
    }
}

/// Links parts, each of which is PTX or a fat binary that contains PTX, into one PTX text, whose kernels have at most
/// this number of registers, unless it is 0. Null, with a message in `simt_last_error`, if they cannot be linked;
/// `simt_string_free` frees it.
#[unsafe(no_mangle)]
unsafe extern "C" fn simt_link_ptx(
    parts: *const *const c_void,
    sizes: *const usize,
    count: usize,
    registers: c_uint,
) -> *mut c_char {
    let link = || {
        // SAFETY: the caller passes this number of parts and of sizes.
        let parts = (0..count).map(|i| unsafe { (*parts.add(i), *sizes.add(i)) });
        let texts = parts.map(|(part, size)| image::from_part(part, size).map(|part| part.text));
        image::linked(&texts.collect::<Result<Vec<_>, _>>()?)
    };
    match catch_unwind(link).map(|linked| linked.map_err(|refused| refused.log)) {
        Ok(Ok(linked)) if registers > 0 => owned(bound_registers(&linked.text, registers)),
        Ok(Ok(linked)) => owned(linked.text),
        failed => {
            keep_error(&failed.map_or_else(|_| "the machine failed".into(), |linked| linked.err().unwrap_or_default()));
            std::ptr::null_mut()
        }
    }
}

/// Stores a message for `simt_last_error`.
fn keep_error(message: &str) {
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    // The thread-local storage is gone in a destructor at the thread's end.
    let _ = ERROR.try_with(|error| error.replace(message));
}

fn apply(json: *const c_char) -> Result<(), String> {
    let json = text(json).map_err(|_| "no text is given".to_owned())?;
    let patch = SettingsPatch::read(&json)?;
    let profile = patch.profile.as_deref().map(find_profile).transpose()?;
    know(patch.sources.unwrap_or_default());
    assembled::know(patch.registers.unwrap_or_default());
    patch.host.unwrap_or_default().into_iter().for_each(|[from, to]| simt::memory::know_host(from..to));
    if let Some(what) = &patch.during {
        during(what);
    }
    if let Some(on) = patch.announce {
        slow::announce(on);
    }
    configure(profile, |settings| {
        settings.checks = patch.checks.unwrap_or(settings.checks);
        settings.counters = patch.counters.unwrap_or(settings.counters);
        settings.lines = patch.lines.unwrap_or(settings.lines);
        settings.costs = patch.costs.unwrap_or(settings.costs);
        settings.seed = patch.seed.unwrap_or(settings.seed);
        settings.budget = patch.budget.unwrap_or(settings.budget);
        settings.workers = patch.workers.unwrap_or(settings.workers);
    })
}

/// Changes settings for future launches: a JSON object with any of `profile` (before `cuInit`), `checks`, `counters`,
/// `lines`, `costs`, `seed`, `budget`, `workers`, `announce`, `during`, `sources`, `host`, `registers`.
/// Returns 0, or `CUDA_ERROR_INVALID_VALUE` with a message in `simt_last_error`.
#[unsafe(no_mangle)]
unsafe extern "C" fn simt_configure(json: *const c_char) -> c_int {
    match catch_unwind(|| apply(json)).unwrap_or_else(|_| Err("the machine failed".into())) {
        Ok(()) => 0,
        Err(message) => {
            keep_error(&message);
            Error::INVALID_VALUE.0
        }
    }
}

/// Stops the running launch and all later ones, for a program whose user has interrupted it. They leave
/// `CUDA_ERROR_LAUNCH_TIMEOUT`, as when a driver's watchdog ends a kernel. It may be called from any thread, and does
/// not block.
#[unsafe(no_mangle)]
extern "C" fn simt_interrupt() {
    interrupt();
}

/// Called by a runtime that keeps errors until the program asks for them: 0 means that it keeps the error of this
/// thread's last launch; any other number means that the program has asked.
#[unsafe(no_mangle)]
extern "C" fn simt_error_asked(asked: c_int) {
    if asked == 0 { ERROR_QUERIES.kept() } else { ERROR_QUERIES.asked() }
}

/// Called by a runtime: the program has launched a kernel of this name, of which it has no code for the device.
#[unsafe(no_mangle)]
unsafe extern "C" fn simt_kernel_missing(name: *const c_char) {
    let kernel = text(name).unwrap_or_default();
    misuse::refused(RefusedLaunch { kernel: &kernel, limit: Limit::Image, asked: 1, allowed: 0, remedy: None });
}

/// Called by what has loaded this library for a program that was started alone, where there is no GPU: `cuInit` then
/// says so.
#[unsafe(no_mangle)]
extern "C" fn simt_alone() {
    process::is_started_alone();
}

/// For a runtime: a call of the program has failed, by these words, with an error of this code. With null, that the
/// runtime will list such calls, so that the driver need not.
#[unsafe(no_mangle)]
unsafe extern "C" fn simt_call_failed(words: *const c_char, code: c_int) {
    match text(words) {
        Ok(words) => failures::list(&words, Error(code)),
        Err(_) => failures::leave_to_runtime(),
    }
}

/// Why this thread's last `simt_configure` or `simt_device_json` failed; valid until the next one.
#[unsafe(no_mangle)]
extern "C" fn simt_last_error() -> *const c_char {
    ERROR.try_with(|error| error.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}
