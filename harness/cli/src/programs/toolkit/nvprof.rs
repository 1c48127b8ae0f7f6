//! `nvprof`: a program's run on the machine, summed up as NVIDIA's old profiler did.
use std::{fmt::Write, path::Path, process::ExitCode};

use clap::{ArgMatches, Command};
use harness::Error;

use super::{
    command_line::{Tool, ToolOption},
    profile::{self, Durations, Profile},
};
use crate::shared::output_options::to_file;

const TOOL: Tool = Tool {
    name: "nvprof",
    about: "Profile a program on the embedded machine, with the summary of NVIDIA's nvprof",
    usage: "nvprof [OPTIONS] PROGRAM [ARGUMENTS]",
    options: &[
        ToolOption { names: &["--log-file"], value: "FILE", help: Some("Write to FILE instead of standard error") },
        ToolOption { names: &["--version", "-V"], value: "", help: Some("Show the version") },
        ToolOption { names: &["--normalized-time-unit", "-u"], value: "UNIT", help: None },
        ToolOption { names: &["--print-summary", "-s"], value: "", help: None },
        ToolOption { names: &["--profile-child-processes"], value: "", help: None },
        ToolOption { names: &["--unified-memory-profiling"], value: "MODE", help: None },
    ],
    refused: &[
        "--analysis-metrics",
        "--aggregate-mode",
        "--csv",
        "--devices",
        "--events",
        "--export-profile",
        "--import-profile",
        "--kernels",
        "--metrics",
        "--print-api-trace",
        "--print-gpu-trace",
        "--query-events",
        "--query-metrics",
        "-e",
        "-i",
        "-m",
        "-o",
    ],
    more: "\
The exit code is the program's own. Times are the emulation's. `ncu --metrics` shows what kernels do, and `nsys profile` has more
tables.
",
};

pub fn command() -> Command {
    TOOL.command()
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let Some(parsed) = TOOL.parse(matches)? else { return Ok(ExitCode::SUCCESS) };
    if parsed.has("--version") {
        harness::print(concat!("nvprof of warplab ", env!("CARGO_PKG_VERSION")));
        return Ok(ExitCode::SUCCESS);
    }
    TOOL.needs_program(&parsed)?;
    let profile = profile::profile(&parsed.program)?;
    let text = summary(&profile);
    match parsed.last("--log-file") {
        Some(file) => to_file(Path::new(file), &text)?,
        None => harness::print_error(text.trim_end()),
    }
    Ok(ExitCode::from(profile.code()))
}

fn summary(profile: &Profile) -> String {
    let process = profile.ended.processes.first().map_or(0, |process| process.report.process);
    let command = profile.ended.processes.first().map_or("", |process| &process.report.command);
    let mut text = format!("=={process}== NVPROF of warplab is profiling process {process}, command: {command}\n");
    let _ = writeln!(
        text,
        "=={process}== On an emulated {}: times are the emulation's own and say nothing about a GPU",
        profile.part
    );
    for note in profile.notes() {
        let _ = writeln!(text, "=={process}== Note: {note}");
    }
    let _ = writeln!(text, "=={process}== Profiling result:");
    let header = ["Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max", "Name"].map(String::from);
    let mut rows = vec![header];
    rows.extend(section("GPU activities:", &profile.kernels));
    for total in &profile.copies {
        let size = format!("{} ({} bytes, not timed)", total.operation, total.bytes);
        let none = String::new;
        let title = if rows.len() == 1 { "GPU activities:".into() } else { none() };
        rows.push([title, none(), none(), total.count.to_string(), none(), none(), none(), size]);
    }
    rows.extend(section("API calls:", &profile.calls));
    rows.extend(section("Predicted:", &profile.predicted));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    for row in &rows {
        let cells: Vec<String> = widths.iter().zip(row).map(|(width, cell)| format!("{cell:>width$}")).collect();
        let _ = writeln!(text, " {}  {}", cells.join("  "), row[7]);
    }
    text
}

/// The rows of a section, of which the first has its title.
fn section(title: &str, all: &[Durations]) -> Vec<[String; 8]> {
    let total: f64 = all.iter().map(|row| row.total).sum();
    let cells = |(place, row): (usize, &Durations)| {
        [
            if place == 0 { title.to_owned() } else { String::new() },
            format!("{:.2}%", 100.0 * row.total / total.max(f64::MIN_POSITIVE)),
            time(row.total),
            row.count.to_string(),
            time(row.mean()),
            time(row.least),
            time(row.most),
            row.name.clone(),
        ]
    };
    all.iter().enumerate().map(cells).collect()
}

/// A time with five digits and its unit.
fn time(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        ns if ns >= 1e9 => (ns / 1e9, "s"),
        ns if ns >= 1e6 => (ns / 1e6, "ms"),
        ns if ns >= 1e3 => (ns / 1e3, "us"),
        ns => (ns, "ns"),
    };
    let decimals = if value >= 100.0 {
        2
    } else if value >= 10.0 {
        3
    } else {
        4
    };
    format!("{value:.decimals$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_five_digits() {
        let texts = [1.5, 12_345.6, 1.234e6, 2e9].map(time);
        assert_eq!(texts, ["1.5000ns", "12.346us", "1.2340ms", "2.0000s"]);
    }
}
