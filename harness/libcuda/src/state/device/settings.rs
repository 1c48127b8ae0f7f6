//! Settings from the environment: `WARPLAB_PROFILE`, `WARPLAB_CHECKS`, `WARPLAB_LINES`, `WARPLAB_COSTS`,
//! `WARPLAB_SEED`, `WARPLAB_BUDGET`, `WARPLAB_WORKERS`.
//!
//! They are read only here; the machine itself reads no variables. `WARPLAB_WORKERS=0`, like no value, means one thread
//! for each processor of the host.

use simt::profile::{PROFILES, Profile};
use wire::Settings;

/// A variable's value; unset and empty are the same.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The profile of that name.
///
/// # Errors
/// A message that lists the names that exist.
pub fn find_profile(name: &str) -> Result<&'static Profile, String> {
    Profile::find(name).ok_or_else(|| {
        let names: Vec<_> = PROFILES.iter().map(|profile| profile.name).collect();
        format!("no profile is called `{name}`; there are {}", names.join(", "))
    })
}

/// The profile that `WARPLAB_PROFILE` names, or the usual one.
///
/// # Errors
/// A message that names the variable and says what is wrong with it.
pub fn profile_from_environment() -> Result<&'static Profile, String> {
    match variable("WARPLAB_PROFILE") {
        Some(name) => find_profile(&name).map_err(|message| format!("WARPLAB_PROFILE: {message}")),
        None => Ok(Profile::default_profile()),
    }
}

/// The settings that the environment asks for.
///
/// # Errors
/// A message that names the variable and says what is wrong with it.
pub fn settings_from_environment() -> Result<Settings, String> {
    let mut settings = Settings::default();
    if let Some(checks) = variable("WARPLAB_CHECKS") {
        settings.checks = checks.parse().map_err(|error| format!("WARPLAB_CHECKS: {error}"))?;
    }
    let number = |name: &str| -> Result<Option<u64>, String> {
        let Some(text) = variable(name) else {
            return Ok(None);
        };
        text.trim().parse().map(Some).map_err(|_| format!("{name}: `{text}` is not a whole number"))
    };
    settings.lines = variable("WARPLAB_LINES").is_some();
    settings.costs = variable("WARPLAB_COSTS").is_some();
    settings.seed = number("WARPLAB_SEED")?.unwrap_or(settings.seed);
    settings.budget = number("WARPLAB_BUDGET")?.unwrap_or(settings.budget);
    settings.workers = number("WARPLAB_WORKERS")?.map_or(settings.workers, |workers| workers as usize);
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_profile_is_answered_with_the_known_ones() {
        assert!(find_profile("gtx9000").unwrap_err().contains("rtx4090"));
        assert_eq!(find_profile("T4").unwrap().name, "t4");
    }
}
