//! `warplab judge`: judges kernel files for a problem of the user's own.
use std::{path::PathBuf, process::ExitCode};

use clap::{Arg, ArgMatches, Command, value_parser};
use harness::{DEFAULT_PROFILE, DeviceChoice, Error, Exit, arguments::switch};
use problem::judge::Settings;

use crate::shared::{options, progress, sandbox_warning};

const EXAMPLE: &str = "\
Example:
  warplab judge softmax/problem.toml mine.cu yours.cu    which is right, and which is faster on an H200

harness/cli/JUDGE.md describes the problem's file.";

const CODES: [(Exit, &str); 6] = [
    (Exit::Passed, "every file is right"),
    (Exit::Wrong, "a file is wrong, or a check has a finding"),
    (Exit::Usage, "the command line, the problem or a file cannot be used"),
    (Exit::Slow, "a file is slow"),
    (Exit::CannotRun, "a file cannot be judged here"),
    (Exit::Interrupted, "interrupted"),
];

pub fn command() -> Command {
    Command::new("judge")
        .about("Judge kernel files for a problem of your own: inputs, a reference and a tolerance in a TOML file")
        .after_help(format!("{}\n\n{EXAMPLE}", harness::paragraphs(&Exit::of_command(&CODES))))
        .arg(
            Arg::new("problem")
                .value_name("PROBLEM")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The problem's file, problem.toml"),
        )
        .arg(options::files("The .cu files to judge"))
        .arg(options::device(
            format!("emulated:{DEFAULT_PROFILE}"),
            "emulated:GPU, which runs all checks and predicts times, or cuda:N, which measures them",
        ))
        .arg(options::seed("Seed of the inputs and of the hidden sizes [default: a new one each time]"))
        .arg(options::schedules(
            "2",
            "Orders of warps and blocks to try; each run has as many rounds with other inputs, at least two",
        ))
        .arg(switch("json", "The verdicts as JSON"))
        .arg(sandbox_warning::argument())
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    sandbox_warning::warn(sandbox_warning::check(matches)?);
    let problem = problem::open(matches.get_one::<PathBuf>("problem").expect("required"))?;
    let files: Vec<PathBuf> = matches.get_many("files").expect("required").cloned().collect();
    let settings = Settings {
        choice: device(matches)?,
        seed: options::seed_of(matches),
        schedules: *matches.get_one("schedules").expect("default"),
    };
    let verdicts = problem::judge::judge(problem, &files, &settings, &progress::runs)?;
    if matches.get_flag("json") {
        harness::print_json(&serde_json::json!(verdicts));
    } else {
        harness::print(&verdicts.text());
    }
    Ok(verdicts.exit().into())
}

/// The device. A default would decide which checks there are.
fn device(matches: &ArgMatches) -> Result<DeviceChoice, Error> {
    match matches.get_one::<DeviceChoice>("device").expect("default") {
        DeviceChoice::Auto => {
            Err(Error::usage("--device auto: choose emulated:GPU or cuda:N, which check differently"))
        }
        choice => Ok(choice.clone()),
    }
}
