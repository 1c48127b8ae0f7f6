//! The driver itself: what `cuInit` makes, once a process, and the settings it reads.

use crate::abi::put;
use crate::context::{Context, Primary};
use crate::error::{Error, Result};
use crate::exit;
use crate::handles::Table;
use crate::memory::Owned;
use crate::pool::Pool;
use crate::report::Recorder;
use simt::machine::{Checks, Settings};
use simt::memory::Memory;
use simt::profile::{PROFILES, Profile};
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

/// What `cuDriverGetVersion` says: CUDA 12.9, whose PTX (8.8) the machine reads.
pub const VERSION: c_int = 12090;

/// The one device and all that belongs to it.
pub struct Driver {
    /// The part it stands for.
    pub profile: &'static Profile,
    /// Its memory.
    pub memory: Arc<Memory>,
    /// How launches are executed from now on.
    pub settings: RwLock<Settings>,
    /// Whether device memory that is never freed is a finding: `leakcheck`.
    pub leaks: AtomicBool,
    /// What was launched, copied and found.
    pub recorder: Recorder,
    /// All contexts by handle.
    pub contexts: Table<Context>,
    /// The primary context and who holds it.
    pub primary: Mutex<Primary>,
    /// What is known of each allocation beyond its place.
    pub owned: Mutex<BTreeMap<u64, Owned>>,
    /// The device's default pool, and the pool that `cuMemAllocAsync` takes from.
    pub pools: (Arc<Pool>, Mutex<Arc<Pool>>),
}

/// A lock that outlives a panic of another holder: what it guards is changed in single steps.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

static DRIVER: OnceLock<Driver> = OnceLock::new();
/// This process forked off one that had called `cuInit`.
static FORKED: AtomicBool = AtomicBool::new(false);

extern "C" fn forked_off() {
    FORKED.store(true, Ordering::Relaxed);
}

/// Settings that were configured before `cuInit`.
static EARLY: Mutex<Early> = Mutex::new(Early {
    profile: None,
    settings: None,
    leaks: None,
});

struct Early {
    profile: Option<&'static Profile>,
    settings: Option<Settings>,
    leaks: Option<bool>,
}

/// The driver.
///
/// # Errors
/// `CUDA_ERROR_NOT_INITIALIZED` before `cuInit`, and in a process that forked off after it: a device is not inherited, and
/// clients rely on being told so.
pub fn driver() -> Result<&'static Driver> {
    if FORKED.load(Ordering::Relaxed) {
        return Err(Error::NOT_INITIALIZED);
    }
    DRIVER.get().ok_or(Error::NOT_INITIALIZED)
}

impl Driver {
    /// How launches are executed now.
    pub fn settings(&self) -> Settings {
        self.settings
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

fn init(flags: u32) -> Result {
    if flags != 0 {
        return Err(Error::INVALID_VALUE);
    }
    let mut early = lock(&EARLY);
    if DRIVER.get().is_some() {
        return driver().map(drop);
    }
    let profile = match early.profile {
        Some(profile) => profile,
        None => profile_from_environment().map_err(|message| {
            eprintln!("emulated CUDA driver: {message}");
            Error::NO_DEVICE
        })?,
    };
    let settings = match early.settings.take() {
        Some(settings) => settings,
        None => settings_from_environment().map_err(|message| {
            eprintln!("emulated CUDA driver: {message}");
            Error::INVALID_VALUE
        })?,
    };
    let leaks = early.leaks.unwrap_or_else(leaks_from_environment);
    let memory = Memory::new(profile.total_memory).map_err(|error| {
        eprintln!(
            "emulated CUDA driver: cannot reserve addresses for {} bytes: {error}",
            profile.total_memory
        );
        Error::OUT_OF_MEMORY
    })?;
    memory.track_writes(settings.checks.init);
    let pool = Pool::default_pool();
    let current = Mutex::new(Arc::clone(&pool));
    let made = DRIVER.set(Driver {
        profile,
        memory: Arc::new(memory),
        settings: RwLock::new(settings),
        leaks: AtomicBool::new(leaks),
        recorder: Recorder::default(),
        contexts: Table::new(),
        primary: Mutex::default(),
        owned: Mutex::default(),
        pools: (pool, current),
    });
    debug_assert!(made.is_ok(), "initialised under a lock");
    exit::register();
    // SAFETY: the function lives as long as this library, which stays loaded.
    let rc = unsafe { libc::pthread_atfork(None, None, Some(forked_off)) };
    debug_assert_eq!(rc, 0, "no room for a handler of forks");
    Ok(())
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The profile of that name, or words that list the names there are.
pub fn find_profile(name: &str) -> std::result::Result<&'static Profile, String> {
    Profile::find(name).ok_or_else(|| {
        let names: Vec<_> = PROFILES.iter().map(|profile| profile.name).collect();
        format!(
            "no profile is called `{name}`; there are {}",
            names.join(", ")
        )
    })
}

fn profile_from_environment() -> std::result::Result<&'static Profile, String> {
    match variable("WARPLAB_PROFILE") {
        Some(name) => find_profile(&name).map_err(|message| format!("WARPLAB_PROFILE: {message}")),
        None => Ok(Profile::default_profile()),
    }
}

fn settings_from_environment() -> std::result::Result<Settings, String> {
    let mut settings = Settings::default();
    if let Some(checks) = variable("WARPLAB_CHECKS") {
        settings.checks =
            parse_checks(&checks).map_err(|message| format!("WARPLAB_CHECKS: {message}"))?;
    }
    let number = |name: &str| -> std::result::Result<Option<u64>, String> {
        let Some(text) = variable(name) else {
            return Ok(None);
        };
        text.trim()
            .parse()
            .map(Some)
            .map_err(|_| format!("{name}: `{text}` is not a whole number"))
    };
    settings.seed = number("WARPLAB_SEED")?.unwrap_or(settings.seed);
    settings.budget = number("WARPLAB_BUDGET")?.unwrap_or(settings.budget);
    settings.workers =
        number("WARPLAB_WORKERS")?.map_or(settings.workers, |workers| workers as usize);
    Ok(settings)
}

/// Whether `WARPLAB_CHECKS` asks for `leakcheck`; what it names wrongly is found with the other settings.
fn leaks_from_environment() -> bool {
    variable("WARPLAB_CHECKS").is_some_and(|text| parse_leaks(&text))
}

/// Whether the last word of a list of checks that concerns leaks asks for them.
pub fn parse_leaks(text: &str) -> bool {
    let words = text.split(',').map(str::trim);
    words.fold(false, |leaks, word| match word {
        "all" | "leakcheck" => true,
        "none" => false,
        _ => leaks,
    })
}

/// `all`, `none`, or some of memcheck, racecheck, initcheck, synccheck and leakcheck with commas between them. The last one is
/// the driver's own affair ([`parse_leaks`]).
pub fn parse_checks(text: &str) -> std::result::Result<Checks, String> {
    let mut checks = Checks::NONE;
    for word in text
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
    {
        match word {
            "all" => checks = Checks::ALL,
            "none" => checks = Checks::NONE,
            "memcheck" => checks.memory = true,
            "racecheck" => checks.race = true,
            "initcheck" => checks.init = true,
            "synccheck" => checks.sync = true,
            "leakcheck" => {}
            _ => {
                let known = "memcheck, racecheck, initcheck, synccheck, leakcheck, all, none";
                return Err(format!("no check is called `{word}`; there are {known}"));
            }
        }
    }
    Ok(checks)
}

/// Changes the profile (before `cuInit` only) and the settings (from the next launch on).
pub fn configure(
    profile: Option<&'static Profile>,
    leaks: Option<bool>,
    change: impl FnOnce(&mut Settings),
) -> std::result::Result<(), String> {
    let mut early = lock(&EARLY);
    if let Some(driver) = DRIVER.get() {
        if profile.is_some_and(|profile| profile.name != driver.profile.name) {
            return Err(format!(
                "the device is a {} already: choose the profile before cuInit",
                driver.profile.name
            ));
        }
        let mut settings = driver
            .settings
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        change(&mut settings);
        if let Some(leaks) = leaks {
            driver.leaks.store(leaks, Ordering::Relaxed);
        }
        driver.memory.track_writes(settings.checks.init);
    } else {
        early.profile = profile.or(early.profile);
        early.leaks = leaks.or(early.leaks);
        if early.settings.is_none() {
            early.settings = Some(settings_from_environment()?);
        }
        change(early.settings.as_mut().expect("set above"));
    }
    Ok(())
}

fn version(out: *mut c_int) -> Result {
    put(out, VERSION)
}

entry_points! {
    cuInit(flags: u32) = init;
    cuDriverGetVersion(version: *mut c_int) = version;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_named_as_sanitizers_name_them() {
        assert_eq!(parse_checks("all"), Ok(Checks::ALL));
        assert_eq!(
            parse_checks("memcheck, synccheck").map(|c| (c.memory, c.race, c.sync)),
            Ok((true, false, true))
        );
        assert_eq!(parse_checks(""), Ok(Checks::NONE));
        assert!(parse_leaks("all") && parse_leaks("memcheck, leakcheck"));
        assert!(!parse_leaks("memcheck") && !parse_leaks("all,none") && !parse_leaks(""));
        assert!(parse_checks("memchek").unwrap_err().contains("racecheck"));
    }

    #[test]
    fn an_unknown_profile_is_answered_with_the_known_ones() {
        assert!(find_profile("gtx9000").unwrap_err().contains("rtx4090"));
        assert_eq!(find_profile("T4").unwrap().name, "t4");
    }
}
