//! `warplab grade`: runs a kernel file in place of a lab's own, under every check, with several orders of warps and
//! blocks, and at several sizes. It reports what is right, what is wrong and where, and how the counters compare with
//! those of the lab's own kernels.
//!
//! Every variant at every size runs in its own process, which is `warplab run` itself, so that a kernel that faults or
//! never ends does not affect the other runs.

mod child;
mod remarks;
mod report;
#[cfg(test)]
mod sample;

use std::{
    collections::BTreeSet,
    io::{IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
    sync::atomic::{AtomicUsize, Ordering},
};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use harness::{DeviceChoice, Error, Exit, Expect, Lab, Record, Session, suggest};

use crate::labs;
use child::Tried;

/// Sizes that are tried after the lab's quick ones: one element, one more than a warp, and a larger size that is not a
/// multiple of a warp.
const SIZES: [usize; 3] = [1, 33, 1000];
/// The size that replaces the last one for a lab that takes too long there.
const INSTEAD: usize = 100;

const EXAMPLE: &str = "\
Example:
  warplab grade reduction --kernel mine.cu --variant shuffle";

pub fn command() -> Command {
    Command::new("grade")
        .about("Grade a kernel file that stands in for a lab's own: answers, findings, counters")
        .after_help(format!("{}\n\n{EXAMPLE}", Exit::codes()))
        .arg(Arg::new("lab").value_name("LAB").required(true).help("The lab whose kernels it replaces"))
        .arg(
            Arg::new("kernel")
                .long("kernel")
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("The .cu file: some or all of the lab's kernels, by the lab's names"),
        )
        .arg(
            Arg::new("variant")
                .long("variant")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Only this variant (repeatable)"),
        )
        .arg(
            Arg::new("n")
                .long("n")
                .short('n')
                .value_name("N")
                .action(ArgAction::Append)
                .allow_hyphen_values(true)
                .value_parser(harness::parse_count)
                .help(
                    "Size to try (repeatable) [default: the lab's quick sizes, then 1, 33 and 1000, or 100 if that \
                     takes too long]",
                ),
        )
        .arg(
            Arg::new("schedules")
                .long("schedules")
                .value_name("COUNT")
                .default_value("5")
                .allow_hyphen_values(true)
                .value_parser(harness::parse_u32)
                .help("Orders of warps and blocks to try"),
        )
        .arg(
            Arg::new("device")
                .long("device")
                .value_name("DEVICE")
                .default_value("emulated")
                .value_parser(value_parser!(DeviceChoice))
                .help("emulated[:PROFILE]"),
        )
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("As JSON"))
}

/// What is graded, and how.
#[derive(Debug)]
pub struct Task {
    pub lab: &'static Lab,
    pub kernel: PathBuf,
    pub choice: DeviceChoice,
    pub schedules: u32,
    /// `None` is the lab's quick sizes.
    pub sizes: Vec<Option<usize>>,
    /// Whether the user asked for these sizes.
    pub is_asked: bool,
}

/// How one variant did at one size.
#[derive(Debug)]
pub enum Outcome {
    /// The variant's rows, and those of its kernels that the file lacks.
    Ran { rows: Vec<Record>, missing: Vec<String> },
    /// The variant uses another of the lab's kernel files.
    Elsewhere,
    /// The run was refused, for example because the lab does not take this size.
    Refused(String),
    /// The run itself failed because of the file.
    Failed(String),
}

/// One variant's runs, by size.
#[derive(Debug)]
pub struct Graded {
    pub variant: &'static str,
    pub runs: Vec<Tried>,
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let mut task = task(matches)?;
    let variants = variants(task.lab, matches)?;
    // The file is compiled here first, so that its errors are reported once and the runs find its PTX in the cache.
    let source = harness::replacement(task.lab, &task.kernel)?;
    let capability = Session::open(&task.choice)?.device.compute_capability;
    kernels::ptx_for(&source, capability)?;
    if !task.is_asked {
        let long = harness::parallel(variants.len(), |v| child::is_long(&task, variants[v]));
        if long.into_iter().collect::<Result<Vec<_>, _>>()?.contains(&true) {
            for size in task.sizes.iter_mut().flatten() {
                *size = INSTEAD.min(*size);
            }
        }
    }
    let jobs: Vec<(&'static str, Option<usize>)> =
        variants.iter().flat_map(|v| task.sizes.iter().map(|size| (*v, *size))).collect();
    let done = AtomicUsize::new(0);
    let tried = harness::parallel(jobs.len(), |i| {
        let (variant, size) = jobs[i];
        let tried = child::run(&task, variant, size);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, jobs.len());
        tried
    });
    let mut tried = tried.into_iter();
    let mut graded = Vec::new();
    for variant in variants {
        let runs = tried.by_ref().take(task.sizes.len());
        let runs: Vec<Tried> = runs.collect::<Result<_, Error>>()?;
        graded.push(Graded { variant, runs });
    }
    let is_elsewhere = |t: &Tried| matches!(t.graded, Outcome::Elsewhere);
    graded.retain(|g| !g.runs.iter().all(is_elsewhere));
    let grades: Vec<_> = graded.iter().map(report::Grade::of).collect();
    if grades.iter().all(report::Grade::is_missing) {
        return Err(Error::usage(nothing_to_grade(&task, &source, &grades)));
    }
    if matches.get_flag("json") {
        let json = report::as_json(&task, &grades);
        harness::print(&serde_json::to_string_pretty(&json).unwrap_or_default());
    } else {
        harness::print(&report::as_text(&task, &grades));
    }
    let passed = grades.iter().all(report::Grade::is_good);
    let exit = if passed { Exit::Passed } else { Exit::Wrong };
    Ok(exit.into())
}

/// Why there is nothing to grade, and what could be graded.
fn nothing_to_grade(task: &Task, source: &kernels::KernelSource, grades: &[report::Grade]) -> String {
    let file = task.kernel.display();
    let lab = task.lab.name;
    if grades.is_empty() {
        return format!("{file} stands in for {} of lab {lab}, which this variant does not use", source.name);
    }
    let wanted: BTreeSet<&str> = grades.iter().flat_map(report::Grade::missing).collect();
    let has = source.kernels();
    if let Some(name) = has.iter().find(|name| wanted.contains(*name)) {
        return format!(
            "kernel `{name}` of {file} cannot be found by its name: declare it extern \"C\" __global__ void {name}(...)"
        );
    }
    let has = if has.is_empty() { "no kernel".to_string() } else { has.join(", ") };
    let wanted = wanted.into_iter().collect::<Vec<_>>().join(", ");
    format!(
        "{file} holds none of the kernels that lab {lab} looks for ({wanted}); it has {has}. \
         Each must be declared extern \"C\" __global__ void NAME(...)"
    )
}

/// Shows the progress to a waiting user; the last call clears the line.
fn progress(done: usize, all: usize) {
    let mut error = std::io::stderr();
    if error.is_terminal() {
        let _ =
            if done < all { write!(error, "\rgrading: {done} of {all} runs") } else { write!(error, "\r{:40}\r", "") };
    }
}

fn task(matches: &ArgMatches) -> Result<Task, Error> {
    let name = matches.get_one::<String>("lab").expect("required");
    let lab = labs::find(name)
        .ok_or_else(|| Error::usage(format!("no lab `{name}`; {}", suggest::among(name, &labs::names()))))?;
    let device = matches.get_one::<DeviceChoice>("device").expect("default");
    if !matches!(device, DeviceChoice::Emulated(_)) {
        return Err(Error::usage(format!(
            "grade runs only on the emulated device, which sees what a GPU does not report; --device {device} is another device"
        )));
    }
    let kernel = matches.get_one::<PathBuf>("kernel").expect("required").clone();
    let asked: Vec<usize> = matches.get_many("n").map(|n| n.copied().collect()).unwrap_or_default();
    let is_asked = !asked.is_empty();
    let sizes = if asked.is_empty() {
        std::iter::once(None).chain(SIZES.map(Some)).collect()
    } else {
        asked.into_iter().map(Some).collect()
    };
    Ok(Task {
        lab,
        kernel,
        choice: device.clone(),
        schedules: *matches.get_one("schedules").expect("default"),
        sizes,
        is_asked,
    })
}

/// The variants to grade: those asked for, or all that should be right.
fn variants(lab: &'static Lab, matches: &ArgMatches) -> Result<Vec<&'static str>, Error> {
    let right: Vec<&'static str> =
        lab.variants().iter().filter(|v| v.expect == Expect::Right).map(|v| v.name).collect();
    let Some(asked) = matches.get_many::<String>("variant") else {
        return Ok(right);
    };
    asked
        .map(|name| {
            let known = right.iter().copied().find(|r| r == name);
            known.ok_or_else(|| {
                let why = if lab.variants().iter().any(|v| v.name == name) {
                    format!("variant `{name}` of {} is wrong on purpose", lab.name)
                } else {
                    format!("no variant `{name}` in {}", lab.name)
                };
                Error::usage(format!("{why}; {}", suggest::among(name, &right)))
            })
        })
        .collect()
}
