//! Options that several subcommands have: their names, forms and values are the same, and each says what it does there.
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, builder::OsStr, value_parser};
use course::judge::sizes;
use harness::DeviceChoice;

/// Kernel files, at least one.
pub fn files(help: &'static str) -> Arg {
    Arg::new("files")
        .value_name("FILE")
        .required(true)
        .action(ArgAction::Append)
        .value_parser(value_parser!(PathBuf))
        .help(help)
}

/// The device to run on.
pub fn device(default: impl Into<OsStr>, help: &'static str) -> Arg {
    Arg::new("device")
        .long("device")
        .value_name("DEVICE")
        .default_value(default)
        .value_parser(value_parser!(DeviceChoice))
        .help(help)
}

/// The seed of a judgement.
pub fn seed(help: &'static str) -> Arg {
    Arg::new("seed").long("seed").value_name("SEED").value_parser(value_parser!(u64)).help(help)
}

/// Returns the seed of the option [`seed`], or a new one each time.
pub fn seed_of(matches: &ArgMatches) -> u64 {
    matches.get_one("seed").copied().unwrap_or_else(sizes::fresh_seed)
}

/// The number of orders of warps and blocks that a judgement tries.
pub fn schedules(default: &'static str, help: &'static str) -> Arg {
    Arg::new("schedules")
        .long("schedules")
        .value_name("COUNT")
        .default_value(default)
        .allow_hyphen_values(true)
        .value_parser(harness::parse_schedules)
        .help(help)
}
