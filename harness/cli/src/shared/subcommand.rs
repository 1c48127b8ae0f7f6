//! The rows of the tables of subcommands, of which each folder has one.
use std::{ffi::OsString, process::ExitCode};

use clap::{ArgMatches, Command};
use harness::{Error, Process};

/// A subcommand: what declares its command line, and what runs it.
pub enum Subcommand {
    /// Needs its own command line only.
    Plain(fn() -> Command, fn(&ArgMatches) -> Result<ExitCode, Error>),
    /// Has options that depend on the arguments, and starts this program again for parts of its work.
    OfProcess(fn(&[OsString]) -> Command, fn(&ArgMatches, Process) -> Result<ExitCode, Error>),
    /// Prints something about the program's whole command line.
    OfProgram(fn() -> Command, fn(&ArgMatches, Command) -> Result<ExitCode, Error>),
}

impl Subcommand {
    /// Its command line, in a program with these arguments.
    pub fn command(&self, arguments: &[OsString]) -> Command {
        match self {
            Self::Plain(command, _) | Self::OfProgram(command, _) => command(),
            Self::OfProcess(command, _) => command(arguments),
        }
    }
}
