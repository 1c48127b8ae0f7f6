//! `warplab submit`: packs the archive that a student hands in.
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Arg, ArgMatches, Command, value_parser};
use course::student::{folder::Folder, submit::submit};
use harness::{Error, arguments::switch};

use crate::labs;

pub fn command() -> Command {
    Command::new("submit")
        .about("Make the archive to hand in: the kernel file and your own headers, checked first")
        .arg(super::folder())
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("The archive [default: the lab's name with .zip, in DIR]"),
        )
        .arg(switch("anyway", "Make it even if nothing is solved yet, or the file does not compile"))
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let folder: &Path = matches.get_one::<PathBuf>("folder").expect("has a default");
    let lab = labs::of_folder(&Folder::read(folder)?, folder)?;
    let archive =
        matches.get_one::<PathBuf>("out").cloned().unwrap_or_else(|| folder.join(format!("{}.zip", lab.name)));
    harness::print(&submit(lab, folder, &archive, matches.get_flag("anyway"))?);
    Ok(ExitCode::SUCCESS)
}
