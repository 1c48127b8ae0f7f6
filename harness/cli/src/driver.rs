//! `warplab driver`: the embedded machine as a `libcuda` for programs other than the labs. The command writes it to a
//! folder, or runs one program on it, as `warplab exec --device emulated` does.
use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use clap::{Arg, ArgMatches, Command, value_parser};
use harness::{DeviceChoice, Error};

use crate::{exec, libraries};

const MORE: &str = "\
With a program, this is `warplab exec --device emulated`, whose help lists the exit codes.

Examples:
  warplab driver --check all -- python3 mine.py     run a program on the emulated device
  warplab driver --out DIR                          then: LD_LIBRARY_PATH=DIR PROGRAM";

pub fn command() -> Command {
    let watching = exec::with_watching(Command::new("driver"));
    ["device", "check", "counters", "hot", "predict", "schedules", "timeout", "keep-going"]
        .into_iter()
        .fold(watching, |command, option| command.mut_arg(option, |arg| arg.requires("program")))
        .about("Run another CUDA program on the embedded machine, or write the machine as libcuda.so.1")
        .arg(
            Arg::new("program")
                .value_name("PROGRAM")
                .num_args(1..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .value_parser(value_parser!(OsString))
                .help("The program to run, and its arguments"),
        )
        .arg(Arg::new("out").long("out").value_name("DIR").value_parser(value_parser!(PathBuf)).help(
            "Write libcuda.so.1, libcuda.so, CUDA's runtime, libcudart.so.13 and .12, and NVML, libnvidia-ml.so.1, to \
                     this folder, which is created if needed",
        ))
        .after_help(MORE)
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let out = matches.get_one::<PathBuf>("out");
    if let Some(folder) = out {
        libraries::write_machine(folder).map_err(|error| {
            Error::usage(format!("--out {}: cannot write the driver there: {error}", folder.display()))
        })?;
    }
    if matches.get_many::<OsString>("program").is_some() {
        return exec::run_on(
            &choice(matches)?,
            matches,
            out.map(PathBuf::as_path),
            &exec::RequestedOutput::default(),
            &command(),
        );
    }
    let Some(folder) = out else {
        return Err(Error::usage("name a program to run on the emulated device, or a folder for the driver by --out"));
    };
    harness::print(&format!(
        "{0}/libcuda.so.1 and {0}/libcuda.so are written; run a program on the emulated device with\n  LD_LIBRARY_PATH={0} PROGRAM",
        folder.display()
    ));
    Ok(ExitCode::SUCCESS)
}

/// The requested emulated device.
fn choice(matches: &ArgMatches) -> Result<DeviceChoice, Error> {
    match matches.get_one::<DeviceChoice>("device") {
        None => "emulated".parse().map_err(Error::usage),
        Some(emulated @ DeviceChoice::Emulated(_)) => Ok(emulated.clone()),
        Some(other) => Err(Error::usage(format!(
            "driver only supports the emulated device, not --device {other}; use `warplab exec` to run a program on a GPU"
        ))),
    }
}
