//! The program's process: its environment, its end, what the driver told of it, and what its exit code becomes.
use std::{
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::{Command as Process, ExitStatus, Stdio},
    time::Instant,
};

use harness::Error;
use wire::{Checks, Report, Told};

use super::clients;
use crate::{nvcc, signals};

/// The environment variable that names a file for the driver's report, which it writes when the program ends.
const REPORT: &str = "WARPLAB_REPORT";

/// What is watched on the embedded machine.
#[derive(Debug, Clone)]
pub struct Settings {
    /// None: what the driver checks by itself.
    pub checks: Option<Checks>,
    /// Whether to show what was counted.
    pub counters: bool,
    /// How many hot lines to show.
    pub hot: usize,
    /// Under how many orders of warps and blocks to run.
    pub schedules: u32,
}

impl Settings {
    /// # Errors
    /// [`Error::Usage`] when something is asked for that only the embedded machine can do.
    pub fn must_be_plain(&self) -> Result<(), Error> {
        let asked = [
            (self.checks.is_some(), "--check"),
            (self.counters, "--counters"),
            (self.hot > 0, "--hot"),
            (self.schedules > 1, "--schedules"),
        ];
        match asked.iter().find(|(is_asked, _)| *is_asked) {
            Some((_, option)) => Err(Error::usage(format!(
                "{option} watches the embedded machine, and the program would run on the GPU; add --device emulated"
            ))),
            None => Ok(()),
        }
    }
}

/// How a program ended.
#[derive(Debug, Default)]
pub struct Ended {
    /// The exit code to end with: the program's, unless it ended well and the checks found something that it does not
    /// know of.
    pub code: u8,
    /// The program's own exit code; `None` if a signal ended it.
    pub own: Option<i32>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// What the driver told of it. `None` on a GPU, and of a program that never called the driver.
    pub report: Option<Report>,
    /// What was found under all orders, each mistake once.
    pub findings: Vec<Told>,
}

/// Runs the program on a GPU.
pub fn on_gpu(runtime: &Path, number: usize, program: &OsString, arguments: &[&OsString]) -> Result<Ended, Error> {
    let mut process = Process::new(program);
    process.args(arguments);
    search(&mut process, runtime, None)?;
    if number > 0 {
        process.env("CUDA_VISIBLE_DEVICES", number.to_string());
    }
    let _ = ctrlc::set_handler(|| {});
    let began = Instant::now();
    signals::check()?;
    let status = signals::status(&mut process).map_err(|error| Error::usage(refusal(program, &error)))?;
    let seconds = began.elapsed().as_secs_f64();
    let code = own_code(program, status).unwrap_or_else(|code| code);
    Ok(Ended { code, own: status.code(), seconds, ..Ended::default() })
}

/// Runs the program with the driver and the runtime in `folder`. It ends as under the first order, or as under the
/// first one that goes wrong. `scratch` is a folder for this process.
pub fn on_machine(
    folder: &Path,
    scratch: &Path,
    profile: &str,
    program: &OsString,
    arguments: &[&OsString],
    settings: &Settings,
) -> Result<Ended, Error> {
    let folder = fs::canonicalize(folder).map_err(|source| Error::Io {
        action: "find the driver in",
        path: folder.into(),
        source,
    })?;
    let mut ended = Ended::default();
    // The program handles Ctrl-C. This process stays, to remove the temporary files after it.
    let _ = ctrlc::set_handler(|| {});
    for seed in 0..settings.schedules.max(1) {
        let mut process = Process::new(program);
        process.args(arguments);
        // Behind this runtime and this driver: NVRTC, for programs that compile kernels.
        search(&mut process, &folder, nvcc::runtime_folder())?;
        process.envs(clients::variables(&folder)).env("WARPLAB_PROFILE", profile);
        if let Some(checks) = &settings.checks {
            process.env("WARPLAB_CHECKS", checks.to_string());
        }
        if settings.hot > 0 {
            process.env("WARPLAB_LINES", "1");
        }
        if seed > 0 {
            // What it prints was read once already; what is found is written to standard error.
            process.env("WARPLAB_SEED", seed.to_string()).stdout(Stdio::null());
        }
        let under_one = under_one_order(process, program, &scratch.join(format!("report-{seed}.json")))?;
        let report = read(program, &under_one.text)?;
        let findings = report.as_ref().map(|report| report.findings.clone()).unwrap_or_default();
        let has_found = report.as_ref().is_some_and(Report::accuses);
        if seed == 0 {
            keep(&under_one.text)?;
            (ended.report, ended.seconds) = (report, under_one.seconds);
        }
        for told in findings {
            if !ended.findings.iter().any(|known| known.finding.same_mistake(&told.finding)) {
                ended.findings.push(told);
            }
        }
        ended.own = under_one.status.code();
        ended.code = code(program, under_one.status, has_found);
        if ended.code != 0 {
            break;
        }
    }
    Ok(ended)
}

/// A run under one order of warps and blocks.
struct UnderOne {
    status: ExitStatus,
    seconds: f64,
    /// The driver's report; empty if the program never called the driver.
    text: String,
}

fn under_one_order(mut process: Process, program: &OsString, report: &Path) -> Result<UnderOne, Error> {
    process.env(REPORT, report).env(wire::REPORT_READER, "exec");
    let began = Instant::now();
    signals::check()?;
    let status = signals::status(&mut process).map_err(|error| Error::usage(refusal(program, &error)))?;
    let seconds = began.elapsed().as_secs_f64();
    Ok(UnderOne { status, seconds, text: fs::read_to_string(report).unwrap_or_default() })
}

/// Puts a folder first on the path of libraries, because the folder of a real driver may already be on it, and another
/// one last.
fn search(process: &mut Process, folder: &Path, last: Option<PathBuf>) -> Result<(), Error> {
    let path = env::var_os("LD_LIBRARY_PATH").filter(|path| !path.is_empty());
    let others = path.iter().flat_map(env::split_paths);
    let paths = env::join_paths(std::iter::once(folder.to_path_buf()).chain(others).chain(last));
    let paths = paths.map_err(|error| Error::usage(format!("{}: {error}; choose another folder", folder.display())))?;
    process.env("LD_LIBRARY_PATH", paths);
    Ok(())
}

/// Writes the report where the user wants it.
fn keep(report: &str) -> Result<(), Error> {
    match env::var_os(REPORT).filter(|file| !file.is_empty() && !report.is_empty()) {
        Some(file) => {
            fs::write(&file, report).map_err(|source| Error::Io { action: "write", path: file.into(), source })
        }
        None => Ok(()),
    }
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

/// The program's own exit code; as an error, that of the signal which ended it.
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

/// The report in `text`. `None` if there is none.
fn read(program: &OsString, text: &str) -> Result<Option<Report>, Error> {
    if text.is_empty() {
        return Ok(None);
    }
    let report = Report::read(text)
        .map_err(|error| Error::CannotRun(format!("the report of {} cannot be read: {error}", program.display())))?;
    Ok(Some(report))
}

/// The exit code: the program's, unless it ended well and something was found.
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
        assert_eq!(read("").unwrap(), None);
        assert_eq!(read(&Report::default().to_json()).unwrap(), Some(Report::default()));
        let error = read(r#"{"version": 2, "findings": []}"#).unwrap_err();
        let words = "the report of prog cannot be read: it is of version 2";
        assert!(error.to_string().starts_with(words), "{error}");
        let error = read(r#"{"version": 1, "found": []}"#).unwrap_err();
        assert!(error.to_string().contains("unknown field `found`"), "{error}");
    }
}
