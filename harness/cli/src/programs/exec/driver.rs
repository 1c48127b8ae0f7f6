//! `warplab driver`: `warplab exec --device emulated`, whose libraries the user may keep in a folder for programs that
//! are started without `warplab`.
use std::{path::PathBuf, process::ExitCode};

use clap::{Arg, ArgMatches, Command, value_parser};
use harness::{DeviceChoice, Error};

use super::{Request, RequestedOutput, options};
use crate::programs::libraries;

const MORE: &str = "\
With a program, this is `warplab exec --device emulated`, whose help lists the exit codes.

Examples:
  warplab driver --check all -- python3 mine.py     run a program on the emulated device
  warplab driver --out DIR                          then: LD_LIBRARY_PATH=DIR PROGRAM";

pub fn command() -> Command {
    Command::new("driver")
        .about("Run another CUDA program on the embedded machine, or write the machine as libcuda.so.1")
        .args(options::watching().map(|option| option.requires("program")))
        .arg(options::program("The program to run, and its arguments"))
        .arg(Arg::new("out").long("out").value_name("DIR").value_parser(value_parser!(PathBuf)).help(
            "Write libcuda.so.1, libcuda.so, CUDA's runtime, libcudart.so.13 and .12, NVML, libnvidia-ml.so.1, and \
                     libwarplab-jit-audit.so to this folder, which is created if needed",
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
    if matches.contains_id("program") {
        let request = Request {
            command: command(),
            choice: choice(matches)?,
            of_nvcc: Vec::new(),
            libraries: out.map(PathBuf::as_path),
            output: RequestedOutput::default(),
        };
        return request.run(matches);
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
