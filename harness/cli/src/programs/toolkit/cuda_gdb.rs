//! `cuda-gdb --batch`: runs a program on the machine, and shows where its kernel failed. There is no debugger here.
use std::{ffi::OsString, process::ExitCode};

use clap::{ArgMatches, Command};
use harness::{Error, suggest};
use wire::{Launch, RenderedFinding};

use super::command_line::{Tool, ToolOption};
use crate::programs::exec::{self, ExecSettings, ProgramResult};

const TOOL: Tool = Tool {
    name: "cuda-gdb",
    about: "Run a program on the embedded machine and show where its kernel failed, as cuda-gdb --batch does",
    usage: "cuda-gdb --batch [-ex COMMAND]... [--args] PROGRAM [ARGUMENTS]",
    options: &[
        ToolOption { names: &["--batch", "-batch"], value: "", help: Some("End after the commands: must be given") },
        ToolOption {
            names: &["--ex", "-ex", "--eval-command", "-eval-command"],
            value: "COMMAND",
            help: Some("A command: run, bt (backtrace, where), quit; settings (set ...) change nothing"),
        },
        ToolOption { names: &["--args", "-args"], value: "", help: Some("The program's arguments follow it") },
        ToolOption { names: &["--version", "-v", "-version"], value: "", help: Some("Show the version") },
        ToolOption { names: &["--nh", "-nh", "--nx", "-nx", "-n"], value: "", help: None },
        ToolOption { names: &["--quiet", "-quiet", "-q", "--silent", "-silent"], value: "", help: None },
        ToolOption { names: &["--return-child-result", "-return-child-result"], value: "", help: None },
    ],
    refused: &["--pid", "-p", "--core", "-c", "--command", "-x", "--tui", "-tui", "--interpreter", "-i", "--write"],
    more: "\
The exit code is the program's own, or 1 if that is 0 and a mistake was found. There are no breakpoints and no inspection of variables
here; `warplab exec --check all` finds more kinds of mistakes.

Examples:
  cuda-gdb --batch -ex run -ex bt ./hello
  cuda-gdb -batch -ex run -ex bt --args ./hello 10
",
};

pub fn command() -> Command {
    TOOL.command()
}

/// A command of the debugger's.
#[derive(Debug, PartialEq)]
enum Step {
    Run(Vec<OsString>),
    Backtrace,
    Nothing,
    Quit,
}

impl Step {
    /// # Errors
    /// [`Error::Usage`] for a command that is not available.
    fn read(text: &str) -> Result<Self, Error> {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        match name {
            "run" | "r" => Ok(Self::Run(words.map(OsString::from).collect())),
            "bt" | "backtrace" | "where" => Ok(Self::Backtrace),
            "set" | "" => Ok(Self::Nothing),
            "quit" | "q" => Ok(Self::Quit),
            _ => Err(Error::usage(format!(
                "cuda-gdb has no command `{name}` here: there is no debugger; {}",
                suggest::among(name, &["run", "bt", "set", "quit"])
            ))),
        }
    }
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let Some(parsed) = TOOL.parse(matches)? else { return Ok(ExitCode::SUCCESS) };
    if parsed.has("--version") {
        harness::print(concat!("cuda-gdb of warplab ", env!("CARGO_PKG_VERSION")));
        return Ok(ExitCode::SUCCESS);
    }
    TOOL.needs_program(&parsed)?;
    if !parsed.has("--batch") {
        return Err(Error::usage(
            "there is no debugger here, and cuda-gdb runs only with --batch: cuda-gdb --batch -ex run -ex bt PROGRAM",
        ));
    }
    let steps = parsed.all("--ex").map(Step::read).collect::<Result<Vec<_>, _>>()?;
    let mut ended: Option<ProgramResult> = None;
    for step in steps {
        match step {
            Step::Run(arguments) => {
                let mut words = parsed.program.clone();
                if !arguments.is_empty() {
                    words.truncate(1);
                    words.extend(arguments);
                }
                let profile = exec::emulated_part()?;
                let result = exec::watch(&words, &profile, &ExecSettings { quiet: true, ..ExecSettings::default() })?;
                harness::print(&outcome(&result));
                ended = Some(result);
            }
            Step::Backtrace => harness::print(&backtrace(ended.as_ref())),
            Step::Nothing => {}
            Step::Quit => break,
        }
    }
    Ok(ExitCode::from(ended.map_or(0, |ended| ended.code)))
}

/// The findings of all processes.
fn findings(ended: &ProgramResult) -> impl Iterator<Item = &RenderedFinding> {
    ended.processes.iter().flat_map(|process| &process.findings)
}

/// How the program ended, with what was found in it.
fn outcome(ended: &ProgramResult) -> String {
    let mut lines: Vec<String> = Vec::new();
    for found in findings(ended) {
        lines.push(format!("\nCUDA Exception: {}", found.headline));
        lines.push(found.text.trim_end().to_owned());
    }
    let process = ended.processes.first().map_or(0, |process| process.report.process);
    lines.push(match ended.own {
        Some(0) => format!("[Inferior 1 (process {process}) exited normally]"),
        Some(code) => format!("[Inferior 1 (process {process}) exited with code {code:02o}]"),
        None => format!("Program terminated with signal {}.", ended.code.saturating_sub(128)),
    });
    lines.join("\n")
}

/// Where the first mistake was made: the kernel, and the functions that were inlined in it.
fn backtrace(ended: Option<&ProgramResult>) -> String {
    let Some(found) = ended.and_then(|ended| findings(ended).next()) else { return "No stack.".into() };
    let launches = ended.into_iter().flat_map(|ended| &ended.processes).flat_map(|process| &process.report.launches);
    let is_its = |launch: &&Launch| launch.kernel == found.finding.kernel;
    let faulted = launches.clone().find(|launch| is_its(launch) && launch.fault.is_some());
    let launch = faulted.or_else(|| launches.clone().find(is_its));
    let size = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
    let shape = launch.map_or_else(String::new, |launch| format!("<<<{},{}>>>", size(launch.grid), size(launch.block)));
    let name = found.kernel_name.split('(').next().unwrap_or_default();
    let Some(access) = found.finding.accesses.first() else { return format!("#0  {name}{shape} ()") };
    let place = &access.place;
    let lines = std::iter::once((place.file.as_str(), place.line))
        .chain(place.inlined_at.iter().map(|call| (call.file.as_str(), call.line)));
    let at = |file: &str, line: u32| if line > 0 { format!(" at {file}:{line}") } else { String::new() };
    let last = place.inlined_at.len();
    let frames = lines.enumerate().map(|(number, (file, line))| {
        let function = if number == last { format!("{name}{shape}") } else { "(inlined)".into() };
        format!("#{number}  {function} (){}", at(file, line))
    });
    let thread = format!("[block {}, thread {}]", size(access.block), size(access.thread));
    frames.chain([thread]).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_and_others_are_named() {
        assert_eq!(Step::read("run 1 2").unwrap(), Step::Run(vec!["1".into(), "2".into()]));
        assert_eq!(Step::read("where").unwrap(), Step::Backtrace);
        assert_eq!(Step::read("set cuda memcheck on").unwrap(), Step::Nothing);
        let error = Step::read("break x.cu:3").unwrap_err().to_string();
        assert!(error.contains("no command `break` here: there is no debugger"), "{error}");
    }
}
