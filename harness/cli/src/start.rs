//! `warplab start`: a student's folder for the assignment of a lab.
use std::{path::PathBuf, process::ExitCode};

use clap::{Arg, ArgMatches, Command, value_parser};
use course::student::start;
use harness::Error;

use crate::{labs, rubric};

pub fn command() -> Command {
    Command::new("start")
        .about("Write a folder in which a lab's assignment is solved: what is to be done, and the handout")
        .arg(Arg::new("lab").value_name("LAB").required(true).help("The lab"))
        .arg(
            Arg::new("folder")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("A new or empty folder [default: the lab's name]"),
        )
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let lab = labs::named(matches)?;
    let assignment = rubric::assignment(lab)?;
    let folder = matches.get_one::<PathBuf>("folder").cloned().unwrap_or_else(|| lab.name.into());
    let started = start::start(lab, assignment, &folder)?;
    harness::print(&started);
    Ok(ExitCode::SUCCESS)
}
