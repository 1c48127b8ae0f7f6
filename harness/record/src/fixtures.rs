//! Examples of what is stored, for the tests of this crate and of those that use it.
#![allow(missing_docs, clippy::missing_panics_doc)]

use predict::GpuModel;
use wire::{
    Launch, Limiter, Occupancy, RenderedFinding, Report,
    costs::{Costs, Pipes},
    counters::{LineCounters, Totals, Traffic},
    finding::{Finding, FindingKind, SourcePlace},
};

use crate::{
    column::column,
    columns::{COMMON, Columns},
    counters::Counters,
    csv_line::csv_line,
    machine_report::MachineReport,
    prediction::{Beside, Predicted},
    program::{ProcessRun, ProgramRun},
    record::{Record, Value},
    row::{Header, Row},
    times::Times,
    verdict::{Expectation, Verdict},
};

/// Returns the lab columns of the example record.
pub fn columns() -> Columns {
    Columns { lab: "lab", own: vec![column("own_ms", "a time"), column("other", "a word")] }
}

/// Returns a passed row of a GPU with these cells; further columns follow the common ones.
pub fn row(cells: &[(&str, &str)]) -> Row {
    let (names, mut rows) = table(&[cells]);
    let header = Header::new(&names.iter().collect()).unwrap();
    Row::new(&header, &rows.remove(0).iter().collect()).unwrap()
}

/// Returns the text of a CSV with such rows.
pub fn csv_text(rows: &[&[(&str, &str)]]) -> String {
    let (names, rows) = table(rows);
    [names].iter().chain(&rows).map(|line| csv_line(line.iter().map(ToString::to_string))).collect()
}

type Cells<'c> = Vec<&'c str>;

/// Returns the columns of such rows, and their cells.
fn table<'c>(rows: &[&[(&'c str, &'c str)]]) -> (Cells<'c>, Vec<Cells<'c>>) {
    let mut names: Cells = COMMON.iter().map(|column| column.name).collect();
    for (name, _) in rows.iter().copied().flatten() {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let defaults = [("schema", "2"), ("lab", "lab"), ("device", "cuda"), ("verdict", "pass"), ("samples", "3")];
    let cell = |row: &[(&'c str, &'c str)], name: &str| {
        row.iter().chain(&defaults).find(|cell| cell.0 == name).map_or("", |cell| cell.1)
    };
    let cells = rows.iter().map(|row| names.iter().map(|name| cell(row, name)).collect()).collect();
    (names, cells)
}

pub fn told() -> RenderedFinding {
    let finding = Finding::new(FindingKind::NullPointer, "k");
    RenderedFinding {
        verdict: finding.kind.verdict(),
        check: finding.kind.check(),
        kernel_name: "k".into(),
        mistake: "Invalid read".into(),
        headline: "Invalid read".into(),
        title: "Invalid read".into(),
        context: Vec::new(),
        help: "look".into(),
        text: "Invalid read\nat line 3\n".into(),
        finding,
    }
}

pub fn record() -> Record {
    Record {
        lab: "lab".into(),
        variant: "a".into(),
        case: "block 256".into(),
        device: "cuda".into(),
        n: Some(1000),
        grid: Some("4".into()),
        block: Some("16x16".into()),
        shared_bytes: Some(0),
        memory_mode: None,
        seed: 1,
        times: Some(Times { samples: 3, throttled: 0, min: 1.0, median: 2.0, mean: 2.5, stdev: 0.5 }),
        bytes: None,
        passes: None,
        gb_per_s: None,
        flop: None,
        gflop_per_s: None,
        percent_of_ceiling: None,
        max_abs_error: Some(0.0),
        verdict: Verdict::Skip,
        expectation: Expectation::Right,
        note: "no GPU, alas".into(),
        own: vec![Value::Real(1.5), Value::Empty],
        findings: vec![told()],
        counters: Counters::default(),
        wrong: Some("1 of 9 wrong".into()),
        missing_kernel: Some("k".into()),
        resources: None,
        peak: None,
        hot: Vec::new(),
        predicted: None,
        samples_ms: vec![1.0, 2.0, 4.5],
    }
}

/// Returns a launch whose counters are zero.
pub fn launch() -> Launch {
    Launch {
        static_shared_bytes: 128,
        dynamic_shared_bytes: 64,
        registers_estimated: 16,
        occupancy: Occupancy { blocks_per_sm: 1, warps_per_sm: 32, percent: 50.0, limiter: Limiter::Blocks },
        host_ms: 1.0,
        ..Launch::new("k", [1; 3], [1; 3], wire::counters::Counters::default())
    }
}

/// Returns a report of two launches.
pub fn report() -> MachineReport {
    let launch = |instructions: u64, threads: u64, ways: u64, registers: u32| {
        let mut launch = launch();
        launch.registers_estimated = registers;
        let totals = &mut launch.counters.totals;
        (totals.instructions, totals.thread_instructions) = (instructions, threads);
        totals.divergent_branches = 1;
        totals.global_loads = Traffic { requests: 2, sectors: 8, ideal_sectors: 4, ..Traffic::default() };
        (totals.shared_loads.conflicts, totals.shared_loads.worst_ways) = (3, ways);
        (totals.shared_stores.conflicts, totals.shared_stores.worst_ways) = (4, 1);
        launch
    };
    let mut report = MachineReport {
        launches: vec![launch(10, 320, 2, 16), launch(30, 320, 32, 40)],
        is_counted: true,
        ..MachineReport::default()
    };
    (report.copies.host_to_device.count, report.copies.host_to_device.bytes) = (2, 4096);
    report.managed.block_bytes = 65536;
    report.managed.to_device_bytes = 131_072;
    report
}

/// Returns a report of two launches with costs of their lines.
pub fn report_with_lines() -> MachineReport {
    let line = |file: &str, line: u32, threads: u64, sectors: u64| {
        let place = SourcePlace { file: file.into(), line, ptx_line: 7, ..SourcePlace::default() };
        let mut totals = Totals { thread_instructions: threads, divergent_branches: 1, ..Totals::default() };
        totals.global_loads.sectors = sectors;
        totals.global_stores.sectors = 1;
        totals.global_loads.ideal_sectors = sectors / 4;
        totals.shared_loads.conflicts = 2;
        totals.shared_loads.wavefronts = 3;
        totals.shared_loads.worst_ways = threads / 20;
        totals.global_atomics.lanes = 5;
        totals.shared_atomics.lanes = 6;
        LineCounters { place, totals }
    };
    let launch = |lines: Vec<LineCounters>| {
        let mut launch = crate::fixtures::launch();
        launch.counters.lines = lines;
        launch
    };
    MachineReport {
        launches: vec![
            launch(vec![line("a/x.cu", 2, 60, 4), line("", 0, 10, 0)]),
            launch(vec![line("a/x.cu", 2, 20, 4), line("a/x.cu", 1, 10, 0)]),
        ],
        ..MachineReport::default()
    }
}

/// Returns the prediction for three launches, two of which are equal.
pub fn predicted() -> Predicted {
    let counted = |integer: u64| {
        let mut one = launch();
        let pipes = Pipes { integer, ..Pipes::default() };
        one.counters.costs = Some(Costs { pipes, ..Costs::default() });
        one
    };
    Predicted::from_launches(
        &[counted(1 << 30), counted(1 << 30), counted(7)],
        Beside::default(),
        &GpuModel::find("h200").unwrap(),
    )
    .unwrap()
}

/// Returns two launches of one kernel with different shapes, one of another, and a finding in each place.
pub fn run_of_a_program() -> ProgramRun {
    let of = |kernel: &str, grid: u32| {
        let mut launch = launch();
        (launch.kernel, launch.kernel_name, launch.grid) = (kernel.into(), format!("{kernel}(int)"), [grid, 1, 1]);
        launch.counters.totals.thread_instructions = 100;
        launch.counters.totals.instructions = 4;
        launch
    };
    let launches = vec![of("a", 1), of("b", 2), of("a", 1), of("a", 3)];
    let of_host = {
        let mut told = told();
        told.finding.kernel = String::new();
        told
    };
    let in_a = {
        let mut told = told();
        told.finding.kernel = "a".into();
        told
    };
    ProgramRun {
        words: vec!["./a".into(), "10".into()],
        device: "emulated:a100".into(),
        exit_code: Some(0),
        seconds: 0.5,
        processes: vec![ProcessRun {
            report: Report {
                process: 12,
                command: "./a 10".into(),
                launches,
                launches_dropped: 7,
                ..Report::default()
            },
            findings: vec![of_host, in_a],
        }],
        part: None,
    }
}
