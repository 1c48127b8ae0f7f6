//! For teachers: what an assignment is worth, and the marks of a submission or of a whole class.
mod class;
mod grade;
mod rubric;

use crate::shared::subcommand::Subcommand::{self, Plain};

/// The subcommands, in the order of the help.
pub const SUBCOMMANDS: &[Subcommand] =
    &[Plain(grade::command, grade::run), Plain(class::command, class::run), Plain(rubric::command, rubric::run)];
