//! The options that `exec` and `driver` share: the device, what is checked and shown, and the program.
use std::{
    ffi::{OsStr, OsString},
    time::Duration,
};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use harness::{DeviceChoice, Error, suggest};
use wire::Checks;

use super::process::ExecSettings;

/// The options for the device, and for what is checked and shown.
pub fn watching() -> [Arg; 8] {
    [
        Arg::new("device")
            .long("device")
            .value_name("DEVICE")
            .value_parser(value_parser!(DeviceChoice))
            .help("auto, cuda:N or emulated[:PROFILE]"),
        Arg::new("check").long("check").value_name("CHECKS").value_parser(harness::parse_checks).help(
            "memcheck, racecheck, initcheck, synccheck, leakcheck, strict (racecheck with stores of one value; \
                     several with commas), all or none [default: memcheck]",
        ),
        Arg::new("counters")
            .long("counters")
            .action(ArgAction::SetTrue)
            .help("Show what was counted of each kernel: instructions, divergence, sectors, bank conflicts, atomics"),
        Arg::new("hot")
            .long("hot")
            .value_name("LINES")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("10")
            .value_parser(harness::parse_lines)
            .help("Show the LINES lines of the source that cost the most [default: 10]"),
        Arg::new("predict")
            .long("predict")
            .value_name("PART")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("")
            .help(
                "Predict the time and the bottleneck of each kernel on PART (h100, h200; default: the emulated \
                     GPU), which is then emulated",
            ),
        Arg::new("schedules")
            .long("schedules")
            .value_name("COUNT")
            .value_parser(harness::parse_schedules)
            .help("Run the program under COUNT orders of warps and blocks, and report the findings of all of them"),
        Arg::new("timeout")
            .long("timeout")
            .value_name("TIME")
            .value_parser(harness::parse_time)
            .help("End the program after TIME (seconds, or 2min), and say where its kernel was; the exit code is 124"),
        Arg::new("keep-going").long("keep-going").action(ArgAction::SetTrue).help(
            "Let a kernel go on after an access outside of all allocations, as a GPU may: it reads zero, or its value \
             is lost, and it is reported once",
        ),
    ]
}

/// The program to run, and its arguments.
pub fn program(help: &'static str) -> Arg {
    Arg::new("program")
        .value_name("PROGRAM")
        .num_args(1..)
        .trailing_var_arg(true)
        .allow_hyphen_values(true)
        .value_parser(value_parser!(OsString))
        .help(help)
}

/// Reads the options of [`watching`] for a program that runs on this emulated part; on a GPU it is empty.
///
/// # Errors
/// [`Error::Usage`] when times cannot be predicted for the part, or two options contradict each other.
pub fn settings(matches: &ArgMatches, profile: &str, quiet: bool) -> Result<ExecSettings, Error> {
    let settings = ExecSettings {
        checks: matches.get_one::<Checks>("check").copied(),
        counters: matches.get_flag("counters"),
        hot: matches.get_one::<usize>("hot").copied().unwrap_or_default(),
        part: harness::predicted_part(predict(matches), profile)?,
        schedules: matches.get_one::<u32>("schedules").copied().unwrap_or(1),
        keep_going: matches.get_flag("keep-going"),
        timeout: matches.get_one::<Duration>("timeout").copied(),
        quiet,
        calls: false,
        record: None,
    };
    settings.must_fit()?;
    Ok(settings)
}

/// The value of `--predict`, which may be empty.
pub fn predict(matches: &ArgMatches) -> Option<&str> {
    matches.get_one::<String>("predict").map(String::as_str)
}

/// Detects an unknown option in the position of the program. The command line takes any argument with a leading dash as
/// the program, because the program's own options follow it.
///
/// # Errors
/// [`Error::Usage`] when the program's name is not a program, but looks like an option.
pub fn check_name(program: &OsStr, command: &Command) -> Result<(), Error> {
    let word = program.to_string_lossy();
    if !word.starts_with('-') || program.is_empty() {
        return Ok(());
    }
    let name = word.split('=').next().unwrap_or_default();
    let known: Vec<String> = command.get_arguments().filter_map(|arg| Some(format!("--{}", arg.get_long()?))).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    Err(Error::usage(format!(
        "{} has no option {name}; {}. Options of the program go after its name",
        command.get_name(),
        suggest::among(name, &known)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_that_does_not_exist_names_the_nearest() {
        let command = super::super::command();
        let said = |word: &str| check_name(OsStr::new(word), &command).map_err(|error| error.to_string());
        assert_eq!(said("./program"), Ok(()));
        assert!(said("--chek").unwrap_err().contains("no option --chek; did you mean `--check`?"));
        assert!(said("--profile=h100").unwrap_err().contains("no option --profile;"));
        assert!(said("-c").unwrap_err().contains("Options of the program go after its name"));
    }
}
