//! For students: the folder of an assignment, from its beginning to the archive that is handed in.
mod check;
mod show_failing;
mod start;
mod submit;

use std::path::PathBuf;

use clap::{Arg, value_parser};

use crate::shared::subcommand::Subcommand::{self, Plain};

/// The subcommands, in the order of the help.
pub const SUBCOMMANDS: &[Subcommand] =
    &[Plain(start::command, start::run), Plain(check::command, check::run), Plain(submit::command, submit::run)];

/// The argument that names the student's folder.
fn folder() -> Arg {
    Arg::new("folder")
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .default_value(".")
        .help("The folder that `warplab start` has made")
}
