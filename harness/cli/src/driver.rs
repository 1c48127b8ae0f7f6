//! `warplab driver`: the embedded machine as a `libcuda` for programs other than the labs. The command writes it to a
//! folder, or runs one program on it.
use std::{
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::{Command as Process, ExitCode, ExitStatus},
};

use clap::{Arg, ArgMatches, Command, value_parser};
use harness::{DeviceChoice, Error};
use wire::Checks;

use crate::soname;

/// The environment variable that names a file for the driver's report, which it writes when the program ends.
const REPORT: &str = "WARPLAB_REPORT";

/// The name of the driver that a linked program asks for.
const NAME: &str = "libcuda.so.1";

const MORE: &str = "\
Exit codes: PROGRAM's own, but 1 if PROGRAM succeeds and the checks find a mistake in its kernels, 128 plus the signal's
number if a signal ends PROGRAM, 2 if the command line is wrong or PROGRAM cannot be started.

Examples:
  warplab driver --check all -- python3 mine.py     run a program on the emulated device
  warplab driver --out DIR                          then: LD_LIBRARY_PATH=DIR PROGRAM";

pub fn command() -> Command {
    Command::new("driver")
        .about("Run another CUDA program on the embedded machine, or write the machine as libcuda.so.1")
        .arg(
            Arg::new("program")
                .value_name("PROGRAM")
                .num_args(1..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .value_parser(value_parser!(OsString))
                .help("The program to run, and its arguments"),
        )
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("Write libcuda.so.1 and libcuda.so to this folder, which is created if needed"),
        )
        .arg(
            Arg::new("check")
                .long("check")
                .value_name("CHECKS")
                .requires("program")
                .value_parser(harness::parse_checks)
                .help(
                    "memcheck, racecheck, initcheck, synccheck, leakcheck (several with commas), all or none \
                     [default: memcheck]",
                ),
        )
        .arg(
            Arg::new("device")
                .long("device")
                .value_name("DEVICE")
                .requires("program")
                .value_parser(value_parser!(DeviceChoice))
                .help("emulated[:PROFILE]"),
        )
        .after_help(MORE)
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let out = matches.get_one::<PathBuf>("out");
    let program: Vec<&OsString> = matches.get_many("program").map(Iterator::collect).unwrap_or_default();
    if let Some(folder) = out {
        write(folder).map_err(|error| {
            Error::usage(format!("--out {}: cannot write the driver there: {error}", folder.display()))
        })?;
    }
    match (program.split_first(), out) {
        (Some((program, arguments)), Some(folder)) => on(folder, program, arguments, matches),
        (Some((program, arguments)), None) => {
            let folder = tempfile::tempdir().map_err(in_temporary("create a folder in"))?;
            write(folder.path()).map_err(in_temporary("write the driver to"))?;
            on(folder.path(), program, arguments, matches)
        }
        (None, Some(folder)) => {
            harness::print(&format!(
                "{0}/libcuda.so.1 and {0}/libcuda.so are written; run a program on the emulated device with\n  LD_LIBRARY_PATH={0} PROGRAM",
                folder.display()
            ));
            Ok(ExitCode::SUCCESS)
        }
        (None, None) => {
            Err(Error::usage("name a program to run on the emulated device, or a folder for the driver by --out"))
        }
    }
}

/// Writes the driver to `folder`.
fn write(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    // Programs are linked with the first name. Programs that load the driver themselves may try the second, which leads
    // to the same file, so that nobody loads two drivers.
    let library = soname::named(harness::machine_library(), NAME).map_err(io::Error::other)?;
    fs::write(folder.join(NAME), library)?;
    let other = folder.join("libcuda.so");
    match fs::remove_file(&other) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    #[cfg(unix)]
    return std::os::unix::fs::symlink(NAME, other);
    #[cfg(not(unix))]
    fs::copy(folder.join(NAME), other).map(drop)
}

fn in_temporary(action: &'static str) -> impl Fn(io::Error) -> Error {
    move |source| Error::Io { action, path: env::temp_dir(), source }
}

/// Runs the program with the driver in `folder`, and gives the exit code to end with.
fn on(folder: &Path, program: &OsString, arguments: &[&OsString], matches: &ArgMatches) -> Result<ExitCode, Error> {
    let folder = fs::canonicalize(folder).map_err(in_temporary("find the driver in"))?;
    let mut process = Process::new(program);
    process.args(arguments);
    // It comes first, because the folder of a real driver may already be on the path.
    let path = env::var_os("LD_LIBRARY_PATH").filter(|path| !path.is_empty());
    let others = path.iter().flat_map(env::split_paths);
    let paths = env::join_paths(std::iter::once(folder.clone()).chain(others));
    let paths = paths.map_err(|error| Error::usage(format!("{}: {error}; choose another --out", folder.display())))?;
    process.env("LD_LIBRARY_PATH", paths);
    // numba does not search this path.
    process.env("NUMBA_CUDA_DRIVER", folder.join(NAME));
    if let Some(checks) = matches.get_one::<Checks>("check") {
        process.env("WARPLAB_CHECKS", checks.to_string());
    }
    match matches.get_one::<DeviceChoice>("device") {
        None => {}
        Some(DeviceChoice::Emulated(profile)) => {
            harness::check_profile(profile)?;
            process.env("WARPLAB_PROFILE", profile);
        }
        Some(other) => {
            return Err(Error::usage(format!(
                "driver runs programs only on the emulated device, and --device {other} is another device"
            )));
        }
    }
    let report = tempfile::NamedTempFile::new().map_err(in_temporary("create a file in"))?;
    process.env(REPORT, report.path());
    // The program handles Ctrl-C. This process stays, to remove the temporary files after it.
    let _ = ctrlc::set_handler(|| {});
    let status = process.status().map_err(|error| Error::usage(refusal(program, &error)))?;
    let text = fs::read_to_string(report.path()).unwrap_or_default();
    let wanted = env::var_os(REPORT).filter(|file| !file.is_empty());
    if let Some(file) = wanted.filter(|_| !text.is_empty()) {
        fs::write(&file, &text).map_err(|source| Error::Io { action: "write", path: file.into(), source })?;
    }
    Ok(ExitCode::from(code(program, status, &text)?))
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

/// The exit code: the program's, unless it ended well and the checks found something.
fn code(program: &OsString, status: ExitStatus, report: &str) -> Result<u8, Error> {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        harness::print_error(&format!(
            "{}: ended by {status}; what the checks had found by then is written above",
            program.display()
        ));
        return Ok(128_u8.saturating_add(signal as u8));
    }
    let own = status.code().map_or(1, |code| code as u8);
    if own != 0 {
        return Ok(own);
    }
    // A program that never called the driver leaves no report.
    if report.is_empty() {
        return Ok(0);
    }
    let report = wire::Report::read(report)
        .map_err(|error| Error::CannotRun(format!("the report of {} cannot be read: {error}", program.display())))?;
    Ok(u8::from(!report.findings.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_decides_the_exit_code_and_one_that_cannot_be_read_is_an_error() {
        let code = |report: &str| code(&"prog".into(), ExitStatus::default(), report);
        assert_eq!(code("").unwrap(), 0);
        assert_eq!(code(&wire::Report::default().to_json()).unwrap(), 0);
        let error = code(r#"{"version": 2, "findings": []}"#).unwrap_err();
        let words = "the report of prog cannot be read: it is of version 2";
        assert!(error.to_string().starts_with(words), "{error}");
        let error = code(r#"{"version": 1, "found": []}"#).unwrap_err();
        assert!(error.to_string().contains("unknown field `found`"), "{error}");
    }
}
