//! Settings from the environment: `WARPLAB_PROFILE`, `WARPLAB_CHECKS`, `WARPLAB_LINES`, `WARPLAB_COSTS`,
//! `WARPLAB_SEED`, `WARPLAB_BUDGET`, `WARPLAB_WORKERS`, `WARPLAB_KEEP_GOING`.
//!
//! They are read only here; the machine itself reads no variables. `WARPLAB_WORKERS=0`, like an unset variable, means
//! one thread for each processor of the host.

use gpu::Part;
use std::sync::OnceLock;
use wire::Settings;

/// Returns a variable's value; unset and empty are equivalent.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The profile of that name.
///
/// # Errors
/// A message that lists the names that exist.
pub fn find_profile(name: &str) -> Result<&'static Part, String> {
    Part::find(name).ok_or_else(|| format!("no part is called `{name}`; there are {}", Part::names(", ")))
}

/// Returns the profile that `WARPLAB_PROFILE` names, or the default one.
///
/// # Errors
/// A message that names the variable and says what is wrong with it.
pub fn profile_from_environment() -> Result<&'static Part, String> {
    match variable("WARPLAB_PROFILE") {
        Some(name) => find_profile(&name).map_err(|message| format!("WARPLAB_PROFILE: {message}")),
        None => Ok(Part::default_part()),
    }
}

/// Returns the settings of the environment.
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
    settings.keep_going = variable("WARPLAB_KEEP_GOING").is_some();
    settings.seed = number("WARPLAB_SEED")?.unwrap_or(settings.seed);
    settings.budget = number("WARPLAB_BUDGET")?.unwrap_or(settings.budget);
    settings.workers = number("WARPLAB_WORKERS")?.map_or(settings.workers, |workers| workers as usize);
    Ok(settings)
}

/// Returns whether `CUDA_VISIBLE_DEVICES` allows a program to see the device with this UUID. The devices in the list
/// are visible up to the first that does not exist.
pub fn is_visible(list: Option<&str>, uuid: [u8; 16]) -> bool {
    let Some(first) = list.map(|list| list.split(',').next().unwrap_or_default().trim()) else {
        return true;
    };
    match first.strip_prefix("GPU-") {
        Some(start) => !start.is_empty() && uuid_text(uuid).starts_with(&start.to_ascii_lowercase()),
        None => first.parse() == Ok(0_u32),
    }
}

/// Returns the UUID, which is derived from the profile's name, so it is the same in every process.
pub fn uuid_of(profile: &Part) -> [u8; 16] {
    let mut bytes = *b"emulated\0\0\0\0\0\0\0\0";
    let name = profile.name.as_bytes();
    let len = name.len().min(8);
    bytes[8..8 + len].copy_from_slice(&name[..len]);
    bytes
}

/// Returns a UUID in the format of `nvidia-smi -L`, without `GPU-`.
fn uuid_text(uuid: [u8; 16]) -> String {
    let hex = uuid.map(|byte| format!("{byte:02x}")).concat();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// Returns the reason why the device is hidden from a program, if it is.
pub fn hidden(uuid: [u8; 16]) -> Option<String> {
    let list = std::env::var_os("CUDA_VISIBLE_DEVICES")?.to_string_lossy().into_owned();
    let hides = !is_visible(Some(&list), uuid);
    hides.then(|| format!("CUDA_VISIBLE_DEVICES=\"{list}\" hides the only device; unset it, or set it to 0"))
}

/// Returns whether launches return only when the kernel has ended, with its error: `CUDA_LAUNCH_BLOCKING`.
pub fn is_blocking() -> bool {
    static BLOCKING: OnceLock<bool> = OnceLock::new();
    *BLOCKING.get_or_init(|| variable("CUDA_LAUNCH_BLOCKING").is_some_and(|value| number_of(&value) != 0))
}

/// Returns whether modules report that they are loaded on first use: `CUDA_MODULE_LOADING`.
pub fn is_lazy() -> bool {
    variable("CUDA_MODULE_LOADING").is_some_and(|value| value.eq_ignore_ascii_case("LAZY"))
}

/// Returns the number at the start of a text, as `atoi` parses it.
fn number_of(text: &str) -> u64 {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_visible_unless_the_list_begins_with_another() {
        let uuid = *b"emulateda100\0\0\0\0";
        let visible = |list| is_visible(Some(list), uuid);
        assert!(is_visible(None, uuid));
        for list in ["0", "0,1", " 0 ,3", "GPU-656d756c", "GPU-656D756C-6174-6564-6131-303000000000,1"] {
            assert!(visible(list), "{list}");
        }
        for list in ["", "-1", "3", "1,0", "NoDevFiles", "GPU-", "GPU-12", "MIG-656d756c"] {
            assert!(!visible(list), "{list}");
        }
    }

    #[test]
    fn a_number_is_read_as_c_reads_it() {
        assert_eq!(["1", " 2x", "0", "yes", ""].map(number_of), [1, 2, 0, 0, 0]);
    }

    #[test]
    fn an_unknown_profile_is_answered_with_the_known_ones() {
        assert!(find_profile("gtx9000").unwrap_err().contains("rtx4090"));
        assert_eq!(find_profile("T4").unwrap().name, "t4");
    }
}
