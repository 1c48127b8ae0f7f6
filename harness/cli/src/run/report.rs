//! `warplab report`: a page, or Markdown, about one or several runs.
use std::{
    path::{Path, PathBuf},
    process::{ExitCode, Stdio},
};

use ::report::Document;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use harness::{Error, arguments::switch};
use kernels::program;
use record::Run;

use crate::{labs::LABS, shared::output_options::to_file};

pub fn command() -> Command {
    Command::new("report")
        .about("Make one page of a run or several: ladders, transfers, the roofline, counters, findings")
        .arg(
            Arg::new("runs")
                .value_name("RUN")
                .required(true)
                .action(ArgAction::Append)
                .value_parser(value_parser!(PathBuf))
                .help("Folders that `warplab run ... --out DIR` wrote"),
        )
        .arg(
            Arg::new("out").long("out").value_name("FILE").value_parser(value_parser!(PathBuf)).help(
                "The file to write [default: report.html, or report.md, in the first folder]; - for standard output",
            ),
        )
        .arg(switch("md", "Write Markdown, for the summary of a CI job"))
        .arg(switch("open", "Open the file when it is written"))
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let folders: Vec<&PathBuf> = matches.get_many("runs").expect("required").collect();
    let runs = folders.iter().map(|folder| Run::read(folder)).collect::<record::Result<Vec<Run>>>()?;
    for run in &runs {
        for remark in &run.remarks {
            harness::print_error(&format!("{}: {remark}", run.folder.display()));
        }
    }
    let (name, text) = if matches.get_flag("md") {
        ("report.md", ::report::markdown(&Document::new(&runs, LABS, 1)))
    } else {
        ("report.html", ::report::page::of_runs(&runs, LABS))
    };
    let out = matches.get_one::<PathBuf>("out").cloned().unwrap_or_else(|| folders[0].join(name));
    if out == Path::new("-") {
        harness::print_data(text.trim_end());
        return Ok(ExitCode::SUCCESS);
    }
    to_file(&out, &text)?;
    harness::print(&out.display().to_string());
    if matches.get_flag("open") {
        open_page(&out).map_err(|source| Error::Io { action: "open", path: out.clone(), source })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the page of one run into its folder.
pub fn write_page(folder: &Path) -> Result<PathBuf, Error> {
    let runs = [Run::read(folder)?];
    let out = folder.join("report.html");
    to_file(&out, &::report::page::of_runs(&runs, LABS))?;
    Ok(out)
}

/// Starts the first available program that opens pages.
fn open_page(page: &Path) -> std::io::Result<()> {
    let mut failed = std::io::ErrorKind::NotFound.into();
    for command in open::commands(page) {
        let mut command = program::guarded(command);
        match command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn() {
            Ok(_) => return Ok(()),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}
