//! `--predict`: for which part times are predicted. The part is the one that is emulated, since the launches depend on
//! it.
use clap::ArgMatches;
use predict::Part;

use crate::{
    device::choice::DeviceChoice,
    error::{Error, Result},
    lab::options::Options,
};

/// The device for which the options ask, which is the part of `--predict` unless another was named.
///
/// # Errors
/// A usage error for a GPU, or for another part than the one that is to be emulated.
pub(crate) fn device(options: &Options, matches: &ArgMatches) -> Result<DeviceChoice> {
    let device = || options.device.clone();
    let Some(part) = options.predict.as_deref() else {
        return Ok(device());
    };
    let said = matches.get_raw("device").and_then(|mut said| said.next());
    let is_open = said.is_none_or(|said| said == "auto" || said == "emulated");
    match device() {
        DeviceChoice::Cuda(_) => {
            Err(Error::usage("--predict works on the emulated device only; leave --device out, or write emulated"))
        }
        DeviceChoice::Emulated(profile) if !is_open && !part.is_empty() && profile != part => Err(Error::usage(
            format!("--predict {part} goes with --device emulated:{part}: the launches of {profile} are others"),
        )),
        DeviceChoice::Auto | DeviceChoice::Emulated(_) if is_open && !part.is_empty() => {
            known(part)?;
            Ok(DeviceChoice::Emulated(part.into()))
        }
        device => Ok(device),
    }
}

/// The part for which times are predicted, once the device is open; `None` without `--predict`.
///
/// # Errors
/// A usage error when the device is a GPU or a part whose constants are not known.
pub(crate) fn part(options: &Options, profile: &str) -> Result<Option<Part>> {
    match &options.predict {
        None => Ok(None),
        Some(_) if profile.is_empty() => {
            Err(Error::usage("--predict works on the emulated device only: add --device emulated:h200"))
        }
        Some(_) => known(profile).map(Some),
    }
}

fn known(name: &str) -> Result<Part> {
    Part::find(name).map_err(|error| Error::usage(format!("--predict: {error}")))
}
