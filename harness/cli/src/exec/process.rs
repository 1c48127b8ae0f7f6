//! The program's process: its environment, its end, and what its exit code becomes.
use std::{
    env,
    ffi::OsString,
    fs, io,
    path::Path,
    process::{Command as Process, ExitCode, ExitStatus, Stdio},
};

use harness::Error;
use wire::{Checks, Report};

use super::summary;
use crate::libraries::DRIVER;

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

/// Runs the program on a GPU.
pub fn on_gpu(runtime: &Path, number: usize, program: &OsString, arguments: &[&OsString]) -> Result<ExitCode, Error> {
    let mut process = Process::new(program);
    process.args(arguments);
    search(&mut process, runtime)?;
    if number > 0 {
        process.env("CUDA_VISIBLE_DEVICES", number.to_string());
    }
    let _ = ctrlc::set_handler(|| {});
    let status = process.status().map_err(|error| Error::usage(refusal(program, &error)))?;
    Ok(ExitCode::from(own_code(program, status).unwrap_or_else(|code| code)))
}

/// Runs the program with the driver and the runtime in `folder`, and gives the exit code to end with.
pub fn on_machine(
    folder: &Path,
    profile: &str,
    program: &OsString,
    arguments: &[&OsString],
    settings: &Settings,
) -> Result<ExitCode, Error> {
    let folder = fs::canonicalize(folder).map_err(|source| Error::Io {
        action: "find the driver in",
        path: folder.into(),
        source,
    })?;
    let temporary = |source| Error::Io { action: "create a file in", path: env::temp_dir(), source };
    let mut ends = 0;
    let mut first = None;
    // The program handles Ctrl-C. This process stays, to remove the temporary files after it.
    let _ = ctrlc::set_handler(|| {});
    for seed in 0..settings.schedules.max(1) {
        let mut process = Process::new(program);
        process.args(arguments);
        search(&mut process, &folder)?;
        // numba does not search the path.
        process.env("NUMBA_CUDA_DRIVER", folder.join(DRIVER)).env("WARPLAB_PROFILE", profile);
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
        let report = tempfile::NamedTempFile::new().map_err(temporary)?;
        process.env(REPORT, report.path());
        let status = process.status().map_err(|error| Error::usage(refusal(program, &error)))?;
        let text = fs::read_to_string(report.path()).unwrap_or_default();
        ends = code(program, status, &text)?;
        if first.is_none() {
            keep(&text)?;
            first = Some(text);
        }
        if ends != 0 {
            break;
        }
    }
    if let Some(report) = first.as_deref().filter(|text| !text.is_empty()) {
        let report = read(program, report)?;
        summary::tell(&report, settings);
    }
    Ok(ExitCode::from(ends))
}

/// Puts a folder first on the path of libraries, because the folder of a real driver may already be on it.
fn search(process: &mut Process, folder: &Path) -> Result<(), Error> {
    let path = env::var_os("LD_LIBRARY_PATH").filter(|path| !path.is_empty());
    let others = path.iter().flat_map(env::split_paths);
    let paths = env::join_paths(std::iter::once(folder.to_path_buf()).chain(others));
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

fn read(program: &OsString, report: &str) -> Result<Report, Error> {
    Report::read(report)
        .map_err(|error| Error::CannotRun(format!("the report of {} cannot be read: {error}", program.display())))
}

/// The exit code: the program's, unless it ended well and the checks found something.
fn code(program: &OsString, status: ExitStatus, report: &str) -> Result<u8, Error> {
    match own_code(program, status) {
        Err(code) => Ok(code),
        // A program that never called the driver leaves no report.
        Ok(0) if !report.is_empty() => Ok(u8::from(!read(program, report)?.findings.is_empty())),
        Ok(own) => Ok(own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_decides_the_exit_code_and_one_that_cannot_be_read_is_an_error() {
        let code = |report: &str| code(&"prog".into(), ExitStatus::default(), report);
        assert_eq!(code("").unwrap(), 0);
        assert_eq!(code(&Report::default().to_json()).unwrap(), 0);
        let error = code(r#"{"version": 2, "findings": []}"#).unwrap_err();
        let words = "the report of prog cannot be read: it is of version 2";
        assert!(error.to_string().starts_with(words), "{error}");
        let error = code(r#"{"version": 1, "found": []}"#).unwrap_err();
        assert!(error.to_string().contains("unknown field `found`"), "{error}");
    }
}
