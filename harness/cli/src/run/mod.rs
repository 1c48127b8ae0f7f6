//! For everyone who runs labs: the run itself, the device, and what runs have written.
mod compare;
mod device;
mod history;
mod judge;
mod lab_run;
mod list;
mod rank;
mod report;

use crate::shared::subcommand::Subcommand::{self, OfProcess, Plain};

/// The subcommands, in the order of the help.
pub const SUBCOMMANDS: &[Subcommand] = &[
    OfProcess(lab_run::command, lab_run::run),
    Plain(list::command, list::run),
    Plain(device::command, device::run),
    Plain(report::command, report::run),
    Plain(compare::command, compare::run),
    Plain(history::command, history::run),
    Plain(rank::command, rank::run),
    Plain(judge::command, judge::run),
];
