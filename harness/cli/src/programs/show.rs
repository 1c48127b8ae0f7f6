//! `warplab show`: a recorded launch as a page.
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Arg, ArgMatches, Command, value_parser};
use harness::Error;

use crate::shared::{output_options::to_file, recording_file};

const MORE: &str = "\
The page is one file that needs no network: it can be sent, linked from a handout, or shown in a lecture. Its help lists \
the keys.

Example:
  warplab record -o run.wlr hello.cu
  warplab show run.wlr                              writes run.html";

pub fn command() -> Command {
    Command::new("show")
        .about("Make a page of a recording, in which a launch is stepped through")
        .arg(
            Arg::new("recording")
                .value_name("RECORDING")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The file that `warplab record` wrote"),
        )
        .arg(
            Arg::new("out").long("out").short('o').value_name("FILE").value_parser(value_parser!(PathBuf)).help(
                "The file to write [default: that of the recording, with the extension html]; - for standard output",
            ),
        )
        .after_help(MORE)
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let file: &PathBuf = matches.get_one("recording").expect("required");
    let (recording, _) = recording_file::read("show", file)?;
    let out = matches.get_one::<PathBuf>("out").cloned().unwrap_or_else(|| file.with_extension("html"));
    let text = ::report::page::of_recording(&recording);
    if out == Path::new("-") {
        harness::print_data(text.trim_end());
        return Ok(ExitCode::SUCCESS);
    }
    to_file(&out, &text)?;
    harness::print(&out.display().to_string());
    Ok(ExitCode::SUCCESS)
}
