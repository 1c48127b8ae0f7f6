//! `warplab rubric`: the rubric of a lab's assignment, and the check of a changed one.
use std::{path::PathBuf, process::ExitCode};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use course::{assignment::rubric::Rubric, judge};
use harness::Error;

use crate::{
    labs,
    shared::rubric_file::{assignment, read},
};

/// The note that says where the omitted hints are.
const WITHOUT_HINTS: &str = "
# Each part has hints: `warplab check --hint` gives one at a time in a student's folder, and `warplab rubric LAB --hints`
# shows all of them to a teacher. A part without `hints` has those of the lab.
";

pub fn command() -> Command {
    Command::new("rubric")
        .about("Show what a lab's assignment asks for and what it is worth, or check a changed rubric")
        .arg(Arg::new("lab").value_name("LAB").required(true).help("The lab"))
        .arg(
            Arg::new("check")
                .long("check")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Check this rubric against the lab, and say what is wrong with it"),
        )
        .arg(
            Arg::new("hints").long("hints").action(ArgAction::SetTrue).conflicts_with("check").help(
                "With all hints, for teachers: the last ones are the solutions. `warplab check --hint` gives one",
            ),
        )
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let lab = labs::named(matches)?;
    let Some(file) = matches.get_one::<PathBuf>("check") else {
        let assignment = assignment(lab)?;
        let own = Rubric::own(assignment, lab)?;
        let text = own.with_lab(assignment.rubric, lab);
        let text = if matches.get_flag("hints") { text } else { own.without_own_hints(&text) + WITHOUT_HINTS };
        harness::print_data(text.trim_end());
        return Ok(ExitCode::SUCCESS);
    };
    let (_, rubric) = read(file, lab)?;
    let shown = file.display();
    let tried = judge::fit(lab, &rubric)?;
    if !tried.mistakes.is_empty() {
        let each: Vec<String> = tried.mistakes.iter().map(|mistake| format!("{shown}: {mistake}")).collect();
        return Err(Error::usage(each.join("\n")));
    }
    tried.notes.iter().for_each(|note| harness::print(&harness::paragraphs(note)));
    let parts = match rubric.exercises.len() {
        1 => "1 part".into(),
        several => format!("{several} parts"),
    };
    harness::print(&format!("{shown}: {parts}, {} points in all", rubric.points()));
    Ok(ExitCode::SUCCESS)
}
