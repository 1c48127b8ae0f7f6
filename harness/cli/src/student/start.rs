//! `warplab start`: creates a student's folder for the assignment of a lab.
use std::{path::PathBuf, process::ExitCode};

use clap::{Arg, ArgMatches, Command, value_parser};
use course::{assignment::rubric::Rubric, student::start};
use harness::Error;

use crate::{labs, shared::rubric_file};

pub fn command() -> Command {
    Command::new("start")
        .about("Create a working folder with the exercises and the handout of a lab")
        .arg(Arg::new("lab").value_name("LAB").required(true).help("The lab"))
        .arg(
            Arg::new("folder")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("A new or empty folder [default: the lab's name]"),
        )
        .arg(
            Arg::new("rubric")
                .long("rubric")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("A rubric of your own in place of the lab's: exercises that it leaves out are handed out solved"),
        )
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let lab = labs::named(matches)?;
    let assignment = rubric_file::assignment(lab)?;
    let folder = matches.get_one::<PathBuf>("folder").cloned().unwrap_or_else(|| lab.name.into());
    let started = match matches.get_one::<PathBuf>("rubric") {
        Some(file) => {
            let (text, rubric) = rubric_file::read(file, lab)?;
            start::start(lab, assignment, &rubric, &text, &folder)?
        }
        None => start::start(lab, assignment, &Rubric::own(assignment, lab)?, assignment.rubric, &folder)?,
    };
    harness::print(&started);
    Ok(ExitCode::SUCCESS)
}
