//! The command line of `warplab grade`.
use std::{env, path::PathBuf};

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};
use course::judge::{BaselineCache, JudgeRequest, Runner, sizes};
use harness::{DeviceChoice, Error, Exit, Lab, process_limits::Limits, quoted};

use super::marks;
use crate::{
    labs,
    shared::{options, sandbox_warning},
};

const EXAMPLE: &str = "\
Example:
  warplab grade histogram ada.zip grace.zip --explain        points by the lab's rubric
  warplab grade reduction --kernel mine.cu --variant shuffle  a judgement of one variant";

const LIMITS: &str = "What each run may use; a kernel that makes it use more is wrong";

/// The options, except for those about the output format.
#[derive(Debug)]
pub struct GradeRequest {
    pub judge: JudgeRequest,
    pub runner: Runner,
    /// Whether the user named the variants: each must then be in the file.
    pub names_variants: bool,
}

/// The exit statuses, with marks and with `--kernel`.
fn codes() -> String {
    let marks = Exit::of_command(&[
        (Exit::Passed, "marked, whatever the points"),
        (Exit::Usage, "the command line or the rubric is wrong"),
        (Exit::CannotRun, "some of it could not be judged here"),
        (Exit::Interrupted, "interrupted"),
    ]);
    let judged = Exit::of_command(&[
        (Exit::Passed, "right"),
        (Exit::Wrong, "a wrong answer or a finding"),
        (Exit::Usage, "the command line or the kernel file is wrong"),
        (Exit::CannotRun, "it could not be judged here"),
        (Exit::Interrupted, "interrupted"),
    ]);
    format!("With marks. {marks}\nWith --kernel. {judged}")
}

pub fn command() -> Command {
    let limit = |name: &'static str, unit: &'static str, usual: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(unit)
            .default_value(usual)
            .allow_hyphen_values(true)
            .value_parser(if unit == "SECONDS" { harness::parse_seconds } else { harness::parse_bytes })
            .help(help)
            .help_heading(LIMITS)
    };
    Command::new("grade")
        .about("Mark submissions by a lab's rubric, or judge a kernel file in place of the lab's own")
        .after_help(format!("{}\n\n{EXAMPLE}", harness::paragraphs(&codes())))
        .arg(Arg::new("lab").value_name("LAB").required(true).help("The lab whose kernels it replaces"))
        .arg(
            Arg::new("submissions")
                .value_name("SUBMISSION")
                .action(ArgAction::Append)
                .value_parser(value_parser!(PathBuf))
                .help("The submissions to mark by the lab's rubric: a .cu file alone, a folder, a .zip, a .tar.gz"),
        )
        .group(ArgGroup::new("what").args(["submissions", "kernel"]).required(true))
        .args(marks::arguments())
        .arg(
            Arg::new("kernel")
                .long("kernel")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Judge this .cu file without points: some or all of the lab's kernels, by the lab's names"),
        )
        .arg(
            Arg::new("variant")
                .long("variant")
                .value_name("NAME")
                .conflicts_with("submissions")
                .action(ArgAction::Append)
                .help("Only this variant, which must be in the file (repeatable)"),
        )
        .arg(
            Arg::new("n")
                .long("n")
                .short('n')
                .conflicts_with("submissions")
                .value_name("N")
                .action(ArgAction::Append)
                .allow_hyphen_values(true)
                .value_parser(harness::parse_count)
                .help(
                    "Size to try (repeatable) [default: the lab's quick sizes, 1, 33, and two that the seed decides: a \
                     power of two, and one that is not a multiple of a warp]",
                ),
        )
        .arg(options::seed("Seed of the inputs and of the sizes [default: a new one each time, which is shown]"))
        .arg(options::schedules("5", "Orders of warps and blocks to try"))
        .arg(options::device(
            format!("emulated:{}", harness::JUDGE_PROFILE),
            "emulated[:PROFILE]; for marks also cuda:N, whose answers and speed count in addition to an emulated run",
        ))
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("The judgement or the marks as JSON"))
        .arg(sandbox_warning::argument())
        .arg(limit("limit-seconds", "SECONDS", "300", "Time; CPU time is limited to as much on every core"))
        .arg(
            Arg::new("limit-total")
                .long("limit-total")
                .value_name("SECONDS")
                .allow_hyphen_values(true)
                .value_parser(harness::parse_count)
                .help("Time of all runs of a submission together; what is not tried then is wrong [default: no limit]"),
        )
        .arg(limit("limit-memory", "BYTES", "3G", "Memory of the host, which holds that of the device too"))
        .arg(limit("limit-output", "BYTES", "64M", "What it prints, a kernel's printf included"))
}

impl GradeRequest {
    /// Reads the options.
    pub fn read(matches: &ArgMatches) -> Result<Self, Error> {
        let lab = labs::named(matches)?;
        let device = matches.get_one::<DeviceChoice>("device").expect("default");
        if !matches!(device, DeviceChoice::Emulated(_)) {
            return Err(Error::usage(format!(
                "grade --kernel needs the emulated device, because only it checks memory accesses; --device {device} is not supported"
            )));
        }
        let variants = variants(lab, matches)?;
        let kernel = matches.get_one::<PathBuf>("kernel").expect("required");
        let runner = Runner::new(lab, kernel, limits(matches), limit_total(matches), BaselineCache::here())?;
        let asked: Vec<usize> = matches.get_many("n").map(|n| n.copied().collect()).unwrap_or_default();
        let seed = options::seed_of(matches);
        let names_sizes = !asked.is_empty();
        let judge = JudgeRequest {
            lab,
            variants,
            options: Vec::new(),
            choice: device.clone(),
            schedules: *matches.get_one("schedules").expect("default"),
            seed,
            sizes: if names_sizes { asked.into_iter().map(Some).collect() } else { sizes::KNOWN.to_vec() },
            needs_sizes: names_sizes,
            hidden: if names_sizes { 0 } else { 2 },
        };
        Ok(Self { judge, runner, names_variants: matches.get_many::<String>("variant").is_some() })
    }

    /// The variants that the user named: each must be in the file.
    pub fn named(&self) -> &[&'static str] {
        if self.names_variants { &self.judge.variants } else { &[] }
    }
}

/// The total time limit in seconds, if there is one.
pub fn limit_total(matches: &ArgMatches) -> Option<u64> {
    matches.get_one::<usize>("limit-total").map(|seconds| *seconds as u64)
}

/// The limits of each run.
pub fn limits(matches: &ArgMatches) -> Limits {
    let limit = |name| *matches.get_one::<usize>(name).expect("default") as u64;
    Limits { seconds: limit("limit-seconds"), memory: limit("limit-memory"), output: limit("limit-output") }
}

/// The command that repeats this grading.
pub fn repeat(seed: u64) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--seed" {
            arguments.next();
        } else if !argument.starts_with("--seed=") {
            words.push(quoted(&argument));
        }
    }
    format!("warplab {} --seed {seed}", words.join(" "))
}

/// The variants to grade: the requested ones, or all that should be right in the file.
fn variants(lab: &'static Lab, matches: &ArgMatches) -> Result<Vec<&'static str>, Error> {
    let Some(asked) = matches.get_many::<String>("variant") else {
        return Ok(labs::judged_variants(lab));
    };
    asked.map(|name| labs::judged_variant(lab, name)).collect()
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn arguments_are_quoted_where_a_shell_needs_it() {
        for (argument, word) in [
            ("mine.cu", "mine.cu"),
            ("--n=2^10", "--n=2^10"),
            ("my file.cu", "'my file.cu'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
            ("$HOME", "'$HOME'"),
        ] {
            assert_eq!(quoted(argument), word);
        }
    }
}
