//! `warplab grade LAB SUBMISSION...`: points by a rubric, in one of several formats.
use std::{path::PathBuf, process::ExitCode};

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use course::{
    assignment::rubric::Rubric,
    export::{self, Format},
    judge::{BaselineCache, Grading, Progress, marks::marked::Marked},
};
use harness::{DeviceChoice, Error, Exit, Lab};

use super::task::{limit_total, limits};
use crate::{labs, shared::rubric_file};

const MARKS: &str = "Marks of submissions";

/// The options that apply only to marks.
pub fn arguments() -> [Arg; 4] {
    let option = |name: &'static str| Arg::new(name).long(name).conflicts_with("kernel").help_heading(MARKS);
    let formats = Format::NAMES.map(|(name, _)| name).join("|");
    [
        option("rubric")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("Your own rubric instead of the lab's, which `warplab rubric LAB` shows"),
        option("explain").action(ArgAction::SetTrue).help("Explain how each mark could be improved"),
        option("format")
            .value_name("FORMAT")
            .default_value("text")
            .default_value_if("json", "true", "json")
            .conflicts_with("json")
            .value_parser(value_parser!(Format))
            .help(format!("{formats}; the last two show one submission")),
        option("out")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("Write the marks to this file (atomically)"),
    ]
}

/// Marks each submission. The marks are the result, so low ones do not make the command fail.
pub fn run(matches: &ArgMatches, progress: Progress) -> Result<ExitCode, Error> {
    let lab = labs::named(matches)?;
    let submissions: Vec<&PathBuf> = matches.get_many("submissions").expect("given").collect();
    let format = *matches.get_one::<Format>("format").expect("default");
    if format.is_of_one() && submissions.len() > 1 {
        return Err(Error::usage("this format shows one submission: name only one, or choose text, json or junit"));
    }
    if let Some(absent) = submissions.iter().find(|path| !path.exists()) {
        return Err(Error::usage(format!("there is no submission {}", absent.display())));
    }
    let grading = Grading {
        lab,
        rubric: the_rubric(lab, matches)?,
        choice: device(matches)?,
        seed: matches.get_one("seed").copied(),
        schedules: *matches.get_one("schedules").expect("default"),
        limits: limits(matches),
        limit_total: limit_total(matches),
        baseline: BaselineCache::here(),
    };
    let mut all = Vec::new();
    for submission in submissions {
        all.push(grading.mark(submission, progress)?);
    }
    let text = format.render(&all, matches.get_flag("explain"))?;
    match matches.get_one::<PathBuf>("out") {
        Some(file) => export::file::write(file, &text)?,
        None if format == Format::Text => harness::print(&text),
        None => harness::print_data(&text),
    }
    let is_complete = all.iter().all(Marked::is_complete);
    Ok(if is_complete { Exit::Passed } else { Exit::CannotRun }.into())
}

/// The given rubric, or the lab's own.
fn the_rubric(lab: &'static Lab, matches: &ArgMatches) -> Result<Rubric, Error> {
    match matches.get_one::<PathBuf>("rubric") {
        Some(file) => Ok(rubric_file::read(file, lab)?.1),
        None => Rubric::own(rubric_file::assignment(lab)?, lab),
    }
}

/// The device, a GPU or the emulated device, in a form that the marks can name.
fn device(matches: &ArgMatches) -> Result<DeviceChoice, Error> {
    let choice = matches.get_one::<DeviceChoice>("device").expect("default").clone();
    match &choice {
        DeviceChoice::Auto => {
            Err(Error::usage("marks must not depend on the computer: name cuda:N or emulated[:PROFILE]"))
        }
        DeviceChoice::Emulated(profile) => harness::check_profile(profile).map(|()| choice),
        DeviceChoice::Cuda(_) => Ok(choice),
    }
}
