//! `warplab completions` and `warplab man`: completions for the shell, and manual pages.
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, builder::PossibleValuesParser, value_parser};
use clap_complete::Shell;
use harness::{Error, suggest};

use crate::labs;

pub fn completions_command() -> Command {
    Command::new("completions")
        .about("Print what a shell needs to complete warplab's commands, labs and options")
        .arg(Arg::new("shell").value_name("SHELL").required(true).value_parser(value_parser!(Shell)).help("The shell"))
        .after_help("Examples:\n  warplab completions bash > ~/.local/share/bash-completion/completions/warplab\n  warplab completions fish > ~/.config/fish/completions/warplab.fish")
}

pub fn man_command() -> Command {
    Command::new("man")
        .about("Print the manual page of warplab, or of one of its commands")
        .arg(Arg::new("command").value_name("COMMAND").help("The command whose page to print"))
        .after_help("Example:\n  warplab man run | man -l -")
}

pub fn completions(matches: &ArgMatches, command: Command) -> ExitCode {
    let shell = *matches.get_one::<Shell>("shell").expect("clap asks for it");
    let known = labs::names().into_iter().chain(["all"]);
    let known = PossibleValuesParser::new(known.collect::<Vec<_>>());
    let mut command = command.mut_subcommand("run", |run| run.mut_arg("labs", |labs| labs.value_parser(known)));
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "warplab", &mut text);
    harness::print_data(String::from_utf8_lossy(&text).trim_end());
    ExitCode::SUCCESS
}

pub fn man(matches: &ArgMatches, command: Command) -> Result<ExitCode, Error> {
    let page = match matches.get_one::<String>("command") {
        None => command,
        Some(name) => {
            let known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
            let found = command.find_subcommand(name).cloned();
            let found =
                found.ok_or_else(|| Error::usage(format!("no command `{name}`; {}", suggest::among(name, &known))))?;
            found.display_name(format!("warplab-{name}")).bin_name(format!("warplab {name}"))
        }
    };
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = clap_mangen::Man::new(page).render(&mut text);
    harness::print_data(String::from_utf8_lossy(&text).trim_end());
    Ok(ExitCode::SUCCESS)
}
