//! `ncu`: what the machine counts of each launch, in the shape and under the names of Nsight Compute.
use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{ArgMatches, Command};
use harness::{Error, ProcessRun, predicted_launches, suggest};
use predict::GpuModel;
use wire::{Launch, function_name};

use super::{
    command_line::{Parsed, Tool, ToolOption},
    ncu_metrics::{METRICS, Metric, NOT_COUNTED, SECTIONS, Source},
    profile::keep_run,
};
use crate::{
    programs::exec::{self, ExecSettings, ProgramResult},
    shared::output_options::to_file,
};

const TOOL: Tool = Tool {
    name: "ncu",
    about: "Count what kernels do on the embedded machine, with the options and metrics of Nsight Compute's ncu",
    usage: "ncu [OPTIONS] PROGRAM [ARGUMENTS]",
    options: &[
        ToolOption { names: &["--metrics"], value: "NAMES", help: Some("Show these metrics, separated by commas") },
        ToolOption {
            names: &["--section"],
            value: "NAME",
            help: Some("Show this section; may be given several times [default: all]"),
        },
        ToolOption {
            names: &["--set"],
            value: "basic|detailed|full",
            help: Some("Show a set of sections: all that are counted"),
        },
        ToolOption { names: &["--csv"], value: "", help: Some("Print CSV, one metric of one launch a line") },
        ToolOption { names: &["--log-file"], value: "FILE", help: Some("Write to FILE instead of standard output") },
        ToolOption {
            names: &["--export", "-o"],
            value: "DIR",
            help: Some("Write the run to a folder for `warplab report`; then show metrics only with --page or --csv"),
        },
        ToolOption {
            names: &["--kernel-name", "-k"],
            value: "NAME",
            help: Some("Show only launches of the kernel of this name, without its parameters"),
        },
        ToolOption { names: &["--launch-skip", "-s"], value: "COUNT", help: Some("Leave out the first launches") },
        ToolOption { names: &["--launch-count", "-c"], value: "COUNT", help: Some("Show at most COUNT launches") },
        ToolOption { names: &["--query-metrics"], value: "", help: Some("List the metrics that are counted") },
        ToolOption { names: &["--list-sections"], value: "", help: Some("List the sections that are counted") },
        ToolOption { names: &["--version", "-v"], value: "", help: Some("Show the version") },
        ToolOption { names: &["--apply-rules"], value: "yes|no", help: None },
        ToolOption { names: &["--cache-control"], value: "all|none", help: None },
        ToolOption { names: &["--clock-control"], value: "base|none", help: None },
        ToolOption { names: &["--kernel-name-base"], value: "function|demangled|mangled", help: None },
        ToolOption { names: &["--page"], value: "details|raw", help: None },
        ToolOption { names: &["--print-details"], value: "header|body|all", help: None },
        ToolOption { names: &["--print-units"], value: "auto|base", help: None },
        ToolOption { names: &["--replay-mode"], value: "kernel|application", help: None },
        ToolOption { names: &["--target-processes"], value: "all|application-only", help: None },
    ],
    refused: &[
        "--chips",
        "--config-file",
        "--devices",
        "--filter-mode",
        "--force-overwrite",
        "--graph-profiling",
        "--import",
        "--kernel-id",
        "--mode",
        "--nvtx",
        "--nvtx-include",
        "--open-in-ui",
        "--pm-sampling-interval",
        "--print-nvtx-rename",
        "--print-source",
        "--print-summary",
        "--profile-from-start",
        "--range-filter",
        "--sampling-interval",
        "--section-folder",
        "--source-folders",
        "-f",
        "-i",
    ],
    more: "\
A metric or a section that is not counted is named on standard error and shown as n/a, never as 0. The exit code is the program's own.
`warplab exec --hot` shows counts by source line, and `warplab exec --out DIR` keeps a run for `warplab report`.

Examples:
  ncu ./hello
  ncu --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum --csv ./hello
",
};

pub fn command() -> Command {
    TOOL.command()
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let Some(parsed) = TOOL.parse(matches)? else { return Ok(ExitCode::SUCCESS) };
    if parsed.has("--version") {
        harness::print(concat!("ncu of warplab ", env!("CARGO_PKG_VERSION")));
        return Ok(ExitCode::SUCCESS);
    }
    if parsed.has("--query-metrics") || parsed.has("--list-sections") {
        harness::print(&lists(&parsed));
        return Ok(ExitCode::SUCCESS);
    }
    TOOL.needs_program(&parsed)?;
    let filter = Filter::from_options(&parsed)?;
    let (tables, missing) = tables(&parsed)?;
    if tables.is_empty() {
        return Err(Error::CannotRun(format!(
            "not counted here: {}; `ncu --list-sections` lists what is",
            missing.join(", ")
        )));
    }
    let profile = exec::emulated_part()?;
    let is_predicted =
        tables.iter().flat_map(|table| &table.metrics).any(|(_, known)| known.is_some_and(Metric::is_predicted));
    let part = if is_predicted { harness::predicted_part(Some(""), &profile).ok().flatten() } else { None };
    let settings = ExecSettings { part: part.clone(), quiet: true, ..ExecSettings::default() };
    let ended = exec::watch(&parsed.program, &profile, &settings)?;
    let page = Page { tables, part, capability: exec::capability(&profile), filter };
    let folder = parsed.last("--export").map(PathBuf::from);
    if folder.is_none() || parsed.has("--csv") || parsed.has("--page") {
        show(&parsed, &page, &ended, &profile)?;
    }
    for told in notes(&missing, &page, &ended.processes) {
        harness::print_error(&told);
    }
    let code = ended.own.map_or(ended.code, |own| own as u8);
    if let Some(folder) = folder {
        keep_run(folder, &parsed.program, profile, &settings, ended)?;
    }
    Ok(ExitCode::from(code))
}

fn show(parsed: &Parsed, page: &Page, ended: &ProgramResult, profile: &str) -> Result<(), Error> {
    let text = if parsed.has("--csv") { page.csv(&ended.processes) } else { page.details(&ended.processes, profile) };
    match parsed.last("--log-file") {
        Some(file) => to_file(Path::new(file), &text),
        None => {
            harness::print_data(text.trim_end());
            Ok(())
        }
    }
}

fn lists(parsed: &Parsed) -> String {
    if parsed.has("--list-sections") {
        let lines = SECTIONS.iter().map(|section| format!("{:24}{}", section.name, section.title));
        return lines.collect::<Vec<_>>().join("\n");
    }
    let line = |metric: &Metric| format!("{:70} {}", metric.name, metric.note).trim_end().to_owned();
    METRICS.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A table of metrics: each has the name that is shown, and is known or not.
struct MetricTable {
    title: String,
    metrics: Vec<(String, Option<&'static Metric>)>,
}

/// The tables that are asked for, and the names of metrics and sections that are not counted.
fn tables(parsed: &Parsed) -> Result<(Vec<MetricTable>, Vec<String>), Error> {
    let (mut tables, mut missing) = (Vec::new(), Vec::new());
    let names = parsed.list("--metrics");
    if !names.is_empty() {
        let metrics: Vec<_> = names.iter().map(|name| ((*name).to_owned(), Metric::find(name))).collect();
        missing.extend(metrics.iter().filter(|(_, known)| known.is_none()).map(|(name, _)| name.clone()));
        tables.push(MetricTable { title: "Command line profiler metrics".into(), metrics });
    }
    let set = parsed.choice("--set", &["basic", "detailed", "full", "roofline"])?;
    if parsed.has("--set") && set != "basic" {
        missing.push("SpeedOfLight and other sections of times".into());
    }
    let sections = parsed.list("--section");
    for name in &sections {
        if NOT_COUNTED.contains(name) {
            missing.push((*name).to_owned());
        } else if !SECTIONS.iter().any(|section| section.name == *name) {
            let known: Vec<&str> = SECTIONS.iter().map(|section| section.name).collect();
            return Err(Error::usage(format!("--section has no {name}; {}", suggest::among(name, &known))));
        }
    }
    let is_wanted = |name: &str| match (sections.is_empty(), names.is_empty()) {
        (true, has_no_metrics) => has_no_metrics || parsed.has("--set"),
        (false, _) => sections.contains(&name),
    };
    for section in SECTIONS.iter().filter(|section| is_wanted(section.name)) {
        let of_label = |label: &&str| ((*label).to_owned(), METRICS.iter().find(|metric| metric.label == *label));
        tables
            .push(MetricTable { title: section.title.into(), metrics: section.labels.iter().map(of_label).collect() });
    }
    Ok((tables, missing))
}

/// Which launches are shown.
struct Filter {
    name: Option<String>,
    skip: usize,
    count: usize,
}

impl Filter {
    fn from_options(parsed: &Parsed) -> Result<Self, Error> {
        let name = parsed.last("--kernel-name").map(String::from);
        if name.as_ref().is_some_and(|name| name.starts_with("regex:")) {
            return Err(Error::usage("--kernel-name takes a whole name here, and no regex:"));
        }
        Ok(Self { name, skip: parsed.number("--launch-skip", 0)?, count: parsed.number("--launch-count", usize::MAX)? })
    }

    fn launches<'p>(&self, processes: &'p [ProcessRun]) -> Vec<(&'p ProcessRun, &'p Launch)> {
        let all =
            processes.iter().flat_map(|process| process.report.launches.iter().map(move |launch| (process, launch)));
        let is_named =
            |launch: &Launch| self.name.as_ref().is_none_or(|name| function_name(&launch.kernel_name) == name);
        all.filter(|(_, launch)| is_named(launch)).skip(self.skip).take(self.count).collect()
    }
}

/// What is shown of each launch.
struct Page {
    tables: Vec<MetricTable>,
    part: Option<GpuModel>,
    capability: Option<(u64, u64)>,
    filter: Filter,
}

impl Page {
    fn source<'l>(&self, launch: &'l Launch) -> Source<'l> {
        let predicted = self.part.as_ref().and_then(|part| predicted_launches(part, [launch]));
        let predicted_ns = predicted.and_then(|predicted| predicted.in_all).map(|time| time.ms * 1e6);
        Source { launch, predicted_ns }
    }

    fn capability(&self) -> String {
        self.capability.map_or_else(|| "unknown".into(), |(major, minor)| format!("{major}.{minor}"))
    }

    /// The page `details`.
    fn details(&self, processes: &[ProcessRun], profile: &str) -> String {
        let mut lines = vec![format!("==PROF== ncu of warplab, on an emulated {profile}")];
        let mut last = 0;
        for (process, launch) in self.filter.launches(processes) {
            if process.report.process != last {
                last = process.report.process;
                lines.push(format!("[{last}] {}@127.0.0.1", process.report.command));
            }
            lines.push(format!(
                "  {} {}x{}, Context 1, Stream {}, Device 0, CC {}",
                launch.kernel_name,
                shape(launch.grid),
                shape(launch.block),
                launch.stream,
                self.capability()
            ));
            let source = self.source(launch);
            for table in &self.tables {
                lines.push(format!("    Section: {}", table.title));
                lines.extend(table.lines(&source));
                lines.push(String::new());
            }
        }
        lines.join("\n")
    }

    fn csv(&self, processes: &[ProcessRun]) -> String {
        let mut lines = vec![
            "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid \
             Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\""
                .to_owned(),
        ];
        for (id, (process, launch)) in self.filter.launches(processes).into_iter().enumerate() {
            let program = process.report.command.split_whitespace().next().unwrap_or_default();
            let program = program.rsplit('/').next().unwrap_or_default();
            let source = self.source(launch);
            for table in &self.tables {
                for (name, metric) in &table.metrics {
                    let cells = [
                        id.to_string(),
                        process.report.process.to_string(),
                        program.to_owned(),
                        "127.0.0.1".into(),
                        launch.kernel_name.clone(),
                        "1".into(),
                        launch.stream.to_string(),
                        shape(launch.block),
                        shape(launch.grid),
                        "0".into(),
                        self.capability(),
                        table.title.clone(),
                        name.clone(),
                        metric.map_or("", |metric| metric.unit).into(),
                        shown(*metric, &source),
                    ];
                    lines.push(cells.map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).join(","));
                }
            }
        }
        lines.join("\n") + "\n"
    }
}

impl MetricTable {
    fn lines(&self, source: &Source<'_>) -> Vec<String> {
        let rows: Vec<[String; 3]> = self
            .metrics
            .iter()
            .map(|(name, metric)| [name.clone(), metric.map_or("", |m| m.unit).into(), shown(*metric, source)])
            .collect();
        let header = ["Metric Name", "Metric Unit", "Metric Value"].map(String::from);
        let width =
            |column: usize| rows.iter().chain([&header]).map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2)];
        let rule = format!("    {}", widths.map(|width| "-".repeat(width)).join(" "));
        let line = |[name, unit, value]: &[String; 3]| {
            format!("    {name:<0$} {unit:>1$} {value:>2$}", widths[0], widths[1], widths[2])
        };
        let body = rows.iter().map(line);
        [rule.clone(), line(&header), rule.clone()].into_iter().chain(body).chain([rule]).collect()
    }
}

/// A metric's value as ncu writes it: with commas between thousands, and two decimals unless it is whole.
fn shown(metric: Option<&Metric>, source: &Source<'_>) -> String {
    let Some(value) = metric.and_then(|metric| metric.value(source)) else { return "n/a".into() };
    let text = if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") };
    let (whole, rest) = text.split_once('.').map_or((text.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    rest.map_or(grouped.clone(), |rest| format!("{grouped}.{rest}"))
}

/// A size as ncu writes it: `(4, 1, 1)`.
fn shape([x, y, z]: [u32; 3]) -> String {
    format!("({x}, {y}, {z})")
}

/// What the reader must know besides the values.
fn notes(missing: &[String], page: &Page, processes: &[ProcessRun]) -> Vec<String> {
    let mut notes = Vec::new();
    if !missing.is_empty() {
        notes.push(format!(
            "ncu: not counted here: {}; `ncu --query-metrics` and `ncu --list-sections` list what is",
            missing.join(", ")
        ));
    }
    if page.filter.launches(processes).is_empty() {
        notes.push("==WARNING== No kernels were profiled.".into());
        return notes;
    }
    let all = || page.tables.iter().flat_map(|table| &table.metrics);
    let noted: Vec<(&str, &Metric)> = all().filter_map(|(name, metric)| Some((name.as_str(), (*metric)?))).collect();
    let mut said: Vec<&str> = noted.iter().map(|(_, metric)| metric.note).filter(|note| !note.is_empty()).collect();
    said.sort_unstable();
    said.dedup();
    for note in said {
        let names: Vec<&str> = noted.iter().filter(|(_, metric)| metric.note == note).map(|(name, _)| *name).collect();
        notes.push(format!("ncu: {note}: {}", names.join(", ")));
    }
    if noted.iter().any(|(_, metric)| metric.is_predicted()) && page.part.is_none() {
        notes.push("ncu: times can be predicted for an h100 and an h200 only; WARPLAB_PROFILE chooses one".into());
    }
    let dropped: u64 = processes.iter().map(|process| process.report.launches_dropped).sum();
    if dropped > 0 {
        notes.push(format!("ncu: the first {dropped} launches are not kept; the numbers are of those after them"));
    }
    let findings: usize = processes.iter().map(|process| process.findings.len()).sum();
    if findings > 0 {
        notes.push(format!("ncu: {findings} mistakes were found in the program; `compute-sanitizer` shows them"));
    }
    notes
}
