//! Checks from its header whether the device accepts a PTX text.

use crate::abi::error::{Error, Refused};
use crate::abi::versions::NEWEST_PTX;
use simt::profile::Profile;

/// Returns a directive's argument: the text up to the next space or comma.
fn directive<'a>(ptx: &'a str, name: &str) -> Option<&'a str> {
    ptx.lines().map(str::trim).filter(|line| !line.starts_with("//")).find_map(|line| {
        let rest = line.strip_prefix(name)?.trim_start();
        rest.split([' ', '\t', ',', '/']).next().filter(|word| !word.is_empty())
    })
}

/// Returns a warning about this PTX: its version is newer than the driver's, so its instructions may be unknown.
pub fn doubt(ptx: &str) -> Option<String> {
    let (major, minor) = directive(ptx, ".version")?.split_once('.')?;
    let (major, minor) = (major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?);
    (major * 10 + minor > NEWEST_PTX).then(|| {
        format!(
            "PTX {major}.{minor} is newer than {}.{}, the newest that this driver supports; it is loaded anyway",
            NEWEST_PTX / 10,
            NEWEST_PTX % 10
        )
    })
}

/// Checks the text of this PTX: its target must not be newer than the part.
///
/// # Errors
/// The driver's code, and an explanation.
pub fn check(ptx: &str, profile: &Profile) -> std::result::Result<(), Refused> {
    directive(ptx, ".target").map_or(Ok(()), |target| check_target(target, profile))
}

/// Checks that a target is not newer than the part.
///
/// # Errors
/// As for [`check`].
pub fn check_target(target: &str, profile: &Profile) -> std::result::Result<(), Refused> {
    let Some(target) = target.strip_prefix("sm_") else {
        return Ok(());
    };
    let digits = target.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (major, minor) = profile.compute_capability;
    let here = major * 10 + minor;
    let wanted: u32 = digits.parse().unwrap_or(0);
    let specific = digits.len() != target.len();
    if wanted > here || specific && wanted != here {
        let log = format!(
            "the PTX is for sm_{target}, the device is a {} (sm_{here}); compile with --gpu-architecture=compute_{here} or older, \
             or choose a newer profile",
            profile.name
        );
        return Err(Refused::new(Error::INVALID_PTX, log));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";

    #[test]
    fn newer_targets_are_refused_and_newer_versions_are_doubtful() {
        let here = Profile::find("t4").unwrap();
        let refused = |ptx: &str| check(ptx, here).map_err(Error::from);
        assert_eq!(refused(PTX), Err(Error::INVALID_PTX));
        assert_eq!(refused(&PTX.replace("80", "75")), Ok(()));
        assert_eq!(refused(&PTX.replace("sm_80", "sm_70a")), Err(Error::INVALID_PTX));
        assert_eq!(doubt(&PTX.replace("7.8", "9.0")), None);
        assert!(doubt(&PTX.replace("7.8", "9.1")).is_some_and(|words| words.contains("PTX 9.1")));
    }
}
