//! The wheels that `warplab setup` installs: the table `pins.toml`.
use std::{collections::BTreeMap, fs, path::Path};

use harness::Error;
use serde::Deserialize;

/// All tools.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pins {
    #[serde(rename = "tool")]
    tools: Vec<Tool>,
}

/// Wheels that are installed together, into one folder.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The name of its folder in the toolbox.
    pub name: String,
    /// A description.
    pub what: String,
    /// Further names of files and folders in it.
    #[serde(rename = "link", default)]
    pub links: Vec<Link>,
    #[serde(rename = "wheel")]
    wheels: Vec<OnPyPi>,
}

/// A further name for a file or folder of a tool.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The path of the link, from the tool's folder.
    pub name: String,
    /// The link's target, relative to the folder of the link.
    pub to: String,
}

/// A package on PyPI, with a wheel for each kind of computer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct OnPyPi {
    package: String,
    version: String,
    keep: Vec<String>,
    platform: BTreeMap<String, File>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    file: String,
    sha256: String,
}

/// A wheel for this kind of computer.
#[derive(Debug, Clone)]
pub struct Wheel {
    /// The package's name on PyPI.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The wheel's file name.
    pub file: String,
    /// The SHA-256 of the wheel, in lower-case hexadecimal.
    pub sha256: String,
    /// The prefixes of the paths in it that are kept.
    pub keep: Vec<String>,
}

impl Tool {
    /// The tool `name` of `file`, or else of warplab's own table.
    ///
    /// # Errors
    /// [`Error::Usage`] when the file is not such a table, or lacks the tool.
    pub fn named(name: &str, file: Option<&Path>) -> Result<Self, Error> {
        let (text, place) = match file {
            None => (include_str!("pins.toml").to_string(), "pins.toml".to_string()),
            Some(file) => {
                let io = |source| Error::Io { action: "read", path: file.into(), source };
                (fs::read_to_string(file).map_err(io)?, file.display().to_string())
            }
        };
        let pins: Pins = toml::from_str(&text).map_err(|error| Error::usage(format!("{place}: {error}")))?;
        let found = pins.tools.into_iter().find(|tool| tool.name == name);
        found.ok_or_else(|| Error::usage(format!("{place} has no tool `{name}`")))
    }

    /// Its wheels for `platform`, such as `linux-x86_64`.
    ///
    /// # Errors
    /// [`Error::CannotRun`] when NVIDIA has none.
    pub fn wheels(&self, platform: &str) -> Result<Vec<Wheel>, Error> {
        let wheel = |on: &OnPyPi| {
            let file = on.platform.get(platform)?;
            Some(Wheel {
                package: on.package.clone(),
                version: on.version.clone(),
                file: file.file.clone(),
                sha256: file.sha256.clone(),
                keep: on.keep.clone(),
            })
        };
        self.wheels.iter().map(wheel).collect::<Option<_>>().ok_or_else(|| {
            Error::CannotRun(format!(
                "NVIDIA has no {} for {platform}; the folder .devcontainer of warplab describes a container for Linux that \
                 has it",
                self.what
            ))
        })
    }
}

/// The kind of this computer, as `pins.toml` names it.
pub fn platform() -> String {
    format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The extras of the Python package bring what `warplab setup` brings.
    #[test]
    fn the_wheel_s_extras_are_these_packages() {
        #[derive(Deserialize)]
        struct Manifest {
            project: Project,
        }
        #[derive(Deserialize)]
        struct Project {
            #[serde(rename = "optional-dependencies")]
            extras: BTreeMap<String, Vec<String>>,
        }
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../python/pyproject.toml");
        let extras = toml::from_str::<Manifest>(&fs::read_to_string(path).unwrap()).unwrap().project.extras;
        for (name, extra) in extras {
            let tool = Tool::named(&name, None).unwrap();
            let pinned: Vec<String> = tool.wheels.iter().map(|on| format!("{}=={}", on.package, on.version)).collect();
            assert_eq!(extra, pinned, "{name}");
        }
    }

    #[test]
    fn every_platform_has_every_wheel_of_its_version() {
        let tool = Tool::named("nvrtc", None).unwrap();
        let nvcc = Tool::named("nvcc", None).unwrap();
        let ptxas = Tool::named("ptxas", None).unwrap();
        let all = [
            (&tool, "linux-x86_64", 4),
            (&tool, "linux-aarch64", 4),
            (&tool, "windows-x86_64", 4),
            (&nvcc, "linux-x86_64", 10),
            (&nvcc, "linux-aarch64", 10),
            (&ptxas, "linux-x86_64", 2),
            (&ptxas, "linux-aarch64", 2),
            (&ptxas, "windows-x86_64", 2),
        ];
        for (tool, platform, count) in all {
            let wheels = tool.wheels(platform).unwrap();
            assert_eq!(wheels.len(), count);
            for wheel in wheels {
                let name = format!("{}-{}-", wheel.package.replace('-', "_"), wheel.version);
                assert!(wheel.file.starts_with(&name), "{wheel:?}");
                let machine = if platform.ends_with("aarch64") { "_aarch64.whl" } else { "64.whl" };
                assert!(wheel.file.ends_with(machine), "{wheel:?}");
                assert!(wheel.sha256.len() == 64 && wheel.sha256.bytes().all(|byte| byte.is_ascii_hexdigit()));
            }
        }
        let none = tool.wheels("macos-aarch64").unwrap_err().to_string();
        assert!(none.contains("macos-aarch64") && none.contains(".devcontainer"), "{none}");
    }
}
