//! `warplab shell`: starts a shell in the environment of `warplab env`.
use std::{
    env,
    ffi::OsString,
    process::{Command as Process, ExitCode},
};

use clap::{Arg, ArgMatches, Command, value_parser};
use harness::Error;

use super::environment;
use crate::shared::signals;

const MORE: &str = "\
`warplab env` prints the same settings for a shell that is already running, and explains them. The exit code is the shell's.

Examples:
  warplab shell                          then: nvcc hello.cu -run, ./a.out, exit
  warplab shell -- -c 'nvcc hello.cu -run'
  warplab shell -- build.sh";

pub fn command() -> Command {
    environment::with_options(Command::new("shell"))
        .about("Start a shell that finds the toolkit's commands: nvcc and others")
        .arg(
            Arg::new("arguments")
                .value_name("ARGUMENTS")
                .num_args(0..)
                .last(true)
                .value_parser(value_parser!(OsString))
                .help("Arguments of the shell ($SHELL, or sh): a script, or -c and a command"),
        )
        .after_help(MORE)
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let shell = env::var_os("SHELL").filter(|shell| !shell.is_empty()).unwrap_or_else(|| "sh".into());
    let arguments: Vec<&OsString> = matches.get_many("arguments").map(Iterator::collect).unwrap_or_default();
    let mut process = Process::new(&shell);
    process.args(arguments).envs(environment::variables(matches.get_flag("emulated"))?);
    signals::listen();
    // Ctrl-C is for what runs in the shell.
    let _ = ctrlc::set_handler(|| {});
    let status = signals::status(&mut process).map_err(|error| {
        Error::CannotRun(format!("cannot start the shell {}: {error}; SHELL names another", shell.display()))
    })?;
    Ok(ExitCode::from(status.code().map_or(1, |code| code as u8)))
}
