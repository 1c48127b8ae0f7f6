//! The output of a run for other programs: lines of JSON (`--json`), and a folder that `warplab report` reads
//! (`--out`).
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use harness::{Device, DeviceChoice, Error, ProgramRun, ProgramSettings, keep_program};
use wire::printable;

use super::process::{ExecSettings, ProgramResult};
use crate::shared::output_options::to_file;

/// The requested files.
#[derive(Debug, Default)]
pub struct RequestedOutput {
    json: Option<PathBuf>,
    folder: Option<PathBuf>,
    /// Whether these files are the only output, along with the program's own.
    pub quiet: bool,
}

/// The options.
pub fn options() -> [Arg; 3] {
    [
        Arg::new("json").long("json").value_name("FILE").value_parser(value_parser!(PathBuf)).help(
            "Write a line of JSON for each launch, and one for the program, to FILE, or to standard output for -; \
             reports/schemas has the schema",
        ),
        Arg::new("out")
            .long("out")
            .value_name("DIR")
            .value_parser(value_parser!(PathBuf))
            .help("Write the run to this folder; `warplab report DIR` makes a page of it"),
        Arg::new("quiet")
            .long("quiet")
            .action(ArgAction::SetTrue)
            .requires("json")
            .help("Show neither findings nor tables, which the file of --json has"),
    ]
}

impl RequestedOutput {
    /// Reads the options from `matches`.
    pub fn from_matches(matches: &ArgMatches) -> Self {
        let path = |name| matches.get_one::<PathBuf>(name).cloned();
        Self { json: path("json"), folder: path("out"), quiet: matches.get_flag("quiet") }
    }

    /// Asks for a folder only.
    pub fn in_folder(folder: PathBuf) -> Self {
        Self { folder: Some(folder), ..Self::default() }
    }

    /// Writes the files of a program that has ended.
    ///
    /// # Errors
    /// [`Error::Io`] when they cannot be written; errors while querying the device.
    pub fn write(
        &self,
        words: &[&OsString],
        device: &Device,
        choice: &DeviceChoice,
        settings: &ExecSettings,
        ended: ProgramResult,
    ) -> Result<(), Error> {
        if self.json.is_none() && self.folder.is_none() {
            return Ok(());
        }
        let code = ended.code;
        let mut run = ProgramRun {
            words: words.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
            device: match device {
                Device::Gpu(number) => format!("cuda:{number}"),
                Device::Emulated(profile) => format!("emulated:{profile}"),
            },
            exit_code: ended.own,
            seconds: ended.seconds,
            processes: ended.processes,
            part: settings.part.clone(),
        };
        run.name_processes();
        if let Some(file) = &self.json {
            let lines = run.json_lines(code, settings.counters);
            if file == Path::new("-") {
                harness::print_data(&printable::json(lines.trim_end()));
            } else {
                to_file(file, &lines)?;
            }
        }
        if let Some(folder) = &self.folder {
            let asked = ProgramSettings { checks: settings.checks, schedules: settings.schedules };
            keep_program(&run, choice, &asked, folder)?;
        }
        Ok(())
    }
}
