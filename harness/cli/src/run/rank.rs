//! `warplab rank`: which of several kernel files is likely the fastest.
use std::{path::PathBuf, process::ExitCode};

use clap::{Arg, ArgMatches, Command};
use course::rank::{RankRequest, rank};
use harness::{DEFAULT_PROFILE, DeviceChoice, Error, Exit, arguments::switch, process_limits::Limits};

use crate::{
    labs,
    shared::{options, progress, sandbox_warning},
};

const EXAMPLE: &str = "\
Example:
  warplab rank reduction --variant shuffle mine.cu yours.cu    which to measure first on an H200";

const CODES: [(Exit, &str); 5] = [
    (Exit::Passed, "at least one file is right"),
    (Exit::Wrong, "no file is right"),
    (Exit::Usage, "the command line is wrong"),
    (Exit::CannotRun, "nothing can be judged here"),
    (Exit::Interrupted, "interrupted"),
];

/// The limits of each run.
const LIMITS: Limits = Limits { seconds: 300, memory: 3 << 30, output: 64 << 20 };

pub fn command() -> Command {
    Command::new("rank")
        .about("Check kernel files for one variant of a lab, and rank the right ones by their predicted times; needs no GPU")
        .after_help(format!("{}\n\n{EXAMPLE}", harness::paragraphs(&Exit::of_command(&CODES))))
        .arg(Arg::new("lab").value_name("LAB").required(true).help("The lab whose kernels the files replace"))
        .arg(options::files("The .cu files, each with the variant's kernels by the lab's names"))
        .arg(Arg::new("variant").long("variant").value_name("NAME").required(true).help("The variant of the lab"))
        .arg(options::device(format!("emulated:{DEFAULT_PROFILE}"), "emulated:GPU: the GPU whose times are predicted"))
        .arg(
            Arg::new("n")
                .long("n")
                .short('n')
                .value_name("N")
                .allow_hyphen_values(true)
                .value_parser(harness::parse_count)
                .help("Size at which times are predicted [default: the lab's size on an emulated device]"),
        )
        .arg(options::seed("Seed of the inputs and of the sizes at which answers are checked [default: a new one each time]"))
        .arg(options::schedules("2", "Orders of warps and blocks in which answers are checked"))
        .arg(switch("json", "The ranking as JSON"))
        .arg(sandbox_warning::argument())
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    sandbox_warning::warn(sandbox_warning::check(matches)?);
    let files: Vec<PathBuf> = matches.get_many("files").expect("required").cloned().collect();
    let ranking = rank(&request(matches)?, &files, &progress::runs)?;
    if matches.get_flag("json") {
        harness::print_json(&serde_json::json!(ranking));
    } else {
        harness::print(&ranking.text());
    }
    Ok(if ranking.has_right() { Exit::Passed } else { Exit::Wrong }.into())
}

fn request(matches: &ArgMatches) -> Result<RankRequest, Error> {
    let lab = labs::named(matches)?;
    let device = matches.get_one::<DeviceChoice>("device").expect("default");
    let DeviceChoice::Emulated(gpu) = device else {
        return Err(Error::usage(format!(
            "rank predicts times, and so needs an emulated device; on --device {device}, measure with `warplab run {} \
             --kernel FILE`",
            lab.name
        )));
    };
    Ok(RankRequest {
        lab,
        variant: labs::judged_variant(lab, matches.get_one::<String>("variant").expect("required"))?,
        gpu: gpu.clone(),
        n: matches.get_one("n").copied(),
        schedules: *matches.get_one("schedules").expect("default"),
        seed: options::seed_of(matches),
        limits: LIMITS,
    })
}
