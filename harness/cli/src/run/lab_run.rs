//! `warplab run`: runs labs, as the labs' own programs do.
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Arg, ArgAction, ArgMatches, Command};
use harness::{Error, Exit, Lab, Labs, Process};

use super::report;
use crate::labs;

/// The command line. It has the options of the lab that `arguments` names, if they name exactly one.
pub fn command(arguments: &[OsString]) -> Command {
    of_named(&only_lab(arguments))
}

fn of_named(named: &Named) -> Command {
    let only = named.only;
    let about = only.map_or_else(
        || "Run labs: check their answers, time them, write CSVs".to_string(),
        |lab| format!("Run {}: {}", lab.name, lab.summary),
    );
    let command = Command::new("run").about(about).arg(
        Arg::new("labs")
            .value_name("LAB")
            .action(if named.lends_positions() { ArgAction::Set } else { ArgAction::Append })
            .help(format!("Labs to run, or all [there are: {}]", labs::names().join(", "))),
    );
    let command = harness::with_options(command, only);
    match only {
        Some(lab) => command.after_help(harness::variants_help(lab)),
        None => command.after_help(format!(
            "Name one lab to see its own options: warplab run LAB --help\n\n{}",
            harness::paragraphs(&Exit::codes())
        )),
    }
}

/// The positional arguments after `run`.
#[derive(Debug, Default)]
struct Named {
    /// The lab, if there is exactly one.
    only: Option<&'static Lab>,
    /// Whether all others are numbers.
    only_numbers: bool,
}

impl Named {
    /// Whether positional arguments go to the lab: `warplab run hello 2 5`. A word that is neither a lab nor a number
    /// is more likely a mistyped lab.
    fn lends_positions(&self) -> bool {
        self.only_numbers && self.only.is_some_and(|lab| (lab.options)().iter().any(Arg::is_positional))
    }
}

/// Parses the positional arguments after `run`.
fn only_lab(argv: &[OsString]) -> Named {
    let mut after = argv.iter().skip_while(|a| *a != "run").skip(1);
    let mut named: Vec<&'static Lab> = Vec::new();
    let mut only_numbers = true;
    while let Some(argument) = after.next() {
        let text = argument.to_string_lossy();
        // The value of an option may be the name of a lab: `--out vecadd`.
        if text.starts_with('-') && !text.contains('=') && takes_value(&text) {
            after.next();
        } else if text == "all" {
            return Named::default();
        } else if let Some(lab) = found(&text).filter(|lab| named.iter().all(|known| known.name != lab.name)) {
            named.push(lab);
        } else if !text.starts_with('-') {
            // `1.5` is a number too; the option's own parser rejects it because it is not an integer.
            only_numbers &= text.starts_with(|c: char| c.is_ascii_digit());
        }
    }
    match named.as_slice() {
        [lab] => Named { only: Some(lab), only_numbers },
        _ => Named::default(),
    }
}

/// The lab of this name, or of the problem in this file.
fn found(name: &str) -> Option<&'static Lab> {
    if !name.ends_with(problem::ENDING) {
        return labs::find(name);
    }
    // An error is reported when the lab runs.
    problem::open(Path::new(name)).ok().map(problem::Problem::lab)
}

/// Whether an option, a common one or that of any lab, is followed by its value.
fn takes_value(option: &str) -> bool {
    let command = harness::with_options(Command::new("run"), None);
    let name = option.trim_start_matches('-');
    let own = labs::LABS.iter().flat_map(|lab| (lab.options)());
    let mut all = command.get_arguments().cloned().chain(own);
    all.any(|a| {
        let is_its_own = a.is_require_equals_set() || a.get_num_args().is_some_and(|given| given.min_values() == 0);
        (a.get_long() == Some(name) || a.get_short().is_some_and(|s| name.len() == 1 && name.starts_with(s)))
            && a.get_action().takes_values()
            && !is_its_own
    })
}

pub fn run(matches: &ArgMatches, process: Process) -> Result<ExitCode, Error> {
    let names: Vec<&String> = matches.get_many("labs").map(Iterator::collect).unwrap_or_default();
    if names.is_empty() {
        return Err(Error::usage(format!("name a lab to run, or all; there are: {}", labs::names().join(", "))));
    }
    let mut chosen: Vec<&'static Lab> = Vec::new();
    let is_all = names.iter().any(|name| *name == "all");
    for name in names.into_iter().filter(|name| *name != "all") {
        let lab =
            if name.ends_with(problem::ENDING) { problem::open(Path::new(name))?.lab() } else { labs::known(name)? };
        if !chosen.iter().any(|l| l.name == lab.name) {
            chosen.push(lab);
        }
    }
    if !matches.get_flag("quiet") && matches.get_one::<PathBuf>("kernel").is_none() {
        labs::tell_whose_kernels(&chosen);
    }
    let chosen = if is_all { Labs::All(labs::LABS) } else { Labs::Named(&chosen) };
    Ok(harness::run_labs(chosen, matches, process, Some(report::write_page)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(words: &[&str]) -> Option<&'static str> {
        let argv: Vec<OsString> = words.iter().map(OsString::from).collect();
        only_lab(&argv).only.map(|l| l.name)
    }

    #[test]
    fn the_only_lab_named_lends_its_options() {
        assert_eq!(only(&["warplab", "run", "vecadd", "--n", "4"]), Some("vecadd"));
        assert_eq!(only(&["warplab", "run", "--out", "vecadd"]), None);
        assert_eq!(only(&["warplab", "run", "-q", "vecadd"]), Some("vecadd"));
        assert_eq!(only(&["warplab", "run", "all", "vecadd"]), None);
        // A lab that is named twice is one lab, and a file may have a lab's name.
        assert_eq!(only(&["warplab", "run", "vecadd", "vecadd"]), Some("vecadd"));
        assert_eq!(only(&["warplab", "run", "vecadd", "--input", "hello"]), Some("vecadd"));
        assert_eq!(only(&["warplab", "run", "--hot", "vecadd"]), Some("vecadd"));
        assert_eq!(only(&["warplab", "run", "vecadd", "hello"]), None);
    }

    #[test]
    fn what_a_lab_ignores_is_there() {
        for lab in labs::LABS {
            assert_eq!(lab.unknown_in_ignored(), [""; 0], "{}", lab.name);
        }
    }

    #[test]
    fn no_column_has_two_meanings() {
        for lab in labs::LABS {
            let mut names: Vec<&str> = lab.all_columns().all().map(|c| c.name).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}", lab.name);
        }
    }

    #[test]
    fn every_command_line_is_well_formed() {
        for lab in labs::LABS {
            for only_numbers in [false, true] {
                of_named(&Named { only: Some(lab), only_numbers }).debug_assert();
            }
            harness::command(lab).debug_assert();
        }
    }
}
