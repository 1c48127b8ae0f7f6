//! `--predict`: the part for which times are predicted. It is the emulated part, since the launches depend on it.
use clap::ArgMatches;
use predict::GpuModel;

use crate::{
    device::choice::DeviceChoice,
    error::{Error, Result},
    options::common::Options,
};

/// Returns the device to run on, where `device` was requested: the part that `--predict` names, unless `--device` named
/// another device.
///
/// # Errors
/// A usage error if the requested part is not the emulated one.
pub fn predicted_device(predict: Option<&str>, device: DeviceChoice, matches: &ArgMatches) -> Result<DeviceChoice> {
    let Some(part) = predict else {
        return Ok(device);
    };
    let said = matches.get_raw("device").and_then(|mut said| said.next());
    let is_open = said.is_none_or(|said| said == "auto" || said == "emulated");
    match device {
        DeviceChoice::Emulated(profile) if !is_open && !part.is_empty() && profile != part => {
            Err(Error::usage(format!("--predict {part} needs --device emulated:{part}: {profile} has other launches")))
        }
        DeviceChoice::Auto | DeviceChoice::Emulated(_) if is_open && !part.is_empty() => {
            known(part)?;
            Ok(DeviceChoice::Emulated(part.into()))
        }
        device => Ok(device),
    }
}

/// Returns the part for which times are predicted from the counters of the open device, which emulates `profile`;
/// `None` without `--predict`, and on a GPU, which has no counters.
///
/// # Errors
/// A usage error when the constants of the emulated part are unknown.
pub fn predicted_part(predict: Option<&str>, profile: &str) -> Result<Option<GpuModel>> {
    match predict {
        Some(_) if !profile.is_empty() => known(profile).map(Some),
        _ => Ok(None),
    }
}

/// Returns the part for which a companion run predicts times, to be shown with those of this GPU; `None` without
/// `--predict`, and on the emulated device.
///
/// # Errors
/// A usage error when the GPU's constants are unknown, or another part is requested.
pub(crate) fn beside(options: &Options, profile: &str, gpu: &str) -> Result<Option<GpuModel>> {
    let Some(asked) = options.predict.as_deref().filter(|_| profile.is_empty()) else {
        return Ok(None);
    };
    match GpuModel::called(gpu) {
        Some(part) if asked.is_empty() || asked == part.name => Ok(Some(part)),
        Some(_) => Err(Error::usage(format!(
            "--predict {asked} is for another GPU than this {gpu}: leave --device out, and it is emulated"
        ))),
        None => Err(Error::usage(format!(
            "--predict: the constants of this {gpu} are not known; --device emulated:h200 predicts for another GPU"
        ))),
    }
}

fn known(name: &str) -> Result<GpuModel> {
    GpuModel::find(name)
        .map_err(|error| Error::usage(format!("--predict: {error}; name one of them, as in --predict=h200")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, FromArgMatches};

    fn options(words: &[&str]) -> Options {
        let command = Options::augment_args(clap::Command::new("x").no_binary_name(true));
        Options::from_arg_matches(&command.get_matches_from(words)).unwrap()
    }

    #[test]
    fn beside_a_gpu_its_own_times_are_predicted_and_no_others() {
        let asked = |words: &[&str], gpu: &str| beside(&options(words), "", gpu);
        let name = |part: Option<GpuModel>| part.map(|part| part.name);
        assert_eq!(name(asked(&["--predict"], "NVIDIA H200").unwrap()), Some("h200".into()));
        assert_eq!(name(asked(&["--predict", "h100"], "NVIDIA H100 80GB HBM3").unwrap()), Some("h100".into()));
        assert_eq!(name(asked(&[], "NVIDIA H200").unwrap()), None);
        let other = asked(&["--predict", "h100"], "NVIDIA H200").unwrap_err().to_string();
        assert!(other.contains("another GPU than this NVIDIA H200"), "{other}");
        let unknown = asked(&["--predict"], "Tesla T4").unwrap_err().to_string();
        assert!(unknown.contains("Tesla T4 are not known"), "{unknown}");
        // The emulated device has its own counters.
        assert_eq!(name(beside(&options(&["--predict"]), "h200", "NVIDIA H200").unwrap()), None);
        assert_eq!(predicted_part(Some(""), "").unwrap(), None);
        assert_eq!(name(predicted_part(Some(""), "h200").unwrap()), Some("h200".into()));
        let unknown = predicted_part(Some(""), "a100").unwrap_err().to_string();
        assert!(
            unknown.ends_with("there are those of h100 and h200; name one of them, as in --predict=h200"),
            "{unknown}"
        );
    }
}
