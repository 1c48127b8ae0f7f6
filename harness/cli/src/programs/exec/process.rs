//! The program's process: its environment, the driver's reports, and the resulting exit status.
use std::{
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::{Command as Process, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use harness::{Error, ProcessRun};
use predict::GpuModel;
use wire::{Checks, RecordRequest, Report};

use super::{clients, timeout};
use crate::programs::nvcc;

/// The environment variable with the path of the driver's report, which is written when the program ends.
const REPORT: &str = "WARPLAB_REPORT";

/// Settings of the embedded machine.
#[derive(Debug, Clone, Default)]
pub struct ExecSettings {
    /// The checks; `None` for the driver's default.
    pub checks: Option<Checks>,
    /// Whether to show counters.
    pub counters: bool,
    /// How many hot lines to show.
    pub hot: usize,
    /// The GPU for which times are predicted.
    pub part: Option<GpuModel>,
    /// The number of orders of warps and blocks; 0 counts as 1.
    pub schedules: u32,
    /// Whether kernels continue after stray accesses.
    pub keep_going: bool,
    /// The time limit of each run.
    pub timeout: Option<Duration>,
    /// Whether findings and tables are only in files.
    pub quiet: bool,
    /// Whether the runtime's calls are counted and timed.
    pub calls: bool,
    /// Which launch is recorded.
    pub record: Option<RecordRequest>,
}

impl ExecSettings {
    /// # Errors
    /// [`Error::Usage`] when two options contradict each other.
    pub fn must_fit(&self) -> Result<(), Error> {
        match &self.checks {
            Some(checks) if self.keep_going && (checks.race || checks.init) => Err(Error::usage(
                "--keep-going cannot be used with racecheck or initcheck, which follow each access in its allocation; \
                 choose one of them",
            )),
            _ => Ok(()),
        }
    }

    /// # Errors
    /// [`Error::Usage`] when an option requires the embedded machine.
    pub fn must_be_plain(&self, predicts: bool) -> Result<(), Error> {
        let asked = [
            (self.checks.is_some(), "--check"),
            (self.counters, "--counters"),
            (self.hot > 0, "--hot"),
            (predicts, "--predict"),
            (self.schedules > 1, "--schedules"),
            (self.keep_going, "--keep-going"),
        ];
        match asked.iter().find(|(is_asked, _)| *is_asked) {
            Some((_, option)) => Err(Error::usage(format!(
                "{option} needs the embedded machine, but the program would run on the GPU; add --device emulated"
            ))),
            None => Ok(()),
        }
    }
}

/// The result of a program that has ended.
#[derive(Debug, Default)]
pub struct ProgramResult {
    /// The exit status: the program's own, unless it succeeded and the checks found something that the program did not
    /// report.
    pub code: u8,
    /// The program's own exit code; `None` if a signal ended it.
    pub own: Option<i32>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Its processes that used the driver: empty on a GPU, and for a program that never called the driver.
    pub processes: Vec<ProcessRun>,
    /// The lines in which the runtime counts its calls, if that was asked for.
    pub calls: String,
}

impl ProgramResult {
    /// Adds the report of a process under one order. Under later orders, a process with the same command line counts as
    /// the same process, and only new findings are added.
    fn add(&mut self, report: Report, is_first_order: bool) {
        let known = self.processes.iter_mut().find(|known| known.report.command == report.command);
        match known.filter(|_| !is_first_order) {
            Some(process) => {
                for told in report.findings {
                    if !process.findings.iter().any(|known| known.finding.same_mistake(&told.finding)) {
                        process.findings.push(told);
                    }
                }
            }
            None if is_first_order || !report.findings.is_empty() => {
                self.processes.push(ProcessRun { findings: report.findings.clone(), report });
            }
            None => {}
        }
    }
}

/// Runs the program on a GPU.
pub fn on_gpu(
    runtime: &Path,
    number: usize,
    program: &OsString,
    arguments: &[&OsString],
    timeout: Option<Duration>,
) -> Result<ProgramResult, Error> {
    let mut process = Process::new(program);
    process.args(arguments);
    search(&mut process, runtime, None)?;
    if number > 0 {
        process.env("CUDA_VISIBLE_DEVICES", number.to_string());
    }
    let _ = ctrlc::set_handler(timeout::pass_on_interrupt);
    let began = Instant::now();
    let (status, is_late) = timeout::run(process, timeout).map_err(|error| Error::usage(refusal(program, &error)))?;
    let seconds = began.elapsed().as_secs_f64();
    let code = match timeout.filter(|_| is_late) {
        Some(timeout) => timeout::late_code(program, timeout),
        None => own_code(program, status).unwrap_or_else(|code| code),
    };
    Ok(ProgramResult { code, own: status.code(), seconds, ..ProgramResult::default() })
}

/// Runs the program with the driver and the runtime in `folder`. The result is that of the first order, or of the first
/// order that goes wrong. `scratch` is a folder for this process.
pub fn on_machine(
    folder: &Path,
    scratch: &Path,
    profile: &str,
    program: &OsString,
    arguments: &[&OsString],
    settings: &ExecSettings,
) -> Result<ProgramResult, Error> {
    let folder = fs::canonicalize(folder).map_err(|source| Error::Io {
        action: "find the driver in",
        path: folder.into(),
        source,
    })?;
    let mut ended = ProgramResult::default();
    // The program handles Ctrl-C. This process continues, in order to remove the temporary files.
    let _ = ctrlc::set_handler(timeout::pass_on_interrupt);
    for seed in 0..settings.schedules.max(1) {
        let mut process = Process::new(program);
        process.args(arguments);
        // Searched after this runtime and this driver: NVRTC, for programs that compile kernels.
        search(&mut process, &folder, nvcc::runtime_folder())?;
        process.envs(clients::variables(&folder)).env("WARPLAB_PROFILE", profile);
        if let Some(checks) = &settings.checks {
            process.env("WARPLAB_CHECKS", checks.to_string());
        }
        if settings.keep_going {
            process.env("WARPLAB_KEEP_GOING", "1");
        }
        if settings.hot > 0 {
            process.env("WARPLAB_LINES", "1");
        }
        if settings.part.is_some() {
            process.env("WARPLAB_COSTS", "1");
        }
        if seed > 0 {
            // The output was already shown under the first order; findings go to standard error.
            process.env("WARPLAB_SEED", seed.to_string()).stdout(Stdio::null());
        }
        if let Some(record) = &settings.record {
            process.env(wire::RECORD, record.to_json());
        }
        let calls = scratch.join("calls");
        if settings.calls {
            fs::create_dir_all(&calls).map_err(|source| Error::Io { action: "create", path: calls.clone(), source })?;
            process.env("WARPLAB_CALLS", &calls);
        }
        let folder = scratch.join(format!("reports-{seed}"));
        process.env(wire::REPORT_READER, if settings.quiet { wire::SHOWING_READER } else { "exec" });
        let under_one = under_one_order(process, program, &folder, settings.timeout)?;
        let has_found = under_one.reports.iter().any(Report::accuses);
        if seed == 0 {
            keep(&under_one.reports)?;
            ended.seconds = under_one.seconds;
            ended.calls = if settings.calls { all_texts(&calls)?.concat() } else { String::new() };
        }
        for report in under_one.reports {
            ended.add(report, seed == 0);
        }
        ended.own = under_one.status.code();
        ended.code = match settings.timeout.filter(|_| under_one.is_late) {
            Some(timeout) => timeout::late_code(program, timeout),
            None => code(program, under_one.status, has_found),
        };
        if ended.code != 0 {
            break;
        }
    }
    Ok(ended)
}

/// The result of a run under one order of warps and blocks.
struct UnderOne {
    status: ExitStatus,
    /// Whether it was stopped because it took too long.
    is_late: bool,
    seconds: f64,
    /// The report of each process that used the driver, in the order of their first reports.
    reports: Vec<Report>,
}

/// Runs the program under one order. Its processes write their reports into `folder`, which is created.
fn under_one_order(
    mut process: Process,
    program: &OsString,
    folder: &Path,
    timeout: Option<Duration>,
) -> Result<UnderOne, Error> {
    let refused = |source| Error::Io { action: "create", path: folder.into(), source };
    fs::create_dir(folder).map_err(refused)?;
    process.env(REPORT, folder);
    let began = Instant::now();
    let (status, is_late) = timeout::run(process, timeout).map_err(|error| Error::usage(refusal(program, &error)))?;
    let seconds = began.elapsed().as_secs_f64();
    Ok(UnderOne { status, is_late, seconds, reports: read_all(program, folder)? })
}

/// Puts `folder` first on the library path, because the folder of a real driver may already be on it, and `last` at its
/// end.
fn search(process: &mut Process, folder: &Path, last: Option<PathBuf>) -> Result<(), Error> {
    let path = env::var_os("LD_LIBRARY_PATH").filter(|path| !path.is_empty());
    let others = path.iter().flat_map(env::split_paths);
    let paths = env::join_paths(std::iter::once(folder.to_path_buf()).chain(others).chain(last));
    let paths = paths.map_err(|error| Error::usage(format!("{}: {error}; choose another folder", folder.display())))?;
    process.env("LD_LIBRARY_PATH", paths);
    Ok(())
}

/// Writes the combined report of all processes to the path that the user chose. Into a folder it goes as a separate
/// file, like a program's.
fn keep(reports: &[Report]) -> Result<(), Error> {
    let Some(file) = env::var_os(REPORT).filter(|file| !file.is_empty()).map(PathBuf::from) else { return Ok(()) };
    let Some(report) = reports.iter().cloned().reduce(Report::and) else { return Ok(()) };
    let file = if file.is_dir() { file.join(format!("exec-{}.json", std::process::id())) } else { file };
    fs::write(&file, report.to_json()).map_err(|source| Error::Io { action: "write", path: file, source })
}

/// Why the program could not be started, and what to do.
fn refusal(program: &OsString, error: &io::Error) -> String {
    let name = program.display();
    match error.kind() {
        io::ErrorKind::NotFound => {
            format!("cannot run {name}: there is no such program; give its path, or the name of a program on PATH")
        }
        io::ErrorKind::PermissionDenied => {
            format!("cannot run {name}: you may not execute it; `chmod +x` makes a file executable")
        }
        _ => format!("cannot run {name}: {error}"),
    }
}

/// The program's own exit status; as an error, that of the signal which ended it.
fn own_code(program: &OsString, status: ExitStatus) -> Result<u8, u8> {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        harness::print_error(&format!(
            "{}: ended by {status}; what the checks had found by then is written above",
            program.display()
        ));
        return Err(128_u8.saturating_add(signal as u8));
    }
    Ok(status.code().map_or(1, |code| code as u8))
}

/// The reports in a folder, by the names of their files. A process may have been killed before it had written anything.
fn read_all(program: &OsString, folder: &Path) -> Result<Vec<Report>, Error> {
    all_texts(folder)?.iter().filter(|text| !text.is_empty()).map(|text| read(program, text)).collect()
}

/// The texts of the files in a folder, by their names.
fn all_texts(folder: &Path) -> Result<Vec<String>, Error> {
    let in_folder = |source| Error::Io { action: "read", path: folder.into(), source };
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(in_folder)?;
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    files.sort();
    files.iter().map(fs::read_to_string).collect::<io::Result<Vec<String>>>().map_err(in_folder)
}

/// Parses a report.
fn read(program: &OsString, text: &str) -> Result<Report, Error> {
    Report::read(text)
        .map_err(|error| Error::CannotRun(format!("the report of {} cannot be read: {error}", program.display())))
}

/// The exit status: the program's own, unless it succeeded and something was found.
fn code(program: &OsString, status: ExitStatus, is_found: bool) -> u8 {
    match own_code(program, status) {
        Err(code) => code,
        Ok(0) => u8::from(is_found),
        Ok(own) => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_decides_the_exit_code_and_a_report_that_cannot_be_read_is_an_error() {
        let code = |is_found| code(&"prog".into(), ExitStatus::default(), is_found);
        assert_eq!((code(false), code(true)), (0, 1));
        let read = |report: &str| read(&"prog".into(), report);
        assert_eq!(read(&Report::default().to_json()).unwrap(), Report::default());
        let error = read(r#"{"version": 2, "findings": []}"#).unwrap_err();
        let words = "the report of prog cannot be read: it is of version 2";
        assert!(error.to_string().starts_with(words), "{error}");
        let error = read(r#"{"version": 1, "found": []}"#).unwrap_err();
        assert!(error.to_string().contains("unknown field `found`"), "{error}");
    }
}
