//! `warplab driver`: writes the embedded machine as a `libcuda`, for programs other than the labs.
use std::{fs, path::PathBuf, process::ExitCode};

use clap::{Arg, ArgMatches, Command, value_parser};
use harness::Error;

pub fn command() -> Command {
    Command::new("driver")
        .about("Write the embedded machine as libcuda.so.1, so that other CUDA programs run on it")
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("DIR")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("Folder for libcuda.so.1 and libcuda.so; made if need be"),
        )
        .after_help("Then: LD_LIBRARY_PATH=DIR PROGRAM")
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let folder = matches.get_one::<PathBuf>("out").expect("clap requires it");
    let written = fs::create_dir_all(folder).and_then(|()| {
        // Programs link with the first name; those that look for the driver themselves try the second.
        fs::write(folder.join("libcuda.so.1"), harness::machine_library())?;
        fs::write(folder.join("libcuda.so"), harness::machine_library())
    });
    written.map_err(|error| {
        Error::usage(format!(
            "--out {}: cannot write the driver there: {error}",
            folder.display()
        ))
    })?;
    harness::print(&format!(
        "{0}/libcuda.so.1 and {0}/libcuda.so are written; run a program on the emulated device with\n  LD_LIBRARY_PATH={0} PROGRAM",
        folder.display()
    ));
    Ok(ExitCode::SUCCESS)
}
