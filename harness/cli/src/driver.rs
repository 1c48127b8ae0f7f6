//! `warplab driver`: the embedded machine as a `libcuda`, for programs other than the labs: written to a folder, or lent to one
//! program that is run on it.
use std::{
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::{Command as Process, ExitCode, ExitStatus},
};

use clap::{Arg, ArgMatches, Command, value_parser};
use harness::{DeviceChoice, Error};
use serde_json::Value;

/// Names the file for the report of a program that does not read it for itself.
const REPORT: &str = "WARPLAB_REPORT";

const MORE: &str = "\
Exit codes: PROGRAM's own, but 1 for a PROGRAM that ends well and whose kernels the checks found fault with, 128 and the
signal's number when a signal ends it, 2 when the command line is wrong or it cannot be started.

Examples:
  warplab driver --check all -- python3 mine.py     run a program on the emulated device
  warplab driver --out DIR                          then: LD_LIBRARY_PATH=DIR PROGRAM";

pub fn command() -> Command {
    Command::new("driver")
        .about("Run another CUDA program on the embedded machine, or write that as libcuda.so.1")
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
                .help("Write libcuda.so.1 and libcuda.so to this folder, made if need be"),
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
    let program: Vec<&OsString> = matches
        .get_many("program")
        .map(Iterator::collect)
        .unwrap_or_default();
    if let Some(folder) = out {
        write(folder).map_err(|error| {
            Error::usage(format!(
                "--out {}: cannot write the driver there: {error}",
                folder.display()
            ))
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
        (None, None) => Err(Error::usage(
            "name a program to run on the emulated device, or a folder for the driver by --out",
        )),
    }
}

/// Writes the driver to `folder`.
fn write(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    // Programs link with the first name; those that look for the driver themselves try the second.
    fs::write(folder.join("libcuda.so.1"), harness::machine_library())?;
    fs::write(folder.join("libcuda.so"), harness::machine_library())
}

fn in_temporary(action: &'static str) -> impl Fn(io::Error) -> Error {
    move |source| Error::Io {
        action,
        path: env::temp_dir(),
        source,
    }
}

/// Runs the program with the driver in `folder`, and ends as it does.
fn on(
    folder: &Path,
    program: &OsString,
    arguments: &[&OsString],
    matches: &ArgMatches,
) -> Result<ExitCode, Error> {
    let folder = fs::canonicalize(folder).map_err(in_temporary("find the driver in"))?;
    let mut process = Process::new(program);
    process.args(arguments);
    // Before all else that is there: the folder of a real driver may be on the path already.
    let path = env::var_os("LD_LIBRARY_PATH").filter(|path| !path.is_empty());
    let others = path.iter().flat_map(env::split_paths);
    let paths = env::join_paths(std::iter::once(folder.clone()).chain(others));
    let paths = paths.map_err(|error| {
        Error::usage(format!(
            "{}: {error}; choose another --out",
            folder.display()
        ))
    })?;
    process.env("LD_LIBRARY_PATH", paths);
    // numba does not look there.
    process.env("NUMBA_CUDA_DRIVER", folder.join("libcuda.so.1"));
    if let Some(checks) = matches.get_one::<String>("check") {
        process.env("WARPLAB_CHECKS", checks);
    }
    match matches.get_one::<DeviceChoice>("device") {
        None => {}
        Some(DeviceChoice::Emulated(profile)) => {
            harness::check_profile(profile)?;
            process.env("WARPLAB_PROFILE", profile);
        }
        Some(other) => {
            return Err(Error::usage(format!(
                "driver runs programs on the emulated device; --device {other} is none"
            )));
        }
    }
    let report = tempfile::NamedTempFile::new().map_err(in_temporary("create a file in"))?;
    process.env(REPORT, report.path());
    // Ctrl-C is the program's to take; this one stays to tidy up after it.
    let _ = ctrlc::set_handler(|| {});
    let status = process
        .status()
        .map_err(|error| Error::usage(refusal(program, &error)))?;
    let text = fs::read_to_string(report.path()).unwrap_or_default();
    let wanted = env::var_os(REPORT).filter(|file| !file.is_empty());
    if let Some(file) = wanted.filter(|_| !text.is_empty()) {
        fs::write(&file, &text).map_err(|source| Error::Io {
            action: "write",
            path: file.into(),
            source,
        })?;
    }
    Ok(ExitCode::from(code(program, status, &text)))
}

/// Why the program could not be started, and what to do.
fn refusal(program: &OsString, error: &io::Error) -> String {
    let name = program.display();
    match error.kind() {
        io::ErrorKind::NotFound => {
            format!(
                "cannot run {name}: there is no such program; give its path, or a name that PATH has"
            )
        }
        io::ErrorKind::PermissionDenied => {
            format!(
                "cannot run {name}: it is no program that you may execute; `chmod +x` makes a file one"
            )
        }
        _ => format!("cannot run {name}: {error}"),
    }
}

/// The exit code: the program's, unless it ended well and the checks found something.
fn code(program: &OsString, status: ExitStatus, report: &str) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        harness::print_error(&format!(
            "{}: ended by {status}; what the checks may have found is lost with it",
            program.display()
        ));
        return 128_u8.saturating_add(signal as u8);
    }
    let own = status.code().map_or(1, |code| code as u8);
    if own != 0 {
        return own;
    }
    let report: Value = serde_json::from_str(report).unwrap_or_default();
    let findings = report["findings"].as_array().map_or(0, Vec::len);
    u8::from(findings > 0)
}
