//! Settings that stay the same from a class's first run to its last, so that all students are marked alike.
use std::{
    fs,
    path::{Path, PathBuf},
};

use harness::{Error, Lab, Result, process_limits::Limits};
use serde::{Deserialize, Serialize};

use crate::{assignment::rubric::Rubric, export::file, judge::sizes};

/// The content of `class.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassSettings {
    /// The lab.
    pub lab: String,
    /// The seed of the inputs and of the hidden sizes, shared by all submissions.
    pub seed: u64,
    /// Orders of warps and blocks to try.
    pub schedules: u32,
    /// The device, as `--device` names it.
    pub device: String,
    /// The most seconds of a run.
    pub limit_seconds: u64,
    /// The most bytes of memory of a run.
    pub limit_memory: u64,
    /// The most bytes that a run prints.
    pub limit_output: u64,
    /// The most seconds of all runs of a submission together, if limited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_total: Option<u64>,
}

/// The settings given on the command line; the others keep their earlier or default values.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)] // As in `Settings`.
pub struct RequestedSettings {
    pub seed: Option<u64>,
    pub schedules: Option<u32>,
    pub device: Option<String>,
    pub limit_seconds: Option<u64>,
    pub limit_memory: Option<u64>,
    pub limit_output: Option<u64>,
    pub limit_total: Option<u64>,
}

impl ClassSettings {
    /// Returns the settings of the class in `out`; the first run writes them there.
    ///
    /// # Errors
    /// [`Error::Usage`] when `asked` differs from the class's first settings; [`Error::Io`].
    pub fn read_or_create(out: &Path, lab: &Lab, asked: &RequestedSettings) -> Result<Self> {
        let path = out.join("class.json");
        let Some(text) = read(&path)? else {
            let begun = Self::new(lab, asked);
            fs::create_dir_all(out).map_err(|source| Error::Io { action: "create", path: out.into(), source })?;
            file::write(&path, &serde_json::to_string_pretty(&begun).unwrap_or_default())?;
            return Ok(begun);
        };
        let known: Self = serde_json::from_str(&text).map_err(|error| {
            let path = path.display();
            Error::usage(format!("{path} is damaged ({error}): remove it to grade all submissions again"))
        })?;
        known.agrees(lab, asked).map_err(|what| {
            let out = out.display();
            Error::usage(format!("{what}, and all of a class must be graded alike: name another --out than {out}"))
        })?;
        Ok(known)
    }

    fn new(lab: &Lab, asked: &RequestedSettings) -> Self {
        Self {
            lab: lab.name.into(),
            seed: asked.seed.unwrap_or_else(sizes::fresh_seed),
            schedules: asked.schedules.unwrap_or(5),
            device: asked.device.clone().unwrap_or_else(|| format!("emulated:{}", harness::JUDGE_PROFILE)),
            limit_seconds: asked.limit_seconds.unwrap_or(60),
            limit_memory: asked.limit_memory.unwrap_or(3 << 30),
            limit_output: asked.limit_output.unwrap_or(64 << 20),
            limit_total: asked.limit_total,
        }
    }

    fn agrees(&self, lab: &Lab, asked: &RequestedSettings) -> Result<(), String> {
        let differs = |what: &str, was: &str, is: Option<String>| match is {
            Some(is) if is != was => Err(format!("this class was begun with {what} {was}, not {is}")),
            _ => Ok(()),
        };
        differs("lab", &self.lab, Some(lab.name.into()))?;
        differs("--seed", &self.seed.to_string(), asked.seed.map(|n| n.to_string()))?;
        differs("--schedules", &self.schedules.to_string(), asked.schedules.map(|n| n.to_string()))?;
        differs("--device", &self.device, asked.device.clone())?;
        differs("--limit-seconds", &self.limit_seconds.to_string(), asked.limit_seconds.map(|n| n.to_string()))?;
        differs("--limit-memory", &self.limit_memory.to_string(), asked.limit_memory.map(|n| n.to_string()))?;
        differs("--limit-output", &self.limit_output.to_string(), asked.limit_output.map(|n| n.to_string()))?;
        let total = self.limit_total.map_or("none".into(), |n| n.to_string());
        differs("--limit-total", &total, asked.limit_total.map(|n| n.to_string()))
    }

    /// The limits of each run.
    pub fn limits(&self) -> Limits {
        Limits { seconds: self.limit_seconds, memory: self.limit_memory, output: self.limit_output }
    }
}

/// The rubric of the class in `out`: from `file` if given, else the one that is there, else the lab's. It is left there
/// for the next run, and for a teacher to edit.
///
/// # Errors
/// [`Error::Usage`] with each mistake in it; [`Error::Io`].
pub fn rubric(out: &Path, lab: &'static Lab, file: Option<&Path>) -> Result<Rubric> {
    let kept = out.join("rubric.toml");
    let wanted: PathBuf = file.map_or_else(|| kept.clone(), Path::to_path_buf);
    let text = match (read(&wanted)?, file) {
        (Some(text), _) => text,
        (None, Some(file)) => return Err(Error::usage(format!("there is no rubric {}", file.display()))),
        (None, None) => match &lab.assignment {
            Some(assignment) => assignment.rubric.to_string(),
            None => return Err(Error::usage(format!("{} has no assignment: give it a --rubric", lab.name))),
        },
    };
    let rubric = Rubric::of_file(&wanted, &text, lab)?;
    if read(&kept)?.as_deref() != Some(&text) {
        file::write(&kept, text.trim_end())?;
    }
    Ok(rubric)
}

/// The text of a file, if it exists.
///
/// # Errors
/// [`Error::Io`] when it exists but cannot be read.
pub fn read(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Io { action: "read", path: path.into(), source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_run_decides_and_a_later_one_may_not_ask_for_something_else() {
        let out = tempfile::tempdir().unwrap();
        let lab = Lab { name: "lab", ..Lab::DEFAULT };
        let first = ClassSettings::read_or_create(
            out.path(),
            &lab,
            &RequestedSettings { schedules: Some(2), ..RequestedSettings::default() },
        )
        .unwrap();
        assert_eq!((first.schedules, first.limit_seconds), (2, 60));
        assert_eq!(ClassSettings::read_or_create(out.path(), &lab, &RequestedSettings::default()).unwrap(), first);
        let same = RequestedSettings { seed: Some(first.seed), ..RequestedSettings::default() };
        assert_eq!(ClassSettings::read_or_create(out.path(), &lab, &same).unwrap(), first);
        for (asked, words) in [
            (RequestedSettings { seed: Some(first.seed + 1), ..RequestedSettings::default() }, "--seed"),
            (RequestedSettings { schedules: Some(5), ..RequestedSettings::default() }, "--schedules 2, not 5"),
            (RequestedSettings { device: Some("cuda:0".into()), ..RequestedSettings::default() }, "--device"),
            (RequestedSettings { limit_memory: Some(1), ..RequestedSettings::default() }, "--limit-memory"),
            (RequestedSettings { limit_total: Some(1), ..RequestedSettings::default() }, "--limit-total none, not 1"),
        ] {
            let error = ClassSettings::read_or_create(out.path(), &lab, &asked).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("--out"), "{error}");
        }
        fs::write(out.path().join("class.json"), "{").unwrap();
        assert!(
            ClassSettings::read_or_create(out.path(), &lab, &RequestedSettings::default())
                .unwrap_err()
                .to_string()
                .contains("damaged")
        );
    }
}
