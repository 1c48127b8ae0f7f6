//! Whether the device accepts a PTX text, judged by its header.

use crate::abi::error::{Error, Refused};
use crate::abi::versions::NEWEST_PTX;
use simt::profile::Profile;

/// A directive's argument: what follows it up to the next space or comma.
fn directive<'a>(ptx: &'a str, name: &str) -> Option<&'a str> {
    ptx.lines().map(str::trim).filter(|line| !line.starts_with("//")).find_map(|line| {
        let rest = line.strip_prefix(name)?.trim_start();
        rest.split([' ', '\t', ',', '/']).next().filter(|word| !word.is_empty())
    })
}

/// Checks that the device accepts this PTX: its version must not be newer than the driver, and its target not newer
/// than the part.
///
/// # Errors
/// The driver's code, and an explanation.
pub fn check(ptx: &str, profile: &Profile) -> std::result::Result<(), Refused> {
    let version = directive(ptx, ".version").and_then(|text| {
        let (major, minor) = text.split_once('.')?;
        Some(major.parse::<u32>().ok()? * 10 + minor.parse::<u32>().ok()?)
    });
    if let Some(version) = version.filter(|version| *version > NEWEST_PTX) {
        let (major, minor) = (version / 10, version % 10);
        let log = format!(
            "PTX {major}.{minor} is newer than this driver, which reads up to {}.{} (CUDA 12.9); compile with an older toolkit",
            NEWEST_PTX / 10,
            NEWEST_PTX % 10
        );
        return Err(Refused::new(Error::UNSUPPORTED_PTX_VERSION, log));
    }
    let Some(target) = directive(ptx, ".target").and_then(|text| text.strip_prefix("sm_")) else {
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
    fn newer_targets_and_versions_are_refused() {
        let here = Profile::find("t4").unwrap();
        let refused = |ptx: &str| check(ptx, here).map_err(Error::from);
        assert_eq!(refused(PTX), Err(Error::INVALID_PTX));
        assert_eq!(refused(&PTX.replace("80", "75")), Ok(()));
        assert_eq!(refused(&PTX.replace("sm_80", "sm_70a")), Err(Error::INVALID_PTX));
        assert_eq!(refused(&PTX.replace("7.8", "9.0")), Err(Error::UNSUPPORTED_PTX_VERSION));
    }
}
