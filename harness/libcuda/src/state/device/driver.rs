//! The driver itself, with its single device. `cuInit` creates it, once per process.

use super::observer::Observer;
use super::settings::{hidden, profile_from_environment, settings_from_environment, uuid_of};
use super::sync::lock;
use crate::abi::error::{Error, Refused, Result};
use gpu::Part;
use simt::memory::Memory;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use wire::Settings;

/// The device, and the settings of its launches.
pub struct Driver {
    /// The emulated part.
    pub profile: &'static Part,
    /// Its memory.
    pub memory: Arc<Memory>,
    /// The settings of future launches.
    settings: RwLock<Settings>,
    /// The observer that receives all events.
    observer: &'static dyn Observer,
}

static DRIVER: OnceLock<Driver> = OnceLock::new();
/// Whether this process was forked from one that had called `cuInit`.
static FORKED: AtomicBool = AtomicBool::new(false);

/// Settings that were configured before `cuInit`. Its lock also ensures that only one thread creates the driver.
static EARLY: Mutex<Early> = Mutex::new(Early { profile: None, settings: None });

struct Early {
    profile: Option<&'static Part>,
    settings: Option<Settings>,
}

/// Returns the driver.
///
/// # Errors
/// `CUDA_ERROR_NOT_INITIALIZED` before `cuInit`, and in a process that was forked after it: a device is not inherited,
/// and clients rely on this error.
pub fn driver() -> Result<&'static Driver> {
    if FORKED.load(Ordering::Relaxed) {
        return Err(Error::NOT_INITIALIZED);
    }
    DRIVER.get().ok_or(Error::NOT_INITIALIZED)
}

/// Removes the device from this process, which was forked from one that had called `cuInit`.
pub fn forked_off() {
    FORKED.store(true, Ordering::Relaxed);
}

/// Returns the part that the device emulates, or will emulate once `cuInit` is called.
///
/// # Errors
/// A message, if the environment names a part that does not exist.
pub fn part() -> std::result::Result<&'static Part, String> {
    let early = lock(&EARLY).profile;
    match DRIVER.get().map(|driver| driver.profile).or(early) {
        Some(profile) => Ok(profile),
        None => profile_from_environment(),
    }
}

/// Notifies the observer of an event, if there is a driver.
pub fn tell(event: impl FnOnce(&dyn Observer)) {
    if let Ok(driver) = driver() {
        event(driver.observer);
    }
}

/// Returns whether the leak check is on: `leakcheck`.
pub fn leaks_wanted() -> bool {
    driver().is_ok_and(|driver| driver.settings().checks.leaks)
}

impl Driver {
    /// Returns the current settings of launches.
    pub fn settings(&self) -> Settings {
        self.settings.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Creates the driver on the first call. `started` runs on that call only, before any other thread can return from this
/// function.
///
/// # Errors
/// If the environment's settings are invalid.
pub fn init(observer: &'static dyn Observer, started: impl FnOnce()) -> std::result::Result<(), Refused> {
    let mut early = lock(&EARLY);
    if DRIVER.get().is_some() {
        return driver().map(drop).map_err(|error| Refused::new(error, ""));
    }
    let profile = match early.profile {
        Some(profile) => profile,
        // A client that selects a part explicitly gets that one; all others see the devices that CUDA's own variable
        // allows.
        None => {
            let profile = profile_from_environment().map_err(|message| Refused::new(Error::NO_DEVICE, message))?;
            if let Some(message) = hidden(uuid_of(profile)) {
                return Err(Refused::new(Error::NO_DEVICE, message));
            }
            profile
        }
    };
    let settings = match early.settings.take() {
        Some(settings) => settings,
        None => settings_from_environment().map_err(|message| Refused::new(Error::INVALID_VALUE, message))?,
    };
    let memory = Memory::new(profile.total_memory);
    memory.track_writes(settings.checks.init);
    let made = DRIVER.set(Driver { profile, memory: Arc::new(memory), settings: RwLock::new(settings), observer });
    debug_assert!(made.is_ok(), "initialised under a lock");
    started();
    Ok(())
}

/// Changes the profile (before `cuInit` only) and the settings (from the next launch on).
///
/// # Errors
/// A message that says why the profile can no longer be changed, or what is wrong with the environment.
pub fn configure(
    profile: Option<&'static Part>,
    change: impl FnOnce(&mut Settings),
) -> std::result::Result<(), String> {
    let mut early = lock(&EARLY);
    if let Some(driver) = DRIVER.get() {
        if profile.is_some_and(|profile| profile.name != driver.profile.name) {
            return Err(format!("the device is a {} already: choose the profile before cuInit", driver.profile.name));
        }
        let mut settings = driver.settings.write().unwrap_or_else(PoisonError::into_inner);
        change(&mut settings);
        driver.memory.track_writes(settings.checks.init);
    } else {
        early.profile = profile.or(early.profile);
        if early.settings.is_none() {
            early.settings = Some(settings_from_environment()?);
        }
        change(early.settings.as_mut().expect("set above"));
    }
    Ok(())
}
