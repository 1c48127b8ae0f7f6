//! `compute-sanitizer`: the checks of `warplab exec` under the options and exit codes of NVIDIA's tool.
use std::{fmt::Write, path::Path, process::ExitCode};

use clap::{ArgMatches, Command};
use harness::{Error, ProcessRun};
use wire::{Checks, RenderedFinding};

use super::command_line::{Parsed, Tool, ToolOption};
use crate::{
    programs::exec::{self, ExecSettings, ProgramResult},
    shared::output_options::to_file,
};

const YES_NO: &str = "yes|no";

const TOOL: Tool = Tool {
    name: "compute-sanitizer",
    about: "Look for mistakes in a CUDA program on the embedded machine, with the options of NVIDIA's compute-sanitizer",
    usage: "compute-sanitizer [OPTIONS] PROGRAM [ARGUMENTS]",
    options: &[
        ToolOption {
            names: &["--tool"],
            value: "memcheck|racecheck|initcheck|synccheck",
            help: Some("What to look for [default: memcheck]"),
        },
        ToolOption {
            names: &["--leak-check"],
            value: "no|full",
            help: Some("Also report device memory that is never freed [default: no]"),
        },
        ToolOption {
            names: &["--error-exitcode"],
            value: "CODE",
            help: Some("The exit code if the program itself succeeds and errors were found [default: 0]"),
        },
        ToolOption {
            names: &["--print-limit"],
            value: "COUNT",
            help: Some("Show at most COUNT errors, 0 for all [default: 100]"),
        },
        ToolOption {
            names: &["--log-file"],
            value: "FILE",
            help: Some("Write the report to FILE instead of standard output; %p is replaced by the process id"),
        },
        ToolOption { names: &["--prefix"], value: "TEXT", help: Some("The beginning of each line [default: =========]") },
        ToolOption {
            names: &["--check-exit-code"],
            value: YES_NO,
            help: Some("Say so if the program's exit code is not 0 [default: yes]"),
        },
        ToolOption {
            names: &["--require-cuda-init"],
            value: YES_NO,
            help: Some("Fail if the program never uses CUDA [default: yes]"),
        },
        ToolOption { names: &["--version", "-V"], value: "", help: Some("Show the version") },
        ToolOption { names: &["--demangle"], value: "full|simple|no", help: None },
        ToolOption { names: &["--force-blocking-launches"], value: YES_NO, help: None },
        ToolOption { names: &["--kill"], value: YES_NO, help: None },
        ToolOption { names: &["--language"], value: "c|fortran", help: None },
        ToolOption { names: &["--launch-timeout"], value: "SECONDS", help: None },
        ToolOption { names: &["--max-connections"], value: "COUNT", help: None },
        ToolOption { names: &["--missing-barrier-init-is-fatal"], value: YES_NO, help: None },
        ToolOption { names: &["--num-callers-device"], value: "COUNT", help: None },
        ToolOption { names: &["--num-callers-host"], value: "COUNT", help: None },
        ToolOption { names: &["--port"], value: "PORT", help: None },
        ToolOption { names: &["--print-level"], value: "info|warn|error|fatal", help: None },
        ToolOption { names: &["--print-session-details"], value: "", help: None },
        ToolOption { names: &["--racecheck-report"], value: "hazard|analysis|all", help: None },
        ToolOption { names: &["--show-backtrace"], value: "yes|host|device|no", help: None },
        ToolOption { names: &["--strip-paths"], value: YES_NO, help: None },
        ToolOption { names: &["--target-processes"], value: "application-only|all", help: None },
        ToolOption { names: &["--track-stream-ordered-races"], value: "all|no", help: None },
    ],
    refused: &[
        "--check-api-memory-access",
        "--check-device-heap",
        "--coredump-name",
        "--destroy-on-device-error",
        "--exclude",
        "--generate-coredump",
        "--injection-path",
        "--kernel-name",
        "--kernel-name-exclude",
        "--kernel-regex",
        "--kernel-regex-exclude",
        "--launch-count",
        "--launch-skip",
        "--mode",
        "--nvtx",
        "--padding",
        "--quiet",
        "--racecheck-detect-level",
        "--racecheck-memcpy-async",
        "--read",
        "--report-api-errors",
        "--save",
        "--suppressions",
        "--target-processes-filter",
        "--track-unused-memory",
        "--unused-memory-threshold",
        "--xml",
    ],
    more: "\
The exit code is the program's own, also if errors were found, unless --error-exitcode is given. An error is one mistake at one
place, however many threads make it. `warplab exec --check all` looks for mistakes of all kinds in one run.

Examples:
  compute-sanitizer ./hello
  compute-sanitizer --tool racecheck --error-exitcode 1 ./hello 10
",
};

pub fn command() -> Command {
    TOOL.command()
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let Some(parsed) = TOOL.parse(matches)? else { return Ok(ExitCode::SUCCESS) };
    if parsed.has("--version") {
        harness::print(concat!("compute-sanitizer of warplab ", env!("CARGO_PKG_VERSION")));
        return Ok(ExitCode::SUCCESS);
    }
    TOOL.needs_program(&parsed)?;
    let settings = Settings::from_options(&parsed)?;
    let exec = ExecSettings { checks: Some(settings.checks), quiet: true, ..ExecSettings::default() };
    let profile = exec::emulated_part()?;
    let ended = exec::watch(&parsed.program, &profile, &exec)?;
    let report = settings.report(&ended, &profile);
    match parsed.last("--log-file") {
        Some(file) => to_file(Path::new(&file.replace("%p", &std::process::id().to_string())), &report)?,
        None => harness::print(report.trim_end()),
    }
    Ok(ExitCode::from(settings.code(&ended)))
}

/// What the options ask for.
struct Settings {
    tool: &'static str,
    checks: Checks,
    error_code: u8,
    print_limit: usize,
    prefix: String,
    checks_exit_code: bool,
    requires_cuda: bool,
}

impl Settings {
    fn from_options(parsed: &Parsed) -> Result<Self, Error> {
        let tool = parsed.choice("--tool", &["memcheck", "racecheck", "initcheck", "synccheck"])?;
        let leaks = parsed.choice("--leak-check", &["no", "full"])? == "full";
        if leaks && tool != "memcheck" {
            return Err(Error::usage(format!("--leak-check belongs to --tool memcheck, not to {tool}")));
        }
        let checks: Checks = tool.parse().map_err(|error: wire::UnknownCheck| Error::usage(error.to_string()))?;
        Ok(Self {
            tool,
            checks: Checks { leaks, ..checks },
            error_code: parsed.number("--error-exitcode", 0)?,
            print_limit: parsed.number("--print-limit", 100)?,
            prefix: parsed.last("--prefix").unwrap_or("=========").to_owned(),
            checks_exit_code: parsed.choice("--check-exit-code", &["yes", "no"])? == "yes",
            requires_cuda: parsed.choice("--require-cuda-init", &["yes", "no"])? == "yes",
        })
    }

    /// The text of the report, with the prefix before each line.
    fn report(&self, ended: &ProgramResult, profile: &str) -> String {
        let mut lines = vec![format!("COMPUTE-SANITIZER of warplab, on an emulated {profile}")];
        let findings: Vec<&RenderedFinding> = ended.processes.iter().flat_map(|process| &process.findings).collect();
        let shown = if self.print_limit == 0 { findings.len() } else { self.print_limit.min(findings.len()) };
        for finding in &findings[..shown] {
            lines.extend(finding.text.trim_end().lines().map(String::from));
            lines.push(String::new());
        }
        if ended.processes.is_empty() {
            lines.push("Target application terminated before first instrumented API call".into());
        }
        if self.checks_exit_code && ended.own != Some(0) {
            lines.push("Target application returned an error".into());
        }
        let count = findings.len() as u64 + dropped(&ended.processes);
        let plural = |count: u64, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
        lines.push(if self.tool == "racecheck" {
            let (hazards, errors) = (plural(count, "hazard"), plural(count, "error"));
            format!("RACECHECK SUMMARY: {hazards} displayed ({errors}, 0 warnings)")
        } else {
            format!("ERROR SUMMARY: {}", plural(count, "error"))
        });
        let hidden = count - shown as u64;
        if hidden > 0 {
            lines.push(format!(
                "ERROR SUMMARY: {} were not printed. Use --print-limit option to adjust the number of \
                 printed errors",
                plural(hidden, "error")
            ));
        }
        lines.iter().fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "{}", format!("{} {line}", self.prefix).trim_end());
            text
        })
    }

    fn code(&self, ended: &ProgramResult) -> u8 {
        let found = ended.processes.iter().any(|process| !process.findings.is_empty());
        match ended.own {
            Some(0) if self.requires_cuda && ended.processes.is_empty() => 1,
            Some(0) if found => self.error_code,
            Some(own) => own as u8,
            None => ended.code,
        }
    }
}

/// The findings that the machine did not keep.
fn dropped(processes: &[ProcessRun]) -> u64 {
    processes.iter().map(|process| process.report.findings_dropped).sum()
}
