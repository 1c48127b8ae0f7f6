//! The folder of a whole program's run, in the format of a lab's run, so that the same tools can read it: a row for
//! each kernel and launch shape, and one for the program itself.
use std::{fs, path::Path, rc::Rc};

use record::{Columns, Counters, Folder, LabRun, MachineReport, ProgramRun, Record, Shape, Verdict, shape_of};
use wire::{Checks, RenderedFinding};

use crate::{
    device::{choice::DeviceChoice, machine, session::Session},
    error::{Error, Result},
    export::{
        csv::CsvFiles,
        details::DetailsFile,
        event::{Event, RowsStart, View},
        listeners::Events,
        session_writer::{SessionSettings, SessionWriter},
    },
};

/// The name of a program's rows, which no lab may have.
pub const PROGRAM: &str = "program";

/// The variant of the row for the program itself, as opposed to its kernels.
const MAIN: &str = "main";

/// The settings of the program's run.
#[derive(Debug, Clone, Default)]
pub struct ProgramSettings {
    /// The requested checks.
    pub checks: Option<Checks>,
    /// The number of schedules (orders of warps and blocks).
    pub schedules: u32,
}

/// Writes the run to `folder`, which is created if necessary: `program.csv`, `program.jsonl`, `session.json`.
///
/// # Errors
/// [`Error::Io`] when it cannot be written; the errors of opening the device, whose properties are queried.
pub fn keep_program(run: &ProgramRun, choice: &DeviceChoice, asked: &ProgramSettings, folder: &Path) -> Result<()> {
    let session = Session::open(choice)?;
    // This process has run nothing on the machine, and must not report anything at its end.
    machine::report()?;
    let busy = |_, path: &Path| {
        let path = path.display();
        Err(Error::CannotRun(format!("another run writes to {path}; choose another folder by --out")))
    };
    let folder = Folder::create(Some(folder), "", busy)?;
    let mut session_file = SessionWriter::open(&folder, &[PROGRAM])?;
    let columns = Rc::new(Columns { lab: PROGRAM, own: Vec::new() });
    let files = Events::to(vec![Box::new(CsvFiles::new(&folder)), Box::new(DetailsFile::new(&folder))]);
    let view = View::EVERYTHING;
    files.emit(Event::RowsStarted(RowsStart { lab: PROGRAM, about: "", columns: &columns, view }))?;
    for record in records(run) {
        files.emit(Event::Row(&record))?;
    }
    let settings = SessionSettings {
        seed: run.seed(),
        check: asked.checks,
        schedules: asked.schedules.max(1),
        quick: false,
        samples: None,
    };
    let lab = LabRun { lab: PROGRAM.into(), seconds: run.seconds, ..LabRun::default() };
    session_file.write(&session, &settings, &[lab], None)
}

/// Returns the rows, starting with the program's own.
fn records(run: &ProgramRun) -> Vec<Record> {
    let shapes = run.shapes();
    let of_kernel = |shape: &Shape<'_>| {
        let first = shape.launches[0];
        let others = shapes.iter().filter(|other| other.launches[0].kernel == first.kernel);
        let same = |other: &&Shape<'_>| {
            let other = other.launches[0];
            (other.grid, other.block) == (first.grid, first.block)
        };
        let alike = others.clone().filter(same).count();
        let case = match (others.count(), alike) {
            (1, _) => String::new(),
            (_, 1) => format!("grid {}, block {}", shape_of(first.grid), shape_of(first.block)),
            _ => format!(
                "grid {}, block {}, {} bytes shared",
                shape_of(first.grid),
                shape_of(first.block),
                first.dynamic_shared_bytes
            ),
        };
        kernel_record(run, shape, case)
    };
    std::iter::once(main_record(run)).chain(shapes.iter().map(of_kernel)).collect()
}

/// A row without a launch.
fn empty(run: &ProgramRun, variant: &str) -> Record {
    let device = if run.device.starts_with("emulated") { "emulated" } else { "cuda" };
    Record { variant: variant.into(), ..Record::new(PROGRAM, 0, device, run.seed()) }
}

/// Returns the row of the program itself: its exit code, its copies, and the findings outside of kernels.
fn main_record(run: &ProgramRun) -> Record {
    let found = run.findings_of_host();
    let (verdict, note) = match (run.exit_code, found.first()) {
        (None, _) => (Verdict::Fail, "ended by a signal".into()),
        (Some(code), _) if code != 0 => (Verdict::Fail, format!("exit code {code}")),
        _ => judged(&found),
    };
    let mut machine = MachineReport { is_counted: run.is_counted(), ..MachineReport::default() };
    for process in &run.processes {
        machine.copies.add(&process.report.copies);
        machine.managed.add(&process.report.managed);
    }
    let counters = Counters::from_report(&machine);
    Record { verdict, note, findings: owned(&found), counters, ..empty(run, MAIN) }
}

/// Returns the row of a kernel's launches with one shape.
fn kernel_record(run: &ProgramRun, shape: &Shape<'_>, case: String) -> Record {
    let first = shape.launches[0];
    let launches = shape.launches.iter().copied().cloned().collect();
    let is_counted = run.is_counted();
    let machine = MachineReport { launches, is_counted, ..MachineReport::default() };
    let fault = shape.launches.iter().find_map(|launch| launch.fault);
    let (verdict, note) = match fault {
        Some(fault) if shape.findings.is_empty() => {
            let word = serde_json::to_value(fault).unwrap_or_default();
            (Verdict::Fail, format!("stopped: {}", word.as_str().unwrap_or_default().replace('_', " ")))
        }
        _ => judged(&shape.findings),
    };
    Record {
        case,
        grid: Some(shape_of(first.grid)),
        block: Some(shape_of(first.block)),
        shared_bytes: Some(first.dynamic_shared_bytes),
        verdict,
        note,
        findings: owned(&shape.findings),
        counters: Counters::from_report(&machine),
        hot: record::hot_lines(&machine, |file| fs::read_to_string(file).ok()),
        predicted: run.predicted(shape.launches.iter().copied()),
        ..empty(run, &first.kernel_name)
    }
}

/// Returns the verdict for these findings, and a note.
fn judged(found: &[&RenderedFinding]) -> (Verdict, String) {
    let Some(first) = found.first() else {
        return (Verdict::Pass, String::new());
    };
    let verdict = if record::is_unmodelled(&owned(found)) { Verdict::Skip } else { Verdict::Finding };
    let more = if found.len() > 1 { format!(" (and {} more)", found.len() - 1) } else { String::new() };
    (verdict, format!("{}{more}", first.headline))
}

fn owned(found: &[&RenderedFinding]) -> Vec<RenderedFinding> {
    found.iter().copied().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Counter, fixtures::run_of_a_program as run};

    #[test]
    fn each_shape_of_a_kernel_has_a_row_and_the_program_the_first() {
        let records = records(&run());
        let shown: Vec<(&str, &str, &str)> = records
            .iter()
            .map(|record| (record.variant.as_str(), record.case.as_str(), record.verdict.word()))
            .collect();
        assert_eq!(
            shown,
            [
                ("main", "", "finding"),
                ("a(int)", "grid 1, block 1", "finding"),
                ("b(int)", "", "pass"),
                ("a(int)", "grid 3, block 1", "pass")
            ]
        );
        assert_eq!(records[1].counters.get(Counter::Launches), Some(2.0));
        assert_eq!(records[1].note, "Invalid read");
    }

    #[test]
    fn a_program_that_fails_is_a_failed_row_whatever_was_found() {
        let failed = ProgramRun { exit_code: Some(3), ..run() };
        let record = main_record(&failed);
        assert_eq!((record.verdict, record.note.as_str()), (Verdict::Fail, "exit code 3"));
        assert_eq!(main_record(&ProgramRun { exit_code: None, ..run() }).note, "ended by a signal");
        assert_eq!(record.findings.len(), 1);
    }
}
