//! `warplab record`: records one launch of a lab or of any program, step by step.
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command as Process, ExitCode},
};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use harness::{Device, DeviceChoice, Error};
use recording::Header;
use wire::{Checks, RecordRequest};

use super::exec::{self, ExecSettings};
use crate::{
    labs,
    shared::{output_options::to_file, recording_file, scratch},
};

const MORE: &str = "\
The launch runs on the emulated device. Every step of every warp of the recorded blocks is kept: the instruction, the \
lanes that executed it, the registers that it changed, the memory that it accessed. The other blocks of the grid run as \
always, but they are not recorded.

The options of record come before the lab or program. After a lab, --launch N, --blocks A..B, --limit, --html and -o may \
also follow its own options. The exit code is that of the lab or program; it is 2 if nothing was recorded.

Examples:
  warplab record reduction --variant shuffle -n 1024 --blocks 0..1 -o run.wlr
  warplab record --kernel sum --launch 3 -o run.wlr ./sum 1000
  warplab record --html run.html hello.cu
  warplab show run.wlr                              then: open run.html";

/// The option by which `warplab debug` says that the user does not know the file.
pub const TEMPORARY: &str = "temporary";
/// The prefix of the folder that holds a recording until it is whole.
const SCRATCH: &str = ".warplab-record-";
/// The bytes of a mebibyte, the unit of `--limit`.
const MEBIBYTE: u64 = 1 << 20;

pub fn command() -> Command {
    Command::new("record")
        .about("Record a launch step by step, to see inside a kernel with `warplab show`")
        .args(own())
        .args(before_program())
        .arg(Arg::new(TEMPORARY).long(TEMPORARY).action(ArgAction::SetTrue).hide(true))
        .arg(
            Arg::new("program")
                .value_name("LAB|PROGRAM")
                .num_args(1..)
                .required(true)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .value_parser(value_parser!(OsString))
                .help("The lab, or the program or its source x.cu, and its arguments"),
        )
        .after_help(MORE)
}

/// The options that come before the lab or program.
fn before_program() -> [Arg; 3] {
    [
        Arg::new("kernel")
            .long("kernel")
            .value_name("NAME")
            .help("Record a launch of this kernel [default: of any kernel]"),
        Arg::new("device")
            .long("device")
            .value_name("DEVICE")
            .value_parser(value_parser!(DeviceChoice))
            .help("emulated[:PROFILE]: only the emulated device can be recorded [default: emulated]"),
        Arg::new("check")
            .long("check")
            .value_name("CHECKS")
            .value_parser(harness::parse_checks)
            .help("memcheck, racecheck, initcheck, synccheck (several with commas), all or none [default: memcheck]"),
    ]
}

/// The options that say what is recorded, which `warplab debug` has too.
pub fn selection() -> impl Iterator<Item = Arg> {
    let is_output = |option: &Arg| matches!(option.get_id().as_str(), "html" | "output");
    own().into_iter().filter(move |option| !is_output(option)).chain(before_program())
}

/// The options that may also follow a lab and its options. Labs have none of these names but `--blocks` and
/// `--launch`, whose values differ from ours.
fn own() -> [Arg; 5] {
    [
        Arg::new("launch")
            .long("launch")
            .value_name("N")
            .value_parser(value_parser!(u64).range(1..))
            .help("Which of the launches of that kernel, counted from 1 [default: 1]"),
        Arg::new("blocks").long("blocks").value_name("A..B").value_parser(blocks).help(
            "The first and the last block to record, or one block [default: all of a grid of at most 4 blocks, else \
             block 0]",
        ),
        Arg::new("limit")
            .long("limit")
            .value_name("MIB")
            .value_parser(value_parser!(u64).range(1..=1024))
            .help("The size in MiB at which the steps are cut [default: 64]"),
        Arg::new("html")
            .long("html")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("Also write the page of `warplab show` to FILE"),
        Arg::new("output")
            .short('o')
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("The file to write [default: run.wlr]"),
    ]
}

/// Parses `A..B` or `A`: the first and the last block.
fn blocks(text: &str) -> Result<(u64, u64), String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    match (first.parse(), last.parse()) {
        (Ok(first), Ok(last)) if first <= last => Ok((first, last)),
        (Ok(_), Ok(_)) => Err("the first block comes after the last; write A..B with A at most B".into()),
        _ => Err("write two block numbers as A..B, or one".into()),
    }
}

/// Splits the words after a lab into the options of the lab and those of record.
fn split(words: &[OsString]) -> (Vec<&OsString>, Vec<&OsString>) {
    let (mut others, mut mine) = (Vec::new(), Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let (name, has_value) = text.split_once('=').map_or((&*text, false), |(name, _)| (name, true));
        let has_name = own().iter().any(|option| {
            option.get_long().is_some_and(|long| name.strip_prefix("--") == Some(long))
                || option.get_short().is_some_and(|short| name.strip_prefix('-') == Some(&short.to_string()))
        });
        let next = || words.as_slice().first().map(|next| next.to_string_lossy().into_owned());
        let value = if has_value { text.split_once('=').map(|(_, value)| value.to_owned()) } else { next() };
        let value = value.unwrap_or_default();
        // A lab's own --blocks is the size of its grid, a single number, and its --launch a grid and a block.
        let is_mine = has_name
            && match name {
                "--blocks" => value.contains(".."),
                "--launch" => !value.contains(','),
                _ => true,
            };
        let list = if is_mine { &mut mine } else { &mut others };
        list.push(word);
        if is_mine && !has_value {
            list.extend(words.next());
        }
    }
    (others, mine)
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let words: Vec<OsString> = matches.get_many("program").expect("required").cloned().collect();
    let lab = labs::find(&words[0].to_string_lossy());
    let (others, mine) = if lab.is_some() { split(&words[1..]) } else { (words[1..].iter().collect(), Vec::new()) };
    let after = Command::new("record").no_binary_name(true).args(own()).try_get_matches_from(mine);
    let after = after.unwrap_or_else(|error| error.exit());
    let number = |name: &str| after.get_one::<u64>(name).or_else(|| matches.get_one(name)).copied();
    let path = |name: &str| after.get_one::<PathBuf>(name).or_else(|| matches.get_one(name)).cloned();
    let profile = emulated(matches.get_one("device"))?;
    let folder = scratch::Folder::new_in(&env::temp_dir(), SCRATCH).map_err(|source| Error::Io {
        action: "create a folder in",
        path: env::temp_dir(),
        source,
    })?;
    let file = folder.path().join("run.wlr");
    let request = RecordRequest {
        file: file.to_string_lossy().into_owned(),
        kernel: matches.get_one::<String>("kernel").cloned(),
        launch: number("launch").unwrap_or(1),
        blocks: after.get_one("blocks").or_else(|| matches.get_one("blocks")).copied(),
        limit: number("limit").map_or(wire::RECORD_LIMIT, |limit| limit * MEBIBYTE),
    };
    let checks = matches.get_one::<Checks>("check").copied();
    let (code, launched) = if lab.is_some() {
        (run_lab(&words[0], &others, (&profile, checks), &request, folder.path())?, Vec::new())
    } else {
        let settings = ExecSettings { checks, record: Some(request.clone()), ..ExecSettings::default() };
        let words: Vec<&OsString> = words.iter().collect();
        let ended = exec::show(&words, &[], &profile, &settings)?;
        let launches = ended.processes.iter().flat_map(|process| &process.report.launches);
        (ended.code, launches.map(|launch| launch.kernel_name.clone()).collect())
    };
    if !file.exists() {
        return if code == 0 { Err(Error::usage(nothing(&request, &launched))) } else { Ok(ExitCode::from(code)) };
    }
    let (recording, bytes) = recording_file::read("show", &file)?;
    let out = path("output").unwrap_or_else(|| "run.wlr".into());
    harness::write_whole(&out, &bytes)?;
    let name = if matches.get_flag(TEMPORARY) { String::new() } else { format!("{}: ", out.display()) };
    harness::print(&(name + &summary(&recording.header, bytes.len())));
    if let Some(page) = path("html") {
        to_file(&page, &::report::page::of_recording(&recording))?;
        harness::print(&page.display().to_string());
    }
    Ok(ExitCode::from(code))
}

/// Returns the emulated part to run on.
///
/// # Errors
/// [`Error::Usage`] for a GPU.
fn emulated(choice: Option<&DeviceChoice>) -> Result<String, Error> {
    let default = "emulated".parse().map_err(Error::usage)?;
    match harness::choose(choice.unwrap_or(&default))?.device {
        Device::Emulated(profile) => Ok(profile),
        Device::Gpu(_) => Err(Error::usage(
            "a GPU does not show its steps, so record needs the emulated device; leave --device out, or use \
             --device emulated",
        )),
    }
}

/// Runs a lab in a process of its own; returns its exit code.
fn run_lab(
    lab: &OsString,
    options: &[&OsString],
    (profile, checks): (&str, Option<Checks>),
    request: &RecordRequest,
    folder: &Path,
) -> Result<u8, Error> {
    let program = env::current_exe().map_err(|source| Error::Io { action: "find", path: "warplab".into(), source })?;
    let mut process = Process::new(&program);
    process.arg("run").arg(lab).args(options).args(["--device", &format!("emulated:{profile}")]);
    if !options.iter().any(|option| option.to_string_lossy().starts_with("--out")) {
        // The rows of this run are of no interest: the run is as slow as its recording.
        process.arg("--quiet").arg("--out").arg(folder.join("run"));
    }
    if let Some(checks) = checks {
        process.args(["--check", &checks.to_string()]);
    }
    let status = process.env(wire::RECORD, request.to_json()).status();
    let status = status.map_err(|source| Error::Io { action: "start", path: program, source })?;
    // A signal has ended the lab.
    Ok(status.code().map_or(1, |code| code as u8))
}

/// Explains why there is no recording.
fn nothing(request: &RecordRequest, launched: &[String]) -> String {
    let kernel = request.kernel.as_ref().map_or("any kernel".into(), |kernel| format!("kernel {kernel}"));
    let mut names: Vec<&str> = launched.iter().map(String::as_str).collect();
    names.dedup();
    names.truncate(8);
    let launches = match names.as_slice() {
        [] => String::new(),
        names => format!("; the program launched {}", names.join(", ")),
    };
    let blocks = request.blocks.map_or(String::new(), |(first, _)| format!(", or its grid has no block {first}"));
    format!("nothing was recorded: launch {} of {kernel} did not happen{blocks}{launches}", request.launch)
}

/// Returns a number of bytes in KiB or MiB.
fn size(bytes: u64) -> String {
    if bytes >= MEBIBYTE {
        format!("{:.1} MiB", bytes as f64 / MEBIBYTE as f64)
    } else {
        format!("{} KiB", bytes.div_ceil(1024))
    }
}

/// Describes a recording in a line or two.
fn summary(header: &Header, bytes: usize) -> String {
    let (first, last, all) = (header.blocks.first, header.blocks.last, header.grid_blocks());
    let blocks = match last - first + 1 {
        1 if all == 1 => "its only block".to_owned(),
        1 => format!("block {first} of {all}, without the steps of the others"),
        count if count == all => format!("all {all} blocks"),
        _ => format!("blocks {first} to {last} of {all}, without the steps of the others"),
    };
    let bytes = size(bytes as u64);
    let mut text =
        format!("{}, launch {}: {} steps of {blocks}; {bytes}", header.kernel_name, header.launch, header.steps);
    if let Some(cut) = header.cut {
        let limit = size(cut.limit);
        text += &format!("\nThe steps are cut: the rest exceeds {limit}; raise --limit, or name fewer --blocks");
    }
    if !header.has_lines() {
        text += "\nThe kernel has no line information, so only its PTX can be shown; compile with -lineinfo";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_blocks_has_two_numbers_or_one() {
        assert_eq!(blocks("0..1"), Ok((0, 1)));
        assert_eq!(blocks("7"), Ok((7, 7)));
        assert!(blocks("2..1").unwrap_err().contains("A at most B"));
        assert!(blocks("a..1").unwrap_err().contains("two block numbers"));
    }

    #[test]
    fn after_a_lab_come_its_options_and_ours() {
        let line =
            "--variant shuffle --blocks 0..1 -n 64 -o x.wlr --html=y --blocks 7 --blocks=8 --launch 2 --launch=4,32";
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let (others, mine) = split(&words);
        assert_eq!(others, ["--variant", "shuffle", "-n", "64", "--blocks", "7", "--blocks=8", "--launch=4,32"]);
        assert_eq!(mine, ["--blocks", "0..1", "-o", "x.wlr", "--html=y", "--launch", "2"]);
    }

    #[test]
    fn no_lab_has_an_option_of_ours() {
        for lab in labs::LABS {
            let command = harness::with_options(Command::new("run"), Some(lab));
            for theirs in command.get_arguments() {
                for ours in own().iter().filter(|option| option.get_id() != "blocks" && option.get_id() != "launch") {
                    assert!(theirs.get_long().is_none() || theirs.get_long() != ours.get_long(), "{}", lab.name);
                    assert!(theirs.get_short().is_none() || theirs.get_short() != ours.get_short(), "{}", lab.name);
                }
            }
        }
    }
}
