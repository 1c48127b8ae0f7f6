//! For people who change warplab, in a checkout: new labs, their PTX, and checks of runs and of the documentation.
mod check_run;
mod checkout;
mod figures;
mod new_lab;
mod ptx;

use crate::shared::subcommand::Subcommand::{self, Plain};

/// The subcommands, in the order of the help, which hides the last two.
pub const SUBCOMMANDS: &[Subcommand] = &[
    Plain(new_lab::command, new_lab::run),
    Plain(ptx::command, ptx::run),
    Plain(figures::command, figures::run),
    Plain(check_run::command, check_run::run),
];
