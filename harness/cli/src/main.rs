//! `warplab`: one command for all the CUDA labs. Each folder has the subcommands of one kind of reader, and a table of
//! them; this file joins the tables to one command line, and runs the subcommand that was named.
//!
//! The exit statuses are those of [`harness::Exit`].

mod author;
mod labs;
mod overview;
mod programs;
mod run;
mod setup;
mod shared;
mod student;
mod teacher;

use std::{ffi::OsString, process::ExitCode};

use clap::Command;

use shared::subcommand::Subcommand;

const ABOUT: &str = "CUDA labs that run on an NVIDIA GPU, or without one on an embedded SIMT machine";

/// The subcommands in groups, which the help shows under these titles.
const GROUPS: [(&str, &[&[Subcommand]]); 5] = [
    ("Run and learn", &[run::SUBCOMMANDS, student::SUBCOMMANDS, setup::SUBCOMMANDS]),
    ("Teach", &[teacher::SUBCOMMANDS, author::SUBCOMMANDS]),
    ("Any CUDA program", &[programs::SUBCOMMANDS]),
    ("As in a CUDA toolkit", &[programs::toolkit::SUBCOMMANDS]),
    ("Shell", &[setup::OF_SHELL]),
];

fn main() -> ExitCode {
    // A program that the user runs needs the user's own path.
    if std::env::args_os().nth(1).is_none_or(|command| command != "exec") {
        kernels::program::look_for_libraries_from_the_root();
    }
    let mut process = harness::process();
    programs::toolkit::yield_to_real(&process.arguments);
    process.arguments = programs::toolkit::with_subcommand(process.arguments);
    harness::built_from(env!("WARPLAB_REVISION"));
    let command_line = command(&process.arguments);
    let names: Vec<String> = command_line.get_subcommands().map(|own| own.get_name().to_string()).collect();
    let matches = command_line.get_matches_from(&process.arguments);
    let (name, matches) = matches.subcommand().expect("clap asks for a subcommand");
    // The command line has them in the order of the tables.
    let all = GROUPS.iter().flat_map(|(_, tables)| *tables).copied().flatten();
    let named = names.iter().zip(all).find_map(|(own, subcommand)| (own == name).then_some(subcommand));
    let result = match named.expect("clap knows the subcommands of the tables") {
        Subcommand::Plain(_, run) => run(matches),
        Subcommand::OfProcess(_, run) => run(matches, process),
        Subcommand::OfProgram(_, run) => run(matches, command(&[])),
    };
    harness::ended(result)
}

/// The command line, for a program with these arguments: `warplab run` has the options of the lab that they name.
fn command(arguments: &[OsString]) -> Command {
    let groups = GROUPS.map(|(title, tables)| {
        let commands = tables.iter().copied().flatten().map(|subcommand| subcommand.command(arguments));
        (title, commands.collect::<Vec<_>>())
    });
    let help = overview::text(ABOUT, &groups);
    Command::new("warplab")
        .about(ABOUT)
        .version(env!("CARGO_PKG_VERSION"))
        .max_term_width(160)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(groups.into_iter().flat_map(|(_, commands)| commands))
        .override_help(help)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_command_line_is_well_formed() {
        super::command(&[]).debug_assert();
    }
}
