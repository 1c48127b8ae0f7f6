//! Checks from its header whether the device accepts a PTX text.

use crate::abi::error::{Error, Refused};
use crate::abi::versions::NEWEST_PTX;
use gpu::Part;

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
pub fn check(ptx: &str, profile: &Part) -> std::result::Result<(), Refused> {
    directive(ptx, ".target").map_or(Ok(()), |target| check_target(target, profile))
}

/// Checks that the part runs code for a target: for its compute capability or an older one (`sm_90`), for just its own
/// (`sm_90a`), or for an older one of its family (`sm_100f`, for those with the same major number).
///
/// # Errors
/// As for [`check`].
pub fn check_target(target: &str, profile: &Part) -> std::result::Result<(), Refused> {
    let Some(target) = target.strip_prefix("sm_") else {
        return Ok(());
    };
    let digits = target.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (major, minor) = profile.compute_capability;
    let here = major * 10 + minor;
    let wanted: u32 = digits.parse().unwrap_or(0);
    let (runs, only) = match &target[digits.len()..] {
        "" => (wanted <= here, String::new()),
        "f" => (wanted <= here && wanted / 10 == major, format!(", which only the family of sm_{wanted} runs")),
        _ => (wanted == here, format!(", which only sm_{wanted} runs")),
    };
    if runs {
        return Ok(());
    }
    let log = format!(
        "the PTX is for sm_{target}{only}, and the device is a {} (sm_{here}); compile with \
         --gpu-architecture=compute_{here} or older, or choose another part",
        profile.name
    );
    Err(Refused::new(Error::INVALID_PTX, log))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";

    #[test]
    fn newer_targets_are_refused_and_newer_versions_are_doubtful() {
        let here = Part::find("t4").unwrap();
        let refused = |ptx: &str| check(ptx, here).map_err(Error::from);
        assert_eq!(refused(PTX), Err(Error::INVALID_PTX));
        assert_eq!(refused(&PTX.replace("80", "75")), Ok(()));
        assert_eq!(refused(&PTX.replace("sm_80", "sm_70a")), Err(Error::INVALID_PTX));
        assert_eq!(doubt(&PTX.replace("7.8", "9.0")), None);
        assert!(doubt(&PTX.replace("7.8", "9.1")).is_some_and(|words| words.contains("PTX 9.1")));
    }

    #[test]
    fn specific_targets_run_on_their_own_part_or_family() {
        let runs = |target: &str, part: &str| check_target(target, Part::find(part).unwrap()).is_ok();
        for (target, part) in [
            ("sm_90", "b200"),
            ("sm_90a", "h200"),
            ("sm_100", "rtx5090"),
            ("sm_100a", "b200"),
            ("sm_100f", "b200"),
            ("sm_120a", "rtx5090"),
            ("sm_120f", "rtx5090"),
        ] {
            assert!(runs(target, part), "{target} on {part}");
        }
        for (target, part) in [
            ("sm_90a", "b200"),
            ("sm_100", "h200"),
            ("sm_100a", "rtx5090"),
            ("sm_100f", "rtx5090"),
            ("sm_121f", "rtx5090"),
            ("sm_103f", "b200"),
        ] {
            assert!(!runs(target, part), "{target} on {part}");
        }
        let said = |target: &str, part: &str| {
            check_target(target, Part::find(part).unwrap()).err().map(|refused| refused.log).unwrap_or_default()
        };
        assert!(said("sm_90a", "b200").contains("sm_90a, which only sm_90 runs"), "{}", said("sm_90a", "b200"));
        assert!(
            said("sm_100f", "rtx5090").contains("only the family of sm_100 runs"),
            "{}",
            said("sm_100f", "rtx5090")
        );
    }
}
