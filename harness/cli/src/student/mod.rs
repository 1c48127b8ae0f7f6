//! For students: the folder of an assignment, from its beginning to the archive that is handed in.
mod check;
mod start;
mod submit;

use crate::shared::subcommand::Subcommand::{self, Plain};

/// The subcommands, in the order of the help.
pub const SUBCOMMANDS: &[Subcommand] =
    &[Plain(start::command, start::run), Plain(check::command, check::run), Plain(submit::command, submit::run)];
