//! `nsys profile`: a program's run on the machine, summed up as Nsight Systems does with `--stats=true`.
use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use clap::{ArgMatches, Command};
use harness::{Error, suggest};

use super::{
    command_line::{Tool, ToolOption},
    profile::{self, CopyTotal, Durations, Profile},
};

const TOOL: Tool = Tool {
    name: "nsys",
    about: "Profile a program on the embedded machine, with the options and tables of Nsight Systems' nsys profile",
    usage: "nsys profile [OPTIONS] PROGRAM [ARGUMENTS]",
    options: &[
        ToolOption {
            names: &["--stats"],
            value: "true|false",
            help: Some("Show the tables [default: true without -o]"),
        },
        ToolOption {
            names: &["--output", "-o"],
            value: "DIR",
            help: Some("Write the run to this folder; `warplab report DIR` makes a page of it"),
        },
        ToolOption { names: &["--version", "-v"], value: "", help: Some("Show the version") },
        ToolOption { names: &["--backtrace", "-b"], value: "MODE", help: None },
        ToolOption { names: &["--cpuctxsw"], value: "MODE", help: None },
        ToolOption { names: &["--cuda-memory-usage"], value: "true|false", help: None },
        ToolOption { names: &["--cuda-um-cpu-page-faults"], value: "true|false", help: None },
        ToolOption { names: &["--cuda-um-gpu-page-faults"], value: "true|false", help: None },
        ToolOption { names: &["--force-overwrite", "-f"], value: "true|false", help: None },
        ToolOption { names: &["--sample", "-s"], value: "MODE", help: None },
        ToolOption { names: &["--show-output", "-w"], value: "true|false", help: None },
        ToolOption { names: &["--trace", "-t"], value: "APIS", help: None },
        ToolOption { names: &["--wait"], value: "primary|all", help: None },
    ],
    refused: &[
        "--capture-range",
        "--delay",
        "--duration",
        "--env-var",
        "--export",
        "--gpu-metrics-devices",
        "--gpu-metrics-device",
        "--kill",
        "--nvtx-capture",
        "--session-new",
        "--stop-on-exit",
        "-c",
        "-d",
        "-e",
        "-y",
    ],
    more: "\
The exit code is the program's own. Times are the emulation's, except in the table of predicted times.

Example:
  nsys profile --stats=true ./hello
",
};

/// nsys's other commands.
const OTHERS: &[&str] =
    &["analyze", "cancel", "export", "launch", "recipe", "sessions", "shutdown", "start", "stats", "status", "stop"];

pub fn command() -> Command {
    TOOL.command()
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let words: Vec<OsString> = matches.get_many("words").map(|all| all.cloned().collect()).unwrap_or_default();
    let is_profile = words.first().is_some_and(|word| word == "profile");
    let Some(parsed) = TOOL.parse_words(words.into_iter().skip(usize::from(is_profile)).collect())? else {
        return Ok(ExitCode::SUCCESS);
    };
    if parsed.has("--version") {
        harness::print(concat!("nsys of warplab ", env!("CARGO_PKG_VERSION")));
        return Ok(ExitCode::SUCCESS);
    }
    if !is_profile {
        return Err(Error::usage(match parsed.program.first().map(|word| word.to_string_lossy()) {
            Some(word) if OTHERS.contains(&&*word) => {
                format!("nsys {word} is not available here: use nsys profile --stats=true")
            }
            Some(word) => format!("nsys has no command {word}; {}", suggest::among(&word, &["profile"])),
            None => format!("name a command: {}", TOOL.usage),
        }));
    }
    TOOL.needs_program(&parsed)?;
    let folder = parsed.last("--output").map(PathBuf::from);
    let has_stats =
        parsed.choice("--stats", &["true", "false"])? == "true" && (parsed.has("--stats") || folder.is_none());
    let profile = profile::profile(&parsed.program)?;
    if has_stats {
        harness::print_data(&stats(&profile));
    }
    let code = match folder {
        Some(folder) => profile.keep(folder)?,
        None => profile.code(),
    };
    Ok(ExitCode::from(code))
}

/// The tables.
fn stats(profile: &Profile) -> String {
    let mut parts = vec![format!(
        "nsys of warplab, on an emulated {}. Times are the emulation's own and say nothing about a GPU{}.",
        profile.part,
        if profile.predicted.is_empty() { "" } else { ", except those that are predicted" }
    )];
    parts.extend(profile.notes().into_iter().map(|note| format!("Note: {note}.")));
    let step = |number: u32, name: &str| format!("[{number}/5] Executing '{name}' stats report");
    let or = |table: String, without: &str| if table.is_empty() { format!("SKIPPED: {without}.") } else { table };
    let times = |rows: &[Durations], count: &str, name: &str| durations(rows, count, name);
    parts.push(step(1, "cuda_api_sum"));
    parts.push(or(times(&profile.calls, "Num Calls", "Name"), "no calls of CUDA's runtime were counted"));
    parts.push(step(2, "cuda_gpu_kern_sum"));
    parts.push(or(times(&profile.kernels, "Instances", "Name"), "no kernel was launched"));
    if !profile.predicted.is_empty() {
        parts.push(format!("Predicted for {}, not measured: kernels without copies", profile.part));
        parts.push(times(&profile.predicted, "Instances", "Name"));
    }
    parts.push(step(3, "cuda_gpu_mem_time_sum"));
    parts.push("SKIPPED: copies are not timed.".into());
    parts.push(step(4, "cuda_gpu_mem_size_sum"));
    parts.push(or(sizes(&profile.copies), "nothing was copied"));
    parts.push(step(5, "nvtx_sum"));
    parts.push("SKIPPED: NVTX ranges are not recorded.".into());
    parts.join("\n\n")
}

/// A table of durations, in the columns of Nsight Systems.
fn durations(rows: &[Durations], count: &str, name: &str) -> String {
    let total: f64 = rows.iter().map(|row| row.total).sum();
    let cells = |row: &Durations| {
        let whole = |value: f64| format!("{value:.0}");
        let tenth = |value: f64| format!("{value:.1}");
        vec![
            tenth(100.0 * row.total / total.max(f64::MIN_POSITIVE)),
            whole(row.total),
            row.count.to_string(),
            tenth(row.mean()),
            tenth(row.median),
            whole(row.least),
            whole(row.most),
            tenth(row.deviation()),
            row.name.clone(),
        ]
    };
    let headers =
        ["Time (%)", "Total Time (ns)", count, "Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)", name];
    table(&headers, &rows.iter().map(cells).collect::<Vec<_>>())
}

/// The table of copies by size. The machine adds up sizes, so that their spread is not known.
fn sizes(rows: &[CopyTotal]) -> String {
    let cells = |row: &CopyTotal| {
        let megabytes = row.bytes as f64 / 1e6;
        let average = megabytes / row.count.max(1) as f64;
        let unknown = || "n/a".to_owned();
        // Three decimals, unless they would hide a small copy.
        let shown = |value: f64| if value < 0.01 { format!("{value:.6}") } else { format!("{value:.3}") };
        vec![
            shown(megabytes),
            row.count.to_string(),
            shown(average),
            unknown(),
            unknown(),
            unknown(),
            unknown(),
            row.operation.into(),
        ]
    };
    let headers = ["Total (MB)", "Count", "Avg (MB)", "Med (MB)", "Min (MB)", "Max (MB)", "StdDev (MB)", "Operation"];
    table(&headers, &rows.iter().map(cells).collect::<Vec<_>>())
}

/// A table: numbers to the right, the last column to the left. Empty without rows.
fn table(headers: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([headers[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headers.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let last = cells.len() - 1;
        let padded = cells
            .iter()
            .enumerate()
            .map(|(i, cell)| if i == last { (*cell).to_owned() } else { format!("{cell:>width$}", width = widths[i]) });
        format!(" {}", padded.collect::<Vec<_>>().join("  "))
    };
    let dashes: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let body = rows.iter().map(|row| line(row.iter().map(String::as_str).collect()));
    let head = [line(headers.to_vec()), line(dashes.iter().map(String::as_str).collect())];
    head.into_iter().chain(body).collect::<Vec<_>>().join("\n")
}
