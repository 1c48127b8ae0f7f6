//! The stored data of a whole program's run: its launches, its end, and their output by `--json`, one line each.
use std::{collections::BTreeMap, fs};

use predict::GpuModel;
use serde::Serialize;
use wire::{
    Launch, RenderedFinding, Report,
    finding::{Access, AccessKind},
};

use crate::{
    counters::{Counter, Counters},
    hot::{self, HotLine},
    machine_report::MachineReport,
    prediction::{Beside, Predicted},
    record::dims,
};

/// The version of the lines: a change of meaning increments it, a new field does not.
const SCHEMA: u32 = 1;

/// A program that has ended, and the embedded machine's reports on it.
#[derive(Debug, Clone)]
pub struct ProgramRun {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Its device: `cuda:0`, or `emulated:a100`.
    pub device: String,
    /// Its own exit code; `None` if a signal ended it.
    pub exit_code: Option<i32>,
    /// Its duration in seconds.
    pub seconds: f64,
    /// The processes that used the machine, each once; empty on a GPU, and for a program that never called the driver.
    pub processes: Vec<ProcessRun>,
    /// The GPU for which the times of the kernels are predicted (`--predict`).
    pub part: Option<GpuModel>,
}

/// A process of a program, and the machine's reports on it.
#[derive(Debug, Clone)]
pub struct ProcessRun {
    /// The machine's report. Its findings are those of one order of warps and blocks.
    pub report: Report,
    /// The findings under all orders, each mistake once.
    pub findings: Vec<RenderedFinding>,
}

/// The launches of one kernel with one shape.
#[derive(Debug)]
pub struct Shape<'r> {
    /// The launches, in order.
    pub launches: Vec<&'r Launch>,
    /// The findings in the kernel, listed with its first shape only.
    pub findings: Vec<&'r RenderedFinding>,
}

impl ProcessRun {
    /// Identifies the process, to distinguish its findings from those of other processes.
    pub fn name(&self) -> String {
        format!("process {}, {}", self.report.process, self.report.command)
    }

    /// Whether a launch of this kernel is known.
    fn has_launched(&self, kernel: &str) -> bool {
        self.report.launches.iter().any(|launch| launch.kernel == kernel)
    }

    /// Returns the findings outside of kernels that are known to have been launched: wrong copies, leaks, rejected
    /// launches.
    fn findings_of_host(&self) -> impl Iterator<Item = &RenderedFinding> {
        self.findings.iter().filter(|told| !self.has_launched(&told.finding.kernel))
    }

    /// Returns the launches in the order in which they were issued.
    fn issued(&self) -> Vec<&Launch> {
        let mut launches: Vec<&Launch> = self.report.launches.iter().collect();
        launches.sort_by_key(|launch| launch.issue);
        launches
    }
}

impl ProgramRun {
    /// Names the process in each finding, if there are several.
    pub fn name_processes(&mut self) {
        if self.processes.len() < 2 {
            return;
        }
        for process in &mut self.processes {
            let name = process.name();
            for told in &mut process.findings {
                told.context.push(format!("found in {name}"));
                told.text = format!("{}\n  = in: {name}\n", told.text.trim_end());
            }
        }
    }

    /// Returns all known launches of all processes.
    fn launches(&self) -> impl Iterator<Item = &Launch> {
        self.processes.iter().flat_map(|process| process.issued())
    }

    /// Returns the findings in all processes.
    fn findings(&self) -> impl Iterator<Item = &RenderedFinding> {
        self.processes.iter().flat_map(|process| &process.findings)
    }

    /// Returns the number of launches that did not fit in the reports.
    fn launches_dropped(&self) -> u64 {
        self.processes.iter().map(|process| process.report.launches_dropped).sum()
    }

    /// Returns the first order of warps and blocks; 0 if the machine did not run.
    pub fn seed(&self) -> u64 {
        self.processes.first().map_or(0, |process| process.report.settings.seed)
    }

    /// Whether the machine's counters were on.
    pub fn is_counted(&self) -> bool {
        self.processes.first().is_some_and(|process| process.report.settings.counters)
    }

    /// Returns the launches by kernel and shape, in the order of the first of each.
    pub fn shapes(&self) -> Vec<Shape<'_>> {
        let key = |launch: &Launch| (launch.grid, launch.block, launch.dynamic_shared_bytes);
        let mut places: BTreeMap<(&str, _), usize> = BTreeMap::new();
        let mut shapes: Vec<Shape<'_>> = Vec::new();
        for launch in self.launches() {
            let place = *places.entry((launch.kernel.as_str(), key(launch))).or_insert_with(|| {
                shapes.push(Shape { launches: Vec::new(), findings: Vec::new() });
                shapes.len() - 1
            });
            shapes[place].launches.push(launch);
        }
        for told in self.findings() {
            if let Some(shape) = shapes.iter_mut().find(|shape| shape.launches[0].kernel == told.finding.kernel) {
                shape.findings.push(told);
            }
        }
        shapes
    }

    /// Returns the findings outside of kernels that are known to have been launched: wrong copies, leaks, rejected
    /// launches.
    pub fn findings_of_host(&self) -> Vec<&RenderedFinding> {
        let is_known =
            |told: &&RenderedFinding| self.processes.iter().any(|process| process.has_launched(&told.finding.kernel));
        self.findings().filter(|told| !is_known(told)).collect()
    }

    /// Returns the run as lines of JSON, each ending in a line break: one for each launch, and the last one for the
    /// program. `code` is the command's exit code, and `counters` adds the counters.
    pub fn json_lines(&self, code: u8, counters: bool) -> String {
        let mut lines: Vec<ProgramFileLine<'_>> = Vec::new();
        let mut number = 0;
        for process in &self.processes {
            number += process.report.launches_dropped;
            let mut told: Vec<&str> = Vec::new();
            for launch in process.issued() {
                number += 1;
                let is_first = !told.contains(&launch.kernel.as_str());
                if is_first {
                    told.push(&launch.kernel);
                }
                let findings = process.findings.iter().filter(|told| is_first && told.finding.kernel == launch.kernel);
                let findings = findings.map(|told| Found::from_finding(process, told)).collect();
                lines.push(ProgramFileLine::Launch(self.launch_line(process, launch, number, counters, findings)));
            }
        }
        let of_host = |process| move |told| Found::from_finding(process, told);
        lines.push(ProgramFileLine::Program(ProgramLine {
            schema: SCHEMA,
            program: &self.words,
            device: &self.device,
            exit_code: self.exit_code,
            command_exit_code: code,
            seconds: self.seconds,
            launches: self.launches().count() as u64 + self.launches_dropped(),
            launches_dropped: self.launches_dropped(),
            processes: self.processes.iter().map(ProcessSum::from_process).collect(),
            kernels: self.kernels(),
            hot: self.hot(),
            findings: self.processes.iter().flat_map(|one| one.findings_of_host().map(of_host(one))).collect(),
        }));
        let text =
            |line: &ProgramFileLine<'_>| serde_json::to_string(line).expect("strings and numbers have a JSON") + "\n";
        lines.iter().map(text).collect()
    }

    fn launch_line<'r>(
        &'r self,
        process: &ProcessRun,
        launch: &'r Launch,
        number: u64,
        counters: bool,
        findings: Vec<Found<'r>>,
    ) -> LaunchLine<'r> {
        LaunchLine {
            schema: SCHEMA,
            number,
            process: process.report.process,
            issue: launch.issue,
            stream: launch.stream,
            kernel: &launch.kernel_name,
            grid: launch.grid,
            block: launch.block,
            dynamic_shared_bytes: launch.dynamic_shared_bytes,
            device: &self.device,
            fault: launch.fault.map(|fault| serde_json::to_value(fault).unwrap_or_default()),
            counters: counters.then(|| counted(launch)),
            findings,
        }
    }

    /// Predicts the total time of these launches; `None` without `--predict`.
    pub fn predicted<'r>(&self, launches: impl IntoIterator<Item = &'r Launch>) -> Option<Predicted> {
        predicted_launches(self.part.as_ref()?, launches)
    }

    /// Returns the costliest lines of the source, if they were counted.
    fn hot(&self) -> Vec<HotLine> {
        let launches: Vec<Launch> = self.launches().filter(|one| !one.counters.lines.is_empty()).cloned().collect();
        let report = MachineReport { launches, ..MachineReport::default() };
        hot::lines(&report, |file| fs::read_to_string(file).ok())
    }

    /// Returns the kernels, in the order of their first launches.
    fn kernels(&self) -> Vec<KernelSum<'_>> {
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut kernels: Vec<KernelSum<'_>> = Vec::new();
        for launch in self.launches() {
            let place = *places.entry(launch.kernel.as_str()).or_insert_with(|| {
                let found = self.findings().filter(|told| told.finding.kernel == launch.kernel).count();
                let of_kernel = self.launches().filter(|other| other.kernel == launch.kernel);
                kernels.push(KernelSum {
                    kernel: &launch.kernel_name,
                    launches: 0,
                    thread_instructions: 0,
                    findings: found,
                    predicted: self.predicted(of_kernel).map(PredictedTime::from),
                });
                kernels.len() - 1
            });
            kernels[place].launches += 1;
            kernels[place].thread_instructions += launch.counters.totals.thread_instructions;
        }
        kernels
    }
}

/// Predicts the total time of a program's launches on this part; `None` if their costs were not counted.
pub fn predicted_launches<'l>(part: &GpuModel, launches: impl IntoIterator<Item = &'l Launch>) -> Option<Predicted> {
    Predicted::from_launches(launches, Beside::default(), part)
}

/// Formats a three-dimensional size as in the CSV: `256`, `16x16`, `4x4x4`.
pub fn shape_of([x, y, z]: [u32; 3]) -> String {
    dims((x, y, z))
}

/// Returns a launch's counters, by the columns' names.
fn counted(launch: &Launch) -> BTreeMap<&'static str, f64> {
    let launches = vec![launch.clone()];
    let report = MachineReport { launches, is_counted: true, ..MachineReport::default() };
    let counters = Counters::from_report(&report);
    let of_a_launch = |counter: &&Counter| !OF_A_PROGRAM.contains(counter);
    let number = |counter: &Counter| Some((counter.name(), counters.get(*counter)?));
    Counter::ALL.iter().filter(of_a_launch).filter_map(number).collect()
}

/// Counters that say nothing of a single launch.
const OF_A_PROGRAM: [Counter; 8] = [
    Counter::Launches,
    Counter::CopiedH2dBytes,
    Counter::CopiedD2hBytes,
    Counter::CopiedD2dBytes,
    Counter::CopiedH2hBytes,
    Counter::FilledBytes,
    Counter::ManagedPagesToDevice,
    Counter::ManagedPagesToHost,
];

/// A line of the file that `warplab exec --json FILE` writes.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
enum ProgramFileLine<'r> {
    /// A kernel was launched.
    Launch(LaunchLine<'r>),
    /// The program has ended: the last line.
    Program(ProgramLine<'r>),
}

/// One launch on the embedded machine. A GPU's launches are not watched.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LaunchLine<'r> {
    /// The version of this line.
    schema: u32,
    /// The number of the launch, counted from 1 over all processes, one after the other, in the order in which each
    /// process issued its launches.
    number: u64,
    /// The process that launched it, as the system numbers it.
    process: u32,
    /// Which of the process's calls that launch kernels has issued it, counted from 1. All kernels of a graph have the
    /// number of the graph's launch, and what a kernel launches has the kernel's.
    issue: u64,
    /// The stream that it was issued to, as `cuStreamGetId` numbers it.
    stream: u64,
    /// The kernel as its source declares it.
    kernel: &'r str,
    /// Blocks in x, y and z.
    grid: [u32; 3],
    /// Threads of a block in x, y and z.
    block: [u32; 3],
    /// Shared memory of a block that the launch asked for.
    dynamic_shared_bytes: u32,
    /// Where it ran, as --device names it.
    device: &'r str,
    /// What stopped it, if it did not run to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    fault: Option<serde_json::Value>,
    /// What was counted, by the names of the columns in reports/README.md (`--counters`).
    #[serde(skip_serializing_if = "Option::is_none")]
    counters: Option<BTreeMap<&'static str, f64>>,
    /// What was found in this kernel, in any of its launches: the kernel's first line has it all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Found<'r>>,
}

/// How the program ended.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ProgramLine<'r> {
    /// The version of this line.
    schema: u32,
    /// The program and its arguments.
    program: &'r [String],
    /// Where it ran, as --device names it.
    device: &'r str,
    /// The program's own exit code; null if a signal ended it.
    exit_code: Option<i32>,
    /// What the command ended with: 1 also where the program succeeded and something was found.
    command_exit_code: u8,
    /// How long the program took, which on the embedded machine says nothing about a GPU.
    seconds: f64,
    /// How many launches there were.
    launches: u64,
    /// How many of them, the first ones, have no line here, because there were too many to keep.
    launches_dropped: u64,
    /// The processes that used the machine, in the order of their first reports.
    processes: Vec<ProcessSum<'r>>,
    /// The kernels of the lines above, in the order of their first launches.
    kernels: Vec<KernelSum<'r>>,
    /// The lines of the source that cost anything, the costliest first (`--hot`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hot: Vec<HotLine>,
    /// What was found outside of those kernels: wrong copies, leaks, launches that were refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Found<'r>>,
}

/// One process of the program.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ProcessSum<'r> {
    /// The process, as the system numbers it.
    process: u32,
    /// Its command line, as long as it fits a line.
    command: &'r str,
    /// How many launches it made.
    launches: u64,
    /// How many different mistakes were found in it.
    findings: usize,
}

impl<'r> ProcessSum<'r> {
    fn from_process(run: &'r ProcessRun) -> Self {
        let report = &run.report;
        let launches = report.launches.len() as u64 + report.launches_dropped;
        Self { process: report.process, command: &report.command, launches, findings: run.findings.len() }
    }
}

/// One kernel, over all its launches.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct KernelSum<'r> {
    /// The kernel as its source declares it.
    kernel: &'r str,
    /// How often it was launched.
    launches: u64,
    /// Instructions executed by threads.
    thread_instructions: u64,
    /// How many different mistakes were found in it.
    findings: usize,
    /// What its launches are predicted to take on a GPU (`--predict`).
    #[serde(skip_serializing_if = "Option::is_none")]
    predicted: Option<PredictedTime>,
}

/// The predicted time of a kernel's launches, one after another, without copies. Nothing of it was measured.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PredictedTime {
    /// The GPU's name.
    part: String,
    /// Milliseconds; null if nothing is predicted.
    ms: Option<f64>,
    /// Of ten such times, about eight were measured to lie above this,
    low_ms: Option<f64>,
    /// and below this.
    high_ms: Option<f64>,
    /// What is predicted to bound it, or why nothing is predicted.
    bound: String,
}

impl From<Predicted> for PredictedTime {
    fn from(predicted: Predicted) -> Self {
        let bound = predicted.bound();
        let all = predicted.in_all.as_ref();
        let (ms, low_ms, high_ms) = (all.map(|t| t.ms), all.map(|t| t.low_ms), all.map(|t| t.high_ms));
        Self { part: predicted.part, ms, low_ms, high_ms, bound }
    }
}

/// A mistake that was found.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Found<'r> {
    /// The process in which it was found.
    process: u32,
    /// Which check found it: memcheck, racecheck, ...
    #[cfg_attr(test, schemars(with = "String"))]
    check: wire::Check,
    /// One line.
    headline: &'r str,
    /// The kernel as its source declares it, if one is concerned.
    #[serde(skip_serializing_if = "str::is_empty")]
    kernel: &'r str,
    /// The file of the source, if it is known.
    #[serde(skip_serializing_if = "String::is_empty")]
    file: String,
    /// The line in it, counted from 1; 0 if it is not known.
    line: u32,
    /// What the threads that took part did, and where.
    accesses: Vec<FoundAccess<'r>>,
    /// The position of the address, and other useful facts, one sentence each.
    notes: &'r [String],
    /// What to do about it.
    help: &'r str,
    /// The whole report with the lines of the source, ending in a line break.
    text: &'r str,
}

/// An access, or a waiting thread, that took part in a mistake.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FoundAccess<'r> {
    /// What the thread did: read, write, atomic, barrier, ...
    #[cfg_attr(test, schemars(with = "String"))]
    what: AccessKind,
    /// Bytes that one thread accessed; 0 if it did not access memory.
    size: u32,
    /// The block's index in x, y and z.
    block: [u32; 3],
    /// The thread's index in the block.
    thread: [u32; 3],
    /// How many threads did the same; this one has the lowest index.
    threads: u32,
    /// The file of the source, if it is known.
    #[serde(skip_serializing_if = "str::is_empty")]
    file: &'r str,
    /// The line in it, counted from 1; 0 if it is not known.
    line: u32,
    /// The column in it, counted from 1; 0 if it is not known.
    column: u32,
}

impl<'r> From<&'r Access> for FoundAccess<'r> {
    fn from(access: &'r Access) -> Self {
        let Access { what, size, block, thread, threads, ref place, .. } = *access;
        Self { what, size, block, thread, threads, file: &place.file, line: place.line, column: place.column }
    }
}

impl<'r> Found<'r> {
    fn from_finding(run: &ProcessRun, told: &'r RenderedFinding) -> Self {
        let place = told.finding.places().into_iter().next().unwrap_or_default();
        let line = if place.file.is_empty() { 0 } else { place.line };
        let (headline, kernel, notes) = (&told.headline, &told.kernel_name, &told.context);
        Self {
            process: run.report.process,
            check: told.check,
            headline,
            kernel,
            file: place.file,
            line,
            accesses: told.finding.accesses.iter().map(FoundAccess::from).collect(),
            notes,
            help: &told.help,
            text: &told.text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::run_of_a_program as run;
    use wire::counters::{LineCounters, Totals};

    #[test]
    fn a_line_for_each_launch_and_one_for_the_program() {
        let lines = run().json_lines(1, false);
        let lines: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let kinds: Vec<&str> = lines.iter().map(|line| line["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["launch", "launch", "launch", "launch", "program"]);
        assert_eq!((&lines[0]["number"], &lines[3]["grid"][0]), (&8.into(), &3.into()));
        let found = |line: &serde_json::Value| line["findings"].as_array().map_or(0, Vec::len);
        assert_eq!(lines.iter().map(found).collect::<Vec<_>>(), [1, 0, 0, 0, 1]);
        let end = &lines[4];
        assert_eq!((&end["launches"], &end["launches_dropped"]), (&11.into(), &7.into()));
        assert_eq!((&end["exit_code"], &end["command_exit_code"]), (&0.into(), &1.into()));
        assert_eq!(end["kernels"][0]["launches"], 3);
        assert_eq!(end["kernels"][0]["thread_instructions"], 300);
        assert_eq!((&end["kernels"][0]["findings"], &end["kernels"][1]["findings"]), (&1.into(), &0.into()));
        assert!(lines[0].get("counters").is_none());
        let counted = run().json_lines(1, true);
        let first: serde_json::Value = serde_json::from_str(counted.lines().next().unwrap()).unwrap();
        assert_eq!(first["counters"]["thread_instructions"], 100.0);
        assert!(first["counters"].get("copied_h2d_bytes").is_none());
    }

    #[test]
    fn a_kernel_has_the_predicted_time_of_all_its_launches() {
        let mut run = run();
        for launch in &mut run.processes[0].report.launches {
            launch.counters.costs = Some(wire::costs::Costs::default());
        }
        let end = |run: &ProgramRun| -> serde_json::Value {
            serde_json::from_str(run.json_lines(1, false).lines().last().unwrap()).unwrap()
        };
        assert!(end(&run)["kernels"][0].get("predicted").is_none());
        run.part = Some(GpuModel::find("h200").unwrap());
        let end = end(&run);
        let [three, one] = [0, 1].map(|kernel| &end["kernels"][kernel]["predicted"]);
        assert_eq!((three["part"].as_str(), three["bound"].as_str()), (Some("NVIDIA H200"), Some("launch")));
        let ms = |of: &serde_json::Value, name: &str| of[name].as_f64().unwrap();
        assert!(2.0 * ms(one, "ms") < ms(three, "ms") && ms(three, "ms") < 3.0 * ms(one, "ms"), "{three} {one}");
        assert!(ms(one, "low_ms") < ms(one, "ms") && ms(one, "ms") < ms(one, "high_ms"));
    }

    #[test]
    fn lines_that_were_counted_are_told_over_all_launches() {
        let mut run = run();
        assert!(!run.json_lines(1, false).contains(r#""hot""#));
        for launch in &mut run.processes[0].report.launches {
            let place = wire::finding::SourcePlace { file: "a.cu".into(), line: 7, ..Default::default() };
            let totals = Totals { thread_instructions: 10, ..Totals::default() };
            launch.counters.lines = vec![LineCounters { place, totals }];
        }
        let end: serde_json::Value = serde_json::from_str(run.json_lines(1, false).lines().last().unwrap()).unwrap();
        let hot = &end["hot"][0];
        assert_eq!((hot["line"].as_u64(), hot["thread_instructions"].as_u64()), (Some(7), Some(40)));
    }

    #[test]
    fn launches_stand_in_the_order_of_their_issue() {
        let mut run = run();
        let launches = &mut run.processes[0].report.launches;
        for (launch, (issue, stream)) in launches.iter_mut().zip([(1, 1), (3, 2), (2, 1), (4, 2)]) {
            (launch.issue, launch.stream) = (issue, stream);
        }
        let lines = run.json_lines(1, false);
        let lines: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let seen: Vec<_> = lines[..4].iter().map(|line| (line["number"].as_u64(), line["stream"].as_u64())).collect();
        assert_eq!(seen, [(Some(8), Some(1)), (Some(9), Some(1)), (Some(10), Some(2)), (Some(11), Some(2))]);
    }

    #[test]
    fn each_process_answers_for_what_was_found_in_it() {
        let mut run = run();
        let mut second = run.processes[0].clone();
        (second.report.process, second.report.command) = (13, "./b".into());
        second.findings.clear();
        run.processes.push(second);
        run.name_processes();
        let lines = run.json_lines(1, false);
        let lines: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let found = |line: &serde_json::Value| line["findings"].as_array().map_or(0, Vec::len);
        assert_eq!(lines.iter().map(found).collect::<Vec<_>>(), [1, 0, 0, 0, 0, 0, 0, 0, 1]);
        let end = &lines[8];
        let of = |i: usize| (end["processes"][i]["process"].as_u64(), end["processes"][i]["findings"].as_u64());
        assert_eq!((of(0), of(1)), ((Some(12), Some(2)), (Some(13), Some(0))));
        assert_eq!((end["launches"].as_u64(), lines[4]["number"].as_u64()), (Some(22), Some(19)));
        assert!(end["findings"][0]["text"].as_str().unwrap().ends_with("  = in: process 12, ./a 10\n"), "{end}");
        assert_eq!(end["findings"][0]["process"], 12);
    }

    #[test]
    fn shapes_are_told_apart_and_a_finding_is_told_once() {
        let run = run();
        let shapes = run.shapes();
        let seen: Vec<(&str, u32, usize, usize)> = shapes
            .iter()
            .map(|shape| {
                let first = shape.launches[0];
                (first.kernel.as_str(), first.grid[0], shape.launches.len(), shape.findings.len())
            })
            .collect();
        assert_eq!(seen, [("a", 1, 2, 1), ("b", 2, 1, 0), ("a", 3, 1, 0)]);
        assert_eq!(run.findings_of_host().len(), 1);
    }

    #[test]
    fn the_published_schema_of_a_program_s_lines_is_that_of_the_program() {
        crate::assert_published::<ProgramFileLine>("exec.jsonl.json");
    }
}
