//! `warplab exec`: runs any CUDA program where a lab would run: on the GPU if there is one, else on the embedded
//! machine.
mod clients;
pub mod driver;
mod exec_output;
mod inspect;
mod names;
mod options;
mod process;
mod source;
mod summary;
mod timeout;

use std::{env, ffi::OsString, path::Path, process::ExitCode, time::Duration};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use harness::{Device, DeviceChoice, Error};
use wire::Checks;

use crate::{
    programs::{libraries, nvcc},
    shared::{scratch, signals},
};
pub use clients::variables as variables_of_clients;
pub use exec_output::RequestedOutput;
pub use inspect::has_runtime_linked_in;
pub use process::{ExecSettings, ProgramResult};
use source::Compiled;
pub use source::capability;

const MORE: &str = "\
PROGRAM is a program that `warplab nvcc` or nvcc has compiled, any other program that uses CUDA's driver, or a file x.cu, \
which is compiled first, for the part that is emulated.

Exit codes: PROGRAM's own, but 1 if that is 0 and anything was found in it or in a process that it started (a refused \
launch counts unless its process asked for the error), 124 if --timeout ends it, 128 plus the signal's number if a signal \
ends PROGRAM, 2 if the command line is wrong or PROGRAM cannot be started, 4 if it cannot run here.

Examples:
  warplab exec hello.cu 10                          compile and run
  warplab exec --nvcc=-O3 --nvcc=-std=c++20 hello.cu 10
  warplab exec --check all ./hello 10               look for mistakes of every kind
  warplab exec --hot --out run ./hello 10           then: warplab report run
  warplab exec --predict=h200 ./hello 10            what the kernels would take on an H200
  warplab exec --device emulated:t4 -- python3 x.py    numba, Triton, PyCUDA, Taichi, cuda.core";

/// The prefix of the folders in which programs find their libraries.
const SCRATCH: &str = ".warplab-exec-";

pub fn command() -> Command {
    with_watching(Command::new("exec"))
        .about("Run a CUDA program on the GPU if there is one, or else on the embedded machine")
        .args(exec_output::options())
        .arg(
            Arg::new("nvcc")
                .long("nvcc")
                .value_name("OPTION")
                .action(ArgAction::Append)
                .allow_hyphen_values(true)
                .value_parser(value_parser!(OsString))
                .help("Pass OPTION to nvcc, which compiles x.cu; may be given several times"),
        )
        .arg(
            Arg::new("program")
                .value_name("PROGRAM")
                .num_args(1..)
                .required(true)
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .value_parser(value_parser!(OsString))
                .help("The program to run, or its source x.cu, and its arguments"),
        )
        .after_help(MORE)
}

/// Adds the options for the device and for what is checked and shown.
pub fn with_watching(command: Command) -> Command {
    command
        .arg(
            Arg::new("device")
                .long("device")
                .value_name("DEVICE")
                .value_parser(value_parser!(DeviceChoice))
                .help("auto, cuda:N or emulated[:PROFILE]"),
        )
        .arg(Arg::new("check").long("check").value_name("CHECKS").value_parser(harness::parse_checks).help(
            "memcheck, racecheck, initcheck, synccheck, leakcheck (several with commas), all or none \
                     [default: memcheck]",
        ))
        .arg(
            Arg::new("counters").long("counters").action(ArgAction::SetTrue).help(
                "Show what was counted of each kernel: instructions, divergence, sectors, bank conflicts, atomics",
            ),
        )
        .arg(
            Arg::new("hot")
                .long("hot")
                .value_name("LINES")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("10")
                .value_parser(harness::parse_lines)
                .help("Show the LINES lines of the source that cost the most [default: 10]"),
        )
        .arg(
            Arg::new("predict")
                .long("predict")
                .value_name("PART")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("")
                .help(
                    "Predict the time and the bottleneck of each kernel on PART (h100, h200; default: the emulated \
                     GPU), which is then emulated",
                ),
        )
        .arg(
            Arg::new("schedules")
                .long("schedules")
                .value_name("COUNT")
                .value_parser(harness::parse_schedules)
                .help("Run the program under COUNT orders of warps and blocks, and report the findings of all of them"),
        )
        .arg(
            Arg::new("timeout").long("timeout").value_name("TIME").value_parser(harness::parse_time).help(
                "End the program after TIME (seconds, or 2min), and say where its kernel was; the exit code is 124",
            ),
        )
        .arg(Arg::new("keep-going").long("keep-going").action(ArgAction::SetTrue).help(
            "Let a kernel go on after an access outside of all allocations, as a GPU may: it reads zero, or its value \
             is lost, and it is reported once",
        ))
}

pub fn run(matches: &ArgMatches) -> Result<ExitCode, Error> {
    let choice = matches.get_one::<DeviceChoice>("device").cloned().unwrap_or(DeviceChoice::Auto);
    run_on(&choice, matches, None, &RequestedOutput::from_matches(matches), &command())
}

/// Runs the program that `matches` names. The libraries are written to `folder`, or to a temporary one.
pub fn run_on(
    choice: &DeviceChoice,
    matches: &ArgMatches,
    folder: Option<&Path>,
    wanted: &RequestedOutput,
    command_of: &Command,
) -> Result<ExitCode, Error> {
    let words: Vec<&OsString> = matches.get_many("program").map(Iterator::collect).unwrap_or_default();
    let Some((named, arguments)) = words.split_first() else {
        return Err(Error::usage("name a program to run"));
    };
    options::check(named, command_of)?;
    let predict = matches.get_one::<String>("predict").map(String::as_str);
    let choice = &harness::predicted_device(predict, choice.clone(), matches)?;
    let opened = harness::choose(choice)?;
    let profile = match &opened.device {
        Device::Emulated(profile) => profile,
        Device::Gpu(_) => "",
    };
    let settings = ExecSettings {
        checks: matches.get_one::<Checks>("check").copied(),
        counters: matches.get_flag("counters"),
        hot: matches.get_one::<usize>("hot").copied().unwrap_or_default(),
        part: harness::predicted_part(predict, profile)?,
        schedules: matches.get_one::<u32>("schedules").copied().unwrap_or(1),
        keep_going: matches.get_flag("keep-going"),
        timeout: matches.get_one::<Duration>("timeout").copied(),
        quiet: wanted.quiet,
        calls: false,
    };
    settings.must_fit()?;
    signals::listen();
    let temporary = scratch::Folder::new_in(&env::temp_dir(), SCRATCH).map_err(in_temporary("create a folder in"))?;
    // `driver` runs a program without compiling it.
    let of_nvcc = matches.try_get_many::<OsString>("nvcc").ok().flatten();
    let of_nvcc: Vec<&OsString> = of_nvcc.map(Iterator::collect).unwrap_or_default();
    let program = match source::compiled(named, &of_nvcc, temporary.path(), &opened.device)? {
        Compiled::Program(program) => program,
        Compiled::Failed(code) => return Ok(ExitCode::from(code)),
    };
    let folder = folder.unwrap_or(temporary.path());
    let ended = match &opened.device {
        Device::Emulated(profile) => emulate([folder, temporary.path()], profile, &program, arguments, &settings)?,
        Device::Gpu(number) => {
            settings.must_be_plain(predict.is_some())?;
            // NVIDIA's own runtime if it is installed, else ours, which also runs over NVIDIA's driver.
            let runtime = match nvcc::runtime_folder() {
                Some(runtime) => runtime,
                None => {
                    libraries::write_runtime(folder).map_err(in_temporary("write the runtime to"))?;
                    folder.to_path_buf()
                }
            };
            process::on_gpu(&runtime, *number, &program, arguments, settings.timeout)?
        }
    };
    if !settings.quiet {
        summary::tell(&ended.processes, &settings);
    }
    let code = ended.code;
    wanted.write(&words, &opened.device, choice, &settings, ended)?;
    Ok(ExitCode::from(code))
}

/// Runs a program on the embedded machine, whose libraries are written to the first folder; the second is temporary.
fn emulate(
    [folder, temporary]: [&Path; 2],
    profile: &str,
    program: &OsString,
    arguments: &[&OsString],
    settings: &ExecSettings,
) -> Result<ProgramResult, Error> {
    harness::check_profile(profile)?;
    inspect::check(Path::new(program))?;
    libraries::write_machine(folder).map_err(in_temporary("write the driver to"))?;
    process::on_machine(folder, temporary, profile, program, arguments, settings)
}

/// The part that the toolkit's tools emulate: the default, or that of `WARPLAB_PROFILE`.
///
/// # Errors
/// [`Error::Usage`] when there is no such part.
pub fn emulated_part() -> Result<String, Error> {
    let choice: DeviceChoice = "emulated".parse().map_err(Error::usage)?;
    let Device::Emulated(profile) = harness::choose(&choice)?.device else {
        unreachable!("an emulated device was chosen");
    };
    harness::check_profile(&profile)?;
    Ok(profile)
}

/// Runs a program on this emulated part for a tool, which shows the result itself.
///
/// # Errors
/// As [`run`].
pub fn watch(words: &[OsString], profile: &str, settings: &ExecSettings) -> Result<ProgramResult, Error> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(Error::usage("name a program to run"));
    };
    signals::listen();
    let temporary = scratch::Folder::new_in(&env::temp_dir(), SCRATCH).map_err(in_temporary("create a folder in"))?;
    let arguments: Vec<&OsString> = arguments.iter().collect();
    emulate([temporary.path(); 2], profile, program, &arguments, settings)
}

fn in_temporary(action: &'static str) -> impl Fn(std::io::Error) -> Error {
    move |source| Error::Io { action, path: env::temp_dir(), source }
}
