//! `warplab check-run`: checks the folder of a run for what no run may show. For those who change warplab.
use std::{path::PathBuf, process::ExitCode};

use clap::{Arg, ArgMatches, Command, value_parser};
use harness::{Error, Exit};
use record::{Run, problems};

pub fn command() -> Command {
    Command::new("check-run")
        .hide(true)
        .about("Check the folder of a run: every row is present, valid and explained")
        .arg(Arg::new("folder").value_name("DIR").required(true).value_parser(value_parser!(PathBuf)))
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let folder: &PathBuf = matches.get_one("folder").expect("clap asks for it");
    let run = Run::read(folder)?;
    for lab in &run.labs {
        harness::print(&format!("{}: {} rows", lab.lab, lab.rows.len()));
    }
    let wrong = problems(&run);
    if wrong.is_empty() {
        return Ok(Exit::Passed.into());
    }
    harness::print_error(&wrong.join("\n"));
    Ok(Exit::Wrong.into())
}
